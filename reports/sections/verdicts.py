"""What got slower and faster, and the table of all cases."""

import re
from typing import Any

import pandas as pd

from reports.identity import short_names
from reports.layout import CaseName, Column, Name, Section, Stack, Table
from reports.measured import samples_per_s
from reports.quantities import MISSING, counted, percent_between, percent_change, seconds, significant
from reports.sections.alongside import Alongside
from reports.subject import Subject
from reports.verdicts import WORST_FIRST, case_rows, is_machine_row

MARKS = {
    "regression": "▲ regression",
    "suspect": "△ suspect",
    "improvement": "▼ improvement",
    "recovered": "▽ recovered",
    "failed": "✗ failed",
    "timed-out": "✗ timed-out",
    "not-reached": "✗ not-reached",
    "missing": "✗ missing",
}
"""Verdicts that carry a sign besides their word, so that neither colour nor reading decides alone."""
MEANINGS = {
    "regression": "slower than before, confirmed by a second session or by measuring again",
    "suspect": "slower in this session, not yet confirmed",
    "improvement": "faster than before, confirmed",
    "recovered": "a regression is back where it was",
    "redefined": "what it does, or how it is timed, changed, so it is compared with nothing before that",
    "insufficient-history": "too few earlier sessions at its present level to compare with",
    "new-machine": "no earlier session on this kind of machine",
    "missing": "was measured before, is no longer there",
    "inconclusive": "too few or too noisy launches",
}
"""What a verdict means, of those whose word does not say it."""
CHANGED = ("regression", "suspect", "improvement", "recovered", "redefined")
_COMMIT = re.compile(r"\b[0-9a-f]{40}\b|(?<=_)[0-9a-f]{40}(?=_)")
FRESH = ("regression", "suspect", "improvement")
MOST_ALONGSIDE, MOST_TOLD = 4, 3
NOTHING_ELSE = "nothing on record"
_CHANGES = (
    Column("case", is_number=False),
    Column("verdict", is_number=False),
    Column("change"),
    Column("now"),
    Column("begins in", is_number=False),
    Column("what else changed", is_number=False),
)
_CASES = (
    Column("case", is_number=False),
    Column("verdict", is_number=False),
    Column("change"),
    Column("time per unit"),
    Column("samples per second"),
    Column("flags", is_number=False),
)


def mark(verdict: str) -> str:
    """Return the verdict with its sign."""
    return MARKS.get(verdict, verdict)


def changes(subject: Subject) -> Section:
    """Return what changed, what is new before what is known, each worst first; and what else changed with it."""
    verdicts = subject.judgement.verdicts
    changed = verdicts[verdicts["verdict"].isin(CHANGED) | is_machine_row(verdicts)]
    if changed.empty:
        said = "No case changed." if subject.judgement.judged else "No case was compared with earlier sessions."
        return Section("changes", "What got slower, what got faster", (said,))
    names, alongside = short_names(list(changed["fullname"])), Alongside(subject)
    told = [(row, alongside.of(row)) for row in _new_first(changed).to_dict("records")]
    rows = [_change(row, names[row["fullname"]], phrases) for row, phrases in told]
    caption = "Changes with their 95 % intervals; times are per step, lesson or call"
    sentences = (*_together(told), *_redefined(told, names))
    return Section(
        "changes",
        "What got slower, what got faster",
        sentences,
        (Table(caption, _CHANGES, rows),),
        notes=_notes(changed),
    )


def _notes(changed: pd.DataFrame) -> tuple[str, ...]:
    how = "python -m reports accept CASE --reason TEXT"
    is_open = (changed["verdict"] == "regression").any()
    return (f"A regression stays open until it has recovered or its new level is accepted: {how}.",) if is_open else ()


def _new_first(changed: pd.DataFrame) -> pd.DataFrame:
    """Order by what asks to be looked at: slower since tonight, slower for longer, all else; each as it stood."""
    slower = changed["verdict"].isin(["regression", "suspect"])
    known = (changed["verdict"] == "regression") & ~changed["new"]
    order = changed.assign(rank=(~slower).astype(int) * 2 + known.astype(int))
    return changed.loc[order.sort_values("rank", kind="stable").index]


def _change(row: dict[Any, Any], name: str, phrases: list[str]) -> tuple[str, ...]:
    is_located = bool(row["first_bad_run"] and row["last_good_run"])
    shown = phrases[:MOST_ALONGSIDE]
    more = [f"{len(phrases) - len(shown)} more"] if len(phrases) > len(shown) else []
    return (
        CaseName(name, row["fullname"]),
        _stack(mark(row["verdict"]) + (" (new)" if row["new"] else ""), _limit(row["limit"])),
        _stack(percent_change(row["ratio"]), percent_between(row["ratio_low"], row["ratio_high"])),
        _stack(seconds(row["median_s"]), f"was {seconds(row['baseline_s'])}" if row["baseline_s"] > 0 else ""),
        _stack(Name(run_label(row["first_bad_run"])), _after(row["last_good_run"])) or MISSING,
        Stack(*shown, *more) if phrases else (NOTHING_ELSE if is_located else MISSING),
    )


def _stack(first: str, second: str) -> str:
    return Stack(first, second) if second and second != MISSING else first


def _limit(told: str) -> str:
    return f"beyond its limit: {told}" if told else ""


def _after(run: str) -> str:
    """Name the run before by its number alone where it has one: a store gives none twice."""
    number = run.partition("_")[0]
    return f"after {number if number.isdecimal() else run_label(run)}" if run else ""


def run_label(run: str) -> str:
    """Return a run file's name as it fits into a cell: without suffix, a commit's 40 digits cut to 10."""
    return _COMMIT.sub(lambda found: found[0][:10], run.removesuffix(".gz").removesuffix(".json"))


def _together(told: list[tuple[dict[Any, Any], list[str]]]) -> list[str]:
    """Say what changed along with what is new tonight, once for all cases that moved one way in the same run."""
    groups: dict[tuple[str, str, bool], list[list[str]]] = {}
    for row, phrases in told:
        is_new = row["verdict"] == "suspect" or (row["new"] and row["verdict"] in FRESH)
        if is_new and row["first_bad_run"] and row["last_good_run"]:
            key = (row["first_bad_run"], row["last_good_run"], row["ratio"] > 1)
            groups.setdefault(key, []).append(phrases)
    sentences = []
    for (bad, good, slower), lists in sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST_TOLD]:
        shared = [phrase for phrase in lists[0] if all(phrase in phrases for phrases in lists)]
        number = (
            f"{counted(len(lists), 'case')} {'is' if len(lists) == 1 else 'are'} {'slower' if slower else 'faster'}"
        )
        also = "; ".join(shared) or f"{NOTHING_ELSE}{' for all of them' if any(lists) else ''}"
        sentences.append(f"{number} since {run_label(bad)}, {_after(good)}; what else changed: {also}.")
    return sentences


def _redefined(told: list[tuple[dict[Any, Any], list[str]]], names: dict[str, str]) -> list[str]:
    """Say which cases begin anew since their work or method is another one, once for each reason."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for row, phrases in told:
        if row["verdict"] == "redefined":
            groups.setdefault(tuple(phrases[:MOST_ALONGSIDE]), []).append(names[row["fullname"]])
    sentences = []
    for changed, cases in sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST_TOLD]:
        who = f"{cases[0]} begins" if len(cases) == 1 else f"{cases[0]} and {len(cases) - 1} more begin"
        sentences.append(f"{who} a new history, since work or method changed: {'; '.join(changed)}.")
    return sentences


def cases(subject: Subject) -> Section:
    """Return every case with its figures, worst first."""
    verdicts = case_rows(subject.judgement.verdicts)
    names = short_names(list(verdicts["fullname"]))
    throughput = pd.Series(samples_per_s(subject.measured).to_numpy(), index=subject.measured["fullname"])
    rows: list[tuple[str, ...]] = [
        (
            CaseName(names[row["fullname"]], row["fullname"]),
            mark(row["verdict"]),
            percent_change(row["ratio"]),
            seconds(row["median_s"]),
            significant(throughput.get(row["fullname"], float("nan"))),
            ", ".join(row["flags"]),
        )
        for row in verdicts.to_dict("records")
    ]
    counts = verdicts["verdict"].value_counts()
    summary = ", ".join(f"{counts[word]} {word}" for word in WORST_FIRST if word in counts) or MISSING
    return Section(
        "cases",
        "All cases",
        (f"{counted(len(rows), 'case')}: {summary}.",),
        (Table("Every case, worst first", _CASES, rows, folded=True),),
        notes=tuple(f"{word}: {meaning}." for word, meaning in MEANINGS.items() if word in counts),
    )

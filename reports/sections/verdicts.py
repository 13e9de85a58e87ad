"""What got slower and faster, and the table of all cases."""

import pandas as pd

from reports.identity import short_names
from reports.layout import CaseName, Column, Name, Section, Table
from reports.measured import samples_per_s
from reports.quantities import MISSING, between, counted, percent_change, seconds, significant
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
CHANGED = ("regression", "suspect", "improvement", "recovered", "redefined")
_CHANGES = (
    Column("case", is_number=False),
    Column("verdict", is_number=False),
    Column("change"),
    Column("between"),
    Column("before"),
    Column("now"),
)
_RUNS = (Column("first run that shows it", is_number=False), Column("last run before", is_number=False))
_LIMIT = Column("beyond its limit", is_number=False)
_CASES = (
    Column("case", is_number=False),
    Column("verdict", is_number=False),
    Column("change"),
    Column("time per unit"),
    Column("samples per second"),
    Column("ratio to earlier"),
    Column("flags", is_number=False),
)


def mark(verdict: str) -> str:
    """Return the verdict with its sign."""
    return MARKS.get(verdict, verdict)


def changes(subject: Subject) -> Section:
    """Return what changed, worst first."""
    verdicts = subject.judgement.verdicts
    changed = verdicts[verdicts["verdict"].isin(CHANGED) | is_machine_row(verdicts)]
    if changed.empty:
        said = "No case changed." if subject.judgement.judged else "No case was compared with earlier sessions."
        return Section("changes", "What got slower, what got faster", (said,))
    names = short_names(list(changed["fullname"]))
    has_limit = bool((changed["limit"] != "").any())
    rows: list[tuple[str, ...]] = [
        (
            CaseName(names[row["fullname"]], row["fullname"]),
            mark(row["verdict"]) + (" (new)" if row["new"] else ""),
            percent_change(row["ratio"]),
            between(percent_change(row["ratio_low"]), percent_change(row["ratio_high"])),
            seconds(row["baseline_s"]),
            seconds(row["median_s"]),
            *([row["limit"]] if has_limit else []),
            Name(row["first_bad_run"]),
            Name(row["last_good_run"]),
        )
        for row in changed.to_dict("records")
    ]
    columns = (*_CHANGES, *([_LIMIT] if has_limit else []), *_RUNS)
    redefined = changed[changed["verdict"] == "redefined"].to_dict("records")
    sentences = tuple(f"{names[row['fullname']]}: its work or method {row['reason']}." for row in redefined)
    return Section("changes", "What got slower, what got faster", sentences, (Table("Changes", columns, rows),))


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
            significant(row["ratio"], 4),
            ", ".join(row["flags"]),
        )
        for row in verdicts.to_dict("records")
    ]
    counts = verdicts["verdict"].value_counts()
    summary = ", ".join(f"{counts[word]} {word}" for word in WORST_FIRST if word in counts) or MISSING
    return Section(
        "cases",
        "All cases",
        (f"{counted(len(rows), 'case')}: {summary}.", "A ratio above 1 is slower than the earlier sessions."),
        (Table("Every case, worst first", _CASES, rows, folded=True),),
    )

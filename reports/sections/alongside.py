"""What else changed where a case did: what the files record, the commit, and the machine's own primitives."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from reports.history import LEAST_SESSIONS, MAD_TO_SD, log_times
from reports.identity import is_cpu
from reports.layout import Name
from reports.quantities import counted, significant
from reports.rule.suspects import differences
from reports.sections.primitives import TITLES
from reports.subject import Subject
from reports.units import LEAST_CHANGE, LIMIT_Z
from reports.values import mapping, text

NEAREST_SESSIONS = 10
"""Sessions on either side of a change that tell where a primitive was."""
HALFWAY = 0.5
MOST_PRIMITIVES = 2
SHORT_COMMIT = 10
HAS_MOVED = ("regression", "suspect", "improvement")


class Alongside:
    """What changed between the last run before a change and the first one after it, for any row of the verdicts."""

    def __init__(self, subject: Subject) -> None:
        judgement, files = subject.judgement, subject.runs.files
        ours = files[files["machine"] == judgement.machine].drop_duplicates("run", keep="last").set_index("run")
        self._session, self._commit = dict(ours["session"]), dict(ours["commit"])
        sessions = judgement.sessions
        same = (sessions["machine"] == judgement.machine) & (sessions["kind"] == judgement.kind)
        judged = sessions["session"] == judgement.session
        same &= sessions["started"] <= sessions.loc[judged, "started"].max()
        known = sessions[same & (sessions["complete"].astype(bool) | judged)]
        self._known = known
        self._titles = _primitives(subject.runs.cases)
        times = log_times(known[known["fullname"].isin(self._titles)])
        self._times = times.reindex(list(known["session"].unique()))
        self._moves: dict[tuple[str, str], dict[str, float]] = {}

    def of(self, row: dict[Any, Any]) -> list[str]:
        """Return a phrase for each thing that changed, what files say as Name; empty where nothing on record did."""
        if row["verdict"] == "redefined":
            return self._redefinition(row)
        good, bad = row["last_good_run"], row["first_bad_run"]
        if not good or not bad:
            return []
        recorded = [phrase for phrase in text(row["suspects"]).split("; ") if phrase]
        return [*map(_with_arrow, recorded), *self._commits(good, bad), *self._primitives_too(row, good, bad)]

    def _redefinition(self, row: dict[Any, Any]) -> list[str]:
        """Return what differs from the last result before; the reason of the verdict names fields only."""
        results = self._known[(self._known["fullname"] == row["fullname"]) & self._known["log_time"].notna()]
        if len(results) < 2:  # noqa: PLR2004  the one before and the judged one
            return [row["reason"].removeprefix("changed: ")]
        before, now = results.iloc[-2:].to_dict("records")
        found: list[str] = [_with_arrow(str(difference)) for difference in differences(before, now)]
        return found or [row["reason"].removeprefix("changed: ")]

    def _commits(self, good: str, bad: str) -> Iterator[str]:
        old, new = (str(self._commit.get(run) or "")[:SHORT_COMMIT] for run in (good, bad))
        if old and new and old != new:
            yield _with_arrow(f"commit {old} -> {new}")

    def _primitives_too(self, row: dict[Any, Any], good: str, bad: str) -> list[str]:
        if row["verdict"] not in HAS_MOVED:
            return []
        slower, device = row["ratio"] > 1, row["device"]
        hosts = {device} if is_cpu(device) else {device, "cpu"}
        moves = [
            (change, self._titles[name][1])
            for name, change in self._moved(self._session.get(good, ""), self._session.get(bad, "")).items()
            if (change > 0) == slower and name != row["fullname"] and self._titles[name][0] in hosts
        ]
        moves.sort(key=lambda move: -abs(move[0]))
        words = [
            f"{title} {significant(abs(math.expm1(change)) * 100, 2)} % {'slower' if slower else 'faster'} too"
            for change, title in moves[:MOST_PRIMITIVES]
        ]
        more = len(moves) - len(words)
        return [*words, f"{counted(more, 'more primitive')} too"] if more > 0 else words

    def _moved(self, good: str, bad: str) -> dict[str, float]:
        """Return the ln change of every primitive that moved between two sessions by more than it scatters."""
        if (good, bad) not in self._moves:
            self._moves[good, bad] = moved(self._times, good, bad)
        return self._moves[good, bad]


def _with_arrow(difference: str) -> Name:
    return Name(difference.replace(" -> ", " → "))


def moved(times: pd.DataFrame, good: str, bad: str) -> dict[str, float]:
    """Return by how much in ln time each column moved between two sessions, of those columns that did.

    `times` has a row per session in order of time. The medians of up to `NEAREST_SESSIONS` sessions up to `good` and
    from `bad` on are compared, and the move must lie between these two themselves. It exceeds `LEAST_CHANGE`, and
    `LIMIT_Z` times its error by the robust scatter
    (1.4826 x median absolute deviation) of the sessions before, of which there must be `LEAST_SESSIONS`.
    """
    order = list(times.index)
    if good not in order or bad not in order:
        return {}
    found = {}
    for name in times.columns:
        before = times[name].iloc[: order.index(good) + 1].dropna().tail(NEAREST_SESSIONS).to_numpy()
        after = times[name].iloc[order.index(bad) :].dropna().head(NEAREST_SESSIONS).to_numpy()
        if len(before) < LEAST_SESSIONS or not len(after):
            continue
        level = float(np.median(before))
        sd, change = MAD_TO_SD * float(np.median(np.abs(before - level))), float(np.median(after)) - level
        error = sd * math.sqrt(1 / len(before) + 1 / len(after))
        is_large = abs(change) > max(math.log1p(LEAST_CHANGE), LIMIT_Z * error)
        if is_large and (before[-1] - level) / change < HALFWAY < (after[0] - level) / change:
            found[str(name)] = change
    return found


def _primitives(cases: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Return each primitive's device and title by fullname."""
    found = {}
    for case in cases.drop_duplicates("fullname", keep="last").to_dict("records"):
        told = mapping(mapping(case["extra"]).get("primitive"))
        if (name := told.get("name")) in TITLES:
            kind = " ".join(filter(None, (text(told.get("dtype")), text(told.get("memory")))))
            found[case["fullname"]] = (case["device"], " ".join(filter(None, (case["device"], TITLES[name], kind))))
    return found

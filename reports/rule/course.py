"""What the rule said along a history: the level of each session and case, the confirmed changes, what was accepted."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from reports.rule.grid import Grid
from reports.rule.night import Night
from reports.rule.replay import Acceptance

WORDS = ("slower", "faster", "recovered")
_CHANGED = dict(zip(("regression", "improvement", "recovered"), WORDS, strict=True))


class Change(NamedTuple):
    """A confirmed change of a case: the place of the first session after it, and "slower", "faster" or "recovered"."""

    case: int
    session: int
    word: str


class Course:
    """A replay as it went, filled in night by night.

    Attributes:
        sessions: names, oldest first.
        fullnames: names of the cases.
        level: what each case was compared with in each session, sessions x cases, ln of seconds; NaN for nothing.
        changes: in the order in which they were confirmed.
        accepted: what a person accepted.
    """

    def __init__(self, grid: Grid, accepted: Sequence[Acceptance]) -> None:
        self.sessions, self.fullnames, self.accepted = grid.sessions, grid.fullnames, accepted
        self.level = np.full(grid.log_time.shape, np.nan)
        self.changes: list[Change] = []

    def record(self, session: int, night: Night) -> None:
        """Keep what a judged session says."""
        self.level[session] = night.against + night.shift
        for case in np.flatnonzero(night.new | (night.verdict == "recovered")).tolist():
            word = str(night.verdict[case])
            began = session if word == "recovered" or night.first_bad[case] < 0 else int(night.first_bad[case])
            if word in _CHANGED:
                self.changes.append(Change(case, began, _CHANGED[word]))

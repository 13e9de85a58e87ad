"""The present level of every case of a machine, and the older one that an open regression has to come back to."""

from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Bools, Floats, Ints
from reports.rule.baseline import baselines
from reports.rule.evidence import Past

NEVER = -1
"""The session of a result that is not there."""


class Opened(NamedTuple):
    """An open regression.

    Attributes:
        level: the old level, ln of seconds.
        last_good: the last session on it, and
        first_bad: the first one after it.
        values: the old level's results as they were measured, and
        when: their sessions.
        crept: it came slowly, without a single step.
    """

    level: float
    last_good: int
    first_bad: int
    values: Floats
    when: Ints
    crept: bool = False


class Levels:
    """Results of each case since its present level began.

    Levels are told in ln of seconds on the machine as it is now; `values` are brought there for every night.

    Attributes:
        measured: cases x columns, ln of seconds, newest last; NaN where there is none.
        values: the same with the machine's shifts of their sessions taken out.
        when: the session of each.
        held: results that are kept out of baselines.
        opened: open regressions, by case.
        faster: which levels began with an improvement.
        anchor: the first level since the last acceptance, NaN until it is known, and
        anchor_error: its variance over that of one session, and
        anchor_when: its last session.
    """

    def __init__(self, cases: int, window: int, longest: int, trim: float) -> None:
        """Make room for a window and for the confirming sessions and the held ones after it."""
        columns = window + 2 * longest
        self.window, self.trim = window, trim
        self.measured, self.when = np.full((cases, columns), np.nan), np.full((cases, columns), NEVER)
        self.values = self.measured.copy()
        self.held = np.zeros((cases, columns), dtype=bool)
        self.squares, self.freedom = np.zeros(cases), np.zeros(cases)
        self.opened: dict[int, Opened] = {}
        self.faster = np.zeros(cases, dtype=bool)
        self.anchor, self.anchor_error = np.full(cases, np.nan), np.full(cases, np.nan)
        self.anchor_when = np.full(cases, NEVER)

    @property
    def past(self) -> Past:
        """The results as the evidence reads them."""
        return Past(self.values, self.held, self.squares, self.freedom)

    def recent(self, log_time: Floats, sessions: int) -> Floats:
        """Return the last results of each case, tonight's included."""
        return np.concatenate([self.values[:, self.values.shape[1] - sessions + 1 :], log_time[:, None]], axis=1)

    def append(self, session: int, log_time: Floats, held: Bools, shift: Floats | float = 0.0) -> None:
        """Add a session, `shift` having been taken out of its times; a case without a result keeps what it has."""
        when, there = np.full(len(log_time), session), np.isfinite(log_time)
        has = slice(None) if there.all() else there  # a slice is moved several times as fast
        pairs = ((self.measured, log_time + shift), (self.values, log_time), (self.when, when), (self.held, held))
        for rows, added in pairs:
            rows[has, :-1] = rows[has, 1:]
            rows[has, -1] = added[has]

    def move(self, cases: Bools, by: float) -> None:
        """Follow a machine that moved: what is remembered of earlier levels moves with it."""
        self.anchor[cases] += by
        for case in np.flatnonzero(cases).tolist():
            if case in self.opened:
                self.opened[case] = self.opened[case]._replace(level=self.opened[case].level + by)

    def release(self, session: int) -> None:
        """Let a held session into the baselines after all."""
        self.held[self.when == session] = False

    def begin(self, case: int, first: int) -> None:
        """Start a new level at a session; how far the old one scattered stays known, as far as a window of it."""
        old = (self.when[case] != NEVER) & (self.when[case] < first)
        base = baselines(np.where(old & ~self.held[case], self.values[case], np.nan)[None], self.trim)
        freedom = max(int(base.sessions[0]) - 1, 0)
        if freedom:
            self.squares[case] += base.variance[0] * freedom
            self.freedom[case] += freedom
            share = min(1.0, self.window / self.freedom[case])
            self.squares[case] *= share
            self.freedom[case] *= share
        self.measured[case, old], self.values[case, old], self.when[case, old] = np.nan, np.nan, NEVER
        self.held[case], self.faster[case] = False, False

    def forget(self, case: int) -> None:
        """Start over with another work, of whose time and scatter nothing is known."""
        self.measured[case], self.values[case], self.when[case], self.held[case] = np.nan, np.nan, NEVER, False
        self.squares[case] = self.freedom[case] = 0
        self.faster[case], self.anchor[case] = False, np.nan
        self.opened.pop(case, None)

    def resume(self, case: int, first: int) -> None:
        """Close an open regression: its old level goes on at a session as if it had never been left."""
        old, back = self.opened.pop(case), self.when[case] >= first
        columns = self.values.shape[1]
        self.measured[case] = np.concatenate([old.values, self.measured[case, back]])[-columns:]
        self.when[case] = np.concatenate([old.when, self.when[case, back]])[-columns:]
        self.held[case], self.faster[case] = False, False

    def accept(self, case: int, level: float) -> None:
        """Take the present level as right; `level` is what creep is measured against, NaN for what comes."""
        self.opened.pop(case, None)
        self.faster[case] = False
        self.anchor[case], self.anchor_error[case] = level, 0.0
        self.anchor_when[case] = self.when[case, -1]

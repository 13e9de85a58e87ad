"""The shift that all cases of one device have in common, and whether the whole machine has moved."""

from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Floats
from reports.rule.baseline import MAD_TO_SD
from reports.rule.settings import Settings

LEAST_SHIFTS = 5
"""Sessions before the machine's own scatter is known."""
LEAST_ANCHOR = 10
"""Sessions that make the position which creep is measured against."""


class Moved(NamedTuple):
    """What a session says of a whole machine; `change` is in ln time against the level before, `sd` its scatter."""

    verdict: str
    new: bool
    change: float
    sd: float
    first_bad: int
    last_good: int


class Night(NamedTuple):
    """One session of a machine: what to say of it, whether its results are held, and a held session to let in."""

    moved: Moved | None
    held: bool
    released: int | None = None


class Machine:
    """One device of one machine, followed from session to session.

    Its position is the median distance of its cases from their levels. They are judged with it taken out, so a machine
    that moves leaves their levels and history as they are.

    Attributes:
        position: tonight's.
        level: the median of the positions since it last moved.
        pending: a large shift that waits for a second one: its session and position.
        opened: an open regression: the level before it, its last good and its first bad session.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.position = self.level = 0.0
        self.pending: tuple[int, float] | None = None
        self.opened: tuple[float, int, int] | None = None
        self._positions: list[float] = []
        self._scatter: list[float] = []
        self._anchor: float | None = None
        self._anchored = -1
        self._last = -1

    def locate(self, distances: Floats) -> float:
        """Return tonight's position, or the level when too few cases tell it."""
        known = distances[np.isfinite(distances)]
        self.position = float(np.median(known)) if len(known) >= self.settings.shift_cases else self.level
        return self.position

    @property
    def sd(self) -> float:
        """How far the position scatters between sessions; NaN until it is known.

        A few values tell a robust sd badly, so it is taken larger while they are few.
        """
        known = self._scatter[-self.settings.window :]
        if len(known) < LEAST_SHIFTS:
            return float("nan")
        return MAD_TO_SD * float(np.median(np.abs(known))) * (1 + 3 / len(known))

    def is_large(self, change: float) -> bool:
        """Return whether the machine's shift is more than its own scatter and more than the floor."""
        sd = self.sd
        return not np.isnan(sd) and abs(change) > max(np.log1p(self.settings.shift_floor), self.settings.shift_sd * sd)

    def judge(self, session: int) -> Night:
        """Follow the machine through a session, after `locate`."""
        change, sd, large = self.position - self.level, self.sd, self.is_large(self.position - self.level)
        self._scatter.append(change)
        if not large:
            return Night(self._settled(session, sd), held=False)
        if self.pending is None or (self.pending[1] > self.level) != (change > 0):
            self.pending = (session, self.position)
            if self.opened is None and change > 0:
                return Night(Moved("suspect", False, change, sd, session, self._last), held=True)
            return Night(self._still_open(sd), held=True)
        first = self.pending[0]
        return Night(self._confirmed(session, sd, *self.pending), held=False, released=first)

    def accept(self) -> None:
        """Take the present position as right."""
        self.opened, self._anchor = None, None

    def _settled(self, session: int, sd: float) -> Moved | None:
        self.pending, self._last = None, session
        self._positions = [*self._positions, self.position][-self.settings.window :]
        self.level = float(np.median(self._positions))
        if len(self._positions) < LEAST_ANCHOR:
            return self._still_open(sd)
        if self._anchor is None:
            self._anchor, self._anchored = self.level, session
        far = self.settings.creep_floors * np.log1p(self.settings.shift_floor)
        if self.opened is None and self.level - self._anchor > far:
            self.opened = (self._anchor, self._anchored, session)
            return Moved("regression", True, self.position - self._anchor, sd, session, self.opened[1])
        return self._still_open(sd)

    def _still_open(self, sd: float) -> Moved | None:
        if self.opened is None:
            return None
        old, last_good, first_bad = self.opened
        return Moved("regression", False, self.position - old, sd, first_bad, last_good)

    def _confirmed(self, session: int, sd: float, first: int, earlier: float) -> Moved:
        """Start a new level at the first of two large shifts."""
        before, last_good = self.level, self._last
        self._positions = [earlier, self.position]
        self.level = float(np.median(self._positions))
        self.pending, self._last = None, session
        if self.level > before:
            old = self.opened[0] if self.opened else before
            self.opened = (old, last_good, first)
            return Moved("regression", True, self.position - old, sd, first, last_good)
        if self.opened is None:
            self._anchor = None
            return Moved("improvement", True, self.position - before, sd, first, last_good)
        old, last_good, first = self.opened
        if self.level - old > np.log1p(self.settings.shift_floor):
            return Moved("regression", False, self.position - old, sd, first, last_good)
        self.opened = None
        return Moved("recovered", False, self.position - old, sd, first, last_good)

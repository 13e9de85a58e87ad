"""The shift that all cases of one device have in common, and whether the whole machine has moved."""

from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Bools, Floats, Ints
from reports.rule.baseline import baselines, median
from reports.rule.settings import Settings

LEAST_SHIFTS = 5
"""Sessions before the machine's own scatter is known."""
FARTHEST = 150
"""Sessions back to which common shifts are looked for; older results share the oldest one's."""


class Common(NamedTuple):
    """What the cases had in common in each session: ln of time against their own medians, from session `first` on."""

    first: int
    shift: Floats

    def at(self, sessions: Ints) -> Floats:
        """Return the shift of these sessions; the nearest known one of those outside, 0 when none is."""
        if not len(self.shift):
            return np.zeros(sessions.shape)
        return self.shift[np.clip(sessions - self.first, 0, len(self.shift) - 1)]


def common(values: Floats, when: Ints, held: Bools, session: int, least: int) -> Common:
    """Find what all cases shared in each earlier session, by the median over them.

    It is found anew for every night from the measured times, so that no error of it lives on. A session with fewer
    than `least` cases takes what the one before it had.
    """
    there = np.isfinite(values)
    if not there.any():
        return Common(0, np.zeros(0))
    own = median(np.where(there & ~held, values, np.nan))[:, None]
    first = max(int(when[there].min()), session - FARTHEST)
    grid = np.full((session - first, len(values)), np.nan)
    recent = there & (when >= first)
    case, _ = np.nonzero(recent)
    grid[when[recent] - first, case] = (values - own)[recent]
    enough = np.isfinite(grid).sum(axis=1) >= least
    if not enough.any():
        return Common(0, np.zeros(0))
    known = np.maximum.accumulate(np.where(enough, np.arange(len(grid)), -1))
    known[known < 0] = int(np.argmax(enough))
    return Common(first, median(grid)[known])


class Moved(NamedTuple):
    """What a session says of a whole machine; `change` is in ln time against the level before, `sd` its scatter."""

    verdict: str
    new: bool
    change: float
    sd: float
    first_bad: int
    last_good: int


class Followed(NamedTuple):
    """One session of a machine.

    Attributes:
        level: where the machine is now, in that night's terms.
        shift: how far tonight lies from it.
        held: tonight's results are to be kept out of baselines.
        released: a held session to let in after all.
        moved_by: how far the level moved tonight.
        moved: what to say of it.
    """

    level: float
    shift: float
    held: bool = False
    released: int | None = None
    moved_by: float = 0.0
    moved: Moved | None = None


class Open(NamedTuple):
    """A machine that is slower than it was: how much, since when, and the last session before."""

    height: float
    first_bad: int
    last_good: int


class Machine:
    """One device of one machine, followed from session to session.

    Attributes:
        since: the first session of its present level.
        held: sessions with a large shift that was not confirmed.
        pending: a large shift that waits for a second one: its session, and whether it was slower.
        opened: an open regression.
        last: the last session that was not large.
        scatter: how far each told session lay from the level.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.since, self.last = 0, -1
        self.held: set[int] = set()
        self.pending: tuple[int, bool] | None = None
        self.opened: Open | None = None
        self.scatter: list[float] = []

    @property
    def sd(self) -> float:
        """How far the machine scatters between sessions, large shifts left out; NaN until it is known.

        A few values tell it badly, so it is taken larger while they are few.
        """
        known = self.scatter[-self.settings.window :]
        if len(known) < LEAST_SHIFTS:
            return float("nan")
        scatter = baselines(np.array([known]), self.settings.trim)
        return float(np.sqrt(scatter.variance[0])) * (1 + 3 / len(known))

    def judge(self, session: int, distances: Floats, earlier: Common) -> Followed:
        """Follow the machine through a session: `distances` are those of its cases from their levels tonight.

        With fewer cases than `shift_cases` nothing is told of it, and its shift is taken as none.
        """
        level = self._level(session, earlier)
        known = distances[np.isfinite(distances)]
        if len(known) < self.settings.shift_cases:
            return Followed(level, 0.0, moved=self._standing(0.0))
        change, sd = float(median(known)) - level, self.sd
        large = self.is_large(change, sd)
        self.scatter.append(change)
        if not large:
            self.pending, self.last = None, session
            return Followed(level, change, moved=self._standing(change))
        if self.pending is None or self.pending[1] != (change > 0):
            return self._suspected(session, level, change, sd)
        return self._confirmed(session, level, change, sd, earlier)

    def is_large(self, change: float, sd: float) -> bool:
        """Return whether a shift exceeds both the machine's own scatter, once that is known, and the floor."""
        return not np.isnan(sd) and abs(change) > max(np.log1p(self.settings.shift_floor), self.settings.shift_sd * sd)

    def accept(self) -> None:
        """Take the machine as it is now as right."""
        self.opened = None

    def _level(self, session: int, earlier: Common) -> float:
        ours = [at for at in range(max(self.since, earlier.first), session) if at not in self.held]
        known = earlier.at(np.array(ours[-self.settings.window :], dtype=np.int64))
        return float(median(known)) if len(known) else 0.0

    def _suspected(self, session: int, level: float, change: float, sd: float) -> Followed:
        self.pending = (session, change > 0)
        self.held.add(session)
        said = self._standing(change)
        if said is None and change > 0:
            said = Moved("suspect", new=False, change=change, sd=sd, first_bad=session, last_good=self.last)
        return Followed(level, change, held=True, moved=said)

    def _standing(self, change: float) -> Moved | None:
        if self.opened is None:
            return None
        height, first_bad, last_good = self.opened
        return Moved("regression", False, height + change, self.sd, first_bad, last_good)

    def _confirmed(self, session: int, level: float, change: float, sd: float, earlier: Common) -> Followed:
        """Start a new level at the first of two large shifts."""
        assert self.pending is not None
        first, position = self.pending[0], level + change
        now = (float(earlier.at(np.array([first]))[0]) + position) / 2
        self.held.discard(first)
        moved = self._word(now - level, position - now, sd, first)
        self.since, self.pending, self.last = first, None, session
        return Followed(now, position - now, released=first, moved_by=now - level, moved=moved)

    def _word(self, by: float, beyond: float, sd: float, first: int) -> Moved:
        height = by + (self.opened.height if self.opened else 0.0)
        if by > 0:
            self.opened = Open(height, first, self.last)
            return Moved("regression", True, height + beyond, sd, first, self.last)
        if self.opened is None:
            return Moved("improvement", True, height + beyond, sd, first, self.last)
        _, first_bad, last_good = self.opened
        still = height > np.log1p(self.settings.shift_floor)
        self.opened = Open(height, first_bad, last_good) if still else None
        return Moved("regression" if still else "recovered", False, height + beyond, sd, first_bad, last_good)

    def crept(self, session: int, far: float, anchored: int) -> Moved | None:
        """Open a regression that came without a large shift, `far` from where the machine was in session `anchored`."""
        if self.opened is not None or far <= self.settings.creep_floors * np.log1p(self.settings.shift_floor):
            return None
        self.opened = Open(far, session, anchored)
        return Moved("regression", True, far, self.sd, session, anchored)

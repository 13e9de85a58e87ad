"""Where a change of one case begins, how an open regression ends, and when slow creep has gone too far."""

from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Bools, Floats
from reports.rule.baseline import median
from reports.rule.evidence import Level
from reports.rule.levels import NEVER, Levels, Opened
from reports.rule.settings import Settings

CREEP_T = 4.0
"""Creep is looked for every night, so it must stand out further than a single look would need."""


def beginning(values: Floats, old: float, change: float, most: int) -> int:
    """Return how many of the last results belong to a change of a level, at least 1 and at most `most`.

    Of all places to cut, the likeliest one: each result speaks for the new level by how far it lies beyond the middle,
    cut off where it lies beyond either level.
    """
    speaks = np.clip((values[-most:] - old) / change, 0, 1) - 0.5
    sums = np.cumsum(speaks[::-1])
    return int(np.argmax(sums)) + 1


class Step(NamedTuple):
    """A confirmed change: the level before it (ln s), how far it goes, and the sessions on both sides of it."""

    before: float
    change: float
    last_good: int
    first_bad: int


def step(levels: Levels, case: int, before: float, change: float, most: int) -> Step:
    """Find where a change began among the last `most` results of the level; the newest one lies after it."""
    there = levels.when[case] != NEVER
    values, when = levels.values[case, there], levels.when[case, there]
    last = beginning(values, before, change, min(most, len(values) - 1))
    return Step(before, change, int(when[-last - 1]), int(when[-last]))


def rise(levels: Levels, case: int, found: Step) -> Opened:
    """Open a regression and start its level; a further step of an open one keeps the level to come back to."""
    earlier = levels.when[case] < found.first_bad
    measured = np.where(earlier, levels.measured[case], np.nan)
    when = np.where(earlier, levels.when[case], NEVER)
    opened = levels.opened.get(case, Opened(found.before, found.last_good, found.first_bad, measured, when))
    levels.opened[case] = opened._replace(last_good=found.last_good, first_bad=found.first_bad)
    levels.begin(case, found.first_bad)
    return levels.opened[case]


def fall(levels: Levels, case: int, found: Step, floor: float) -> str:
    """Start a faster level, and return its word: empty while a regression is still open, being only partly undone."""
    opened, now = levels.opened.get(case), found.before + found.change
    if opened and abs(now - opened.level) <= floor:
        levels.resume(case, found.first_bad)
        return "recovered"
    levels.begin(case, found.first_bad)
    if opened and now > opened.level:
        return ""
    levels.opened.pop(case, None)
    levels.faster[case], levels.anchor[case] = True, np.nan
    return "improvement"


def recovered(levels: Levels, case: int, variance: float, floor: float, settings: Settings) -> int | None:
    """Return the first session back on the old level of an open regression, or None while it is open.

    The last session, or the last few together, must make the old level likelier than the open one by `recover_odds`,
    and lie within the floor of it.
    """
    old, there = levels.opened[case], levels.when[case] != NEVER
    values, when = levels.values[case, there], levels.when[case, there]
    enough = float(np.log(settings.recover_odds))
    for last in range(1, min(max(settings.confirm_sessions), len(values) - 1) + 1):
        present = float(median(values[:-last]))
        odds = (present - old.level) * ((present + old.level) / 2 - values[-last:]) / variance
        back = float(median(values[-last:])) - old.level
        if np.clip(odds, -enough, enough).sum() >= enough and back <= floor:
            return int(when[-last])
    return None


def anchored(levels: Levels, level: Level, least: int) -> None:
    """Remember each case's first level since the last acceptance, once enough sessions tell it."""
    now = np.isnan(levels.anchor) & (level.sessions >= least)
    levels.anchor[now], levels.anchor_error[now] = level.centre[now], level.error[now]
    levels.anchor_when[now] = levels.when[now, -1]


def crept(levels: Levels, level: Level, far: Floats, limit: Floats) -> Bools:
    """Return which cases are too far from their anchor, `far` in ln time, and so by more than chance."""
    t = far / np.sqrt(level.variance * (level.error + levels.anchor_error))
    return np.asarray((far > limit) & (t > CREEP_T))


def open_crept(levels: Levels, case: int, session: int) -> None:
    """Open a regression against the anchor; the present level goes on."""
    measured, when = np.full_like(levels.measured[case], np.nan), np.full_like(levels.when[case], NEVER)
    levels.opened[case] = Opened(
        float(levels.anchor[case]), int(levels.anchor_when[case]), session, measured, when, crept=True
    )

"""What one session says about each case: tonight alone, and together with the sessions just before it.

Everything is written for "slower"; mirrored values ask the same of "faster".
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr

from reports.rule.arrays import Bools, Floats, Ints
from reports.rule.baseline import Baseline, baselines, latest
from reports.rule.drift import LEAST_SESSIONS, carried, slope_variance, slopes
from reports.rule.settings import Settings
from reports.rule.spread import shrunk, suite_prior

MEDIAN_VARIANCE = (np.nan, 1.0, 0.5, 0.449, 0.298, 0.287, 0.215, 0.210)
"""Variance of the median of n normal values of variance 1, n = 0 to 7 (order statistics; the limit is pi / 2n)."""
OF_THE_NIGHT = 0.5
"""Share of the variance between sessions that re-runs of one session have in common."""


class Past(NamedTuple):
    """Earlier results of each case on its present level.

    Attributes:
        values: cases x columns, ln of seconds, newest last; NaN where there is none.
        held: results that are kept out of baselines.
        squares: sum of squares that earlier levels left behind, and
        freedom: its degrees of freedom.
    """

    values: Floats
    held: Bools
    squares: Floats
    freedom: Floats

    def mirrored(self) -> "Past":
        """Return the same past with faster as slower."""
        return self._replace(values=-self.values)

    def of(self, cases: Ints) -> "Past":
        """Return the past of some cases."""
        return Past(self.values[cases], self.held[cases], self.squares[cases], self.freedom[cases])


class Level(NamedTuple):
    """What a case is compared with; where there are several windows, a row for each.

    Attributes:
        centre: ln of seconds, carried forward to tonight.
        variance: of one session, shrunk towards the suite's.
        freedom: its degrees of freedom.
        sessions: how many there are on it, those beyond the trimming too.
        error: variance of the centre over that of one session; 1 / sessions without drift.
    """

    centre: Floats
    variance: Floats
    freedom: Floats
    sessions: Ints
    error: Floats

    def row(self, at: int | slice) -> "Level":
        """Return the windows at a place."""
        return Level(self.centre[at], self.variance[at], self.freedom[at], self.sessions[at], self.error[at])

    def mirrored(self) -> "Level":
        """Return the same level with faster as slower."""
        return self._replace(centre=-self.centre)


class Evidence(NamedTuple):
    """What the last sessions say: the change in ln time, its p, the level before them, and how many they are.

    A p that lies above the settings' `q` finds nothing in any suite; it is told as 1, and its estimate as NaN.
    """

    estimate: Floats
    p: Floats
    before: Floats
    sessions: Ints


def levels(past: Past, windows: tuple[int, ...], settings: Settings) -> Level:
    """Return, for each window length, the level before the last so many sessions, tonight's included."""
    chosen = latest(np.isfinite(past.values) & ~past.held, settings.window, np.array(windows) - 1)
    base = baselines(np.where(chosen, past.values, np.nan), settings.trim)
    variance, freedom = _spread(base, past, settings)
    fit = slopes(past.values, base.kept, variance)
    long = base.sessions >= LEAST_SESSIONS
    told = long[0] & np.isfinite(variance[0])
    prior = slope_variance(fit.slope[0][told], fit.error2[0][told]) if told.sum() >= settings.shift_cases else 0.0
    ahead = past.values.shape[1] - (np.array(windows)[:, None] - 1) / 2
    moved, added = carried(fit, prior, ahead)
    return Level(
        base.centre + np.where(long, moved, 0),
        variance,
        freedom,
        chosen.sum(axis=-1),
        1 / np.maximum(base.sessions, 1) + np.where(long, added, 0),
    )


def _spread(base: Baseline, past: Past, settings: Settings) -> tuple[Floats, Floats]:
    """Return each case's variance, pooled with that of its earlier levels and shrunk towards the suite's of tonight."""
    own = np.maximum(base.sessions - 1, 0)
    freedom = own + past.freedom
    squares = np.where(own > 0, base.variance, 0) * own + past.squares
    variance = np.where(freedom > 0, squares / np.maximum(freedom, 1), np.nan)
    enough = base.sessions[0] >= settings.least_history
    prior = suite_prior(np.where(enough, variance[0], np.nan), freedom[0], settings.prior_cap)
    return shrunk(variance, freedom, prior)


def tonight(log_time: Floats, level: Level, least_history: int) -> tuple[Floats, Floats]:
    """Return T of one session against its level, and the one-sided p for slower; NaN with too little history."""
    distance = (log_time - level.centre) / np.sqrt(level.variance * (1 + level.error))
    t = np.where(level.sessions >= least_history, distance, np.nan)
    return t, np.asarray(stdtr(level.freedom, -t))


def measured_again(log_time: Floats, reruns: Ints, level: Level) -> Floats:
    """Return how many sd the median of a session's re-runs lies above the level; NaN without re-runs.

    Fresh processes of one night share half of its variance, so they decide with less than three nights would.
    """
    table = np.array(MEDIAN_VARIANCE)
    median_variance = np.where(
        reruns < len(table), table[np.minimum(reruns, len(table) - 1)], np.pi / 2 / np.maximum(reruns, 1)
    )
    spread = level.variance * (OF_THE_NIGHT + (1 - OF_THE_NIGHT) * median_variance + level.error)
    return np.asarray((log_time - level.centre) / np.sqrt(spread))


def confirmed(recent: Floats, level: Level, settings: Settings) -> Evidence:
    """Return the strongest evidence of the last 2, 3, 5 and 7 sessions that the level has risen.

    A session counts by its distance from the level before the window, in sd and cut off on both sides, so that one
    outlier confirms nothing; where even the weakest session alone says more than that mean, it is what counts, so that
    a large change is not cut down to nothing. p is the smallest of the windows', each divided by its weight. The
    estimate is the window's lower median or its mean, whichever is smaller.
    """
    case = np.arange(len(recent))
    chances = np.ones((len(settings.confirm_sessions), len(recent)))
    for at, (sessions, weight) in enumerate(zip(settings.confirm_sessions, settings.confirm_weights, strict=True)):
        z = (recent[:, -sessions:] - level.centre[at][:, None]) / np.sqrt(level.variance[at])[:, None]
        mean = np.clip(z, -settings.confirm_clip, settings.confirm_clip).sum(axis=1) / sessions
        weakest = z.min(axis=1) / np.sqrt(1 + level.error[at])
        t = np.maximum(mean / np.sqrt(1 / sessions + level.error[at]), weakest)
        # Student's t has heavier tails than the normal distribution: below its quantile no p is small enough
        told = np.flatnonzero((t > -0.99 * ndtri(settings.q * weight)) & (level.sessions[at] >= settings.least_history))
        chances[at, told] = np.minimum(stdtr(level.freedom[at, told], -t[told]) / weight, 1.0)
    best = np.argmin(chances, axis=0)
    p, before = chances[best, case], level.centre[best, case]
    lengths = np.array(settings.confirm_sessions)[best]
    estimate = np.full(len(recent), np.nan)
    for at in np.flatnonzero(p <= settings.q).tolist():
        away = recent[at, -lengths[at] :] - before[at]
        estimate[at] = min(np.sort(away)[(lengths[at] - 1) // 2], away.mean())
    return Evidence(estimate, np.where(p <= settings.q, p, 1.0), before, lengths)


def guarded(log_time: Floats, past: Past, rank: Ints, settings: Settings) -> Bools:
    """Return which times exceed the `rank`-worst session of the level's window, held ones included.

    Cases with two modes, or with many outliers, have been there before. Off while the level has few sessions.
    """
    seen = np.where(latest(np.isfinite(past.values), settings.window), past.values, -np.inf)
    worst = np.sort(seen, axis=1)[np.arange(len(seen)), -np.minimum(rank, seen.shape[1])]
    few = np.isfinite(seen).sum(axis=1) < settings.guard_least
    return np.asarray(few | (log_time > worst))


def discovered(p: Floats, judged: Bools, q: float) -> Bools:
    """Return which p stand out among the judged cases of one session and direction.

    By Benjamini and Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical Society B 57(1),
    1995: of n p, the i smallest ones, i being the largest number for which the i-th smallest is at most q i / n.
    """
    low = np.flatnonzero(judged & (p <= q))  # no other p can be found
    ordered = low[np.argsort(p[low])]
    passing = np.flatnonzero(p[ordered] * (judged.sum() / np.arange(1, len(low) + 1)) <= q)
    found = np.zeros(len(p), dtype=bool)
    found[ordered[: passing.max(initial=-1) + 1]] = True
    return found

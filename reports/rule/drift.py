"""Slow drift of a level, believed as far as the whole suite gives reason to.

The mean of the last 30 sessions lags 15 sessions behind a drift, and that lag alone looks like a change. So each
level is carried forward along its slope, drawn towards zero by what the slopes of all cases show beyond their own
errors. Without drift in the suite the slopes count for almost nothing, and cost almost nothing.
"""

from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Bools, Floats

LEAST_SESSIONS = 10
"""Sessions before a slope is looked at."""
LARGEST_T = 4.0
"""A slope counts for this many of its standard errors at most: a step within the window is no drift."""


class Slope(NamedTuple):
    """Change of ln time per session: the least-squares estimate, its squared error, and its centre in time."""

    slope: Floats
    error2: Floats
    moment: Floats
    centre: Floats


def slopes(values: Floats, kept: Bools, variance: Floats) -> Slope:
    """Fit a line to each row's kept results; time is counted in columns, `variance` is that of one result."""
    time = np.arange(values.shape[-1], dtype=float)
    centre = (kept @ time) / np.maximum(kept.sum(axis=-1), 1)
    away = np.where(kept, time - centre[..., None], 0)
    moment = np.maximum((away**2).sum(axis=-1), np.finfo(float).tiny)
    slope = (away * np.where(kept, values, 0)).sum(axis=-1) / moment
    return Slope(slope, variance / moment, moment, centre)


def slope_variance(slope: Floats, error2: Floats) -> float:
    """Return how far the true slopes of a suite scatter around zero, from estimates with known errors.

    A weighted moment: the mean of slope^2 - error^2, each case weighted by 1 / error^4; zero when that is negative.
    """
    squares = np.minimum(slope**2, LARGEST_T**2 * error2)
    weights = (error2.min() / error2) ** 2
    return max(0.0, float((weights * (squares - error2)).sum() / weights.sum()))


def carried(fit: Slope, prior: float, ahead: Floats) -> tuple[Floats, Floats]:
    """Return how far each level has moved at the time `ahead`, and the variance which that adds, over one result's."""
    trust = prior / (prior + np.maximum(fit.error2, np.finfo(float).tiny))
    far = ahead - fit.centre
    return trust * fit.slope * far, trust * far**2 / fit.moment

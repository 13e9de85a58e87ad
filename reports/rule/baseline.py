"""Where a case has been lately: the centre of its earlier results, and how far they scatter around it."""

from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Bools, Floats, Ints

MAD_TO_SD = 1.4826
"""The median absolute deviation times this is the standard deviation of a normal distribution."""
LEAST_REACH = 1e-12
"""Equal results are kept together although rounding sets them apart."""


class Baseline(NamedTuple):
    """What a row of earlier results says.

    Attributes:
        centre: their mean, ln of seconds; NaN where there is none.
        variance: of one result around it; NaN with fewer than two.
        sessions: how many results it rests on.
        kept: which of the results those are.
    """

    centre: Floats
    variance: Floats
    sessions: Ints
    kept: Bools


def median(values: Floats) -> Floats:
    """Return the median along the last axis without the NaNs (numpy's own takes ten times as long on short rows)."""
    ordered = np.sort(values, axis=-1)
    count = np.sum(~np.isnan(values), axis=-1, keepdims=True)
    low = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(count // 2, values.shape[-1] - 1), axis=-1)
    middle: Floats = (low[..., 0] + high[..., 0]) / 2
    return middle


def latest(usable: Bools, window: int) -> Bools:
    """Return which results are among the last `window` usable ones of their row."""
    later = np.cumsum(usable[..., ::-1], axis=-1)[..., ::-1]
    return usable & (later <= window)


def baselines(values: Floats, trim: float) -> Baseline:
    """Centre each row after dropping what lies further than `trim` robust standard deviations from its median.

    The robust sd is the larger of the one from the median absolute deviation and the one from the median successive
    difference, so that a row that jumps between two modes keeps both.
    """
    middle = median(values)[..., None]
    spread = MAD_TO_SD * median(np.abs(values - middle))
    steps = MAD_TO_SD / np.sqrt(2) * median(np.abs(np.diff(values, axis=-1)))
    reach = np.maximum(trim * np.fmax(spread, steps), LEAST_REACH)[..., None]
    kept = np.abs(values - middle) <= reach
    count = kept.sum(axis=-1)
    centre = np.where(kept, values, 0).sum(axis=-1) / np.maximum(count, 1)
    squares = np.where(kept, (values - centre[..., None]) ** 2, 0).sum(axis=-1)
    variance = np.where(count > 1, squares / np.maximum(count - 1, 1), np.nan)
    return Baseline(np.where(count > 0, centre, np.nan), variance, count, kept)

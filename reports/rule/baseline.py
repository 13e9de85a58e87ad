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


def median(values: Floats, count: Ints | None = None) -> Floats:
    """Return the median along the last axis without the NaNs (numpy's own takes ten times as long on short rows).

    `count` is how many values each row has, for whoever knows it already.
    """
    ordered = np.sort(values, axis=-1)
    count = np.sum(~np.isnan(values), axis=-1) if count is None else count
    rows = ordered.reshape(-1)
    start = np.arange(count.size).reshape(count.shape) * values.shape[-1]
    low = rows[start + np.maximum(count - 1, 0) // 2]
    high = rows[start + np.minimum(count // 2, values.shape[-1] - 1)]
    middle: Floats = (low + high) / 2
    return middle


def latest(usable: Bools, window: int, skipped: Ints | None = None) -> Bools:
    """Return which results are among the last `window` usable ones of their row.

    With `skipped`, one answer for each number in it, first axis: that many of the newest columns are left out.
    """
    later = np.cumsum(usable[..., ::-1], axis=-1, dtype=np.int16)[..., ::-1]
    if skipped is None:
        return np.asarray(usable & (later <= window))
    columns = usable.shape[-1]
    left_out = np.concatenate([later, np.zeros_like(later[..., :1])], axis=-1)[..., columns - skipped]
    before = np.arange(columns) < columns - skipped[:, None, None]
    return np.asarray(usable & before & (later <= window + np.moveaxis(left_out, -1, 0)[..., None]))


def baselines(values: Floats, trim: float) -> Baseline:
    """Centre each row after dropping what lies further than `trim` robust standard deviations from its median.

    The robust sd is the larger of the one from the median absolute deviation and the one from the median successive
    difference, so that a row that jumps between two modes keeps both.
    """
    there = ~np.isnan(values)
    known = there.sum(axis=-1)
    middle = median(values, known)[..., None]
    away = np.abs(values - middle)
    spread = MAD_TO_SD * median(away, known)
    pairs = (there[..., 1:] & there[..., :-1]).sum(axis=-1)
    steps = MAD_TO_SD / np.sqrt(2) * median(np.abs(values[..., 1:] - values[..., :-1]), pairs)
    reach = np.maximum(trim * np.fmax(spread, steps), LEAST_REACH)[..., None]
    kept = away <= reach
    count = kept.sum(axis=-1)
    centre = np.where(kept, values, 0).sum(axis=-1) / np.maximum(count, 1)
    squares = np.where(kept, (values - centre[..., None]) ** 2, 0).sum(axis=-1)
    variance = np.where(count > 1, squares / np.maximum(count - 1, 1), np.nan)
    return Baseline(np.where(count > 0, centre, np.nan), variance, count, kept)

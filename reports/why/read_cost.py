"""What one read of the loss costs with a model on a device: one figure from all its batch sizes and log intervals.

At every batch size b the step time is fitted as base_b + cost / interval, with one cost for the model: the cases are
paired within a batch size, and all of them together tell how far such times scatter from case to case. A comparison of
two cases alone does not know that scatter, and on a busy machine takes it for a cost.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from reports.uncertainty import round_error

READ_COST_COLUMNS = ["device", "model", "cases", "batch_sizes", "cost_s", "low_s", "high_s", "share", "is_detected"]
NEVER = "never"
ENOUGH_FREEDOM = 3
"""With fewer degrees of freedom than this a model's own scatter is too uncertain, and that of its device is taken."""
Floats = npt.NDArray[np.float64]


class _Fit(NamedTuple):
    """A model's cost in seconds per read; squares of residuals are relative to a step; `weight` is Σ z² of the fit.

    `round_half_s` is the half of the interval that the scatter of the rounds alone gives, NaN where files do not tell.
    """

    cost_s: float
    weight: float
    squares: float
    freedom: int
    round_half_s: float


def read_cost(trained: pd.DataFrame) -> pd.DataFrame:
    """Return one row per device and model that was measured reading the loss and never reading it, at one batch size.

    `trained` has `device`, `model`, `batch_size`, `log_interval`, `median_s`, `iqr_s` and `rounds` per case. `cost_s`
    is in seconds per read, `low_s` and `high_s` its 95 % interval: Student's t on the scatter of relative step times
    around the fit, or twice the standard error from the rounds where that is wider or nothing is left to tell the
    scatter; infinite where neither is known. `share` is the part of the shortest step when every step reads,
    `is_detected` whether the interval lies above zero: a cost that is negative is none.
    """
    rows = []
    for device, on_device in trained.groupby("device", sort=True):
        fits = {str(model): fit for model, group in on_device.groupby("model") if (fit := _fit(group))}
        shared = _pooled(list(fits.values()))
        for model, fit in fits.items():
            group = on_device[on_device["model"] == model]
            scatter = fit if fit.freedom >= ENOUGH_FREEDOM else shared
            half_s = _half_s(fit, scatter)
            low_s, high_s = fit.cost_s - half_s, fit.cost_s + half_s
            shortest_s = float(group["median_s"].min())
            sizes = group["batch_size"].nunique()
            rows.append(
                (device, model, len(group), sizes, fit.cost_s, low_s, high_s, fit.cost_s / shortest_s, low_s > 0)
            )
    return pd.DataFrame(rows, columns=READ_COST_COLUMNS)


def _fit(group: pd.DataFrame) -> _Fit | None:
    """Return the least-squares fit of relative step times, each batch size with its own base; None without a pair."""
    relative, reads, errors, used = [], [], [], 0
    for _, cases in group.groupby("batch_size", dropna=False):
        reads_per_step = _reads_per_step(cases)
        if len(cases) < 2 or np.ptp(reads_per_step) == 0:  # noqa: PLR2004  nothing to compare
            continue
        times_s = cases["median_s"].to_numpy(dtype=float)
        relative.append(_centred(times_s / times_s.mean()))
        reads.append(_centred(reads_per_step / times_s.mean()))
        errors.append(np.array([round_error(case) for case in cases.to_dict("records")]) * times_s / times_s.mean())
        used += 1
    if not used:
        return None
    y, z = np.concatenate(relative), np.concatenate(reads)
    weight = float(z @ z)
    cost_s = float(z @ y) / weight
    residuals = y - cost_s * z
    round_half_s = 2 * float(np.linalg.norm(z * np.concatenate(errors))) / weight
    return _Fit(cost_s, weight, float(residuals @ residuals), len(y) - used - 1, round_half_s)


def _reads_per_step(cases: pd.DataFrame) -> Floats:
    return np.array([0.0 if interval == NEVER else 1 / interval for interval in cases["log_interval"]])


def _centred(values: Floats) -> Floats:
    centred: Floats = values - values.mean()
    return centred


def _pooled(fits: list[_Fit]) -> _Fit:
    squares, freedom = sum(fit.squares for fit in fits), sum(fit.freedom for fit in fits)
    return _Fit(math.nan, math.nan, squares, freedom, math.nan)


def _half_s(fit: _Fit, scatter: _Fit) -> float:
    if scatter.freedom < 1:
        return math.inf if math.isnan(fit.round_half_s) else fit.round_half_s
    deviation_s = math.sqrt(scatter.squares / scatter.freedom / fit.weight)
    half_s = float(stdtrit(scatter.freedom, 0.975)) * deviation_s
    return half_s if math.isnan(fit.round_half_s) else max(half_s, fit.round_half_s)

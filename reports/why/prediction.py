"""From primitives and counts to a step time, and how far that is from what was measured on cases it was not fitted on.

Three predictions stand side by side. `counts alone` fits nothing. `one scale` says how many bare operators' cost one
operator of a training step has (Python, modules, autograd and the optimizer come on top), from one reference case per
device. `two scales` adds how many times longer than at the matrix-product ceiling a model's arithmetic takes, from
another batch size of that model. A case is never predicted from its own device, model and batch size.

What neighbours take of a one-thread case's core is measured, not predicted: a prediction is of the core's own time,
over the share of the core that the case got.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from reports.why.facts import Facts
from reports.why.pipeline import Step, step_time_s
from reports.why.primitives import Machine

NEAR = 0.25
"""A prediction within this share of the measured time counts as right."""
LARGEST_SCALE = 1000.0
LEAST_ARITHMETIC = NEAR
"""Below this share of a reference step, arithmetic at the ceiling is too small to tell how efficient it is: an error of
the other parts, as large as a prediction may be off and still count as right, would more than double it."""
METHODS = ("counts alone", "one scale", "two scales")
PREDICTION_COLUMNS = ["fullname", "device", "model", "batch_size", "log_interval", "step_time_s", *METHODS]


@dataclass(frozen=True)
class Scales:
    """What was fitted elsewhere: both are 1 where nothing was, and never below it."""

    operators: float = 1.0
    arithmetic: float = 1.0


@dataclass(frozen=True)
class Parts:
    """A step taken apart, in seconds per step at the machine's own costs and ceilings; nothing of it is fitted.

    `read_s` is one read on an idle device, `read_end_s` the part of it that never overlaps with the device's work.
    """

    operators_s: float
    copies_s: float
    read_s: float
    read_end_s: float
    arithmetic_s: float
    traffic_s: float
    weights_s: float
    pooling_s: float
    fresh_s: float

    @property
    def besides_s(self) -> float:
        """What the device does besides arithmetic."""
        return self.traffic_s + self.weights_s + self.pooling_s

    @property
    def is_known(self) -> bool:
        """Whether every part is; what a step does not do costs 0 and is known."""
        return not any(map(math.isnan, vars(self).values()))


def parts_of(case: Facts, machine: Machine) -> Parts:
    """Return the parts; NaN where a primitive or a count is missing. `read_s` is one read's latency.

    An operator's arithmetic and its traffic are taken to follow each other, and no tensor to stay in a cache.
    """
    return Parts(
        operators_s=case.operators * machine.operator_s,
        copies_s=machine.copies_s(case.copies, case.copied_bytes),
        read_s=machine.read_s,
        read_end_s=machine.read_end_s,
        arithmetic_s=machine.arithmetic_s(case.flops, case.convolution_flops),
        traffic_s=case.moved_bytes / machine.memory_b_s,
        weights_s=machine.weights_s(case.weight_bytes),
        pooling_s=machine.pooling_s(case.pooled_bytes),
        fresh_s=0.0 if machine.is_asynchronous else machine.fresh_s(case.fresh_bytes),
    )


def predicted_s(case: Facts, machine: Machine, scales: Scales = Scales()) -> float:
    """Return the step's own time in seconds: the sum of its parts on a processor, with overlap on an accelerator."""
    parts = parts_of(case, machine)
    if not parts.is_known:
        return math.nan
    host_s = parts.operators_s * scales.operators
    work_s = parts.arithmetic_s * scales.arithmetic + parts.besides_s
    if machine.is_asynchronous:
        return step_time_s(pipeline_step(case, parts, host_s, work_s), case.read_interval)
    reads_s = parts.read_s / case.read_interval if case.read_interval else 0.0
    return host_s + work_s + parts.fresh_s + parts.copies_s + reads_s


def pipeline_step(case: Facts, parts: Parts, host_s: float, device_s: float) -> Step:
    """Return the step as the model of overlap takes it."""
    read_host_s = max(0.0, parts.read_s - parts.read_end_s)
    return Step(host_s, device_s, max(1, round(case.operators)), parts.copies_s, parts.read_end_s, read_host_s)


Setting = tuple[str, str, int | None]


def predictions(found: Sequence[Facts], machines: dict[str, Machine], fitted: dict[Setting, Scales]) -> pd.DataFrame:
    """Return one row per case with what each method predicts, in seconds; NaN where primitives or counts are missing.

    `fitted` holds the scales of each setting. A method that found nothing to fit on falls back on the one before.
    """
    rows = []
    for case in found:
        both = fitted[case.setting]
        told = [getattr(case, name) for name in PREDICTION_COLUMNS[: -len(METHODS)]]
        methods = (Scales(), Scales(both.operators), both)
        predicted = [predicted_s(case, machines[case.device], scales) / case.core_share for scales in methods]
        rows.append([*told, *predicted])
    return pd.DataFrame(rows, columns=PREDICTION_COLUMNS)


def accuracy(predicted: pd.DataFrame) -> pd.DataFrame:
    """Return per device and method: `cases` predicted, the `near_share` within 25 %, and the median `error`.

    The error is |predicted - measured| / measured.
    """
    rows = []
    for device, group in predicted.groupby("device"):
        for method in METHODS:
            errors = ((group[method] - group["step_time_s"]).abs() / group["step_time_s"]).dropna()
            rows.append((device, method, len(errors), (errors <= NEAR).mean(), errors.median()))
    frame = pd.DataFrame(rows, columns=["device", "method", "cases", "near_share", "error"])
    return frame[frame["cases"] > 0].reset_index(drop=True)


def scales_for(case: Facts, found: Sequence[Facts], machine: Machine) -> Scales:
    """Return both scales for a case, fitted on cases of its device other than those of its own model and batch size."""
    others = [one for one in found if one.device == case.device and one.setting != case.setting]
    operators = operator_scale(others, machine)
    return Scales(operators, arithmetic_scale(case, others, machine, operators))


def operator_scale(others: Sequence[Facts], machine: Machine) -> float:
    """Return the scale from the setting whose bare operators fill the largest part of its step.

    They must outweigh what the device does at its ceilings there; without such a setting the scale is 1.
    """
    if math.isnan(machine.operator_s):
        return 1.0
    known = {one.setting: parts for one in others if (parts := parts_of(one, machine)).is_known}
    filled = {
        setting: parts.operators_s / _median_time_s(others, setting)
        for setting, parts in known.items()
        if parts.operators_s > parts.arithmetic_s + parts.besides_s
    }
    if not filled:
        return 1.0
    reference = max(filled, key=lambda setting: filled[setting])
    return _fitted(others, reference, machine, lambda scale: Scales(operators=scale))


def arithmetic_scale(case: Facts, others: Sequence[Facts], machine: Machine, operators: float) -> float:
    """Return the scale from the nearest other batch size of the same model; 1 where arithmetic is too small to tell."""
    same = [one for one in others if one.model == case.model and one.batch_size and case.batch_size]
    telling = [
        one for one in same if parts_of(one, machine).arithmetic_s >= LEAST_ARITHMETIC * one.own_time_s
    ]  # fmt: skip
    if not telling:
        return 1.0
    near = min(telling, key=lambda one: abs(math.log((one.batch_size or 1) / (case.batch_size or 1))))
    return _fitted(same, near.setting, machine, lambda scale: Scales(operators, scale))


def _median_time_s(found: Sequence[Facts], setting: object) -> float:
    return statistics.median(one.own_time_s for one in found if one.setting == setting)


def _fitted(found: Sequence[Facts], setting: object, machine: Machine, scales: Callable[[float], Scales]) -> float:
    """Return the median, over the log intervals of a setting, of the scale that makes the prediction come true."""
    return statistics.median(
        _solved(lambda scale, one=one: predicted_s(one, machine, scales(scale)), one.own_time_s)  # type: ignore[misc]
        for one in found
        if one.setting == setting
    )


def _solved(predict: Callable[[float], float], measured_s: float) -> float:
    """Return the scale from 1 up at which a rising prediction meets the measured time, by halving the interval."""
    low, high = 1.0, LARGEST_SCALE
    if predict(low) >= measured_s:
        return low
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if predict(middle) < measured_s else (low, middle)
    return low

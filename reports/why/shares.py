"""Where the time of a step goes, as shares that add up to one, what is not explained included."""

import math
from dataclasses import dataclass, fields, replace

from reports.why.facts import Facts
from reports.why.pipeline import saving_s, step_time_s
from reports.why.prediction import Parts, Scales, pipeline_step
from reports.why.primitives import Machine

SHARE_TITLES = {
    "operators": "handing over operators",
    "around": "host work around them",
    "copies": "copies",
    "reads": "waiting for reads",
    "inputs": "making the batch",
    "arithmetic": "arithmetic at the ceiling",
    "traffic": "memory traffic at the ceiling",
    "weights": "weights of convolutions",
    "pooling": "pooling",
    "fresh": "memory touched for the first time",
    "below_ceiling": "device work beyond the ceilings",
    "neighbours": "taken by neighbours",
    "unexplained": "unexplained",
}


@dataclass(frozen=True)
class Shares:
    """Parts of a step's time, 1 in all. On an accelerator only what is not overlapped counts.

    `operators` is the bare cost of dispatching or launching, `around` what the host does besides (Python, modules,
    autograd, optimizer). `copies` and `reads` are what removing them would save. `inputs` is known from an ablation
    alone and is 0 without one. `fresh` is what the system takes to hand over memory. `below_ceiling` is arithmetic that
    takes longer than at the machine's ceilings. `neighbours` is the time that a one-thread case did not have its core.
    `unexplained` is the rest; below 0 the parts come to more than was measured.
    """

    operators: float
    around: float
    copies: float
    reads: float
    inputs: float
    arithmetic: float
    traffic: float
    weights: float
    pooling: float
    fresh: float
    below_ceiling: float
    neighbours: float
    unexplained: float


UNKNOWN = Shares(*([math.nan] * len(fields(Shares))))


def shares_of(case: Facts, parts: Parts, machine: Machine, scales: Scales, input_share: float = math.nan) -> Shares:
    """Return the shares; all NaN where a primitive or a count is missing.

    `input_share` is what an ablation found making and moving the batch to take.
    """
    if not parts.is_known:
        return UNKNOWN
    found = (_overlapped if machine.is_asynchronous else _in_sequence)(case, parts, scales)
    if not math.isnan(input_share):
        found = replace(found, inputs=max(0.0, input_share * case.core_share - found.copies))
    return replace(found, unexplained=1 - sum(vars(found).values()))


def _in_sequence(case: Facts, parts: Parts, scales: Scales) -> Shares:
    """Return the shares on a processor, where everything happens one after the other."""
    whole_s = case.step_time_s
    return Shares(
        operators=parts.operators_s / whole_s,
        around=parts.operators_s * (scales.operators - 1) / whole_s,
        copies=parts.copies_s / whole_s,
        reads=(parts.read_s / case.read_interval if case.read_interval else 0.0) / whole_s,
        inputs=0.0,
        arithmetic=parts.arithmetic_s / whole_s,
        traffic=parts.traffic_s / whole_s,
        weights=parts.weights_s / whole_s,
        pooling=parts.pooling_s / whole_s,
        fresh=parts.fresh_s / whole_s,
        below_ceiling=parts.arithmetic_s * (scales.arithmetic - 1) / whole_s,
        neighbours=1 - case.core_share,
        unexplained=0.0,
    )


def _overlapped(case: Facts, parts: Parts, scales: Scales) -> Shares:
    """Return the shares on an accelerator: the slower of host and device, and what waits keep from overlapping.

    Measured enqueue and busy times take the place of predicted ones.
    """
    host_s = parts.operators_s * scales.operators if math.isnan(case.enqueue_s) else case.enqueue_s
    work_s = parts.arithmetic_s * scales.arithmetic + parts.besides_s
    device_s = work_s if math.isnan(case.busy_s) else case.busy_s
    step = pipeline_step(case, parts, host_s, device_s)
    copies_s = step_time_s(step, None) - step_time_s(replace(step, copies_s=0.0), None)
    reads_s = saving_s(step, case.read_interval) if case.read_interval else 0.0
    on_host = _filled(host_s, parts.operators_s) if host_s >= device_s else (0.0, 0.0)
    in_turn = (parts.arithmetic_s, parts.traffic_s, parts.weights_s, parts.pooling_s, parts.fresh_s)
    on_device = _filled(device_s, *in_turn) if host_s < device_s else (0.0,) * (len(in_turn) + 1)
    times_s = (*on_host, copies_s, reads_s, 0.0, *on_device, 0.0, 0.0)
    return Shares(*(time_s / case.step_time_s for time_s in times_s))


def _filled(whole_s: float, *parts_s: float) -> tuple[float, ...]:
    """Return the parts one after the other, cut off where the whole ends, and last what they leave of it."""
    found: list[float] = []
    for part_s in parts_s:
        found.append(min(part_s, whole_s - sum(found)))
    return (*found, whole_s - sum(found))

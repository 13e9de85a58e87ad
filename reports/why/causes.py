"""The name of what makes a step slow, with the numbers behind it."""

import math
from dataclasses import dataclass

from reports.quantities import seconds, significant
from reports.why.facts import Facts
from reports.why.prediction import Parts
from reports.why.primitives import Machine
from reports.why.shares import Shares

LAUNCH, COPY, READ, INPUT = "launch-bound", "copy-bound", "read-bound", "input-bound"
COMPUTE, MEMORY, UNDER_FILLED, CANNOT_TELL = "compute-bound", "memory-bound", "under-filled", "cannot tell"
POOLING, ALLOCATION = "pooling-bound", "allocation-bound"
FILLED = 0.2
"""A device that works at less than this share of its ceilings is short of work to do at once, not of speed."""
MOST_IN_EXCESS = 0.5
"""Parts that come to more than the whole by this much explain nothing: one of the times was disturbed."""
_PRIMITIVES = {
    "operator_s": "the cost of an operator",
    "read_s": "the cost of a read",
    "memory_b_s": "the memory bandwidth",
    "float32_flop_s": "the matrix-product rate",
}
_COUNTS = {
    "operators": "operators",
    "copies": "copies",
    "flops": "floating-point operations",
    "parameters": "parameters",
}


@dataclass(frozen=True)
class Cause:
    """The name, and a sentence with the figures."""

    name: str
    because: str


def cause_of(case: Facts, parts: Parts, machine: Machine, shares: Shares) -> Cause:
    """Return the cause with the largest share; `cannot tell` where facts are missing or most is unexplained."""
    if not parts.is_known:
        return Cause(CANNOT_TELL, f"not measured here: {', '.join(missing(case, machine))}")
    weights = {
        LAUNCH: shares.operators + shares.around,
        COPY: shares.copies,
        READ: shares.reads,
        INPUT: shares.inputs,
        COMPUTE: shares.arithmetic + shares.below_ceiling,
        MEMORY: shares.traffic + shares.weights,
        POOLING: shares.pooling,
        ALLOCATION: shares.fresh,
    }
    name = max(weights, key=lambda one: weights[one])
    if shares.unexplained > weights[name]:
        told = f"{_percent(shares.unexplained)} of the step is unexplained, more than any part that is known"
        return Cause(CANNOT_TELL, told)
    if shares.unexplained < -MOST_IN_EXCESS * case.core_share:
        told = _percent(1 - shares.unexplained / case.core_share)
        return Cause(CANNOT_TELL, f"the parts come to {told} of the step as measured")
    at_ceilings = shares.arithmetic + shares.traffic + shares.weights + shares.pooling
    device = at_ceilings + shares.below_ceiling
    if machine.is_asynchronous and name in {COMPUTE, MEMORY, POOLING} and at_ceilings < FILLED * device:
        name = UNDER_FILLED
    return Cause(name, _because(name, case, parts, shares))


def missing(case: Facts, machine: Machine) -> list[str]:
    """Return in words the primitives and counts that an explanation lacks."""
    lacking = [words for name, words in _PRIMITIVES.items() if math.isnan(getattr(machine, name))]
    if case.copies > 0 and math.isnan(machine.copy_bandwidth_b_s):
        lacking.append("the bandwidth of copies to the device")
    counts = [words for name, words in _COUNTS.items() if math.isnan(getattr(case, name))]
    return lacking + [f"the number of {words}" for words in counts]


def _because(name: str, case: Facts, parts: Parts, shares: Shares) -> str:
    whole = f"of {seconds(case.own_time_s)}"
    rates = "rates of products and convolutions" if case.convolution_flops else "matrix-product rate"
    ceiling = f"{significant(case.flops / 1e6)} MFLOP need {seconds(parts.arithmetic_s)} at the {rates}"

    def told(share: float) -> str:
        return f"{seconds(share * case.step_time_s)} {whole}"

    each = (shares.operators + shares.around) * case.step_time_s / case.operators
    device = shares.arithmetic + shares.traffic + shares.weights + shares.pooling + shares.below_ceiling
    weights = f" and {_megabytes(case.weight_bytes)} of convolutions' weights" if case.weight_bytes else ""
    return {
        LAUNCH: f"{round(case.operators, 1):,g} operators at {seconds(each)} each take "
        f"{told(shares.operators + shares.around)}",
        COPY: f"{round(case.copies, 1):,g} copies of {significant(case.copied_bytes / 1e6)} MB in all take "
        f"{told(shares.copies)}",
        READ: f"reading the loss takes {told(shares.reads)}, lost overlap included",
        INPUT: f"making the batch takes {told(shares.inputs)}",
        COMPUTE: f"{ceiling}, and as this model reaches it {told(shares.arithmetic + shares.below_ceiling)}",
        MEMORY: f"{_megabytes(case.moved_bytes)} of memory traffic{weights} take "
        f"{told(shares.traffic + shares.weights)}",
        POOLING: f"{_megabytes(case.pooled_bytes)} that pooling reads and writes take {told(shares.pooling)}",
        ALLOCATION: f"the allocator takes {_megabytes(case.fresh_bytes)} anew from the system at every step: its page "
        f"faults take {told(shares.fresh)}",
        UNDER_FILLED: f"{ceiling}, but the device is busy for {told(device)}",
    }[name]


def _megabytes(size_bytes: float) -> str:
    return f"{significant(size_bytes / 1e6)} MB"


def _percent(share: float) -> str:
    return f"{significant(share * 100, 2)} %"

"""What one step of each training case consists of: whole numbers per step, free of noise, and the measured clocks."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reports.values import count, mapping, positive, text
from reports.why.primitives import results

BYTES_PER_PARAMETER = 24
"""Least traffic of one float32 parameter in one step of plain SGD: its weight is read in the forward pass, the backward
pass and the update and written once; its gradient is written once and read once; 4 bytes each. Activations, and what
other optimizers keep, come on top."""


@dataclass(frozen=True)
class Facts:
    """One training case: its step time in seconds, and what a step holds; NaN is what the file does not tell.

    `core_share` is the share of its core that a one-thread case got (`reports.why.primitives`).
    Of `flops`, `convolution_flops` are convolutions'. `moved_bytes` are those that operators read and write, but for
    `pooled_bytes`, which are pooling's, and `weight_bytes`, those of convolutions' weights; without counted bytes,
    `moved_bytes` is the least traffic of the parameters. `fresh_bytes` of memory are touched for the first time, each
    page with a page fault; 0 where the file does not tell.
    `copies` and `copied_bytes` go from the host to the device; `enqueue_s` and `busy_s` are the host's and the device's
    own clocks per step, on an accelerator.
    """

    fullname: str
    device: str
    model: str
    batch_size: int | None
    log_interval: int | str | None
    step_time_s: float
    operators: float
    reads: float
    copies: float
    copied_bytes: float
    flops: float
    convolution_flops: float
    moved_bytes: float
    pooled_bytes: float
    weight_bytes: float
    fresh_bytes: float
    parameters: float
    enqueue_s: float
    busy_s: float
    core_share: float

    @property
    def own_time_s(self) -> float:
        """The step time without what neighbours took of the core."""
        return self.step_time_s * self.core_share

    @property
    def setting(self) -> tuple[str, str, int | None]:
        """What the log intervals of a case have in common: device, model and batch size."""
        return (self.device, self.model, self.batch_size)

    @property
    def read_interval(self) -> int | None:
        """After how many steps the loss is read; None when it never is."""
        return self.log_interval if isinstance(self.log_interval, int) else None

    @property
    def traffic_bytes(self) -> float:
        """Least bytes that a step moves through the device's memory, whatever is fused or cached."""
        return self.parameters * BYTES_PER_PARAMETER


def facts(cases: pd.DataFrame) -> list[Facts]:
    """Return the free-running training cases of one session's cases that have a result, in order of their names."""
    found = [_facts(case) for case in results(cases).sort_values("fullname").to_dict("records") if _is_training(case)]
    return sorted(found, key=lambda one: (one.device, one.model, one.batch_size or 0))


def _is_training(case: dict[Any, Any]) -> bool:
    extra, params = mapping(case["extra"]), mapping(case["params"])
    free_running = text(extra.get("regime")) in {"", "free-running"}
    return bool(case["model"]) and extra.get("unit") == "step" and free_running and "question" not in params


def _facts(case: dict[Any, Any]) -> Facts:
    extra = mapping(case["extra"])
    counts, clocks = mapping(extra.get("counts")), mapping(extra.get("clocks"))
    steps, parameters = positive(counts.get("steps")), positive(counts.get("parameters"))
    moved = mapping(extra.get("bytes_by_kind"))

    def per_step(name: str) -> float:
        return count(counts[name]) / steps if name in counts else math.nan

    return Facts(
        **{name: case[name] for name in ("fullname", "device", "model")},
        log_interval=_log_interval(case["log_interval"]),
        batch_size=None if pd.isna(case["batch_size"]) else int(case["batch_size"]),
        step_time_s=float(case["median_s"]),
        operators=positive(per_step("operators")),
        reads=per_step("loss_reads"),
        copies=per_step("host_to_device_copies"),
        copied_bytes=per_step("host_to_device_bytes"),
        flops=positive(extra.get("flops_per_step")),
        convolution_flops=count(mapping(extra.get("flops_by_kind")).get("convolution")),
        moved_bytes=count(moved["other"]) if "other" in moved else parameters * BYTES_PER_PARAMETER,
        pooled_bytes=count(moved.get("pooling")),
        weight_bytes=count(moved.get("convolution_weights")),
        fresh_bytes=count(case["fresh_bytes"]),
        parameters=parameters,
        enqueue_s=positive(clocks.get("enqueue_s")),
        busy_s=positive(clocks.get("busy_s")),
        core_share=float(case["core_share"]),
    )


def _log_interval(value: object) -> int | str | None:
    """Return a whole number even where a column that lacks some has made floats of them."""
    return text(value) or count(value) or None

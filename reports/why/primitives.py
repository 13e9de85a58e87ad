"""What the machine can do at best, as measured: what one operator, one read, one copy cost, and the two ceilings.

A primitive is one case of the session whose `primitive` says what it measured. Times are seconds per operation, rates
are the amount of one operation over its time: bytes or floating-point operations per second. What ran on one thread is
told in the core's own time: the measured time times the share of the core that the case got.
"""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reports.identity import is_cpu
from reports.values import count, mapping, number, positive, text

PRIMITIVE_COLUMNS = [
    "fullname", "device", "name", "dtype", "memory", "threads", "amount", "amount_unit", "median_s", "iqr_s", "rounds",
    "rate", "core_share", "fresh_bytes",
]  # fmt: skip
NAMES = (
    "dispatch", "launch", "read-idle", "read-busy", "copy-to-device", "copy-to-host", "fresh-memory", "memory",
    "pooling", "matmul", "convolution", "convolution-weights",
)  # fmt: skip

ONE_THREAD = "cpu"
LEAST_OWN_PART = 0.1
"""What page faults leave of a primitive's time at least: their cost is known to within some tenths."""


def results(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per fullname with a result: the newest launch's, with the median time over the launches.

    `own_s` is the median over the launches of the time times `core_share`; `core_share` then is its part of `median_s`.
    `fresh_bytes` is the median as well, since how often memory is touched anew differs from launch to launch.
    """
    measured = cases[cases["median_s"].notna()]
    shares = pd.Series([core_share(case) for case in measured.to_dict("records")], index=measured.index, dtype=float)
    fresh = pd.Series(
        [number(mapping(extra).get("fresh_bytes")) for extra in measured["extra"]], index=measured.index, dtype=float
    )
    measured = measured.assign(own_s=measured["median_s"] * shares, fresh_bytes=fresh)
    newest = measured.drop_duplicates("fullname", keep="last").set_index("fullname", drop=False)
    times = measured.groupby("fullname")[["median_s", "iqr_s", "own_s", "fresh_bytes"]].median()
    told = newest.assign(**{name: times[name] for name in times.columns})
    return told.assign(core_share=told["own_s"] / told["median_s"]).reset_index(drop=True)


def primitives(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per primitive of one session's cases, in the core's own time; `rate` is NaN without an amount."""
    rows = [row for case in results(cases).to_dict("records") if (row := _primitive(case))]
    frame = pd.DataFrame(rows, columns=PRIMITIVE_COLUMNS)
    order = {name: place for place, name in enumerate(NAMES)}
    return frame.sort_values(["device", "name", "amount"], kind="stable", key=lambda column: column.replace(order)
                             if column.name == "name" else column).reset_index(drop=True)  # fmt: skip


def _primitive(case: dict[Any, Any]) -> dict[str, Any] | None:
    told = mapping(mapping(case["extra"]).get("primitive"))
    if told.get("name") not in NAMES:
        return None
    amount = positive(told.get("amount"))
    return {
        **{name: case[name] for name in ("fullname", "device", "rounds", "core_share")},
        "median_s": _without_the_work(case["own_s"], positive(told.get("without_read_s")) * case["core_share"]),
        "iqr_s": case["iqr_s"] * case["core_share"],
        **{name: text(told.get(name)) for name in ("name", "dtype", "memory", "amount_unit")},
        "threads": count(told.get("threads")),
        "amount": amount,
        "rate": amount / case["own_s"],
        "fresh_bytes": count(case["fresh_bytes"]),
    }


def _without_the_work(time_s: float, work_s: float) -> float:
    """Return a read's own cost where the same work was timed without it: how much longer the two together take."""
    return time_s if math.isnan(work_s) else max(0.0, time_s - work_s)


def core_share(case: dict[Any, Any]) -> float:
    """Return the share of its core that a one-thread case on the processor got, by its CPU time; 1 for all others.

    Neighbours slow such a case down by taking the core away, and what a step costs is then better told by the time that
    it had the core.
    """
    if case["device"] != ONE_THREAD:
        return 1.0
    ratio = positive(mapping(case["extra"]).get("cpu_time_ratio"))
    return 1.0 if math.isnan(ratio) else min(1.0, ratio)


@dataclass(frozen=True)
class Machine:
    """One device's costs and ceilings; NaN is what was not measured.

    `operator_s` is what handing over one operator costs the host: a launch on an accelerator, a dispatch on a
    processor. `read_s` is what a read takes on an idle device, `read_busy_s` what it adds to work under way, the
    overlap it costs included. `copy_latency_s` and `copy_bandwidth_b_s` are of pageable copies to the device.
    `memory_b_s` is the bandwidth of the device's own memory, `float32_flop_s` its best rate of float32 matrix products.
    Of layers, forward and backward, `convolution_flop_s` is the rate of a float32 convolution, `weights_b_s` that of
    one which is all weights, `pooling_b_s` that of a max pooling. `fresh_b_s` is the rate of touching memory for the
    first time.
    """

    device: str
    operator_s: float = math.nan
    read_s: float = math.nan
    read_busy_s: float = math.nan
    copy_latency_s: float = math.nan
    copy_bandwidth_b_s: float = math.nan
    memory_b_s: float = math.nan
    float32_flop_s: float = math.nan
    convolution_flop_s: float = math.nan
    weights_b_s: float = math.nan
    pooling_b_s: float = math.nan
    fresh_b_s: float = math.nan

    @property
    def is_asynchronous(self) -> bool:
        """Whether the host goes on while the device works."""
        return not is_cpu(self.device)

    @property
    def read_end_s(self) -> float:
        """Return what a read still takes when the device has done its work: the part of it that never overlaps.

        A busy device loses that, and waits for the next operator to be launched: what a read adds to its work, less a
        launch. An idle device also waits until the host has handed over the copy, which a busy one does not notice.
        Where no busy device was read, all of a read counts as its end.
        """
        end_s = self.read_busy_s - self.operator_s
        return self.read_s if math.isnan(end_s) else max(0.0, end_s)

    def arithmetic_s(self, flops: float, convolution_flops: float) -> float:
        """Return what so many float32 operations take, those of convolutions among them; all at one rate if need be."""
        rate = self.float32_flop_s if math.isnan(self.convolution_flop_s) else self.convolution_flop_s
        return (flops - convolution_flops) / self.float32_flop_s + convolution_flops / rate

    def weights_s(self, weight_bytes: float) -> float:
        """Return what convolutions take to lay out so many bytes of weights; at the memory's bandwidth if need be."""
        return weight_bytes / (self.memory_b_s if math.isnan(self.weights_b_s) else self.weights_b_s)

    def pooling_s(self, pooled_bytes: float) -> float:
        """Return what pooling takes that reads and writes so many bytes; at the memory's bandwidth if need be."""
        return pooled_bytes / (self.memory_b_s if math.isnan(self.pooling_b_s) else self.pooling_b_s)

    def fresh_s(self, fresh_bytes: float) -> float:
        """Return what the host pays for so many bytes of memory never touched before; 0 where that is not known."""
        return 0.0 if math.isnan(self.fresh_b_s) else fresh_bytes / self.fresh_b_s

    def copies_s(self, copies: float, copied_bytes: float) -> float:
        """Return what so many blocking copies of so many bytes in all take."""
        if copies == 0:
            return 0.0
        return copies * self.copy_latency_s + copied_bytes / self.copy_bandwidth_b_s


def machine_of(found: pd.DataFrame, device: str) -> Machine:
    """Return a device from the frame of `primitives`.

    A processor's second arm shares what its host thread does alone, dispatches and reads, with the first.
    """
    own = found[found["device"] == device]
    host = own if not is_cpu(device) else found[found["device"].isin([device, "cpu"])]
    latency_s, bandwidth_b_s = _copies(own)
    operator = ("launch", "dispatch") if not is_cpu(device) else ("dispatch",)
    times_s = [_fastest_s(host, name) for name in operator]
    fresh_b_s = float(own.loc[own["name"] == "fresh-memory", "rate"].max())
    float32 = own[own["dtype"] == "float32"]
    return Machine(
        device=device,
        operator_s=next((time_s for time_s in times_s if not math.isnan(time_s)), math.nan),
        read_s=_fastest_s(host, "read-idle"),
        read_busy_s=_fastest_s(own, "read-busy"),
        copy_latency_s=latency_s,
        copy_bandwidth_b_s=bandwidth_b_s,
        memory_b_s=float(own.loc[own["name"] == "memory", "rate"].max()),
        float32_flop_s=float(float32.loc[float32["name"] == "matmul", "rate"].max()),
        convolution_flop_s=_rate_in_kept_memory(float32, "convolution", fresh_b_s),
        weights_b_s=_rate_in_kept_memory(own, "convolution-weights", fresh_b_s),
        pooling_b_s=_rate_in_kept_memory(own, "pooling", fresh_b_s),
        fresh_b_s=fresh_b_s,
    )


def _rate_in_kept_memory(found: pd.DataFrame, name: str, fresh_b_s: float) -> float:
    """Return the best rate without the page faults that this process's allocator happened to cause."""
    rows = found[found["name"] == name]
    faults_s = 0.0 if math.isnan(fresh_b_s) else rows["fresh_bytes"] / fresh_b_s
    times_s = (rows["median_s"] - faults_s).clip(lower=LEAST_OWN_PART * rows["median_s"])
    return float((rows["amount"] / times_s).max())


def _fastest_s(found: pd.DataFrame, name: str) -> float:
    return float(found.loc[found["name"] == name, "median_s"].min())


def _copies(found: pd.DataFrame) -> tuple[float, float]:
    """Return latency and bandwidth of pageable copies to the device: the line through the smallest and the largest."""
    copies = found[(found["name"] == "copy-to-device") & (found["memory"] == "pageable")].sort_values("amount")
    if len(copies) < 2:  # noqa: PLR2004  one point makes no line
        return math.nan, math.nan
    small, large = copies.iloc[0], copies.iloc[-1]
    if large["median_s"] <= small["median_s"] or large["amount"] <= small["amount"]:
        return math.nan, math.nan
    bandwidth_b_s = float((large["amount"] - small["amount"]) / (large["median_s"] - small["median_s"]))
    return max(0.0, float(small["median_s"] - small["amount"] / bandwidth_b_s)), bandwidth_b_s

"""From which batch size on a GPU is faster than the processor, with an interval."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

CROSSOVER_COLUMNS = ["model", "log_interval", "smallest", "largest", "crossover", "low", "high"]


class Crossing(NamedTuple):
    """Batch sizes: where the speed-up passes 1, and where its interval's two edges do.

    0 stands for "already at the smallest size measured", infinity for "not within the sizes measured".
    """

    crossover: float
    low: float
    high: float


def crossovers(compared: pd.DataFrame) -> pd.DataFrame:
    """Return one row per model and log interval measured at two batch sizes or more.

    `compared` has a row per model, log interval and batch size with `speed_up` (the time of the better processor arm
    over the GPU's), `speed_up_low` and `speed_up_high`. `smallest` and `largest` are the batch sizes measured.
    """
    known = compared[compared["speed_up"].notna() & compared["batch_size"].notna()]
    rows = []
    for (model, log_interval), group in known.groupby(["model", "log_interval"], dropna=False, sort=False):
        by_size = group.sort_values("batch_size")
        sizes = [float(size) for size in by_size["batch_size"]]
        if len(sizes) > 1:
            rows.append((model, log_interval, sizes[0], sizes[-1], *crossing(sizes, by_size)))
    return pd.DataFrame(rows, columns=CROSSOVER_COLUMNS)


def crossing(sizes: Sequence[float], speed_ups: pd.DataFrame) -> Crossing:
    """Return the crossing of the speed-up and of both edges of its interval.

    The GPU may have overtaken as soon as the upper edge passes 1, and surely has where the lower one does. An edge that
    is unknown anywhere leaves its end unknown (NaN).
    """
    return Crossing(
        passing(sizes, list(speed_ups["speed_up"])),
        passing(sizes, list(speed_ups["speed_up_high"])),
        passing(sizes, list(speed_ups["speed_up_low"])),
    )


def passing(sizes: Sequence[float], speed_ups: Sequence[float]) -> float:
    """Return the batch size from which on the speed-up stays above 1, between two sizes on a straight log-log line.

    0 when it is above 1 at every size, infinity when it is not at the largest, NaN when one is unknown.

    >>> round(passing([16, 64], [0.5, 2.0]), 6)
    32.0
    """
    logs = [math.log(speed_up) for speed_up in speed_ups]
    if any(map(math.isnan, logs)):
        return math.nan
    if logs[-1] <= 0:
        return math.inf
    below = [place for place, value in enumerate(logs) if value <= 0]
    if not below:
        return 0.0
    last = below[-1]
    part = -logs[last] / (logs[last + 1] - logs[last])
    return math.exp(math.log(sizes[last]) + part * math.log(sizes[last + 1] / sizes[last]))

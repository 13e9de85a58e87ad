"""The figures of a run's entries, taken out for all of them at once: a store may hold millions of raw rounds."""

import math
import statistics
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.values import LARGEST_COUNT, number, sequence

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
SHORTEST_S, LONGEST_S = 1e-15, 1e15
"""What lies beyond is no time that anybody measured, and its ratios would overflow."""
_PLAIN = {float, int}


def figures(all_stats: list[dict[str, Any]]) -> tuple[Floats, Floats, Counts, Counts]:
    """Return median and interquartile range in seconds per unit, rounds and iterations, from each entry's `stats`.

    The median is that of the raw rounds where they are there, else the recorded one; NaN for what is no time. Rounds
    that are no finite numbers are left out. The range is the recorded one, else that of the rounds.
    """
    raw = [stats.get("data") for stats in all_stats]
    medians_s, rounds = _of_rounds(raw)
    median_s = np.where(rounds > 0, medians_s, _column(all_stats, "median"))
    iqr_s = _column(all_stats, "iqr")
    for place in np.flatnonzero(~(iqr_s >= 0)):
        iqr_s[place] = _iqr_s(raw[place], iqr_s[place])
    return (
        np.where((median_s >= SHORTEST_S) & (median_s <= LONGEST_S), median_s, math.nan),
        np.where(iqr_s <= LONGEST_S, iqr_s, math.nan),
        np.where(rounds > 0, rounds, _counts(all_stats, "rounds")),
        _counts(all_stats, "iterations"),
    )


def _of_rounds(raw: list[Any]) -> tuple[Floats, Counts]:
    """Return the median over each list of rounds, NaN where it holds no number, and how many numbers it holds."""
    lengths = {len(rounds) if isinstance(rounds, list) else 0 for rounds in raw}
    try:
        if len(lengths) == 1 and (length := lengths.pop()):
            return _of_equally_many(raw, length), np.full(len(raw), length)
    except struct.error:  # not only numbers
        pass
    kept = [_numbers(rounds) for rounds in raw]
    medians_s = [statistics.median(rounds) if rounds else math.nan for rounds in kept]
    return np.array(medians_s, dtype=float), np.array([len(rounds) for rounds in kept], dtype=np.int64)


def _of_equally_many(raw: list[Any], length: int) -> Floats:
    """Return the medians of the usual file, several times faster than one after the other.

    Raises:
        struct.error: a list holds something that is no number.
    """
    pack = struct.Struct(f"{length}d").pack
    table = np.frombuffer(b"".join([pack(*rounds) for rounds in raw])).reshape(len(raw), length)
    low, high = (length - 1) // 2, length // 2
    parted = np.partition(table, (low, high), axis=1)
    with np.errstate(over="ignore"):  # the sum of two numbers near the largest one is no time anyway
        return (parted[:, low] + parted[:, high]) / 2


def _numbers(rounds: object) -> list[float]:
    return [seconds for seconds in map(number, sequence(rounds)) if not math.isnan(seconds)]


def _iqr_s(raw: object, recorded: float) -> float:
    rounds = _numbers(raw)
    if len(rounds) < 2:  # noqa: PLR2004  quartiles need two values
        return recorded
    first, _, third = statistics.quantiles(rounds, n=4, method="inclusive")
    return third - first


def _column(all_stats: list[dict[str, Any]], name: str) -> Floats:
    values = [stats.get(name) for stats in all_stats]
    if not set(map(type, values)) <= _PLAIN:
        values = list(map(number, values))
    return np.array(values, dtype=float)


def _counts(all_stats: list[dict[str, Any]], name: str) -> Counts:
    values = _column(all_stats, name)
    return np.where((values >= 0) & (values <= LARGEST_COUNT), values, 0).astype(np.int64)

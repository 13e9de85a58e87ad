"""The figures of a run's entries, taken out for all of them at once: a store may hold millions of raw rounds."""

import math
import statistics
import struct
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.values import LARGEST_COUNT, number, sequence

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]
SHORTEST_S, LONGEST_S = 1e-15, 1e15
"""What lies beyond is no time that anybody measured, and its ratios would overflow."""
_PLAIN = {float, int}
_NAMES = ("data", "median", "iqr", "rounds", "iterations")
_of_entry = itemgetter(*_NAMES)


def figures(all_stats: list[dict[str, Any]]) -> tuple[Floats, Floats, Counts, Counts]:
    """Return median and interquartile range in seconds per unit, rounds and iterations, from each entry's `stats`.

    The median is that of the raw rounds where they are there, else the recorded one; NaN for what is no time. Rounds
    that are no finite numbers are left out. The range is the recorded one, else that of the rounds.
    """
    raw, *recorded = _columns(all_stats)
    medians_s, kept = _of_rounds(raw)
    recorded_s, iqr_s, rounds, iterations = _numbers_of(recorded)
    median_s = np.where(kept > 0, medians_s, recorded_s)
    for place in np.flatnonzero(~(iqr_s >= 0)).tolist():
        iqr_s[place] = _iqr_s(raw[place], iqr_s[place])
    return (
        np.where((median_s >= SHORTEST_S) & (median_s <= LONGEST_S), median_s, math.nan),
        np.where(iqr_s <= LONGEST_S, iqr_s, math.nan),
        np.where(kept > 0, kept, _counts(rounds)),
        _counts(iterations),
    )


def _columns(all_stats: list[dict[str, Any]]) -> list[Sequence[Any]]:
    """Return the fields of all entries, one after the other; None where an entry lacks one."""
    try:
        return list(zip(*map(_of_entry, all_stats), strict=True)) or [()] * len(_NAMES)
    except KeyError:
        return [[stats.get(name) for stats in all_stats] for name in _NAMES]


def _of_rounds(raw: Sequence[Any]) -> tuple[Floats, Counts]:
    """Return the median over each list of rounds, NaN where it holds no number, and how many numbers it holds."""
    try:
        if set(map(type, raw)) == {list} and len(lengths := set(map(len, raw))) == 1 and (length := lengths.pop()):
            return _of_equally_many(raw, length), np.full(len(raw), length)
    except struct.error:  # not only numbers
        pass
    kept = [_numbers(rounds) for rounds in raw]
    medians_s = [statistics.median(rounds) if rounds else math.nan for rounds in kept]
    return np.array(medians_s, dtype=float), np.array([len(rounds) for rounds in kept], dtype=np.int64)


def _of_equally_many(raw: Sequence[Any], length: int) -> Floats:
    """Return the medians of the usual file, several times faster than one after the other.

    Raises:
        struct.error: a list holds something that is no number.
    """
    pack = struct.Struct(f"{length}d").pack
    table = np.frombuffer(b"".join([pack(*rounds) for rounds in raw])).reshape(len(raw), length)
    low, high = (length - 1) // 2, length // 2
    ordered = np.sort(table, axis=1)  # where the processor sorts many numbers at once, faster than a partition
    with np.errstate(over="ignore"):  # the sum of two numbers near the largest one is no time anyway
        return (ordered[:, low] + ordered[:, high]) / 2


def _numbers(rounds: object) -> list[float]:
    return [seconds for seconds in map(number, sequence(rounds)) if not math.isnan(seconds)]


def _iqr_s(raw: object, recorded: float) -> float:
    rounds = _numbers(raw)
    if len(rounds) < 2:  # noqa: PLR2004  quartiles need two values
        return recorded
    first, _, third = statistics.quantiles(rounds, n=4, method="inclusive")
    return third - first


def _numbers_of(columns: list[Sequence[Any]]) -> Floats:
    """Return the columns as rows of numbers, NaN for everything else."""
    values = list(chain.from_iterable(columns))
    if not set(map(type, values)) <= _PLAIN:
        values = list(map(number, values))
    return np.array(values, dtype=float).reshape(len(columns), -1)


def _counts(values: Floats) -> Counts:
    return np.where((values >= 0) & (values <= LARGEST_COUNT), values, 0).astype(np.int64)

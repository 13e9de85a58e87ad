"""Other rules on the same made histories: pytest-benchmark's own, a rank test on rounds, and Apache Otava's."""

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from reports.rule.arrays import Bools, Floats
from reports.simulation import Suite

FIVE_PERCENT, SIGNIFICANT = 0.05, 0.05
OTAVA_P, RECENT = 0.001, 8
"""Otava's own default, and how many nights back a change point still counts as seen."""
Rule = Callable[[Suite], Bools]
"""Which cases are called slower in each night from the step on (nights x cases)."""


def mean_of_last_run(suite: Suite) -> Bools:
    """Return pytest-benchmark's `--benchmark-compare-fail=mean:5%` against the last run."""
    return _against_last(suite, np.mean(suite.rounds, axis=2))


def median_of_last_run(suite: Suite) -> Bools:
    """Return pytest-benchmark's `--benchmark-compare-fail=median:5%` against the last run."""
    return _against_last(suite, np.median(suite.rounds, axis=2))


def _against_last(suite: Suite, times: Floats) -> Bools:
    nights = _nights(suite)
    return np.asarray(times[nights[1:]] > (1 + FIVE_PERCENT) * times[nights[:-1]])


def ranks_of_last_run(suite: Suite) -> Bools:
    """Return a Mann-Whitney test of tonight's rounds against those of the last run, p < 0.05 and slower."""
    nights = _nights(suite)
    now, before = suite.rounds[nights[1:]], suite.rounds[nights[:-1]]
    p = mannwhitneyu(now, before, axis=2, method="asymptotic").pvalue
    return np.asarray((p < SIGNIFICANT) & (np.median(now, axis=2) > np.median(before, axis=2)))


def _nights(suite: Suite) -> list[int]:
    """Return the last run before the step and the nights from then on."""
    there = np.flatnonzero(np.isfinite(suite.median).any(axis=1))
    return [int(there[there < suite.first][-1]), *there[there >= suite.first].tolist()]


def otava() -> Rule | None:
    """Return Apache Otava's change points with its default p of 0.001, or None where it is not installed."""
    try:
        analysis: Any = importlib.import_module("otava.analysis")
    except ImportError:
        return None

    def rule(suite: Suite) -> Bools:
        there: Bools = np.asarray(np.isfinite(suite.median).any(axis=1))
        found = []
        for night in range(suite.first, len(suite.median)):
            upto = np.flatnonzero(there[: night + 1])
            times = np.asarray(np.exp(suite.median[upto]))
            found.append([_has_change(analysis, times[:, case]) for case in range(times.shape[1])])
        return np.array(found)

    return rule


def _has_change(analysis: Any, times: Floats) -> bool:  # noqa: ANN401  a module that may not be there
    """Return whether a slower change point lies within the last nights.

    The window holds the whole series, since 0.8.0 fails on some series that are longer than its window.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points, _ = analysis.compute_change_points(times, window_len=2 * len(times), max_pvalue=OTAVA_P)
    return any(point.index >= len(times) - RECENT and point.stats.mean_2 > point.stats.mean_1 for point in points)

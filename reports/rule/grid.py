"""The sessions frame of one machine as arrays: one row a session, one column a case."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reports.rule.arrays import Bools, Floats, Ints, Objects

Told = list[dict[str, Any]]
BUDGET_TOLERANCE = 1.2  # rounds are whole numbers, and the time they are planned from is itself measured


@dataclass(frozen=True)
class Grid:
    """Results of one machine, sessions x cases; log times are ln of seconds, NaN where there is no result.

    Attributes:
        sessions: names, oldest first.
        fullnames: names of the cases, sorted.
        devices: the device of each case.
        log_time: the median over the session's launches.
        rerun_log_time: the median over its re-runs, and
        reruns: how many they are.
        redefined: the work differs from that of the case's last result.
        remeasured: rounds or options differ from those of the case's last result, beyond what a time budget explains.
        row: position in the frame of each session's case, -1 where it has none.
    """

    sessions: list[str]
    fullnames: list[str]
    devices: Objects
    log_time: Floats
    rerun_log_time: Floats
    reruns: Ints
    redefined: Bools
    remeasured: Bools
    row: Ints


def grid(sessions: pd.DataFrame) -> Grid:
    """Arrange the rows of one machine and kind; they are in order of `started`."""
    ordered = sessions.sort_values(["started", "session"], kind="stable")
    positions = sessions.index.get_indexer(ordered.index)
    when, names = pd.factorize(ordered["session"])
    which, fullnames = pd.factorize(ordered["fullname"], sort=True)
    shape = (len(names), len(fullnames))
    measured = (ordered["outcome"] == "passed").to_numpy()
    log_time, rerun = np.full(shape, np.nan), np.full(shape, np.nan)
    log_time[when, which] = np.where(measured, ordered["log_time"].to_numpy(dtype=float), np.nan)
    rerun[when, which] = ordered["rerun_log_time"].to_numpy(dtype=float)
    reruns = np.zeros(shape, dtype=np.int64)
    reruns[when, which] = ordered["reruns"].to_numpy(dtype=np.int64)
    row = np.full(shape, -1)
    row[when, which] = positions
    devices = np.full(len(fullnames), "", dtype=object)
    devices[which] = ordered["device"].to_numpy(dtype=object)
    redefined, remeasured = _changes(log_time, row, list(sessions["work"]), list(sessions["method"]))
    return Grid(list(names), list(fullnames), devices, log_time, rerun, reruns, redefined, remeasured, row)


def _changes(log_time: Floats, row: Ints, work: Told, method: Told) -> tuple[Bools, Bools]:
    """Where work and method differ from those of the case's last result."""
    redefined, remeasured = np.zeros(row.shape, dtype=bool), np.zeros(row.shape, dtype=bool)
    measured = np.isfinite(log_time)
    at = np.where(measured, np.arange(len(log_time))[:, None], -1)
    last = np.full_like(at, -1)  # the session of the last result before
    last[1:] = np.maximum.accumulate(at, axis=0)[:-1]
    same = np.array([list(map(id, part)) for part in (work, method)]).reshape(2, -1)
    when, case = np.nonzero(measured & (last >= 0))
    before, now = row[last[when, case], case], row[when, case]
    other = (same[:, before] != same[:, now]).any(axis=0)  # one object is equal to itself; most are one
    for session, column, old, new in zip(*(part[other].tolist() for part in (when, case, before, now)), strict=True):
        slower = float(np.exp(log_time[session, column] - log_time[last[session, column], column]))
        redefined[session, column] = differs(work[old], work[new])
        remeasured[session, column] = remeasures(method[old], method[new], slower)
    return redefined, remeasured


def differs(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether a field that both have is another one now."""
    return before != now and any(before[key] != now[key] for key in before.keys() & now.keys())


def remeasures(before: dict[str, Any], now: dict[str, Any], slower: float) -> bool:
    """Whether a case was measured another way.

    A time budget makes fewer rounds of a case that became `slower` times as slow; that alone is the same way, or else
    every large slowdown would pass as a change of method.
    """
    if before == now:
        return False
    rest = {key: value for key, value in before.items() if key != "rounds"}
    if differs(rest, now):
        return True
    more = now.get("rounds", 1) / max(before.get("rounds", 1), 1)
    low, high = sorted((1.0, 1 / slower))
    return not low / BUDGET_TOLERANCE <= more <= high * BUDGET_TOLERANCE

"""Sessions frames whose truth is known: a level, a small steady scatter without random numbers, and changes by hand."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from reports.sessions import SESSION_COLUMNS

FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)
SCATTER = (0.3, -1.1, 0.8, -0.4, 1.3, -0.9, 0.1, 0.6, -1.4, 0.7)
"""Ten values of mean 0 and sd 0.93, in an order that looks like noise."""


def row(night: int, fullname: str, time_s: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return one row of a sessions frame."""
    blank: dict[str, Any] = {
        "machine": "m", "device": "cpu", "kind": "nightly", "session": f"night-{night:03d}",
        "started": pd.Timestamp(FIRST + timedelta(days=night)), "complete": True, "narrowed": False,
        "fullname": fullname, "outcome": "passed", "reason": "", "log_time": np.log(time_s), "launches": 1,
        "rerun_log_time": np.nan, "reruns": 0, "rounds": 20, "flags": (), "work": {"samples_per_unit": 32},
        "method": {"timer": "perf_counter", "rounds": 20, "iterations": 1}, "environment": {"torch": "2.14.1"},
        "run": f"{night:04d}_run.json",
    }  # fmt: skip
    return blank | more


def frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a sessions frame."""
    return pd.DataFrame(rows, columns=SESSION_COLUMNS)


def scatter(night: int, case: int, sd: float) -> float:
    """Return the scatter of a case in a night."""
    return sd * SCATTER[(7 * night + 3 * case) % len(SCATTER)]


def suite(
    nights: int,
    cases: int = 30,
    *,
    sd: float = 0.005,
    change: Callable[[int, int], float] = lambda _night, _case: 0.0,
    **more: Any,  # noqa: ANN401
) -> list[dict[str, Any]]:
    """Return rows of `cases` cases; `change` is added to the ln time of a case in a night."""
    return [
        row(night, f"b.py::b[cpu-m{case:02d}]", float(np.exp(scatter(night, case, sd) + change(night, case))), **more)
        for night in range(nights)
        for case in range(cases)
    ]


def series(changes: Sequence[float], *, sd: float = 0.005, cases: int = 30) -> list[dict[str, Any]]:
    """Return rows of a suite whose case 0 has these relative changes, night by night; the others do not change."""
    return suite(
        len(changes),
        cases,
        sd=sd,
        change=lambda night, case: float(np.log1p(changes[night])) if case == 0 else 0.0,
    )


FIRST_CASE = "b.py::b[cpu-m00]"

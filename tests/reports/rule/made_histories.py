"""Sessions frames whose truth is known: each case a list of ln times, one a night, and no random number in them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pandas as pd

from reports.rule.accepted import Accepted, Book
from reports.rule.settings import Settings
from reports.rule.verdict import replay
from tests.reports.made_runs import FIRST_NIGHT

MACHINE = "made-up-cpu-9000"
QUIET = (0.01, -0.01) * 5
"""Ten nights around ln 1 s: mean 0, sum of squares 10 x 0.0001, so a variance of 0.001 / 9."""
STEADY = (0.001, -0.001) * 5
"""Ten nights, ten times as steady."""


def made_sessions(
    cases: Mapping[str, Sequence[float | None]],
    *,
    again: Mapping[tuple[str, int], float] | None = None,
    work: Mapping[tuple[str, int], dict[str, Any]] | None = None,
    **columns: Any,  # noqa: ANN401  any column of the frame
) -> pd.DataFrame:
    """Return a frame as `reports.sessions.sessions` makes it; None is a night without the case, NaN a failure.

    `again` holds the ln time of three re-runs and `work` what was measured, by case and night.
    """
    rows = [
        _row(name, night, log_time, (again or {}).get((name, night)), (work or {}).get((name, night), {})) | columns
        for name, times in cases.items()
        for night, log_time in enumerate(times)
        if log_time is not None
    ]
    return pd.DataFrame(rows)


def _row(name: str, night: int, log_time: float, again: float | None, work: dict[str, Any]) -> dict[str, Any]:
    measured = log_time == log_time  # noqa: PLR0124  NaN is not itself
    return {
        "machine": MACHINE, "device": "cpu", "kind": "nightly", "session": f"night-{night:02d}",
        "started": pd.Timestamp(FIRST_NIGHT + timedelta(days=night)), "complete": True, "narrowed": False,
        "fullname": name, "outcome": "passed" if measured else "failed", "reason": "" if measured else "it broke",
        "log_time": log_time, "launches": 1, "rerun_log_time": float("nan") if again is None else again,
        "reruns": 0 if again is None else 3, "rounds": 20, "flags": (), "work": work, "method": {},
        "environment": {"torch": "2.14.1"}, "run": f"{night:04d}_run.json",
    }  # fmt: skip


def judged(frame: pd.DataFrame, settings: Settings | None = None, *accepted: Accepted, **which: str) -> pd.DataFrame:
    """Return the verdicts by fullname."""
    return replay(frame, settings, Book(accepted), **which).set_index("fullname")


def words(times: Sequence[float | None], last: int, settings: Settings | None = None, *accepted: Accepted) -> list[str]:
    """Return the verdicts of the last so many nights of one case beside a steady one; a new change has a `!`."""
    frame = made_sessions({"a": times, "beside": [*STEADY * (len(times) // 10 + 1)][: len(times)]})
    found = []
    for night in range(len(times) - last, len(times)):
        row = judged(frame, settings, *accepted, session=f"night-{night:02d}").loc["a"]
        found.append(f"{row['verdict']}{'!' if row['new'] else ''}")
    return found


def settings(**values: Any) -> Settings:  # noqa: ANN401  any setting
    """Return settings with one window of confirmation, so that its p is a quantile of a table; others as named."""
    return Settings(**({"confirm_sessions": (2,), "confirm_weights": (0.5,)} | values))

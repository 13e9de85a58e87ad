"""The words of a verdict, the table that carries them, and their order on a page."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

VERDICT_COLUMNS = [
    "fullname", "verdict", "new", "ratio", "ratio_low", "ratio_high", "median_s", "baseline_s", "flags",
    "first_bad_run", "last_good_run", "run", "machine", "device", "history", "reason",
]  # fmt: skip
WORST_FIRST = (
    "regression", "suspect", "failed", "timed-out", "not-reached", "missing", "redefined", "improvement", "recovered",
    "new", "inconclusive", "insufficient-history", "new-machine", "skipped", "unchanged",
)  # fmt: skip
JUDGED = ("regression", "suspect", "improvement", "recovered", "unchanged")
"""Verdicts for which a time was compared with a baseline."""
TOO_LITTLE_HISTORY = ("insufficient-history", "new-machine")
WITHOUT_TIME = ("failed", "timed-out", "not-reached", "missing", "skipped")
NOT_SELECTED = "not selected in this run"
MACHINE_PREFIX = "machine:"


def verdict_frame(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return a verdict table, worst first.

    Columns: `fullname`, `verdict`, `new` (bool), `ratio` (this session over baseline, above 1 is slower), `ratio_low`
    and `ratio_high` (its interval), `median_s` and `baseline_s` (seconds per unit of work), `flags` (tuple),
    `first_bad_run` and `last_good_run` (files between which it changed), `run`, `machine`, `device`, `history`
    (earlier sessions that the baseline rests on), `reason`. What is not known is NaN or an empty string.
    """
    blank = dict.fromkeys(VERDICT_COLUMNS, "") | {"new": False, "flags": (), "history": 0}
    blank |= dict.fromkeys(("ratio", "ratio_low", "ratio_high", "median_s", "baseline_s"), float("nan"))
    frame = pd.DataFrame([blank | row for row in rows], columns=VERDICT_COLUMNS)
    return worst_first(frame.astype({"new": bool, "history": int, "ratio": float}))


def worst_first(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Order by verdict, machine rows before cases, the largest change before smaller ones, then by name."""
    order = verdicts.assign(
        rank=verdicts["verdict"].map({word: place for place, word in enumerate(WORST_FIRST)}),
        is_case=~is_machine_row(verdicts),
        change=-(verdicts["ratio"] - 1).abs(),
    ).sort_values(["rank", "is_case", "change", "fullname"], kind="stable")
    return verdicts.loc[order.index].reset_index(drop=True)


def is_machine_row(verdicts: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows are about a whole machine, not a case."""
    return verdicts["fullname"].astype(str).str.startswith(MACHINE_PREFIX).astype(bool)


def case_rows(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows about cases."""
    return verdicts[~is_machine_row(verdicts)]

"""How far the times of two cases of one session may be off against each other.

Two sources are told apart. The scatter of the rounds within the session gives each median a standard error of about
IQR / sqrt(rounds). What differs from process to process (where memory lies, which clock the core found) is not in the
rounds at all; it shows in how the two cases stood to each other in earlier sessions, where there are enough of them.
"""

import math
from typing import Any

import pandas as pd

from reports.history import spread_of_difference


def relative_error(one: Any, other: Any, earlier_log_times: pd.DataFrame) -> float:  # noqa: ANN401  rows of `measured`
    """Return twice the standard error of the ln ratio of two cases' medians, about a 95 % interval's half.

    NaN when the files tell neither the rounds' scatter nor enough earlier sessions.
    """
    between_sessions = spread_of_difference(earlier_log_times, one["fullname"], other["fullname"])
    parts = (_round_error(one), _round_error(other), between_sessions)
    known = [part for part in parts if not math.isnan(part)]
    return 2 * math.hypot(*known) if known else math.nan


def _round_error(case: Any) -> float:  # noqa: ANN401  a row of `measured`
    if not case["rounds"] or case["rounds"] < 2:  # noqa: PLR2004  one round has no scatter
        return math.nan
    return float(case["iqr_s"] / case["median_s"] / math.sqrt(case["rounds"]))


def sources(earlier_log_times: pd.DataFrame, least_sessions: int = 5) -> str:
    """Return in words what an interval rests on."""
    rounds = "the scatter of this session's rounds, IQR / sqrt(rounds), doubled"
    if len(earlier_log_times) < least_sessions:
        return (
            f"{rounds}; with fewer than {least_sessions} earlier sessions it knows nothing of the scatter between runs"
        )
    return f"{rounds}, and the scatter between the {len(earlier_log_times)} earlier sessions"

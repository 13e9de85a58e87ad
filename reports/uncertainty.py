"""How far the times of two cases of one session may be off against each other.

Two sources are told apart. The scatter of the rounds within the session gives each median a standard error of about
IQR / sqrt(rounds). What differs from process to process (where memory lies, which clock the core found) is not in the
rounds at all; it shows in how the two cases stood to each other in earlier sessions, where there are enough of them.
"""

import math
from typing import Any

import pandas as pd
from scipy.special import stdtrit

from reports.history import spread_of_difference

TWO_SIDED_95 = 0.975


def relative_error(one: Any, other: Any, earlier_log_times: pd.DataFrame) -> float:  # noqa: ANN401  rows of `measured`
    """Return twice the standard error of the ln ratio of two cases' medians, about a 95 % interval's half.

    NaN when the files tell neither the rounds' scatter nor enough earlier sessions.
    """
    between_sessions = spread_of_difference(earlier_log_times, one["fullname"], other["fullname"])
    parts = (round_error(one), round_error(other), between_sessions)
    known = [part for part in parts if not math.isnan(part)]
    return 2 * math.hypot(*known) if known else math.nan


def launch_error(one: Any, other: Any, earlier_log_times: pd.DataFrame) -> float:  # noqa: ANN401  as above
    """Return half of the 95 % interval of the ln ratio of two cases by what differs from process to process alone.

    That is twice how they scattered against each other in earlier sessions, where there are enough of them; else
    Student's t on the session's own launches, whose median has up to pi / 2 times the variance of their mean. NaN where
    one of them was launched once: a whole training loop has too few rounds to say more, and rounds do not know what
    another process would have found.
    """
    between_sessions = spread_of_difference(earlier_log_times, one["fullname"], other["fullname"])
    if not math.isnan(between_sessions):
        return 2 * between_sessions
    numbers = [int(case["launches"]) for case in (one, other)]
    if min(numbers) < 2:  # noqa: PLR2004  one launch has no scatter
        return math.nan
    freedom = sum(numbers) - 2
    pooled = sum((case["launches"] - 1) * case["launch_variance"] for case in (one, other)) / freedom
    variance = sum(pooled / number * (1 if number == 2 else math.pi / 2) for number in numbers)  # noqa: PLR2004  of two the median is the mean
    return float(stdtrit(freedom, TWO_SIDED_95)) * math.sqrt(variance)


def round_error(case: Any) -> float:  # noqa: ANN401  a row of `measured`
    """Return the standard error of a median by its rounds, IQR / median / sqrt(rounds); NaN for a single one."""
    if not case["rounds"] or case["rounds"] < 2:  # noqa: PLR2004  one round has no scatter
        return math.nan
    if not case["iqr_s"] > 0 and case["rounds"] <= case.get("launches", 0):
        return math.nan  # launches of one round each: their IQR is 0 because nothing scatters in one
    return float(case["iqr_s"] / case["median_s"] / math.sqrt(case["rounds"]))


def sources(earlier_log_times: pd.DataFrame, least_sessions: int = 5) -> str:
    """Return in words what an interval rests on."""
    rounds = "the scatter of this session's rounds, IQR / sqrt(rounds), doubled"
    if len(earlier_log_times) < least_sessions:
        return (
            f"{rounds}; with fewer than {least_sessions} earlier sessions it knows nothing of the scatter between runs"
        )
    return f"{rounds}, and the scatter between the {len(earlier_log_times)} earlier sessions"

"""Which earlier sessions a session is judged against, and how steadily two cases stood to each other in them."""

import math

import pandas as pd

LEAST_SESSIONS = 5
MAD_TO_SD = 1.4826
"""The median absolute deviation times this is the standard deviation of a normal distribution."""


def of_session(sessions: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return the rows of one machine's session."""
    rows = (sessions["session"] == session) & (sessions["machine"] == machine)
    return sessions.loc[rows, :]


def earlier_sessions(sessions: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return the rows of the earlier complete sessions of the same kind and machine, in order of time."""
    judged = of_session(sessions, session, machine)
    if judged.empty:
        return judged
    kind, started = str(judged["kind"].iloc[0]), pd.Timestamp(judged["started"].iloc[0])
    is_same = (sessions["machine"] == machine) & (sessions["kind"] == kind) & sessions["complete"].astype(bool)
    is_before = (sessions["started"] < started) | ((sessions["started"] == started) & (sessions["session"] < session))
    return sessions[is_same & is_before].sort_values(["started", "session"], kind="stable")


def log_times(earlier: pd.DataFrame) -> pd.DataFrame:
    """Return the earlier sessions' ln times, a row per session and a column per fullname, NaN where there is none."""
    return earlier.pivot_table(index="session", columns="fullname", values="log_time", sort=False)


def spread_of_difference(times: pd.DataFrame, one: str, other: str) -> float:
    """Return how far the ln ratio of two cases scatters from session to session, as a standard deviation.

    `times` is from `log_times`. The deviation is robust (1.4826 x median absolute deviation); NaN with fewer than five
    sessions that hold both cases.
    """
    if one not in times or other not in times:
        return math.nan
    differences = (times[one] - times[other]).dropna()
    if len(differences) < LEAST_SESSIONS:
        return math.nan
    return MAD_TO_SD * float((differences - differences.median()).abs().median())


def is_new_machine(sessions: pd.DataFrame, session: str, machine: str) -> bool:
    """Return whether this is the machine class's first session while other classes have earlier ones."""
    judged = of_session(sessions, session, machine)
    if judged.empty:
        return False
    earlier = sessions[sessions["started"] < judged["started"].iloc[0]]
    return bool(len(earlier)) and not bool((earlier["machine"] == machine).any())

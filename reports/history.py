"""Which earlier sessions a session is judged against."""

import pandas as pd


def of_session(sessions: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return the rows of one machine's session."""
    rows = (sessions["session"] == session) & (sessions["machine"] == machine)
    return sessions.loc[rows, :]


def earlier_sessions(sessions: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return the rows of the earlier complete sessions of the same kind and machine, in order of time."""
    judged = of_session(sessions, session, machine)
    if judged.empty:
        return judged
    kind, started = judged["kind"].iloc[0], judged["started"].iloc[0]
    same = sessions[(sessions["machine"] == machine) & (sessions["kind"] == kind) & sessions["complete"]]
    earlier: pd.Series[bool] = (same["started"] < started) | (
        (same["started"] == started) & (same["session"] < session)
    )
    return same[earlier].sort_values(["started", "session"], kind="stable")


def is_new_machine(sessions: pd.DataFrame, session: str, machine: str) -> bool:
    """Return whether this is the machine class's first session while other classes have earlier ones."""
    judged = of_session(sessions, session, machine)
    if judged.empty:
        return False
    earlier = sessions[sessions["started"] < judged["started"].iloc[0]]
    return bool(len(earlier)) and not bool((earlier["machine"] == machine).any())

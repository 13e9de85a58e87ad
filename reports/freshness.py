"""How old the judged session and its baseline are: a nightly that stopped running must not stay green."""

from dataclasses import replace
from datetime import datetime, timedelta

import pandas as pd

from reports.history import earlier_sessions
from reports.judging import Judgement
from reports.quantities import age

CLOCK_AHEAD = timedelta(days=1)
"""Dates without a zone may be half a day off."""


def held_to_age(judgement: Judgement, now: datetime, most: timedelta) -> Judgement:
    """Return the judgement, without a verdict when its session is older than `most`; a problem it has comes first."""
    return replace(judgement, problem=judgement.problem or stale(judgement.started, now, most))


def stale(started: datetime | None, now: datetime, most: timedelta) -> str:
    """Return why a session that began at `started` is too old to speak for `now`, or nothing.

    One that begins within the next day, by a clock that is ahead, is fresh; one dated later hides whatever was
    measured since. A session without a time is never called stale.
    """
    if started is not None and started - now > CLOCK_AHEAD:
        return (
            f"the newest session is dated {age(started - now)} after now, so it stands before everything that is "
            "measured until then: correct its date, or take its file out of the store"
        )
    if started is None or now - started <= most:
        return ""
    return (
        f"stale: the newest session is {age(now - started)} old, over the {hours(most)} allowed (--max-age), "
        "so nothing has been measured since"
    )


def baseline_age(sessions: pd.DataFrame, session: str, machine: str) -> str:
    """Return when the earlier sessions that a session is judged against were made, in words; nothing without any.

    `sessions` is the frame of `reports.sessions`; ages are counted back from the judged session.
    """
    judged = sessions[(sessions["session"] == session) & (sessions["machine"] == machine)]
    starts = earlier_sessions(sessions, session, machine)["started"].drop_duplicates()
    if starts.empty:
        return ""
    begun = judged["started"].iloc[0]
    newest, oldest = (age((begun - start).to_pytimedelta()) for start in (starts.max(), starts.min()))
    if newest == oldest:
        return f"Its baseline is {newest} older than the session."
    return f"Its baseline is {newest} to {oldest} older than the session."


def hours(span: timedelta) -> str:
    """Return a span in hours.

    >>> hours(timedelta(hours=36)), hours(timedelta(minutes=90)), hours(timedelta(hours=1))
    ('36 hours', '1.5 hours', '1 hour')
    """
    number = span / timedelta(hours=1)
    return "1 hour" if number == 1 else f"{round(number, 2):g} hours"

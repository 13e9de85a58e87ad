"""Judge one session of a store: choose it, hand it to the rule, and say when no verdict is possible."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from reports.errors import ReportError
from reports.history import earlier_sessions, of_session
from reports.newest import Chosen, choose, newest_damaged
from reports.rule.accepted import Book
from reports.rule.checkpoints import Shelf
from reports.rule.course import Course
from reports.rule.settings import Settings, as_table
from reports.rule.verdict import replayed
from reports.runs import Runs
from reports.sessions import sessions as sessions_of
from reports.verdicts import JUDGED, NOT_SELECTED, TOO_LITTLE_HISTORY, case_rows, verdict_frame


@dataclass(frozen=True)
class Judgement:
    """The verdicts of one machine's session and what they rest on.

    Attributes:
        verdicts: a row per case and per moved machine, worst first (`reports.verdicts.verdict_frame` has the columns).
        sessions: every session of the store, the frame that the verdicts were made from.
        problem: why no verdict was possible though one was due; empty when there is one.
        history: how many earlier sessions of the same kind and machine there are.
        expected: how many cases the session should have measured: those it selected, and those now missing.
        least_history: how many earlier sessions a case needs.
        rule: the rule's name and settings.
        course: what the rule said along the history; None without a session.
    """

    verdicts: pd.DataFrame
    sessions: pd.DataFrame
    session: str
    machine: str
    kind: str
    started: datetime | None
    history: int
    expected: int
    least_history: int
    rule: dict[str, Any]
    problem: str = ""
    course: Course | None = None

    @property
    def judged(self) -> int:
        """How many cases were compared with a baseline."""
        return int(case_rows(self.verdicts)["verdict"].isin(JUDGED).sum())

    @property
    def short_of_history(self) -> int:
        """How many measured cases have too few earlier sessions."""
        return int(case_rows(self.verdicts)["verdict"].isin(TOO_LITTLE_HISTORY).sum())


def judge(
    runs: Runs,
    run: str | Path | None = None,
    *,
    settings: Settings | None = None,
    accepted: Book | None = None,
    shelf: Shelf | None = None,
) -> Judgement:
    """Judge the newest session, or the one that `run` names by its id, a file's name or a file's path.

    `settings` are the rule's numbers and `accepted` what was accepted or renamed; without them the defaults hold, and
    nothing was. A `shelf`, such as the cache of the runs, spares most of a replay that went there before.

    Raises:
        ReportError: nothing in the store has that name.
    """
    settings, accepted = settings or Settings(), accepted or Book()
    least_history = settings.least_history
    damaged = newest_damaged(runs, run)
    if damaged is not None:
        return _without_session(runs, f"{damaged.run} is unreadable: {damaged.reason}", least_history)
    if runs.files.empty:
        raise ReportError("no run is readable")
    chosen = choose(runs.files, run)
    sessions = sessions_of(runs.cases)
    now = of_session(sessions, chosen.session, chosen.machine)
    past = earlier_sessions(sessions, chosen.session, chosen.machine)
    if now.empty:
        return _without_session(runs, f"{chosen.session} holds no case", least_history, chosen)
    found = replayed(sessions, settings, accepted, which=(chosen.session, chosen.machine), shelf=shelf)
    cases = case_rows(found.verdicts)
    return Judgement(
        verdicts=found.verdicts,
        sessions=sessions,
        session=chosen.session,
        machine=chosen.machine,
        kind=str(now["kind"].iloc[0]),
        started=now["started"].iloc[0].to_pydatetime(),
        history=past["session"].nunique(),
        expected=int((cases["reason"] != NOT_SELECTED).sum()),
        least_history=least_history,
        rule={"name": "replay", **as_table(settings)},
        problem=_problem(now, past),
        course=found.course,
    )


def _without_session(runs: Runs, problem: str, least_history: int, chosen: Chosen | None = None) -> Judgement:
    session, machine = (chosen.session, chosen.machine) if chosen else ("", "")
    sessions = sessions_of(runs.cases)
    return Judgement(
        verdict_frame([]), sessions, session, machine, "", None, 0, 0, least_history, {"name": "none"}, problem
    )


def _problem(now: pd.DataFrame, past: pd.DataFrame) -> str:
    """Return why the session cannot be judged though it should, or nothing."""
    session = now["session"].iloc[0]
    if now["kind"].iloc[0] == "rerun":
        return f"{session} holds re-runs only; the runs they belong to are not there"
    if not now["complete"].all():
        reached = int((now["outcome"] != "not-reached").sum())
        return f"{session} is incomplete: {reached} of {len(now)} cases were reached"
    if not now["log_time"].notna().any():
        return f"{session} measured nothing: {_outcomes(now)}"
    if len(past) and not now["fullname"].isin(past["fullname"].unique()).any():
        return f"{session} has no case in common with the {past['session'].nunique()} earlier sessions"
    return ""


def _outcomes(now: pd.DataFrame) -> str:
    counts = now["outcome"].value_counts()
    return ", ".join(f"{number} {outcome}" for outcome, number in counts.items())

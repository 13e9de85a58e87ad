"""Judge one session of a store: choose it, hand it to the rule, and say when no verdict is possible."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from reports.errors import ReportError
from reports.grounds import Grounds
from reports.history import earlier_sessions, of_session
from reports.limit_verdicts import judged_by_limits
from reports.newest import Chosen, choose, newest_damaged
from reports.rule.course import Course
from reports.rule.renames import joined
from reports.rule.settings import as_table
from reports.rule.verdict import replayed
from reports.runs import Runs
from reports.verdicts import JUDGED, NOT_SELECTED, TOO_LITTLE_HISTORY, case_rows, verdict_frame


@dataclass(frozen=True)
class Judgement:
    """The verdicts of one machine's session and what they rest on.

    Attributes:
        verdicts: a row per case and per moved machine, worst first (`reports.verdicts.verdict_frame` has the columns);
            the last, `limit`, tells the limit of a case that is beyond it.
        sessions: every session of the store, the frame that the verdicts were made from.
        problem: why no verdict was possible though one was due; empty when there is one.
        history: how many earlier sessions of the same kind and machine there are.
        expected: how many cases the session should have measured: those it selected, and those now missing.
        least_history: how many earlier sessions a case needs.
        rule: the rule's name and settings.
        course: what the rule said along the history; None without a session.
        limits: how the session stands to each limit (`reports.limit_verdicts.judged_by_limits`).
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
    limits: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def by_history(self) -> "pd.Series[str]":
        """What the history alone says of each case, its limits aside."""
        cases = case_rows(self.verdicts)
        own = {row["fullname"]: row["by_history"] for row in self.limits.to_dict("records")}
        words = [own.get(name, word) for name, word in zip(cases["fullname"], cases["verdict"], strict=True)]
        return pd.Series(words, index=cases.index, dtype=object)

    @property
    def judged(self) -> int:
        """How many cases were compared with a baseline."""
        return int(self.by_history.isin(JUDGED).sum())

    @property
    def short_of_history(self) -> int:
        """How many measured cases have too few earlier sessions."""
        return int(self.by_history.isin(TOO_LITTLE_HISTORY).sum())


def judge(
    runs: Runs,
    run: str | Path | None = None,
    grounds: Grounds | None = None,
    *,
    machine: str = "",
) -> Judgement:
    """Judge the newest session, or the one that `run` names by its id, a file's name or a file's path.

    What the session is judged on besides the files is in `grounds`. Of a session on several machines `machine` is
    judged, or that of its newest file.

    Raises:
        ReportError: nothing in the store has that name.
    """
    grounds = grounds or Grounds()
    settings = grounds.settings
    least_history = settings.least_history
    damaged = newest_damaged(runs, run)
    if damaged is not None:
        return _without_session(runs, f"{damaged.run} is unreadable: {damaged.reason}", least_history)
    if runs.files.empty:
        raise ReportError("no run is readable")
    chosen = choose(runs.files, run)
    chosen = chosen._replace(machine=machine or chosen.machine)
    sessions = runs.sessions
    now = of_session(sessions, chosen.session, chosen.machine)
    past = earlier_sessions(sessions, chosen.session, chosen.machine)
    if now.empty:
        return _without_session(runs, f"{chosen.session} holds no case", least_history, chosen)
    found = replayed(sessions, settings, grounds.accepted, which=(chosen.session, chosen.machine), shelf=grounds.shelf)
    verdicts, held = judged_by_limits(
        found.verdicts, sessions, runs.cases, grounds.limits, grounds.accepted.renamed, **chosen._asdict()
    )
    cases = case_rows(verdicts)
    return Judgement(
        verdicts=verdicts,
        sessions=sessions,
        session=chosen.session,
        machine=chosen.machine,
        kind=str(now["kind"].iloc[0]),
        started=now["started"].iloc[0].to_pydatetime(),
        history=past["session"].nunique(),
        expected=int((cases["reason"] != NOT_SELECTED).sum()),
        least_history=least_history,
        rule={"name": "replay", **as_table(settings)},
        problem=_problem(*(joined(frame, grounds.accepted.renamed) for frame in (now, past))),
        course=found.course,
        limits=held,
    )


def _without_session(runs: Runs, problem: str, least_history: int, chosen: Chosen | None = None) -> Judgement:
    session, machine = (chosen.session, chosen.machine) if chosen else ("", "")
    nothing = verdict_frame([]).assign(limit="")
    return Judgement(nothing, runs.sessions, session, machine, "", None, 0, 0, least_history, {"name": "none"}, problem)


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

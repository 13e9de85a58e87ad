"""The rule as one function: sessions in, the verdicts of one session out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from reports.history import earlier_sessions, is_new_machine, of_session
from reports.rule.accepted import Accepted, Book
from reports.rule.checkpoints import Shelf, walk
from reports.rule.course import Course
from reports.rule.grid import Grid, grid
from reports.rule.renames import joined
from reports.rule.replay import Acceptance, Replay
from reports.rule.rows import EXTRA_COLUMNS, Rows
from reports.rule.settings import Settings, matches
from reports.verdicts import MACHINE_PREFIX, verdict_frame


@dataclass(frozen=True)
class Replayed:
    """The verdicts of a session, and how the rule came to them."""

    verdicts: pd.DataFrame
    course: Course


def replay(
    sessions: pd.DataFrame,
    settings: Settings | None = None,
    accepted: Book | None = None,
    *,
    session: str | None = None,
    machine: str | None = None,
) -> pd.DataFrame:
    """Return the verdicts of a session alone, as `replayed` finds them."""
    return replayed(sessions, settings, accepted, which=(session, machine)).verdicts


def replayed(
    sessions: pd.DataFrame,
    settings: Settings | None = None,
    accepted: Book | None = None,
    *,
    which: tuple[str | None, str | None] = (None, None),
    shelf: Shelf | None = None,
) -> Replayed:
    """Judge a session by replaying its history from the first session of its machine and kind.

    `which` is its name and its machine class; the newest where they are not told.

    `sessions` is the frame of `reports.sessions.sessions`. The verdicts have the columns of
    `reports.verdicts.verdict_frame`, a row per case of the session or its history and one per device whose whole
    machine moved, and besides: `t` (the change in sd of one session), `shift` (relative, of the machine, taken out of
    the ratio), `detectable` and `detectable_in_two` (the smallest relative changes seen nine times in ten tonight and
    after two sessions). `baseline_s` includes tonight's shift, so that `ratio` is `median_s` over `baseline_s`; with
    re-runs `median_s` is theirs. The same frame gives the same verdicts, whatever was judged before: `shelf` holds
    states of earlier replays, which spare their part of the work.

    Raises:
        ValueError: there is no such session.
    """
    settings, accepted = settings or Settings(), accepted or Book()
    sessions = joined(sessions, accepted.renamed).reset_index(drop=True)
    session, machine = _chosen(sessions, *which)
    history = earlier_sessions(sessions, session, machine)
    judged = pd.concat([history, of_session(sessions, session, machine)], ignore_index=True)
    cells = grid(judged)
    walked = Replay(cells, settings, acceptances(accepted.accepted, cells, judged, machine))
    course = Course(cells, walked.accepted)
    night = walk(walked, course, shelf)
    first = "new-machine" if is_new_machine(sessions, session, machine) else "insufficient-history"
    rows = Rows(cells, judged, night, walked.own, first if history.empty else "new", machine)
    found = [rows.of_case(case) for case in range(len(cells.fullnames))]
    found += [rows.of_machine(device, moved) for device, moved in night.machines.items()]
    extra = pd.DataFrame(found).reindex(columns=["fullname", *EXTRA_COLUMNS])
    return Replayed(verdict_frame(found).merge(extra, on="fullname", how="left"), course)


def _chosen(sessions: pd.DataFrame, session: str | None, machine: str | None) -> tuple[str, str]:
    """Return the session and machine that are meant; the newest where they are not named."""
    wanted = sessions
    if session is not None:
        wanted = wanted[wanted["session"] == session]
    if machine is not None:
        wanted = wanted[wanted["machine"] == machine]
    if wanted.empty:
        raise ValueError(f"no session {session or ''!r} on machine {machine or ''!r}")
    newest = wanted.sort_values(["started", "session"], kind="stable").iloc[-1]
    return str(newest["session"]), str(newest["machine"])


def acceptances(accepted: Sequence[Accepted], cells: Grid, sessions: pd.DataFrame, machine: str) -> list[Acceptance]:
    """Find what was accepted in this history: a session by its name, a day by the last session up to its end (UTC)."""
    days = sessions.groupby("session")["started"].min().reindex(cells.sessions).dt.date
    found = []
    for entry in accepted:
        at = _session_of(entry.at, cells.sessions, list(days))
        if at is None:
            continue
        cases = np.flatnonzero([matches(name, entry.case) for name in cells.fullnames])
        names = {device: f"{MACHINE_PREFIX}{machine}:{device}" for device in set(cells.devices)}
        moved = tuple(device for device, name in names.items() if matches(name, entry.case))
        found.append(Acceptance(at, cases, moved, np.log(entry.level_s) if entry.level_s else np.nan, entry.reason))
    return found


def _session_of(at: str, sessions: Sequence[str], days: Sequence[date]) -> int | None:
    if at in sessions:
        return list(sessions).index(at)
    try:
        last = date.fromisoformat(at)
    except ValueError:
        return None
    return max((place for place, day in enumerate(days) if day <= last), default=None)

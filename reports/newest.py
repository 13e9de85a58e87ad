"""Which session is judged: the one that was named, or the newest; also when the newest file cannot be read."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from reports.errors import ReportError
from reports.runs import Runs

_STAMP = re.compile(r"(?<!\d)(\d{8})[-_T]?(\d{6})(?!\d)")
_NUMBER = re.compile(r"(\d+)_")


class Chosen(NamedTuple):
    """One machine's session."""

    session: str
    machine: str


class Damaged(NamedTuple):
    """A file that should have been judged, and why it cannot be read."""

    run: str
    reason: str


def choose(files: pd.DataFrame, run: str | Path | None) -> Chosen:
    """Return the session that was named by id, file name or path, or the newest by its first launch.

    `files` is in order of time.

    Raises:
        ReportError: nothing has that name.
    """
    if run is None:
        begun = files.groupby(["session", "machine"])["started"].transform("min")
        newest = files.assign(begun=begun).sort_values(["begun", "started"], kind="stable").iloc[-1]
    else:
        named = files[(files["session"] == str(run)) | _is_file(files, run)]
        if named.empty:
            raise ReportError(f"{str(run)!r} is neither a session nor a run file of the store")
        newest = named.iloc[-1]
    return Chosen(str(newest["session"]), str(newest["machine"]))


def machines_of(files: pd.DataFrame, run: str | Path | None, chosen: Chosen) -> list[str]:
    """Return the machines that are meant by the chosen session: all of it, unless `run` names one of its files."""
    ours = files["session"] == chosen.session
    if run is not None and str(run) != chosen.session:
        return [chosen.machine]
    return sorted(str(machine) for machine in files.loc[ours, "machine"].unique())


def newest_damaged(runs: Runs, run: str | Path | None) -> Damaged | None:
    """Return the damaged file that was named, or that is newer than every readable one; nothing when all is well."""
    damaged = runs.skipped
    if run is not None:
        damaged = damaged[_is_file(damaged, run)]
    elif len(runs.files):
        newest = runs.files.iloc[-1]
        damaged = damaged.loc[[_is_newer(path, newest) for path in damaged["path"]]]
    if damaged.empty:
        return None
    return Damaged(str(damaged.iloc[-1]["run"]), str(damaged.iloc[-1]["reason"]))


def _is_file(files: pd.DataFrame, run: str | Path) -> "pd.Series[bool]":
    path = Path(run)
    same = [known == path or known.name == str(run) or known.absolute() == path.absolute() for known in files["path"]]
    return pd.Series(same, index=files.index, dtype=bool)


def _is_newer(damaged: Path, newest: Any) -> bool:  # noqa: ANN401  a row of a frame
    """Tell by the date in the damaged file's name, else by the number before it, else by the file system's date."""
    path: Path = newest["path"]
    if stamp := _stamp(damaged.name):
        return bool(stamp >= newest["started"].to_pydatetime().replace(microsecond=0))
    number, newest_number = _NUMBER.match(damaged.name), _NUMBER.match(path.name)
    if number and newest_number and damaged.parent == path.parent:
        return int(number[1]) > int(newest_number[1])
    try:
        return damaged.stat().st_mtime > path.stat().st_mtime
    except OSError:
        return False


def _stamp(name: str) -> datetime | None:
    found = _STAMP.search(name)
    if not found:
        return None
    try:
        return datetime.strptime(found[1] + found[2], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None

"""Turning a left-over journal into the run file that its run never wrote."""

import json
import os
import secrets
from pathlib import Path
from typing import Any, NamedTuple

from reports.decoding import decode
from reports.errors import DamagedFileError
from reports.journal import InProgressError, Journal, left_over, read_journal
from reports.quantities import counted
from reports.store import JOURNAL_ENDING
from reports.values import mapping


class Recovery(NamedTuple):
    """What became of one journal, in words; `failed` when something in it could not be brought to safety."""

    said: str
    failed: bool = False


def recover(path: Path) -> Recovery:
    """Write the run file of a left-over journal and remove the journal; nothing is ever overwritten.

    The journal of a run that still lasts is left alone, and one that cannot be used stays where it is.
    """
    try:
        with left_over(path) as content:
            return _recovered(path, read_journal(content))
    except InProgressError:
        return Recovery("left alone, its run still lasts")
    except FileNotFoundError:
        return Recovery("gone, somebody else recovered it")
    except DamagedFileError as error:
        return Recovery(f"not recovered, {error}", failed=True)
    except OSError as error:
        return Recovery(f"not recovered, {error.strerror or type(error).__name__}", failed=True)


def _recovered(path: Path, journal: Journal) -> Recovery:
    if journal.is_empty:
        path.unlink()
        return Recovery("removed, its run ended before the first case")
    run_file = path.with_name(path.name.removesuffix(JOURNAL_ENDING) + ".json")
    if run_file.exists():
        if _launch_of(run_file) != journal.launch:
            return Recovery(f"not recovered, {run_file.name} is there and is not this run", failed=True)
        path.unlink()
        return Recovery(f"removed, {run_file.name} is this run")
    _write(run_file, journal.as_run())
    path.unlink()
    return Recovery(f"recovered as {run_file.name}, {_summary(journal)}")


def _launch_of(run_file: Path) -> object:
    try:
        return mapping(decode(run_file).get("suite")).get("launch")
    except DamagedFileError:
        return None


def _summary(journal: Journal) -> str:
    reached = sum(name in journal.ended for name in journal.selected)
    words = f"{reached} of {counted(len(journal.selected), 'case')}"
    if journal.in_flight:
        words += f"; in flight when it ended: {', '.join(journal.in_flight)}"
    if journal.damaged_lines:
        words += f"; {counted(journal.damaged_lines, 'damaged line')} left out"
    return words


def _write(path: Path, run: dict[str, Any]) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("x", encoding="utf-8") as file:
            json.dump(run, file, indent=1, allow_nan=False)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if path.exists():
                raise
            temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)

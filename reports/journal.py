"""Left-over journals: what a run had written, a line a case, when it ended without saving.

The first line is the run's head: `machine_info`, `commit_info`, `datetime` and `version` as in a run file, and `suite`
as there without its `cases` but with `selected`, the full names of all cases. Every later line is
`{"started": fullname, "at": time}` or `{"ended": fullname, "at": time, "outcome": ..., "reason": ..., "benchmark":
{...} or null}`; of several lines about one case the last counts. A last line without a newline was being written when
the process died.

A run holds a lock (`flock`) on its journal for as long as it lasts; on Windows, the open file itself. A journal that
lies on a file system without locks is taken for left over: recovering one that is not does no harm, since no file is
overwritten and the run writes its journal again.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from reports.decoding import parse
from reports.errors import DamagedFileError
from reports.values import mapping, sequence, text

if sys.platform != "win32":
    import fcntl

UNSAVED = "the run ended without saving"


class InProgressError(Exception):
    """The journal's run still lasts."""


@dataclass
class Journal:
    """A journal's content. `is_empty` says that its run ended before it began."""

    head: dict[str, Any] = field(default_factory=dict)
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)
    in_flight: dict[str, str] = field(default_factory=dict)
    last_moment: str = ""
    damaged_lines: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.head

    @property
    def selected(self) -> list[str]:
        """The full names of the run's cases."""
        return [name for name in map(text, sequence(mapping(self.head["suite"]).get("selected"))) if name]

    @property
    def launch(self) -> str:
        """The id of the run."""
        return text(mapping(self.head["suite"]).get("launch"))

    def as_run(self) -> dict[str, Any]:
        """The run file that the run would have saved had it ended here in order."""
        selected = self.selected
        results = [line["benchmark"] for line in self.ended.values() if mapping(line.get("benchmark"))]
        suite = {key: value for key, value in mapping(self.head["suite"]).items() if key != "selected"} | {
            "complete": all(name in self.ended for name in selected),
            "ended_by": UNSAVED,
            "recovered": True,
            "cases": {name: self._outcome(name) for name in selected},
        }
        moment = self.last_moment or self.head.get("datetime")
        return {**self.head, "benchmarks": results, "datetime": moment, "suite": suite}

    def _outcome(self, name: str) -> dict[str, str]:
        if name in self.ended:
            return {key: text(self.ended[name].get(key)) for key in ("outcome", "reason")}
        if name in self.in_flight:
            return {"outcome": "not-reached", "reason": f"in flight since {self.in_flight[name]} when {UNSAVED}"}
        return {"outcome": "not-reached", "reason": f"{UNSAVED}, before it"}


@contextmanager
def left_over(path: Path) -> Iterator[bytes]:
    """Hold a journal so that nobody else recovers it, and give its content.

    Raises:
        InProgressError: its run still lasts, or somebody is recovering it.
        FileNotFoundError: it is gone.
        OSError: it cannot be read.
    """
    with _locked(path, shared=False) as file:
        if not os.path.samestat(path.stat(), os.fstat(file.fileno())):
            raise FileNotFoundError(path)
        content = file.read()
        if sys.platform == "win32":
            file.close()
        yield content


def is_left_over(path: Path) -> bool:
    """Return whether no run writes this journal any more."""
    try:
        with _locked(path, shared=True):
            return True
    except InProgressError:
        return False
    except OSError:
        return path.exists()


def read_journal(content: bytes) -> Journal:
    """Read a journal's complete lines; a damaged one after the head is counted and left out.

    Raises:
        DamagedFileError: the head is damaged, so that nothing says what was measured and on what.
    """
    first, *others = content.split(b"\n")[:-1] or [b""]
    if not first.strip(b" \0"):
        return Journal()
    head = mapping(parse(first))
    if not isinstance(mapping(head.get("suite")).get("selected"), list) or not mapping(head.get("machine_info")):
        raise DamagedFileError("its first line is not the head of a run")
    journal = Journal(head)
    for line in others:
        try:
            _take_in(journal, mapping(parse(line)))
        except DamagedFileError:
            journal.damaged_lines += 1
    return journal


def _take_in(journal: Journal, line: dict[str, Any]) -> None:
    journal.last_moment = text(line.get("at")) or journal.last_moment
    if started := text(line.get("started")):
        journal.in_flight[started] = text(line.get("at"))
        journal.ended.pop(started, None)
    elif ended := text(line.get("ended")):
        journal.in_flight.pop(ended, None)
        journal.ended[ended] = line
    else:
        raise DamagedFileError("neither a start nor an end of a case")


@contextmanager
def _locked(path: Path, *, shared: bool) -> Iterator[BinaryIO]:
    if sys.platform == "win32":
        try:
            path.rename(path)  # refused while anybody has it open
        except PermissionError as error:
            raise InProgressError from error
    with path.open("rb") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InProgressError from error
            except OSError:  # a file system without locks
                pass
        yield file

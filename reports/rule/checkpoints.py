"""States of a replay after some of its sessions, kept so that the next replay may begin there.

A state is a function of what went into it: the results of those sessions, the settings, what was accepted in them, and
the rule itself. It is kept under a digest of all that and taken up by it alone, so the verdicts are those of a full
replay to the bit: an old file that is added, changed or removed makes another digest, and so does a line of this
package.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import scipy

from reports.rule.course import Course
from reports.rule.night import Night
from reports.rule.replay import Replay
from reports.rule.settings import as_table
from reports.rule.state import frozen, restore

_OF_GRID = ("log_time", "rerun_log_time", "reruns", "redefined", "remeasured")


class Checkpoint(NamedTuple):
    """A state: of which suite and rule, after how many sessions, the digest of what it rests on, and itself."""

    suite: bytes
    sessions: int
    digest: bytes
    state: bytes


class Shelf(Protocol):
    """Where checkpoints lie from one report to the next; it may lose any of them."""

    def checkpoints(self, suite: bytes) -> list[tuple[int, bytes]]:
        """Return how many sessions each checkpoint of a suite holds, and its digest."""

    def state(self, digest: bytes) -> bytes | None:
        """Return the state under a digest."""

    def keep(self, checkpoints: Sequence[Checkpoint]) -> None:
        """Keep these, and perhaps forget older ones."""


def walk(replay: Replay, course: Course, shelf: Shelf | None = None) -> Night:
    """Judge every session in order and record it in `course`, from the last usable checkpoint on; return the last one.

    The last session is always judged. The states before and after it are kept: one for a session that is judged again,
    perhaps with re-runs, the other for the session that follows.
    """
    sessions = len(replay.grid.sessions)
    if shelf is None:
        _judge(replay, course, 0, sessions - 1)
        return judged(replay, course, sessions - 1)
    suite = _suite(replay)
    known = [(number, digest) for number, digest in shelf.checkpoints(suite) if number < sessions]
    digests = _digests(replay, sorted({sessions - 1, sessions, *(number for number, _ in known)}))
    begun = 0
    for number, digest in sorted(known, reverse=True):
        state = shelf.state(digest) if digest == digests[number] else None
        if state is not None and restore(state, replay, course):
            begun = number
            break
    _judge(replay, course, begun, sessions - 1)
    before = Checkpoint(suite, sessions - 1, digests[sessions - 1], frozen(replay, course, sessions - 1))
    night = judged(replay, course, sessions - 1)
    shelf.keep([before, Checkpoint(suite, sessions, digests[sessions], frozen(replay, course, sessions))])
    return night


def _judge(replay: Replay, course: Course, begun: int, ended: int) -> None:
    for session in range(begun, ended):
        judged(replay, course, session)


def judged(replay: Replay, course: Course, session: int) -> Night:
    """Judge the next session, and record it."""
    night = replay.step(session)
    course.record(session, night)
    return night


def _suite(replay: Replay) -> bytes:
    """Return the digest of what holds for the whole history."""
    told = (as_table(replay.settings), replay.grid.fullnames, list(replay.grid.devices))
    return hashlib.blake2b(f"{told!r}".encode(errors="surrogatepass") + rule_digest(), digest_size=16).digest()


@cache
def rule_digest() -> bytes:
    """Return the digest of the rule's own lines and of what it computes with."""
    lines = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return hashlib.blake2b(lines + f"{np.__version__} {scipy.__version__}".encode()).digest()


def _digests(replay: Replay, numbers: Sequence[int]) -> dict[int, bytes]:
    """Return the digest of what the first so many sessions rest on, for each of these numbers, in order."""
    columns = [np.ascontiguousarray(getattr(replay.grid, name)).view(np.uint8) for name in _OF_GRID]
    results = np.concatenate(columns, axis=1)
    so_far, begun, found = hashlib.blake2b(_suite(replay), digest_size=16), 0, {}
    for number in numbers:
        so_far.update(results[begun:number].tobytes())
        accepted = [one for one in replay.accepted if one.session < number]
        told = [(one.session, one.cases.tolist(), one.devices, one.level) for one in accepted]
        whole = so_far.copy()
        whole.update(f"{number} {told!r}".encode(errors="surrogatepass"))
        found[number], begun = whole.digest(), number
    return found

"""The state of a replay between two sessions as bytes, and back: plain arrays, so that reading them runs no code."""

import io
from typing import Any
from zipfile import BadZipFile

import numpy as np

from reports.rule.course import WORDS, Change, Course
from reports.rule.levels import Levels, Opened
from reports.rule.machine import Machine, Open
from reports.rule.replay import Replay

_OF_LEVELS = (
    "measured", "values", "when", "held", "squares", "freedom", "faster", "anchor", "anchor_error", "anchor_when",
)  # fmt: skip
_NONE = float("nan")
Arrays = dict[str, "np.ndarray[Any, Any]"]


def frozen(replay: Replay, course: Course, sessions: int) -> bytes:
    """Return the state after so many sessions."""
    arrays = {f"levels.{name}": getattr(replay.levels, name) for name in _OF_LEVELS}
    arrays |= _opened(replay.levels)
    for at, machine in enumerate(replay.machines.values()):
        arrays |= {f"machine{at}.{name}": array for name, array in _machine(machine).items()}
    arrays["course.level"] = course.level[:sessions]
    changes = [(change.case, change.session, WORDS.index(change.word)) for change in course.changes]
    arrays["course.changes"] = np.array(changes, dtype=np.int64).reshape(-1, 3)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def restore(state: bytes, replay: Replay, course: Course) -> bool:
    """Bring a replay and its course to a state; return whether that could be read, and change nothing if not."""
    try:
        with np.load(io.BytesIO(state), allow_pickle=False) as stored:
            arrays: Arrays = dict(stored)
        machines = [_restored_machine(replay, arrays, at) for at in range(len(replay.machines))]
        levels = {name: arrays[f"levels.{name}"] for name in _OF_LEVELS}
        opened = _restored_opened(arrays)
        level, changes = arrays["course.level"], [Change(*row) for row in _changes(arrays)]
    except (BadZipFile, KeyError, ValueError, OSError, EOFError):
        return False
    for name, array in levels.items():
        setattr(replay.levels, name, array)
    replay.levels.opened = opened
    replay.machines = dict(zip(replay.machines, machines, strict=True))
    course.level[: len(level)], course.changes = level, changes
    return True


def _changes(arrays: Arrays) -> list[tuple[int, int, str]]:
    return [(case, session, WORDS[word]) for case, session, word in arrays["course.changes"].tolist()]


def _opened(levels: Levels) -> Arrays:
    """Return the open regressions, a row each."""
    opened = levels.opened.values()
    shape = (len(opened), levels.when.shape[1])
    return {
        "opened.case": np.array(list(levels.opened), dtype=np.int64),
        "opened.level": np.array([one.level for one in opened], dtype=np.float64),
        "opened.sessions": np.array([(one.last_good, one.first_bad) for one in opened], dtype=np.int64).reshape(-1, 2),
        "opened.crept": np.array([one.crept for one in opened], dtype=bool),
        "opened.values": np.array([one.values for one in opened], dtype=np.float64).reshape(shape),
        "opened.when": np.array([one.when for one in opened], dtype=np.int64).reshape(shape),
    }


def _restored_opened(arrays: Arrays) -> dict[int, Opened]:
    columns = (arrays[f"opened.{name}"] for name in ("case", "level", "sessions", "crept"))
    rows = zip(*(column.tolist() for column in columns), arrays["opened.values"], arrays["opened.when"], strict=True)
    return {
        case: Opened(level, last_good, first_bad, values, when, crept)
        for case, level, (last_good, first_bad), crept, values, when in rows
    }


def _machine(machine: Machine) -> Arrays:
    return {
        "held": np.array(sorted(machine.held), dtype=np.int64),
        "scatter": np.array(machine.scatter, dtype=np.float64),
        "since": np.array([machine.since, machine.last], dtype=np.int64),
        "pending": np.array([*(machine.pending or ())], dtype=np.int64),
        "opened": np.array([*(machine.opened or ())], dtype=np.float64),
    }


def _restored_machine(replay: Replay, arrays: Arrays, at: int) -> Machine:
    machine = Machine(replay.settings)
    held, scatter, since, pending, opened = (
        arrays[f"machine{at}.{name}"].tolist() for name in ("held", "scatter", "since", "pending", "opened")
    )
    machine.held, machine.scatter, (machine.since, machine.last) = set(held), scatter, since
    machine.pending = (pending[0], bool(pending[1])) if pending else None
    machine.opened = Open(opened[0], int(opened[1]), int(opened[2])) if opened else None
    return machine

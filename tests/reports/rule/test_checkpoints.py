"""A replay that begins at a kept state says what a full one says, to the bit, whatever happened to the files since."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.rule import checkpoints, verdict
from reports.rule.accepted import Accepted, Book
from reports.rule.checkpoints import Checkpoint
from reports.rule.course import Course
from reports.rule.grid import grid
from reports.rule.replay import Acceptance, Replay
from reports.rule.settings import Settings
from reports.rule.state import frozen, restore
from tests.reports.rule.made_sessions import FIRST_CASE, frame, suite

NIGHTS = 40
Rows = list[dict[str, Any]]


class Memory:
    """A shelf that counts the sessions which a replay judges."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Checkpoint] = {}
        self.judged = 0

    def checkpoints(self, suite: bytes) -> list[tuple[int, bytes]]:
        return [(one.sessions, one.digest) for one in self.kept.values() if one.suite == suite]

    def state(self, digest: bytes) -> bytes | None:
        return self.kept[digest].state if digest in self.kept else None

    def keep(self, checkpoints: Sequence[Checkpoint]) -> None:
        self.kept.update({one.digest: one for one in checkpoints})


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    shelf = Memory()

    def counted(replay: Replay, course: Course, session: int, judged: Callable[..., Any] = checkpoints.judged) -> Any:  # noqa: ANN401
        shelf.judged += 1
        return judged(replay, course, session)

    monkeypatch.setattr(checkpoints, "judged", counted)
    return shelf


def change(night: int, case: int) -> float:
    """Regressions that stay, end and creep, an improvement, an outlier, and a machine that is slower for good."""
    steps = {0: 0.2 * (night >= 12), 1: 0.2 * (12 <= night < 20), 2: -0.2 * (night >= 9), 3: 0.004 * night}
    return steps.get(case, 0.0) + 0.3 * ((night, case) == (25, 5)) + 0.06 * (night >= 30)


def history(nights: int = NIGHTS) -> Rows:
    return suite(nights, change=change)


def same(one: verdict.Replayed, other: verdict.Replayed) -> bool:
    pd.testing.assert_frame_equal(one.verdicts, other.verdicts, check_exact=True)
    np.testing.assert_array_equal(one.course.level, other.course.level)
    assert one.course.changes == other.course.changes
    return True


def test_every_night_begins_where_the_one_before_ended(memory: Memory) -> None:
    for nights in range(1, NIGHTS + 1):
        memory.judged = 0
        found = verdict.replayed(frame(history(nights)), shelf=memory)
        assert memory.judged == 1

    assert same(found, verdict.replayed(frame(history())))
    assert {change.word for change in found.course.changes} == {"slower", "faster", "recovered"}
    assert any(found.verdicts["fullname"].str.startswith("machine:"))


def without(rows: Rows, night: int) -> Rows:
    return [row for row in rows if row["session"] != f"night-{night:03d}"]


def edited(rows: Rows, night: int, **values: Any) -> Rows:  # noqa: ANN401
    return [row | values if row["session"] == f"night-{night:03d}" and row["fullname"] == FIRST_CASE else row
            for row in rows]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param(without(history(), 8), history(), id="an old session is added"),
        pytest.param(history(), without(history(), 8), id="an old session is removed"),
        pytest.param(history(), edited(history(), 8, log_time=1e-9), id="an old time is another one"),
        pytest.param(history(), edited(history(), 8, work={"samples_per_unit": 64}), id="old work is another one"),
        pytest.param(history(), edited(history(), 13, rerun_log_time=0.0, reruns=3), id="old re-runs come"),
        pytest.param(history(), edited(history(), 8, outcome="failed"), id="an old outcome is another one"),
        pytest.param(history(), [row | {"device": "cuda"} for row in history()], id="another device"),
        pytest.param(history(), suite(NIGHTS, 31, change=change), id="a case more"),
    ],
)
def test_what_happened_to_old_files_is_judged_anew(memory: Memory, before: Rows, now: Rows) -> None:
    verdict.replayed(frame(before), shelf=memory)
    memory.judged = 0

    found = verdict.replayed(frame(now), shelf=memory)

    assert memory.judged == len({row["session"] for row in now})
    assert same(found, verdict.replayed(frame(now)))


@pytest.mark.parametrize(
    ("settings", "book"),
    [
        (Settings(floor=0.05), Book()),
        (Settings(overrides={FIRST_CASE: {"floor": 0.3}}), Book()),
        (Settings(), Book((Accepted(FIRST_CASE, "on purpose", "night-014"),))),
    ],
)
def test_other_settings_and_acceptances_are_judged_anew(memory: Memory, settings: Settings, book: Book) -> None:
    sessions = frame(history())
    verdict.replayed(sessions, shelf=memory)
    memory.judged = 0

    found = verdict.replayed(sessions, settings, book, shelf=memory)

    assert memory.judged == NIGHTS
    assert same(found, verdict.replayed(sessions, settings, book))


def test_an_acceptance_of_tonight_leaves_what_was_before(memory: Memory) -> None:
    sessions = frame(history())
    verdict.replayed(sessions, shelf=memory)
    memory.judged = 0
    book = Book((Accepted(FIRST_CASE, "on purpose", f"night-{NIGHTS - 1:03d}"),))

    found = verdict.replayed(sessions, None, book, shelf=memory)

    assert memory.judged == 1
    assert same(found, verdict.replayed(sessions, None, book))


def test_tonight_s_re_runs_leave_what_was_before(memory: Memory) -> None:
    verdict.replayed(frame(history()), shelf=memory)
    memory.judged = 0
    sessions = frame(edited(history(), NIGHTS - 1, rerun_log_time=0.5, reruns=3))

    found = verdict.replayed(sessions, shelf=memory)

    assert memory.judged == 1
    assert same(found, verdict.replayed(sessions))


@pytest.mark.parametrize("state", [b"", b"PK\x03\x04 cut short", b"no archive"])
def test_a_damaged_state_is_replayed(memory: Memory, state: bytes) -> None:
    sessions = frame(history())
    verdict.replayed(sessions, shelf=memory)
    memory.kept = {digest: one._replace(state=state) for digest, one in memory.kept.items()}

    assert same(verdict.replayed(sessions, shelf=memory), verdict.replayed(sessions))


def test_another_rule_begins_anew(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = frame(history())
    verdict.replayed(sessions, shelf=memory)
    memory.judged = 0
    monkeypatch.setattr(checkpoints, "rule_digest", lambda: b"another")

    verdict.replayed(sessions, shelf=memory)

    assert memory.judged == NIGHTS


@pytest.mark.parametrize("stop", [1, 13, 19, 26, 31, 39])
def test_a_state_that_was_written_and_read_goes_on_as_if_never_left(stop: int) -> None:
    cells = grid(frame(history()))
    accepted = [Acceptance(16, np.array([0, 4]), ("cpu",), np.nan)]
    whole, course = Replay(cells, Settings(), accepted), Course(cells, accepted)
    for session in range(NIGHTS):
        if session == stop:
            state = frozen(whole, course, stop)
        course.record(session, whole.step(session))

    again, its_course = Replay(cells, Settings(), accepted), Course(cells, accepted)
    assert restore(state, again, its_course)
    for session in range(stop, NIGHTS):
        its_course.record(session, again.step(session))

    assert frozen(again, its_course, NIGHTS) == frozen(whole, course, NIGHTS)

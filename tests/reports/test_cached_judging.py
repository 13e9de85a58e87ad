"""A store judged with a cache has the verdicts of one judged without, whatever happened to its files in between."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from reports.grounds import Grounds
from reports.judging import judge
from reports.rule.checkpoints import Checkpoint
from reports.run_cache import MOST_CHECKPOINTS, RunCache
from reports.runs import load_runs
from tests.reports.made_runs import Store

NIGHTS = 12


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "runs.sqlite3"


def nothing(_store: Store) -> None:
    pass


def a_new_one(store: Store) -> None:
    store.add({"a": 1.5, "b": 1.0})


def an_old_one_gone(store: Store) -> None:
    store.written[3].unlink()


def an_old_one_changed(store: Store) -> None:
    path = store.written[3]
    path.write_text(path.read_text().replace("1.00", "2.00"))


def an_old_one_added(store: Store) -> None:
    store.add({"a": 3.0, "b": 1.0}, started=NOON)


NOON = pd.Timestamp("2026-03-04 12:00", tz="UTC").to_pydatetime()


@pytest.mark.parametrize("happens", [nothing, a_new_one, an_old_one_gone, an_old_one_changed, an_old_one_added])
def test_a_cache_changes_no_verdict(store: Store, place: Path, happens: Callable[[Store], None]) -> None:
    for night in range(NIGHTS):
        steady = 1 + 0.001 * (night % 3)
        store.add({"a": steady * (1.3 if night >= NIGHTS - 2 else 1.0), "b": steady})
    cache = RunCache(place)
    before = judge(load_runs(store.folder, cache=cache), grounds=Grounds(shelf=cache))
    assert dict(zip(before.verdicts["verdict"], before.verdicts["new"], strict=True))["regression"]
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("select sessions from checkpoints").fetchall() == [(NIGHTS - 1,), (NIGHTS,)]

    happens(store)
    cache = RunCache(place)
    found = judge(load_runs(store.folder, cache=cache), grounds=Grounds(shelf=cache))

    plain = judge(load_runs(store.folder))
    pd.testing.assert_frame_equal(found.verdicts, plain.verdicts, check_exact=True)
    assert found.course is not None
    assert plain.course is not None
    assert found.course.changes == plain.course.changes


def test_only_the_newest_checkpoints_stay(place: Path) -> None:
    cache = RunCache(place)
    for number in range(MOST_CHECKPOINTS + 3):
        cache.keep([Checkpoint(b"suite", number, bytes([number]), b"state")])

    assert sorted(cache.checkpoints(b"suite")) == [(n, bytes([n])) for n in range(3, MOST_CHECKPOINTS + 3)]
    assert (cache.state(b"\x03"), cache.state(b"\x00")) == (b"state", None)
    assert cache.checkpoints(b"another") == []


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_cache_holds_no_checkpoint(place: Path, content: bytes) -> None:
    place.parent.mkdir()
    place.write_bytes(content)
    cache = RunCache(place)

    cache.keep([Checkpoint(b"suite", 1, b"digest", b"state")])

    assert (cache.checkpoints(b"suite"), cache.state(b"digest")) == ([], None)

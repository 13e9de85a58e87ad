"""What was read is kept under its content: a moved or copied file hits, a changed one never does."""

import json
import os
import shutil
import sqlite3
import threading
from pathlib import Path

import pandas as pd
import pytest

from reports import reading, run_cache
from reports.cli import main
from reports.decoding import Content
from reports.definition import Definitions
from reports.run_cache import RunCache, default_place
from reports.run_file import RunFile, run_in
from reports.runs import Runs, load_runs
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname, made_benchmark, made_document


class Parsed(list[Path]):
    """Which files were parsed, not taken from the cache."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Parsed:
    seen = Parsed()

    def parse(path: Path, content: Content, definitions: Definitions) -> RunFile:
        seen.append(path)
        return run_in(path, content, definitions)

    monkeypatch.setattr(reading, "run_in", parse)
    monkeypatch.setattr(run_cache, "SETTLED_S", -60)  # the tests' files are always younger
    return seen


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "runs.sqlite3"


def load(store: Path, place: Path) -> Runs:
    return load_runs(store, cache=RunCache(place))


def same(one: Runs, other: Runs) -> bool:
    pd.testing.assert_frame_equal(one.cases, other.cases)
    pd.testing.assert_frame_equal(one.files, other.files)
    return True


def test_a_second_reading_parses_nothing_and_gives_the_same_frames(store: Store, place: Path, parsed: Parsed) -> None:
    cases = {fullname("c"): {"outcome": "skipped", "reason": "no CUDA"}}
    store.write([made_benchmark("a", 0.1, extra_info={"flags": ["noisy"], "counts": {"n": [1]}})], cases=cases)
    store.add({"a": 0.3, "b": 1e-9}, ours=False)
    first = load(store.folder, place)
    parsed.clear()

    again = load(store.folder, place)

    assert parsed == []
    assert same(first, again)
    assert same(first, load_runs(store.folder))


def test_only_a_new_run_is_parsed(store: Store, place: Path, parsed: Parsed) -> None:
    store.add({"a": 1.0})
    load(store.folder, place)
    parsed.clear()
    new = store.add({"a": 2.0})

    load(store.folder, place)

    assert parsed == [new]


@pytest.mark.parametrize("move", [shutil.move, shutil.copytree])
def test_a_moved_or_copied_store_hits(store: Store, place: Path, parsed: Parsed, tmp_path: Path, move: object) -> None:
    store.add({"a": 1.0})
    load(store.folder, place)
    parsed.clear()
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(store.folder, elsewhere) if move is shutil.copytree else shutil.move(store.folder, elsewhere)

    runs = load(elsewhere, place)

    assert parsed == []
    assert list(runs.files["path"]) == [elsewhere / "0001_run.json"]


def test_a_file_changed_within_its_size_and_dated_back_misses(store: Store, place: Path, parsed: Parsed) -> None:
    path = store.write([made_benchmark("a", 9.0, rounds=[1.25])])
    load(store.folder, place)
    before = path.stat()
    path.write_text(path.read_text().replace("1.25", "2.75"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    runs = load(store.folder, place)

    assert path.stat().st_size == before.st_size
    assert list(runs.cases["median_s"]) == [2.75]


def test_a_file_swapped_for_another_misses(store: Store, place: Path, parsed: Parsed, tmp_path: Path) -> None:
    path = store.write([made_benchmark("a", 9.0, rounds=[1.25])])
    load(store.folder, place)
    other = tmp_path / "other"
    other.write_text(path.read_text().replace("1.25", "2.75"))
    other.replace(path)

    assert list(load(store.folder, place).cases["median_s"]) == [2.75]


def test_a_file_touched_just_now_is_hashed_again(store: Store, place: Path) -> None:
    store.add({"a": 1.0})
    load(store.folder, place)

    with sqlite3.connect(place) as connection:
        assert connection.execute("select count(*) from files").fetchone() == (0,)
        assert connection.execute("select count(*) from runs").fetchone() == (1,)


def test_the_same_bytes_under_a_compressed_name_are_another_content(store: Store, place: Path, parsed: Parsed) -> None:
    path = store.add({"a": 1.0})
    load(store.folder, place)
    (store.folder / "copy.json.gz").write_bytes(path.read_bytes())

    assert list(load(store.folder, place).skipped["reason"]) == ["damaged gzip data"]


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_cache_is_begun_anew(store: Store, place: Path, parsed: Parsed, content: bytes) -> None:
    store.add({"a": 1.0})
    place.parent.mkdir()
    place.write_bytes(content)

    assert len(load(store.folder, place).cases) == 1
    parsed.clear()
    assert len(load(store.folder, place).cases) == 1
    assert parsed == []


def test_a_row_that_was_tampered_with_is_parsed_anew(store: Store, place: Path, parsed: Parsed) -> None:
    store.add({"a": 1.0})
    load(store.folder, place)
    with sqlite3.connect(place) as connection:
        connection.execute("update runs set head = '{}'")

    assert list(load(store.folder, place).cases["median_s"]) == [1.0]


def test_a_cache_that_cannot_be_written_is_no_trouble(store: Store, tmp_path: Path) -> None:
    store.add({"a": 1.0})
    (tmp_path / "file").write_text("")

    assert len(load(store.folder, tmp_path / "file" / "runs.sqlite3").cases) == 1


def test_two_reports_at_once_both_read_everything(store: Store, place: Path) -> None:
    for _ in range(5):
        store.add({"a": 1.0, "b": 2.0})
    found: list[int] = []

    def report() -> None:
        found.extend(len(load(store.folder, place).cases) for _ in range(5))

    threads = [threading.Thread(target=report) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [10] * 15


def test_the_cache_lies_in_the_user_s_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert default_place() == tmp_path / "training-reports" / "runs.sqlite3"


@pytest.mark.parametrize("command", ["judge", "suspects", "compare", "accept"])
def test_every_command_that_reads_a_store_parses_a_file_once(
    store: Store, parsed: Parsed, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for _ in range(3):
        store.add({"a": 1.0, "b": 1.0})
    folder = str(store.folder)
    words = {
        "judge": [folder],
        "suspects": [folder],
        "compare": [folder, folder],
        "accept": ["a", "--reason=on purpose", f"--store={folder}"],
    }[command]

    main([command, *words, "--no-cache"])
    assert set(parsed) == set(store.written)
    parsed.clear()
    main([command, *words])
    assert set(parsed) == set(store.written)
    parsed.clear()
    main([command, *words])
    assert parsed == []


def test_an_equal_definition_is_one_object(store: Store) -> None:
    for _ in range(3):
        store.write([made_benchmark("a", 1.0, extra_info={"unit": "step"})])

    extras = load_runs(store.folder).cases["extra"]

    assert len({id(extra) for extra in extras}) == 1


def test_a_file_that_is_being_written_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store.write_text("0001_run.json", json.dumps(made_document([], FIRST_NIGHT)))
    fstat, calls = os.fstat, []

    def growing(descriptor: int) -> os.stat_result:
        calls.append(descriptor)
        if len(calls) == 2:
            path.write_text(path.read_text() + " ")
        return fstat(descriptor)

    monkeypatch.setattr(os, "fstat", growing)

    assert list(load_runs(store.folder).skipped["reason"]) == ["changed while it was read: it is still being written"]

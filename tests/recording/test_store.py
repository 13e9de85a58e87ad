"""The store: numbers of their own, files whole or not at all, nothing overwritten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import orjson
import pytest

from fixtures.journal import Journal
from fixtures.plain import plain
from fixtures.store import open_slot, run_files, write_export, write_run
from reports.journal import is_left_over
from tests.recording.tiny_suite import ROOT

STARTED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
PROCESSES, RUNS_EACH = 8, 25
SAVER = f"""
import sys
from datetime import UTC, datetime
from pathlib import Path
from fixtures.store import open_slot, write_run

for number in range({RUNS_EACH}):
    slot = open_slot(Path(sys.argv[1]), "local", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))
    slot.journal.append({{"number": number}})
    write_run(slot, {{"saver": sys.argv[2], "number": number}})
    slot.journal.remove()
"""


def test_of_200_runs_that_8_processes_save_at_once_none_is_lost(tmp_path: Path) -> None:
    savers = [
        subprocess.Popen([sys.executable, "-c", SAVER, str(tmp_path), str(number)], cwd=ROOT)
        for number in range(PROCESSES)
    ]

    assert [saver.wait(timeout=300) for saver in savers] == [0] * PROCESSES
    saved = {(run["saver"], run["number"]) for run in (json.loads(path.read_text()) for path in run_files(tmp_path))}
    assert len(saved) == PROCESSES * RUNS_EACH
    assert [path.name[:5] for path in run_files(tmp_path)] == [f"{number:04d}_" for number in range(1, 201)]
    assert len(list(tmp_path.iterdir())) == PROCESSES * RUNS_EACH


def test_numbers_go_on_past_9999(tmp_path: Path) -> None:
    for name in ("0007_nightly.json", "9999_local.json"):
        (tmp_path / name).write_text("{}")

    slots = [open_slot(tmp_path, "local", STARTED) for _ in range(2)]
    for slot in slots:
        write_run(slot, {})

    assert [path.name for path in run_files(tmp_path)] == [
        "0007_nightly.json",
        "9999_local.json",
        "10000_local_20260304_050607.json",
        "10001_local_20260304_050607.json",
    ]


@pytest.mark.parametrize("taken", ["0003_local.json", "0003_x.journal.jsonl", ".0003.claim", ".0003_local.json.ab.tmp"])
def test_a_number_is_taken_by_whatever_bears_it(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).touch()

    assert open_slot(tmp_path, "local", STARTED).run_file.name.startswith("0004_")


def test_a_word_of_the_user_stands_in_the_name(tmp_path: Path) -> None:
    assert open_slot(tmp_path, "nightly", STARTED, "before").run_file.name == "0001_nightly_20260304_050607_before.json"


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    slot = open_slot(tmp_path, "local", STARTED)
    slot.run_file.write_text("another's")

    with pytest.raises(FileExistsError):
        write_run(slot, {})

    assert slot.run_file.read_text() == "another's"
    assert sorted(path.name for path in tmp_path.iterdir()) == [slot.journal.path.name, slot.run_file.name]


def test_without_hard_links_files_are_whole_and_not_overwritten_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    slot = open_slot(tmp_path, "local", STARTED)

    write_run(slot, {"a": 1})
    with pytest.raises(FileExistsError):
        write_run(slot, {"a": 2})

    assert json.loads(slot.run_file.read_text()) == {"a": 1}
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    def fail(_handle: int) -> None:
        raise problem

    export = tmp_path / "copy.json"
    export.write_text("older")
    monkeypatch.setattr("os.fsync", fail)

    with pytest.raises(type(problem)):
        write_export(export, {"a": 1})

    assert [path.name for path in tmp_path.iterdir()] == ["copy.json"]
    assert export.read_text() == "older"


def test_a_journal_is_left_over_once_its_process_lets_go_of_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "0001_local.journal.jsonl")

    assert not is_left_over(journal.path)
    journal.close()
    assert is_left_over(journal.path)
    journal.path.unlink()
    assert not is_left_over(journal.path)


def test_a_line_that_the_disk_refuses_leaves_the_lines_before_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "0001_local.journal.jsonl")
    journal.append({"number": 1})

    def refuse(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", refuse)
        with pytest.raises(OSError, match="No space left"):
            journal.append({"number": 2})
    journal.append({"number": 3})

    assert journal.path.read_text() == '{"number": 1}\n{"number": 3}\n'


class Word(str):
    """A string of another type."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), None),
        (float("-inf"), None),
        ((1, [2.5, None]), [1, [2.5, None]]),
        ({1: {"a": True}}, {"1": {"a": True}}),
        (Path("a") / "b", "a/b"),
        (Word("w"), "w"),
        ("café µs", "café µs"),
        (os.fsdecode(b"caf\xe9"), "caf\\udce9"),
        ({Path(os.fsdecode(b"\xff")): 1}, {"\\udcff": 1}),
    ],
)
def test_values_become_strict_json(value: object, told: object) -> None:
    assert plain(value) == told
    assert orjson.loads(json.dumps(plain(value), allow_nan=False)) == told


def test_numbers_of_other_libraries_stay_numbers() -> None:
    told = plain([np.int64(3), np.float32(0.5), np.float64("nan")])

    assert told == [3, 0.5, None]
    assert [type(value) for value in told] == [int, float, type(None)]

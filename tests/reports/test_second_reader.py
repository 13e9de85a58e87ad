"""A large store is parsed by two processes, and nobody can tell from the result."""

import json
import subprocess
from typing import Any

import pandas as pd
import pytest

from reports import reading, second_reader
from reports.run_cache import RunCache
from reports.runs import load_runs
from tests.reports.made_runs import FIRST_NIGHT, Store, made_benchmark, made_document


@pytest.fixture
def large(store: Store) -> Store:
    """Eight files: runs, one of them twice, and damaged ones at places of either process."""
    for night in range(4):
        store.write([made_benchmark("a", 1.0 + night, extra_info={"flags": ["noisy"]}), made_benchmark("b", 2.0)])
    store.write_text("0005_cut.json", "{")
    store.write_text("0006_list.json", "[]")
    copy = json.dumps(made_document([made_benchmark("c", 1.0)], FIRST_NIGHT))
    store.write_text("0007.json", copy)
    store.write_text("0008.json", copy)
    return store


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "is_worth_it", lambda files: files > 1)


def test_two_processes_read_what_one_reads(large: Store, two: None, monkeypatch: pytest.MonkeyPatch) -> None:
    both = load_runs(large.folder)
    monkeypatch.setattr(reading, "is_worth_it", lambda files: False)
    one = load_runs(large.folder)

    for frame in ("cases", "files", "skipped"):
        pd.testing.assert_frame_equal(getattr(both, frame), getattr(one, frame))
    assert len(one.duplicates) == len(both.duplicates) == 1
    assert len({id(extra) for extra in both.cases["extra"]}) == 3


def test_what_the_second_process_read_is_kept_as_well(
    large: Store,
    two: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,  # noqa: ANN401
) -> None:
    first = load_runs(large.folder, cache=RunCache(tmp_path / "runs.sqlite3"))
    monkeypatch.setattr(reading, "run_in", None)
    damaged = [path for path in large.written if path.name in {"0005_cut.json", "0006_list.json"}]
    for path in damaged:
        path.unlink()

    again = load_runs(large.folder, cache=RunCache(tmp_path / "runs.sqlite3"))

    pd.testing.assert_frame_equal(first.cases, again.cases)


def test_a_second_process_that_dies_is_made_up_for(
    large: Store, two: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda words, **how: popen([words[0], "-c", "1 / 0"], **how))

    assert len(load_runs(large.folder).files) == 5
    assert capfd.readouterr().err == ""


def test_a_small_store_starts_no_process() -> None:
    assert not second_reader.is_worth_it(second_reader.LEAST_FILES - 1)

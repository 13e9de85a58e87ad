"""Which run `--benchmark-compare` compares with, and what it says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fixtures.baseline import MOST_READ, choose, named
from tests.recording.tiny_suite import TinySuite, middle

STATS = {"min": 1.0, "max": 1.0, "mean": 1.0, "stddev": 0, "median": 1.0, "iqr": 0.0, "rounds": 3, "iterations": 1}
CASES = {"a", "b"}
DIFFERENT = {"machine_info": {"cpu": {"brand_raw": "Another"}}}


def run_of(*names: str, complete: bool = True, kind: str = "local") -> dict[str, Any]:
    benchmarks = [{"fullname": name, "stats": STATS} for name in names]
    return {"machine_info": {}, "benchmarks": benchmarks, "suite": {"complete": complete, "kind": kind}}


class Folder:
    """A class's folder of made runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()

    def add(self, run: dict[str, Any] | str) -> Path:
        number = len(list(self.path.iterdir())) + 1
        path = self.path / f"{number:04d}_local_20260304_050607.json"
        path.write_text(run if isinstance(run, str) else json.dumps(run))
        return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "a-cpu-2c")


@pytest.mark.parametrize(
    "newer",
    [
        run_of("a", complete=False),
        run_of("a", kind="smoke"),
        run_of("c"),
        run_of(),
        "{",
        "",
        "[]",
        "null",
        '{"benchmarks": [{"fullname": "a", "stats": {}}], "machine_info": {}, "suite": {"complete": true}}',
        {**run_of("a"), "suite": None},
        {**run_of("a"), "machine_info": None},
    ],
)
def test_the_newest_complete_run_that_shares_a_case_is_chosen(folder: Folder, newer: dict[str, Any] | str) -> None:
    folder.add(run_of("a", "b"))
    right = folder.add(run_of("a", "c"))
    folder.add(newer)

    choice = choose(folder.path, CASES)

    assert choice.path == right
    assert choice.why == "newest complete run of this machine with 1 of 2 cases, 1 newer passed over"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX's")
def test_a_pipe_in_the_store_is_passed_over(folder: Folder) -> None:
    right = folder.add(run_of("a"))
    os.mkfifo(folder.path / "0009_local.json")

    assert choose(folder.path, CASES).path == right


def test_without_a_baseline_the_reason_is_one_line(folder: Folder) -> None:
    assert (
        choose(folder.path, CASES).why
        == f"no run in {folder.path.parent} yet: this run will be the baseline of the next"
    )

    other = Folder(folder.path.parent / "b-cpu-4c")
    other.add(run_of("a"))
    assert choose(folder.path, CASES).why == "no run of this machine (a-cpu-2c) yet, only of b-cpu-4c"

    folder.add(run_of("c"))
    assert choose(folder.path, CASES) == choose(folder.path, CASES)
    assert choose(folder.path, CASES).path is None
    assert choose(folder.path, CASES).why == (
        f"none of the 1 runs in {folder.path} is complete and shares a case with this one"
    )


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The run files that are read."""
    paths: list[Path] = []
    read_bytes = Path.read_bytes

    def counted(path: Path) -> bytes:
        paths.append(path)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    return paths


@pytest.mark.parametrize(("newest", "read"), [(run_of("a"), 1), (run_of("c"), MOST_READ)])
def test_of_a_thousand_stored_runs_few_are_opened(
    folder: Folder, opened: list[Path], newest: dict[str, Any], read: int
) -> None:
    first = folder.add(newest)
    for number in range(2, 1001):
        (folder.path / f"{number:04d}_local.json").hardlink_to(first)

    choice = choose(folder.path, CASES)

    assert len(opened) == read
    assert opened[0].name == "1000_local.json"
    if choice.path is None:
        assert choice.why.startswith("none of the newest 50 of 1000 runs in ")


@pytest.mark.parametrize("name", ["2", "0002", "0002_local", "0002_local_20260304_050607.json"])
def test_a_run_is_named_by_number_or_beginning(folder: Folder, name: str) -> None:
    folder.add(run_of("a"))
    right = folder.add(run_of("a"))
    folder.add(run_of("a"))

    assert named(folder.path, name) == right


def test_a_run_is_named_by_its_path(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    right = folder.add(run_of("a"))
    monkeypatch.chdir(folder.path)

    assert named(folder.path.parent / "elsewhere", right.name) == right


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("7", "no such run in "),
        pytest.param("7" * 5000, "no such run in ", id="number-of-5000-digits"),
        pytest.param("x" * 300, "no such run in ", id="longer-than-any-file-name"),
        ("benchmarks", "to compare with the newest run, put the option last"),
        ("1", "0001_local_20260304_050607.json: not JSON, or cut short"),
        ("2", "0002_local_20260304_050607.json: not a run of pytest-benchmark"),
        ("3", "0003_local_20260304_050607.json: a benchmark in it lacks its name or statistics"),
    ],
)
def test_a_run_that_cannot_be_compared_with_is_one_line(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    folder.add("{")
    folder.add({"benchmarks": []})
    folder.add({"benchmarks": [{}], "machine_info": {}})
    monkeypatch.chdir(folder.path.parent)
    Path("benchmarks").mkdir()

    with pytest.raises(pytest.UsageError, match=said) as error:
        named(folder.path, name)

    assert str(error.value).startswith(f"--benchmark-compare={name}: ")


AUDIT = """
    import sys

    OPENED = []
    sys.addaudithook(
        lambda event, details: OPENED.append(str(details[0]))
        if event == "open" and str(details[0]).endswith(".json") and "0m_" in str(details[0]) else None
    )

    def pytest_unconfigure():
        print("opened", len(OPENED), flush=True)
"""


def compare(tiny: TinySuite, *options: str) -> tuple[int, str]:
    """Compare bare; return the exit code and the line that says with what."""
    ended = tiny.run(middle("round 0", ""), "--benchmark-compare", *options)
    assert "Traceback" not in ended.said
    (line,) = [line for line in ended.said.splitlines() if line.startswith("comparing with ")]
    return ended.code, line


@pytest.mark.parametrize("inside", [True, False], ids=["inside", "outside"])
def test_a_bare_compare_works_from_the_first_run_on(
    tiny: TinySuite, tmp_path_factory: pytest.TempPathFactory, inside: bool
) -> None:
    """Also in a storage outside the working directory, which the plug-in's own check of machines fails on."""
    store = tiny.store if inside else tmp_path_factory.mktemp("storage")
    options = ("--benchmark-storage", str(store), "--benchmark-compare-fail=median:100000000%")

    assert compare(tiny, *options) == (
        0,
        f"comparing with nothing: no run in {store} yet: this run will be the baseline of the next",
    )
    (first,) = tiny.ended(store=store).run_files
    first.write_text(json.dumps({**json.loads(first.read_text()), **DIFFERENT}))
    code, line = compare(tiny, *options)
    assert code == 0
    assert line == f"comparing with {first.name}: newest complete run of this machine with 3 of 3 cases"


def test_a_regression_is_exit_code_1_and_no_traceback(tiny: TinySuite) -> None:
    tiny.run(middle("round 0", ""))

    ended = tiny.run(middle("round 0", "time.sleep(0.5)"), "--benchmark-compare", "--benchmark-compare-fail=max:0.2")

    assert ended.code == 1
    assert "Performance has regressed" in ended.said
    assert "Traceback" not in ended.said
    assert len(ended.run_files) == 2


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--benchmark-compare=0001", "--benchmark-compare-fail=median:100000000%"), 0, "comparing with 0001_local_"),
        (("--benchmark-compare=0009",), 4, "ERROR: --benchmark-compare=0009: no such run in "),
        (("--benchmark-compare-fail=median:5%",), 4, "ERROR: --benchmark-compare-fail compares with a run"),
        (("--benchmark-compare", "--benchmark-storage=https://host"), 4, "runs are kept in folders only"),
    ],
)
def test_other_ways_to_compare_work_or_are_one_line(
    tiny: TinySuite, options: tuple[str, ...], code: int, said: str
) -> None:
    if code == 0:
        tiny.run()

    ended = tiny.run(None, *options)

    assert ended.code == code
    assert said in ended.said
    assert "Traceback" not in ended.said


def test_the_plug_in_opens_no_other_run_either(tiny: TinySuite) -> None:
    """The chosen file twice: once to choose it, once by the plug-in."""
    tiny.write("audit.py", AUDIT.replace("0m_", str(tiny.store)))
    (first,) = tiny.run().run_files
    for number in range(2, 1001):
        os.link(first, first.with_name(f"{number:04d}_local.json"))

    ended = tiny.run(None, "-p", "audit", "--benchmark-compare", "-s")

    assert "comparing with 1000_local.json" in ended.said
    assert "opened 2\n" in ended.said

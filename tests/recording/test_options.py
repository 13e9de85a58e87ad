"""The plug-in's own options beside ours, and runs that leave a file or none."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from fixtures.store import write_export
from tests.recording.tiny_suite import TinySuite, middle, outcomes, read, results

if TYPE_CHECKING:
    from pathlib import Path

SKIPPED = {"first": [("fixture", "pytest.skip('absent')")], "last": [("round 0", "pytest.skip('absent')")]}


def errors(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("ERROR")]


def test_a_normal_run_is_saved_with_its_raw_rounds_and_warns_of_nothing(tiny: TinySuite) -> None:
    ended = tiny.run()

    assert ended.code == 0
    assert "warning" not in ended.said.lower()
    assert f"saved: {ended.run_files[0]}\n" in ended.said
    assert [len(entry["stats"]["data"]) for entry in ended.run["benchmarks"]] == [3, 3]
    assert ended.run["suite"]["complete"] is True
    assert ended.run["suite"]["ended_by"] is None
    assert not ended.journals
    assert not ended.left_behind


def test_torch_is_not_imported_for_cases_that_do_without(tiny: TinySuite) -> None:
    assert tiny.run(middle("after", "assert 'torch' not in sys.modules")).code == 0


@pytest.mark.parametrize("options", [(), ("--benchmark-json", "copy.json", "--benchmark-save", "x")])
def test_a_run_in_which_every_case_was_skipped_leaves_a_file_that_says_so(
    tiny: TinySuite, options: tuple[str, ...]
) -> None:
    ended = tiny.run(SKIPPED, *options)

    assert ended.code == 0
    assert outcomes(ended.run) == {"first": "skipped", "last": "skipped"}
    assert results(ended.run) == []
    assert ended.run["suite"]["complete"] is True


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("-k", "nothing"), 5),
        (("--benchmark-disable", "--benchmark-json", "copy.json", "--benchmark-save", "x"), 0),
        (("--benchmark-skip", "--benchmark-json", "copy.json"), 0),
        (("--collect-only",), 0),
        (("--setup-plan",), 0),
        (("--devices", "unknown"), 4),
        (("-n0",), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_what_measures_nothing_leaves_nothing(tiny: TinySuite, options: tuple[str, ...], code: int) -> None:
    ended = tiny.run(None, *options)

    assert ended.code == code
    assert "INTERNALERROR" not in ended.said
    assert len(errors(ended.said)) == (code == 4)
    assert not ended.journals
    assert bool(ended.run_files) == (options == ("-n0",))
    assert not (tiny.folder / "copy.json").exists()


def test_files_that_cannot_be_collected_leave_nothing(tiny: TinySuite) -> None:
    tiny.write("bench_broken.py", "import nowhere\n")

    ended = tiny.run()

    assert ended.code == 2
    assert not ended.run_files


def test_cases_are_not_spread_over_processes_but_tests_may_be(tiny: TinySuite) -> None:
    (line,) = errors(tiny.run(None, "-n2").said)

    assert line == "ERROR: cases cannot be measured side by side: run without -n (pytest-xdist)"
    (tiny.folder / "bench_tiny.py").unlink()
    tiny.write("test_plain.py", "def test_plain():\n    pass\n")
    assert tiny.run(None, "-n1").code == 0


def test_the_users_own_file_and_name_are_served_from_the_same_record(tiny: TinySuite) -> None:
    (tiny.folder / "copy.json").write_text("older")

    ended = tiny.run(None, "--benchmark-json", "copy.json", "--benchmark-save", "before")

    (run_file,) = ended.run_files
    assert run_file.name.endswith("_before.json")
    assert read(tiny.folder / "copy.json") == json.loads(run_file.read_text())


@pytest.mark.parametrize(
    ("path", "said"),
    [("nowhere/copy.json", "there is no folder"), (".", "is a folder"), ("closed/copy.json", "cannot be written")],
)
def test_a_path_that_cannot_be_written_is_refused_before_anything_is_measured(
    tiny: TinySuite, path: str, said: str
) -> None:
    (tiny.folder / "closed").mkdir(mode=0o555)

    ended = tiny.run(None, "--benchmark-json", path, mode_counts=True)

    assert ended.code == 4
    (line,) = errors(ended.said)
    assert line.startswith("ERROR: --benchmark-json ")
    assert said in line
    assert not ended.run_files


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX's")
def test_a_pipe_gets_the_run_and_stays_a_pipe(tmp_path: Path) -> None:
    """As /dev/null does, which a file put in its place would take from the whole system."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_export(pipe, {"a": 1})

    assert json.loads(os.read(reader, 100)) == {"a": 1}
    os.close(reader)
    assert [path.is_fifo() for path in tmp_path.iterdir()] == [True]


def test_the_file_behind_a_link_is_written(tiny: TinySuite) -> None:
    (tiny.folder / "link.json").symlink_to("copy.json")

    ended = tiny.run(None, "--benchmark-json", "link.json")

    assert (tiny.folder / "link.json").is_symlink()
    assert read(tiny.folder / "copy.json") == ended.run


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-p", "no:timeout"), "pytest-timeout is switched off: without it a case that hangs would take all with it"),
        (("-p", "no:benchmark"), "pytest-benchmark is switched off: cases are measured and saved by it"),
        (("--benchmark-storage=",), "--benchmark-storage: no folder in ''"),
    ],
)
def test_what_the_suite_cannot_do_without_is_named(tiny: TinySuite, options: tuple[str, ...], said: str) -> None:
    ended = tiny.run(None, *options)

    assert ended.code == 4
    assert errors(ended.said) == [f"ERROR: {said}"]


def test_a_copy_that_fails_at_the_end_costs_neither_the_run_nor_the_summary(tiny: TinySuite) -> None:
    (tiny.folder / "out").mkdir()

    ended = tiny.run(middle("after", "shutil.rmtree('out')"), "--benchmark-json", "out/copy.json")

    assert ended.code == 1
    assert results(ended.run) == ["first", "middle", "last"]
    assert f"saved: {ended.run_files[0]}, but " in ended.said
    assert "out/.copy.json." in ended.said
    assert "3 passed" in ended.said


RUN_TWICE = """
    from _pytest.runner import runtestprotocol

    def pytest_runtest_protocol(item, nextitem):
        '''Runs each case again whatever came of it, as plug-ins for flaky tests do.'''
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        runtestprotocol(item, nextitem=nextitem, log=False)
        item._initrequest()
        runtestprotocol(item, nextitem=nextitem, log=True)
        return True
"""
ONCE = "Path(case + {mark!r}).exists() or (Path(case + {mark!r}).touch(), {deed})"


@pytest.mark.parametrize(
    ("place", "deed", "outcome"),
    [
        ("after", ONCE.format(mark="1", deed="pytest.fail('first try')"), "passed"),
        ("teardown", ONCE.format(mark="1", deed="pytest.fail('first try')"), "passed"),
        ("fixture", "Path(case).exists() and pytest.fail('second try'); Path(case).touch()", "failed"),
        ("round 0", "Path(case).exists() and pytest.skip('second try'); Path(case).touch()", "skipped"),
    ],
)
def test_a_case_that_is_run_again_counts_once_by_its_last_try(
    tiny: TinySuite, place: str, deed: str, outcome: str
) -> None:
    tiny.write("twice.py", RUN_TWICE)

    ended = tiny.run(middle(place, deed), "-p", "twice", "--benchmark-json", "copy.json")

    assert outcomes(ended.run) == {"first": "passed", "middle": outcome, "last": "passed"}
    assert results(ended.run) == [name for name, what in outcomes(ended.run).items() if what == "passed"]
    assert read(tiny.folder / "copy.json") == ended.run
    assert ended.said.count("bench_tiny[first] ") == 1  # in the plug-in's table

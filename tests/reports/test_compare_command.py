"""`python -m reports compare A B`, as it is typed."""

from pathlib import Path
from typing import Any

import pytest

from reports.cli import main
from tests.reports.made_runs import Store, fullname, made_benchmark

SCATTER = (0.99, 1.0, 1.0, 1.01)


def side(folder: Path, median_s: float, machine: str = "made-up-cpu-9000", **extra: Any) -> str:  # noqa: ANN401
    """Write four launches of one case with medians 1 % about `median_s`; return the folder as typed."""
    store = Store(folder)
    for factor in SCATTER:
        store.write([made_benchmark("a", median_s * factor, extra_info=extra)], machine=machine)
    return str(folder)


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("after_s", "code", "headline"),
    [
        (1.0, 0, "B against A: 0 cases slower, 0 faster, 1 unchanged, 0 undecided."),
        (1.2, 1, "B against A: 1 case slower, 0 faster, 0 unchanged, 0 undecided."),
        (0.8, 0, "B against A: 0 cases slower, 1 faster, 0 unchanged, 0 undecided."),
    ],
)
def test_the_exit_code_says_whether_something_is_slower(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], after_s: float, code: int, headline: str
) -> None:
    words = ["compare", side(tmp_path / "a", 1.0), side(tmp_path / "b", after_s)]

    assert main(words) == code
    assert told(capsys)[0] == headline


def test_two_machines_are_a_hardware_comparison_and_fail_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", side(tmp_path / "a", 1.0, machine="old"), side(tmp_path / "b", 1.2, machine="new")]

    assert main(words) == 0
    assert told(capsys)[:2] == [
        "B against A: 1 case slower, 0 faster, 0 unchanged, 0 undecided (two machines).",
        "hardware comparison: A on old; B on new",
    ]


def test_what_was_measured_beside_neighbours_is_said_once_and_not_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", side(tmp_path / "a", 1.0), side(tmp_path / "b", 1.2, flags=["contended"])]

    assert main(words) == 2
    lines = told(capsys)
    assert lines[0].startswith("No case could be decided: 1 case")
    assert lines[1] == "contended: 1 case measured beside busy neighbours; measure on a quiet machine"
    assert lines[-1].startswith("inconclusive  +20.0 % (")
    assert lines[-1].endswith("1.00 s -> 1.20 s, 4 and 4 launches: bench_training[a] [contended]")


def test_globs_and_several_paths_make_a_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = side(tmp_path / "a", 1.0), side(tmp_path / "b", 1.0)

    assert main(["compare", f"{before}/000[12]*.json,{before}/0003_run.json", after]) == 0
    assert told(capsys)[-1].endswith("3 and 4 launches: bench_training[a]")


def test_a_file_that_is_named_twice_is_one_launch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = side(tmp_path / "a", 1.0), side(tmp_path / "b", 1.0)

    assert main(["compare", f"{before},{before}/0003_run.json", after]) == 0
    assert told(capsys)[-1].endswith("4 and 4 launches: bench_training[a]")


def test_a_damaged_file_is_named_and_the_others_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = side(tmp_path / "a", 1.0), side(tmp_path / "b", 1.0)
    damaged = Store(tmp_path / "b").write_text("0099_cut.json", "{")

    assert main(["compare", before, after]) == 0
    said = capsys.readouterr()
    assert said.err == f"left out: {damaged}: not JSON, or cut short, at line 1 column 2\n"
    assert said.out.endswith("4 and 4 launches: bench_training[a]\n")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [("nowhere", "nowhere"), ("empty", "empty"), ("nothing-*.json", "nothing-*.json")],
)
def test_a_side_without_runs_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    before = side(tmp_path / "a", 1.0)

    assert main(["compare", before, str(tmp_path / wrong)]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert said in message


def test_a_case_that_was_not_measured_is_no_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skipped = Store(tmp_path / "b")
    skipped.write([], cases={fullname("a"): {"outcome": "skipped", "reason": "no CUDA"}})

    assert main(["compare", side(tmp_path / "a", 1.0), str(skipped.folder)]) == 2
    assert "no case was measured" in capsys.readouterr().err

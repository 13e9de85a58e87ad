"""A cold launch: its answer, or why there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fixtures.children import environment_of_child
from fixtures.lessons import cold_launch

ROOT = Path(__file__).parents[2]


def test_our_own_modules_are_found_whatever_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)

    told = cold_launch([sys.executable, "-c", "import training; print('{\"found\": 1}')"], 60.0)

    assert told == {"found": 1}


def test_the_users_own_path_is_kept_behind_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.pathsep", ":")
    monkeypatch.setenv("PYTHONPATH", "theirs")

    found = environment_of_child(OMP_NUM_THREADS="1")

    assert (found["PYTHONPATH"], found["OMP_NUM_THREADS"]) == (f"{ROOT}:theirs", "1")


@pytest.mark.parametrize(
    ("program", "limit_s", "said"),
    [
        ("raise SystemExit('no such lesson')", 60.0, "the cold launch ended with exit code 1: no such lesson"),
        ("raise SystemExit(3)", 60.0, "the cold launch ended with exit code 3: no message"),
        ("import time; time.sleep(60)", 0.1, r"timed-out: the cold launch took over \d+ s"),
    ],
)
def test_a_launch_that_leaves_no_answer_fails_its_case(program: str, limit_s: float, said: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=said):
        cold_launch([sys.executable, "-c", program], limit_s)

"""The night's script: what it hands on to the job, and the exit code it hands back."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/usr/bin/env bash
mkdir -p .venv/bin
printf '#!/usr/bin/env bash\\nexit %s\\n' "$PIP_CODE" > .venv/bin/pip
printf '#!/usr/bin/env bash\\nprintf "%%s\\\\n" "$@" "" >> said\\n[[ $* == *--notest ]] || exit 2\\n' > .venv/bin/tox
chmod +x .venv/bin/*
"""
"""Makes an environment in which tox only notes what it is asked for, and ends with 2 unless it is to install."""
INSTALLS = ["run", "-q", "-e", "suite", "--notest", ""]


def prepare(folder: Path) -> None:
    """Put the scripts and a stand-in for Python into a folder."""
    shutil.copytree(ROOT / "nightly", folder / "nightly", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").write_text(PYTHON)
    (folder / "bin" / "python3").chmod(0o755)


def run(folder: Path, script: str, *words: str, **environment: str) -> tuple[int, list[str], str]:
    """The script's exit code, what it asked tox for, from any working directory, and what it complained of."""
    done = subprocess.run(
        ["bash", str(folder / "nightly" / script), *words],  # noqa: S607
        cwd="/",
        env=os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "PIP_CODE": "0"} | environment,
        check=False,
        capture_output=True,
        text=True,
    )
    said = folder / "said"
    return done.returncode, said.read_text().splitlines() if said.exists() else [], done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project of the scripts alone."""
    prepare(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("environment", "words", "asked"),
    [
        ({}, (), ["--benchmark-storage", ".benchmarks", "--require-device", "cuda"]),
        ({"NIGHTLY_DEVICE": "", "NIGHTLY_STORE": "/a b"}, (), ["--benchmark-storage", "/a b"]),
        (
            {"NIGHTLY_DEVICE": "cpu", "NIGHTLY_OPTIONS": "--models *"}, ("-k", "one two"),
            ["--benchmark-storage", ".benchmarks", "--require-device", "cpu", "--models", "*", "-k", "one two"],
        ),
        (
            {"NIGHTLY_DEVICE": "", "NIGHTLY_OPTIONS": "--models iris-mlp\n  --by unit\n"}, (),
            ["--benchmark-storage", ".benchmarks", "--models", "iris-mlp", "--by", "unit"],
        ),
    ],
)  # fmt: skip
def test_a_night_passes_its_settings_on_word_by_word_and_ends_with_the_jobs_code(
    folder: Path, environment: dict[str, str], words: tuple[str, ...], asked: list[str]
) -> None:
    code, said, _ = run(folder, "run.sh", *words, **environment)

    assert code == 2
    assert said == [*INSTALLS, "run", "-e", "nightly", "--", *asked, ""]


def test_the_watch_judges_by_age_alone(folder: Path) -> None:
    code, said, _ = run(folder, "watch.sh", "store", "36")

    assert code == 2
    assert said == [*INSTALLS, "run", "-e", "report", "--", "store", "--max-age", "36", "--fail-on", "never", ""]


@pytest.mark.parametrize(("script", "words"), [("run.sh", ()), ("watch.sh", ("store", "36"))])
def test_what_cannot_be_installed_is_no_regression(folder: Path, script: str, words: tuple[str, ...]) -> None:
    """An installer ends with 1, which would read as slower or failed cases."""
    code, said, complaint = run(folder, script, *words, PIP_CODE="1")

    assert (code, said) == (2, [])
    assert complaint.endswith(": the suite could not be installed\n")


@pytest.mark.skipif(shutil.which("flock") is None, reason="flock is not installed here")
def test_a_night_does_not_begin_while_another_runs_in_the_same_folder(folder: Path) -> None:
    (folder / ".tox").mkdir()
    with (folder / ".tox" / "nightly.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        code, said, complaint = run(folder, "run.sh")

    assert (code, said) == (2, [])
    assert complaint == "nightly: NOT MEASURED: another night still runs in this folder\n"
    assert run(folder, "run.sh")[1][: len(INSTALLS)] == INSTALLS

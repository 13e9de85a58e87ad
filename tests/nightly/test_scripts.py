"""The night's script: what it hands on to the job, and the exit code it hands back."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHELL = "#!/usr/bin/env bash\n"
STAND_INS = {
    "python3": "mkdir -p .venv/bin && cp bin/pip bin/tox .venv/bin",
    "pip": "exit $PIP_CODE",
    "tox": 'printf "%s\\n" "$@" "" >> said; [[ $* == *--notest ]] || exit 2',
}
"""An environment in which tox only notes what it is asked for, and ends with 2 unless it is to install."""
TOX_THAT_SAVES = """[[ $* != *--notest ]] || exit 0
(trap 'sleep 0.5; touch saved; exit 0' TERM HUP; touch began; sleep 20 & wait) &
wait
"""
"""As the real one it dies at once of a signal; what it started saves its run first."""
INSTALLS = ["run", "-q", "-e", "suite", "--notest", ""]


def prepare(folder: Path) -> None:
    """Put the scripts and stand-ins for what they start into a folder."""
    shutil.copytree(ROOT / "nightly", folder / "nightly", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "bin").mkdir()
    for name, text in STAND_INS.items():
        (folder / "bin" / name).write_text(SHELL + text)
        (folder / "bin" / name).chmod(0o755)


def start(folder: Path, script: str, *words: str, **environment: str) -> subprocess.Popen[str]:
    """Start a script from a working directory that is not its own."""
    return subprocess.Popen(
        ["bash", str(folder / "nightly" / script), *words],  # noqa: S607
        cwd="/",
        env=os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "PIP_CODE": "0"} | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder: Path, script: str, *words: str, **environment: str) -> tuple[int, list[str], str]:
    """The script's exit code, what it asked tox for, and what it complained of."""
    with start(folder, script, *words, **environment) as process:
        _, complaint = process.communicate(timeout=60)
    said = folder / "said"
    return process.returncode, said.read_text().splitlines() if said.exists() else [], complaint


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


@pytest.mark.parametrize(("name", "code"), [("TERM", 143), ("HUP", 129)])
def test_a_signal_to_the_script_alone_reaches_what_it_started_which_may_finish_saving(
    folder: Path, name: str, code: int
) -> None:
    """As Slurm sends it: to the job's shell and nothing else."""
    (folder / "bin" / "tox").write_text(SHELL + TOX_THAT_SAVES)
    with start(folder, "run.sh") as night:
        while not (folder / "began").exists() and night.poll() is None:
            time.sleep(0.05)

        night.send_signal(getattr(signal, f"SIG{name}"))
        _, complaint = night.communicate(timeout=20)

    assert night.returncode == code
    assert (folder / "saved").exists()
    assert complaint.splitlines()[-1] == f"nightly: STOPPED by SIG{name}"


def test_the_watch_without_store_or_hours_installs_nothing_and_cannot_tell(tmp_path: Path) -> None:
    done = subprocess.run(["bash", str(ROOT / "nightly" / "watch.sh")], check=False, capture_output=True, text=True)  # noqa: S607  the reader's own bash

    assert done.returncode == 2
    assert done.stderr.startswith("watch: NOT JUDGED: a store and a number of hours are needed")

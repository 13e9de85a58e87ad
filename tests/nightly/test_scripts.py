"""The night's script: what it hands on to the job, and the exit code it hands back."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/usr/bin/env bash
mkdir -p .venv/bin
printf '#!/usr/bin/env bash\\n' > .venv/bin/pip
printf '#!/usr/bin/env bash\\nprintf "%%s\\\\n" "$@" > said\\nexit 2\\n' > .venv/bin/tox
chmod +x .venv/bin/*
"""
"""Makes an environment in which tox only notes what it is asked for, and ends with 2."""


def run(folder: Path, script: str, *words: str, **environment: str) -> tuple[int, list[str]]:
    """The script's exit code and what it asked tox for, from any working directory."""
    (folder / "nightly").mkdir()
    (folder / "bin").mkdir()
    shutil.copy(ROOT / "nightly" / script, folder / "nightly")
    (folder / "bin" / "python3").write_text(PYTHON)
    (folder / "bin" / "python3").chmod(0o755)
    done = subprocess.run(
        ["bash", str(folder / "nightly" / script), *words],  # noqa: S607
        cwd="/",
        env=os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"} | environment,
        check=False,
    )
    return done.returncode, (folder / "said").read_text().splitlines()


@pytest.mark.parametrize(
    ("environment", "words", "asked"),
    [
        ({}, (), ["--benchmark-storage", ".benchmarks", "--require-device", "cuda"]),
        ({"NIGHTLY_DEVICE": "", "NIGHTLY_STORE": "/a b"}, (), ["--benchmark-storage", "/a b"]),
        (
            {"NIGHTLY_DEVICE": "cpu", "NIGHTLY_OPTIONS": "--models *"}, ("-k", "one two"),
            ["--benchmark-storage", ".benchmarks", "--require-device", "cpu", "--models", "*", "-k", "one two"],
        ),
    ],
)  # fmt: skip
def test_a_night_passes_its_settings_on_word_by_word_and_ends_with_the_jobs_code(
    tmp_path: Path, environment: dict[str, str], words: tuple[str, ...], asked: list[str]
) -> None:
    code, said = run(tmp_path, "run.sh", *words, **environment)

    assert code == 2
    assert said == ["run", "-e", "nightly", "--", *asked]


def test_the_watch_judges_by_age_alone(tmp_path: Path) -> None:
    code, said = run(tmp_path, "watch.sh", "store", "36")

    assert code == 2
    assert said == ["run", "-e", "report", "--", "store", "--max-age", "36", "--fail-on", "never"]

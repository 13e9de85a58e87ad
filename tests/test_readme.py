"""The README's own words, followed to the letter."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_a_model_is_added_in_ten_lines(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert block.count("\n") <= 10
    for name in ("training", "fixtures", "benchmarks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    registry = tmp_path / "training" / "registry.py"
    registry.write_text(registry.read_text().replace("_ROWS = (\n", f"_ROWS = (\n{block.strip()},\n"))

    command = ["-m", "pytest", "benchmarks", "--smoke", "--models", "iris-wide", "--devices", "cpu"]
    done = subprocess.run(
        [sys.executable, *command, f"--benchmark-storage={tmp_path / 'store'}", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )

    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (tmp_path / "store").glob("*/*.json")
    names = [result["param"] for result in json.loads(run.read_text())["benchmarks"]]
    assert names == [
        f"cpu-iris-wide-batch{batch}-{log}" for batch in (16, 120) for log in ("logeach", "log10", "nolog")
    ]


@pytest.mark.parametrize("path", ["README.md", *sorted(path.name for path in (ROOT / "docs").glob("*.md"))])
def test_links_between_the_pages_lead_somewhere(path: str) -> None:
    page = ROOT / path if path == "README.md" else ROOT / "docs" / path

    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_environment_the_pages_name_exists_in_tox() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"tox run -e (\w+)", page.read_text(encoding="utf-8"))}

    defined = set(re.findall(r"\[testenv:(\w+)\]", (ROOT / "tox.ini").read_text()))

    assert named <= defined
    assert {"bench", "tests"} <= named

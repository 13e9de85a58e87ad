"""docs/why.md: the commands that it names exist."""

import argparse
import re
from pathlib import Path

import pytest

from reports.commands import COMMANDS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "why.md").read_text(encoding="utf-8")
LINES = re.findall(r"^    python -m (.+)$", PAGE, re.MULTILINE)


def test_the_page_names_commands() -> None:
    assert {line.split()[0] for line in LINES} == {"pytest", "reports"}


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("pytest")])
def test_what_pytest_is_asked_to_run_exists(line: str) -> None:
    options = (ROOT / "fixtures" / "options.py").read_text(encoding="utf-8")

    for word in line.split()[1:]:
        if word.startswith("--"):
            assert f'"{word.partition("=")[0]}"' in options
        elif "/" in word or word == "benchmarks":
            assert (ROOT / word).exists()


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("reports")])
def test_what_the_reports_are_asked_exists(line: str) -> None:
    _, name, *words = line.split()
    (command,) = [command for command in COMMANDS if command.name == name]
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)

    parser.parse_args(words)


def test_every_function_that_the_page_names_exists() -> None:
    for module, name in re.findall(r"from (reports[\w.]*) import (\w+)", PAGE):
        path = ROOT / (module.replace(".", "/") + ".py")
        source = path if path.exists() else path.with_suffix("") / "__init__.py"
        assert re.search(rf"^(def|class) {name}\b|\b{name}\b", source.read_text(encoding="utf-8"), re.MULTILINE)

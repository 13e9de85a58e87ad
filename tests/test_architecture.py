"""Imports flow one way: training <- fixtures <- benchmarks, and the reports know none of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
OURS = {"training", "fixtures", "benchmarks", "reports", "nightly", "tests", "conftest"}
ALLOWED = {
    "training": {"training"},
    "fixtures": {"training", "fixtures"},
    "benchmarks/axes.py": {"training"},
    "benchmarks/bench_": {"benchmarks"},
    "benchmarks/__main__.py": {"benchmarks"},
    "benchmarks/ab.py": {"benchmarks"},
    "benchmarks/launching.py": set(),
    "benchmarks/__init__.py": set(),
    "reports": {"reports"},
    "nightly": {"nightly", "reports"},
    "conftest.py": set(),
}
KEPT_OUT = {
    "training": {"pytest", "pytest_benchmark", "pandas"},
    "reports": {"torch", "torchvision", "pytest"},
    "nightly": {"torch", "pytest", "pandas"},
}
LONGEST_FILE, LONGEST_FUNCTION = 250, 50


def sources() -> list[Path]:
    folders = ("training", "fixtures", "benchmarks", "reports", "nightly")
    return [ROOT / "conftest.py", *(path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[str]:
    """Top-level names of everything imported at run time, inside functions too; imports for types alone do not run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]
        yield from imports(node)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_flow_one_way(path: Path) -> None:
    allowed = next(names for start, names in ALLOWED.items() if name_of(path).startswith(start))

    found = set(imports(ast.parse(path.read_text(encoding="utf-8"))))

    assert found & OURS <= allowed
    assert not found & KEPT_OUT.get(name_of(path).split("/")[0], set())


def test_the_check_sees_an_import_inside_a_function_but_not_one_for_types() -> None:
    source = "if TYPE_CHECKING:\n    import reports\ndef f():\n    from fixtures.store import Slot\n    import a.b\n"

    assert list(imports(ast.parse(source))) == ["fixtures", "a"]


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_files_have_names_that_say_what_they_hold(path: Path) -> None:
    assert path.stem not in {"utils", "util", "helpers", "common", "core", "misc"}


def test_the_page_names_every_unit_that_a_record_can_have() -> None:
    fixtures = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "fixtures").glob("*.py"))
    (told,) = re.findall(
        r"^\| `unit` \|.*", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    recorded = set(re.findall(r'\bWork\("([^"]+)"', fixtures))

    assert recorded >= {"step", "all-reduce"}
    assert recorded == set(re.findall(r"`([^`]+)`", told)) - {"unit"}

"""The matrix: every case has an id for typing, and values that JSON can hold."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks import axes, bench_training
from training.devices import STANDING
from training.registry import MODELS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
MODULES = [import_module(f"benchmarks.{path.stem}") for path in sorted((ROOT / "benchmarks").glob("bench_*.py"))]


def benchmarks() -> list[Callable[..., None]]:
    return [getattr(module, name) for module in MODULES for name in dir(module) if name.startswith("bench_")]


def marks_of(function: Callable[..., None]) -> list[pytest.Mark]:
    """The parametrize marks, lowest decorator first, which is the order of the words in an id."""
    return [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]


def words(mark: pytest.Mark) -> list[str]:
    return [value.id if hasattr(value, "id") else str(value) for value in mark.args[1]]


def test_every_benchmark_function_is_in_a_module_that_pytest_collects() -> None:
    written = {
        (path.stem, node.name)
        for path in (ROOT / "benchmarks").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("bench_")
    }

    assert {(function.__module__.split(".")[1], function.__name__) for function in benchmarks()} == written
    assert all(module.startswith("bench_") for module, _ in written)


def test_pytest_collects_every_benchmark_function_and_no_id_twice() -> None:
    command = [sys.executable, "-m", "pytest", "benchmarks", "--collect-only", "-q", "-m", "nightly or not nightly"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    collected = [line for line in done.stdout.splitlines() if "::" in line]
    assert {line.split("::")[1].split("[")[0] for line in collected} == {one.__name__ for one in benchmarks()}
    assert len(set(collected)) == len(collected) > 300


@pytest.mark.parametrize("function", benchmarks(), ids=lambda function: function.__name__)
def test_ids_are_words_to_type(function: Callable[..., None]) -> None:
    for mark in marks_of(function):
        for word in words(mark):
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", word), word


@pytest.mark.parametrize("function", benchmarks(), ids=lambda function: function.__name__)
def test_axis_values_are_plain_strings_and_numbers(function: Callable[..., None]) -> None:
    for mark in marks_of(function):
        for value in mark.args[1]:
            values = value.values if hasattr(value, "values") else (value,)
            assert {type(one) for one in values} <= {str, int}
            assert json.loads(json.dumps(values)) == list(values)


@pytest.mark.parametrize("function", benchmarks(), ids=lambda function: function.__name__)
def test_ids_are_unique(function: Callable[..., None]) -> None:
    for mark in marks_of(function):
        assert len(set(words(mark))) == len(words(mark))


def test_the_device_is_the_first_word_of_an_id_and_carries_its_clock() -> None:
    first = marks_of(bench_training.bench_training)[0]

    assert first.args[0] == "device"
    for value, device in zip(first.args[1], STANDING, strict=False):
        assert value.values == (device.name,)
        assert value.marks[0].kwargs == {"timer": device.clock}


def test_ids_read_as_the_contract_spells_them() -> None:
    ids = words(marks_of(bench_training.bench_training)[1])

    assert {"iris-mlp-batch120-logeach", "iris-mlp-batch120-log200", "iris-mlp-batch120-nolog"} <= set(ids)


def test_the_default_matrix_has_every_model_batch_and_interval_of_the_design() -> None:
    default = [value.values for value in marks_of(bench_training.bench_training)[1].args[1] if not value.marks]
    expected = (
        [("iris-mlp", batch, interval) for batch in (16, 32, 120) for interval in (1, 10, 200, "never")]
        + [("mnist-cnn", batch, interval) for batch in (32, 128, 512) for interval in (1, 2, "never")]
        + [("resnet18", batch, interval) for batch in (8, 16) for interval in (1, 2, "never")]
        + [("vit-tiny", batch, interval) for batch in (8, 32) for interval in (1, 2, "never")]
    )

    assert default == expected


def test_nightly_adds_heavier_models_larger_batches_and_the_intervals_10_and_200_everywhere() -> None:
    nightly = [value.values for value in marks_of(bench_training.bench_training)[1].args[1] if value.marks]

    assert {"vgg11", "vit-b-16", "resnet50"} <= {model for model, _, _ in nightly}
    assert ("mnist-cnn", 5000, 1) in nightly
    for model in MODELS.values():
        for workload in model.workloads:
            for interval in (10, 200):
                listed = (model.name, workload.batch_size, interval) in nightly
                assert listed == (interval not in model.log_intervals)


@pytest.mark.parametrize(("interval", "word"), [(1, "logeach"), (10, "log10"), ("never", "nolog")])
def test_log_intervals_have_words(interval: int, word: str) -> None:
    assert axes.log_word(interval) == word

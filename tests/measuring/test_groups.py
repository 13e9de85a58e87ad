"""The tables of pytest-benchmark's own summary."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.measuring import group_of


@pytest.mark.parametrize(
    ("parameters", "group"),
    [
        ({"device": "cpu", "model": "iris-mlp", "batch_size": 120, "log_interval": 1}, "iris-mlp batch 120"),
        ({"device": "cpu", "start": "warm", "epochs": 1}, "bench_something"),
        ({"device": "cpu", "model": "iris-mlp"}, "bench_something"),
    ],
)
def test_a_case_stands_beside_its_neighbours_on_the_other_axes(parameters: dict[str, object], group: str) -> None:
    node: Any = SimpleNamespace(
        callspec=SimpleNamespace(params=parameters), originalname="bench_something", name="bench_something[...]"
    )

    assert group_of(node) == group


def test_a_case_without_parameters_stands_by_its_name() -> None:
    node: Any = SimpleNamespace(name="bench_something")

    assert group_of(node) == "bench_something"

"""Which selections have the handwriting looked for before anything runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.datasets import need_handwriting


def case(*fixtures: str, **parameters: object) -> Any:  # noqa: ANN401  stands for pytest's item
    return SimpleNamespace(fixturenames=("benchmark", *fixtures), callspec=SimpleNamespace(params=parameters))


@pytest.mark.parametrize(
    ("cases", "needed"),
    [
        ([case(model="iris-mlp"), case(model="mnist-cnn")], True),
        ([case(network="mnist-cnn", batch_size=128)], True),  # of ranks, which never download by themselves
        ([case("cnn_lesson", device="cpu")], True),
        ([case(model="iris-mlp"), case(network="resnet18"), case(device="cpu")], False),
        ([SimpleNamespace(fixturenames=(), callspec=SimpleNamespace(params={"model": "mnist-cnn"}))], False),
        ([], False),
    ],
)
def test_handwriting_is_needed_by_cases_that_train_on_it(cases: list[Any], needed: bool) -> None:
    assert need_handwriting(cases) is needed

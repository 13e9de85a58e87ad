"""A case proves that it trained, and that it did the same work as its neighbours."""

from __future__ import annotations

import math

import pytest

from fixtures.proof import SameWork, after_update, require_trained
from training.devices import DEVICES
from training.registry import MODELS


@pytest.mark.parametrize(
    ("first", "last", "says"),
    [
        (1.5, 1.5, "rose from 1.5 to 1.5"),
        (1.5, 1.6, "rose from 1.5 to 1.6"),
        (1.5, math.nan, "went from 1.5 to nan"),
        (math.inf, 1.0, "went from inf to 1"),
    ],
)
def test_a_loss_that_did_not_fall_or_is_not_finite_fails_the_case(first: float, last: float, says: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=f"did not train: its mean loss {says}"):
        require_trained(first, last)


def test_a_loss_that_fell_passes() -> None:
    require_trained(1.5, 1.4999)


@pytest.mark.parametrize(
    ("device", "losses", "same"),
    [
        ("cpu", [2.0, 1.0], True),
        ("cpu", [2.0, 1.0 + 1e-9], False),
        ("cpu-all", [2.0, 1.0 + 9e-6], True),
        ("cpu-all", [2.0, 1.0 + 2e-5], False),
        ("cuda", [2.5, 1.5], True),
    ],
)
def test_first_losses_agree_exactly_on_one_cpu_arm_and_closely_between_arms(
    device: str, losses: list[float], same: bool
) -> None:
    ledger = SameWork()
    ledger.require("iris-mlp", 120, "cpu", [2.0, 1.0])
    ledger.require("iris-mlp", 16, "cpu", [9.0, 9.0])

    if same:
        ledger.require("iris-mlp", 120, device, losses)
    else:
        with pytest.raises(
            pytest.fail.Exception, match=f"did other work than the case before it: .* at step 2 on {device}"
        ):
            ledger.require("iris-mlp", 120, device, losses)


def test_two_cases_of_one_accelerator_agree_closely() -> None:
    ledger = SameWork()
    ledger.require("iris-mlp", 120, "cuda", [2.0])

    ledger.require("iris-mlp", 120, "cuda", [2.00001])
    with pytest.raises(pytest.fail.Exception, match="on cuda"):
        ledger.require("iris-mlp", 120, "cuda", [2.1])


def test_what_training_amplifies_counts_from_the_second_step_on() -> None:
    """Two runs on one GPU agree in the forward pass; their gradients differ by rounding, and so do the next losses."""
    ledger = SameWork()
    ledger.require("resnet18", 8, "cuda", [2.5, 2.4], after_update=0.1)

    ledger.require("resnet18", 8, "cuda", [2.5, 2.45], after_update=0.1)
    with pytest.raises(pytest.fail.Exception, match=r"loss 2.51 at step 1 on cuda"):
        ledger.require("resnet18", 8, "cuda", [2.51, 2.4], after_update=0.1)


@pytest.mark.parametrize(
    ("model", "device", "tolerance"),
    [
        ("iris-mlp", "cpu-all", 1e-5),
        ("mnist-cnn", "cpu-all", 1e-2),
        ("resnet18", "cpu-all", 0.5),
        ("iris-mlp", "cuda", 1e-4),
        ("mnist-cnn", "cuda", 1e-2),
        ("resnet18", "cuda", 0.5),
    ],
)
def test_losses_after_an_update_agree_as_closely_as_the_model_allows(model: str, device: str, tolerance: float) -> None:
    assert after_update(MODELS[model], DEVICES[device]) == tolerance

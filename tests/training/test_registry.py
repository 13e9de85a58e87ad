"""The registry of models."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from training import networks
from training.registry import MODELS, Workload


@pytest.mark.parametrize("name", MODELS)
def test_every_row_is_filed_under_its_name_and_its_batches_differ(name: str) -> None:
    row = MODELS[name]
    sizes = [workload.batch_size for workload in row.workloads]

    assert row.name == name
    assert len(set(sizes)) == len(sizes)
    assert "never" in row.log_intervals
    assert 1 in row.log_intervals


@pytest.mark.parametrize("name", ["iris-mlp", "mnist-cnn", "resnet18", "vit-tiny"])
def test_the_networks_of_the_default_matrix_answer_ten_classes_or_three(name: str) -> None:
    row = MODELS[name]
    shape = {"iris-mlp": (2, 4), "mnist-cnn": (2, 1, 28, 28)}.get(name, (2, 3, 32, 32))

    assert row.build()(torch.zeros(shape)).shape == (2, 3 if name == "iris-mlp" else 10)


def test_parameters_are_those_of_the_lessons_networks() -> None:
    count = {
        name: sum(parameter.numel() for parameter in MODELS[name].build().parameters())
        for name in ("iris-mlp", "mnist-cnn")
    }

    # 4*10+10 + 10*3+3;  9*16+16 + 16*9*32+32 + 800*128+128 + 128*10+10
    assert count == {"iris-mlp": 83, "mnist-cnn": 108618}


def test_the_cnn_starts_from_glorot_uniform_weights_and_zero_biases() -> None:
    last = networks.mnist_cnn()[-1]  # type: ignore[index]
    bound = (6 / (128 + 10)) ** 0.5

    assert float(last.weight.detach().abs().max()) <= bound
    assert float(last.weight.detach().abs().max()) > 0.95 * bound
    assert last.bias.abs().sum() == 0


@pytest.mark.parametrize(
    ("interval", "accelerator", "steps"),
    [(1, False, 6), (2, False, 6), ("never", False, 6), (10, False, 30), (200, True, 600)],
)
def test_a_round_is_a_whole_multiple_of_the_log_interval(interval: int, accelerator: bool, steps: int) -> None:
    assert MODELS["mnist-cnn"].steps_per_round(32, interval, accelerator=accelerator) == steps


def test_a_row_whose_rounds_would_hide_a_read_is_refused() -> None:
    with pytest.raises(
        ValueError, match="iris-mlp at batch 8: 150 steps per round are no multiple of its log interval 200"
    ):
        replace(MODELS["iris-mlp"], workloads=(Workload(8, 200, 150),))


def test_an_unknown_batch_size_is_named() -> None:
    with pytest.raises(KeyError, match="iris-mlp has no batch size 7"):
        MODELS["iris-mlp"].workload(7)

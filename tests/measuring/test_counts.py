"""Counts that carry no noise, against values worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from fixtures.counts import OperatorCounter, count_steps
from training import data
from training.devices import DEVICES
from training.registry import MODELS, LogInterval
from training.run import TrainingRun

if TYPE_CHECKING:
    from collections.abc import Callable


FEW = 2
"""A batch where only the number of steps counts."""


def run_of(model: str, batch_size: int, log_interval: LogInterval) -> TrainingRun:
    row = MODELS[model]
    dataset = data.digits() if model == "mnist-cnn" else row.data(Path("no-data-here"))
    return TrainingRun(row, dataset, batch_size, log_interval, DEVICES["cpu"])


@pytest.mark.parametrize("model", ["iris-mlp", "mnist-cnn"])
@pytest.mark.parametrize(
    ("log_interval", "steps", "reads"),
    [(1, 6, 6), (2, 6, 3), (10, 20, 2), ("never", 20, 0)],
)
def test_the_loss_is_read_steps_over_interval_times_whatever_the_optimizer_reads(
    model: str, log_interval: LogInterval, steps: int, reads: int
) -> None:
    run = run_of(model, FEW, log_interval)
    run.losses((-1) % (log_interval if log_interval != "never" else 1))  # so that the silent step completes an interval

    assert count_steps(run, steps).loss_reads == reads


def test_every_case_of_the_matrix_reads_the_loss_at_its_interval() -> None:
    """Over the steps the record counts: one interval, one read; `never`, none. 200 steps of one model are enough."""
    found = {
        (model, interval): count_steps(run_of(model, FEW, interval), 1 if interval == "never" else interval).loss_reads
        for model in ("iris-mlp", "mnist-cnn")
        for interval in (*MODELS[model].log_intervals, 10)
    }

    assert found == {key: int(key[1] != "never") for key in found}


@pytest.mark.parametrize(
    ("model", "batch_size", "flops"),
    [
        # Forward 2*(4*10 + 10*3) a sample; backward the weights' gradients as much again, the inputs' only for the
        # second layer (2*10*3): 140 + 140 + 60 = 340 a sample.
        ("iris-mlp", 120, 340 * 120),
        ("iris-mlp", 16, 340 * 16),
        # Forward, layer by layer: 194,688 (2*9*16 at 26x26 places), 1,115,136 (2*16*9*32 at 11x11), 204,800 and 2,560,
        # in all 1,517,184; backward twice that, but without a gradient of the images.
        ("mnist-cnn", 32, (3 * 1_517_184 - 194_688) * 32),
    ],
)
def test_floating_point_operations_of_a_step(model: str, batch_size: int, flops: int) -> None:
    assert count_steps(run_of(model, batch_size, "never"), 1).flops_per_step == flops


def test_operations_of_convolutions_are_told_from_those_of_matrix_products() -> None:
    """A sample's forward pass: 194,688 + 1,115,136 in convolutions, 204,800 + 2,560 in products; backward as above."""
    counts = count_steps(run_of("mnist-cnn", 32, "never"), 1)

    convolution, matmul = 3 * (194_688 + 1_115_136) - 194_688, 3 * (204_800 + 2_560)
    assert counts.flops_by_kind == {"convolution": 32 * convolution, "matmul": 32 * matmul}
    assert counts.flops_per_step == sum(counts.flops_by_kind.values())


def test_bytes_are_those_of_one_step_however_many_are_counted() -> None:
    once, often = (count_steps(run_of("mnist-cnn", 32, "never"), steps).bytes_by_kind for steps in (1, 3))

    assert once == often
    # 4,752 weights in convolutions: read forward, read backward, gradients written
    assert once["convolution_weights"] == 3 * 4 * 4_752
    # 16 x 26 x 26 and 32 x 11 x 11 values a sample; odd rows are left out: 16 x 13 x 13 and 32 x 5 x 5 pooled ones;
    # forward reads values and writes pooled ones and places, backward reads all three and writes values
    values, pooled = 16 * 26 * 26 + 32 * 11 * 11, 16 * 13 * 13 + 32 * 5 * 5
    assert once["pooling"] == 32 * (3 * 4 * values + 2 * (4 + 8) * pooled)


@pytest.mark.parametrize(("model", "parameters"), [("iris-mlp", 83), ("mnist-cnn", 108_618)])
def test_parameters_are_counted(model: str, parameters: int) -> None:
    assert count_steps(run_of(model, 16, "never"), 1).parameters == parameters


def test_nothing_is_copied_to_a_cpu() -> None:
    counts = count_steps(run_of("mnist-cnn", 32, "never"), 3)

    assert (counts.host_to_device_copies, counts.host_to_device_bytes) == (0, 0)


def test_copies_to_another_device_are_counted_with_their_bytes() -> None:
    """The meta device stands for an accelerator: it takes copies and holds nothing."""
    with OperatorCounter() as counter:
        torch.zeros(32, 1, 28, 28).to("meta")
        torch.zeros(32, dtype=torch.int64).to("meta")
        torch.zeros(5).to(torch.float64)

    assert counter.host_to_device_copies == 2
    assert counter.host_to_device_bytes == 32 * 28 * 28 * 4 + 32 * 8


@pytest.mark.parametrize(
    ("burden", "more"),
    [
        (lambda _run: torch.ones(1), {"operators": 3}),
        (lambda run: run.loss.item(), {"operators": 3, "host_reads": 3}),
        (
            lambda run: run.loss.detach().to("meta"),
            {"operators": 6, "host_to_device_copies": 3, "host_to_device_bytes": 12},
        ),
    ],
    ids=["operator", "host-read", "copy"],
)
def test_a_burden_on_every_step_is_blamed_on_exactly_the_right_count(
    monkeypatch: pytest.MonkeyPatch, burden: Callable[[TrainingRun], object], more: dict[str, int]
) -> None:
    """Three steps, each with one more operator, read (an operator itself) or copy of 4 bytes (after a detach)."""
    plain, burdened = run_of("iris-mlp", 120, 3), run_of("iris-mlp", 120, 3)
    step = burdened.step
    monkeypatch.setattr(burdened, "step", lambda: (step(), burden(burdened)))
    expected = count_steps(plain, 3).as_plain()

    found = count_steps(burdened, 3).as_plain()

    assert {key: found[key] - expected[key] for key in found if found[key] != expected[key]} == more


def test_a_record_of_counts_is_plain_and_leaves_what_is_of_one_step_to_fields_of_their_own() -> None:
    counts = count_steps(run_of("iris-mlp", 120, 10), 10)

    assert counts.as_plain() == {
        "steps": 10,
        "operators": counts.operators,
        "host_reads": 1,
        "loss_reads": 1,
        "host_to_device_copies": 0,
        "host_to_device_bytes": 0,
        "parameters": 83,
    }
    assert set(counts.per_step()) == {"flops_per_step", "flops_by_kind", "bytes_by_kind"}
    assert counts.operators > 100
    assert replace(counts, steps=5).as_plain()["steps"] == 5

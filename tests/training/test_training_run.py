"""A training run: what a step does, and that it is the same work whatever is logged and on however many cores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from training import data
from training.devices import DEVICES
from training.registry import MODELS, LogInterval
from training.run import TooFewSamplesError, TrainingRun

NOWHERE = Path("no-data-here")


def run_of(
    model: str,
    batch_size: int,
    log_interval: LogInterval = "never",
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> TrainingRun:
    row = MODELS[model]
    dataset = data.digits() if model == "mnist-cnn" else row.data(NOWHERE)
    dataset = replace(dataset, train_inputs=dataset.train_inputs.to(dtype))
    return TrainingRun(row, dataset, batch_size, log_interval, DEVICES[device])


@pytest.mark.parametrize(
    ("log_interval", "steps", "reads"), [(1, 7, 7), (2, 7, 3), (10, 9, 0), (10, 20, 2), ("never", 20, 0)]
)
def test_the_loss_is_read_steps_over_interval_times(log_interval: LogInterval, steps: int, reads: int) -> None:
    run = run_of("iris-mlp", 120, log_interval)

    for _ in range(steps):
        run.step()

    assert (run.steps, run.reads) == (steps, reads)


def test_the_logged_loss_is_that_of_the_last_read_step() -> None:
    run = run_of("iris-mlp", 120, 2)

    losses = run.losses(5)

    assert run.logged_loss == losses[3]


@pytest.mark.parametrize(
    ("model", "batch_size"), [("iris-mlp", 16), ("iris-mlp", 120), ("mnist-cnn", 32), ("vit-tiny", 8), ("resnet18", 8)]
)
def test_the_log_interval_does_not_change_the_work_by_a_bit(model: str, batch_size: int) -> None:
    steps = 4
    quiet = run_of(model, batch_size, "never").losses(steps)

    for interval in (1, 2):
        assert run_of(model, batch_size, interval).losses(steps) == quiet


@pytest.mark.parametrize(
    ("model", "batch_size", "steps"),
    [("iris-mlp", 120, 50), ("mnist-cnn", 32, 10), ("vit-tiny", 8, 10), ("resnet18", 8, 2)],
)
def test_both_cpu_arms_do_the_same_work(model: str, batch_size: int, steps: int) -> None:
    found = {}
    for name in ("cpu", "cpu-all"):
        with DEVICES[name].host_threads():
            found[name] = run_of(model, batch_size, device=name).losses(steps)

    assert found["cpu-all"] == pytest.approx(found["cpu"], rel=1e-5)
    assert MODELS[model].agreeing_steps == steps


@pytest.mark.parametrize(("model", "batch_size", "steps"), [("mnist-cnn", 32, 25), ("resnet18", 8, 4)])
def test_in_float64_both_cpu_arms_agree_for_longer(model: str, batch_size: int, steps: int) -> None:
    """What the float32 arms drift apart by is rounding: Adam and batch normalisation amplify it."""
    found = {}
    for name in ("cpu", "cpu-all"):
        with DEVICES[name].host_threads():
            run = run_of(model, batch_size, device=name, dtype=torch.float64)
            run.network.double()
            found[name] = run.losses(steps)

    assert found["cpu-all"] == pytest.approx(found["cpu"], rel=1e-8)
    assert steps >= 2 * MODELS[model].agreeing_steps


def test_a_run_starts_from_the_same_weights_and_leaves_the_global_random_state_alone() -> None:
    torch.manual_seed(7)
    before = torch.get_rng_state()

    first, second = (next(run_of("mnist-cnn", 32).network.parameters()) for _ in range(2))

    assert torch.equal(first, second)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("model", ["iris-mlp", "mnist-cnn", "resnet18", "vit-tiny"])
def test_the_mean_loss_falls_and_measuring_it_changes_nothing(model: str) -> None:
    run = run_of(model, MODELS[model].workloads[0].batch_size)
    twin = run_of(model, MODELS[model].workloads[0].batch_size)

    first = run.mean_loss()
    losses = run.losses(5)

    assert twin.losses(5) == losses
    assert run.mean_loss() < first


def test_accuracy_is_the_share_of_test_samples_classified_correctly() -> None:
    run = run_of("iris-mlp", 120)
    with torch.no_grad():
        run.network.fc2.weight.zero_()  # type: ignore[union-attr, operator]
        run.network.fc2.bias.copy_(torch.tensor([0.0, 1.0, 0.0]))  # type: ignore[union-attr, operator]

    assert run.accuracy() == pytest.approx(9 / 30)  # 9 of the 30 test samples are versicolor
    assert run.network.training


def test_batches_are_reshuffled_every_epoch_and_incomplete_ones_dropped() -> None:
    from training.batches import copied  # noqa: PLC0415

    digits = data.digits()
    batches = copied(digits, 512, torch.device("cpu"), seed=1)  # 1437 samples: two batches an epoch
    epochs = [torch.cat([next(batches)[1] for _ in range(2)]) for _ in range(2)]

    assert [len(epoch) for epoch in epochs] == [1024, 1024]
    assert not torch.equal(*epochs)


def test_a_batch_larger_than_the_dataset_is_refused() -> None:
    with pytest.raises(TooFewSamplesError, match="batch 5000 needs 5000 training samples, digits has 1437"):
        run_of("mnist-cnn", 5000)


def test_the_trained_device_is_read_from_the_parameters() -> None:
    assert run_of("iris-mlp", 120).trained_device() == torch.device("cpu")

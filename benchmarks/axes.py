"""The axes of the matrix: one decorator each; every value carries its id and marks.

Axis values are plain strings and numbers, since anything else is damaged in the saved JSON.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from training.devices import DEVICES, STANDING
from training.primitives import primitives_of
from training.registry import MODELS, NIGHTLY_LOG_INTERVALS
from training.told_clock import slowest_rank_clock
from training.variants.questions import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark.structures import ParameterSet

    from training.devices import Device
    from training.registry import LogInterval

DEFAULT_IRIS_EPOCHS, FULL_IRIS_EPOCHS = 1000, 20000


def log_word(log_interval: LogInterval) -> str:
    """The word of a log interval in ids: `logeach`, `log10`, `nolog`."""
    if log_interval == "never":
        return "nolog"
    return "logeach" if log_interval == 1 else f"log{log_interval}"


def _device(device: Device) -> ParameterSet:
    marks = [pytest.mark.benchmark(timer=device.clock)]
    if device not in STANDING:
        marks.append(pytest.mark.further_device)
    return pytest.param(device.name, id=device.name, marks=marks)


def _marks(*, nightly: bool) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.nightly,) if nightly else ()


def _trainings() -> Iterator[ParameterSet]:
    for model in MODELS.values():
        further = [interval for interval in NIGHTLY_LOG_INTERVALS if interval not in model.log_intervals]
        for workload, interval in product(model.workloads, (*model.log_intervals, *further)):
            nightly = model.nightly or workload.nightly or interval in further
            name = f"{model.name}-batch{workload.batch_size}-{log_word(interval)}"
            yield pytest.param(model.name, workload.batch_size, interval, id=name, marks=_marks(nightly=nightly))


def _models() -> Iterator[ParameterSet]:
    for model in MODELS.values():
        for workload in model.workloads:
            yield pytest.param(model.name, workload.batch_size, id=f"{model.name}-batch{workload.batch_size}")


def _iris_lessons() -> Iterator[ParameterSet]:
    intervals: tuple[LogInterval, ...] = (1, 200, "never")
    lengths = (DEFAULT_IRIS_EPOCHS, FULL_IRIS_EPOCHS)
    for device, epochs, start, interval in product(DEVICES.values(), lengths, ("warm", "cold"), intervals):
        # A cold launch costs seconds of importing; the lesson as written is the one worth them every time.
        once = start == "warm" or (interval == 1 and device.name != "cpu-all")
        marks = (*_device(device).marks, *_marks(nightly=epochs == FULL_IRIS_EPOCHS or not once))
        name = f"{device.name}-{start}-epochs{epochs}-{log_word(interval)}"
        yield pytest.param(device.name, start, epochs, interval, id=name, marks=marks)


over_devices = pytest.mark.parametrize("device", [_device(device) for device in DEVICES.values()])
"""`cpu`, `cpu-all`, `cuda` and whatever further accelerator this machine has."""

over_trainings = pytest.mark.parametrize(("model", "batch_size", "log_interval"), list(_trainings()))
"""Every model at the batch sizes and log intervals that make sense for it."""

over_models = pytest.mark.parametrize(("model", "batch_size"), list(_models()))
"""Every model at its batch sizes."""

over_iris_lessons = pytest.mark.parametrize(("device", "start", "epochs", "log_interval"), list(_iris_lessons()))
"""The iris lesson: warm and cold, in short and in full, reading the loss every epoch, every 200, never."""


def _cnn_lessons() -> Iterator[ParameterSet]:
    for device, start in product(DEVICES.values(), ("warm", "cold")):
        # Start-up is much the same on both CPU arms, and a cold launch costs seconds of importing.
        marks = (*_device(device).marks, *_marks(nightly=(device.name, start) == ("cpu-all", "cold")))
        yield pytest.param(device.name, start, 1, id=f"{device.name}-{start}-epochs1", marks=marks)


over_cnn_lessons = pytest.mark.parametrize(("device", "start", "epochs"), list(_cnn_lessons()))
"""The CNN lesson's one epoch, warm and cold."""

over_ways_to_call = pytest.mark.parametrize("way", ["call", "forward"])
"""`model(x)` against `model.forward(x)`."""

over_hooks = pytest.mark.parametrize("hooks", [pytest.param(0, id="nohook"), pytest.param(1, id="hook")])
"""Forward hooks registered on the model."""

over_callables = pytest.mark.parametrize("kind", ["object", "function"])
"""A callable object against a plain function that does the same."""

over_harnessed_work = pytest.mark.parametrize("work", ["iris", "empty"])
"""The step that the suite is measured on: the iris MLP's, and one that does nothing."""


def _primitives() -> Iterator[ParameterSet]:
    for device in DEVICES.values():
        for name in primitives_of(device):
            yield pytest.param(device.name, name, id=f"{device.name}-{name}", marks=_device(device).marks)


over_primitives = pytest.mark.parametrize(("device", "primitive"), list(_primitives()))
"""Every device with the primitives that exist on it."""


DEFAULT_QUESTIONS = {
    ("iris-mlp", 120): ("data", "loss", "optimizer", "zero-grad", "accumulation", "compile", "graph"),
    ("mnist-cnn", 128): ("data", "loss", "optimizer", "layout", "precision", "graph"),
    ("resnet18", 8): ("layout", "precision", "graph"),
}
"""The questions of the default matrix; on the CPUs those of one thread, without compiling."""


def _overheads() -> Iterator[ParameterSet]:
    for device, model in product(DEVICES.values(), MODELS.values()):
        for workload, (question, asked) in product(model.workloads, QUESTIONS.items()):
            if not (device.is_accelerator or asked.on_cpu):
                continue
            values = (device.name, model.name, workload.batch_size, question)
            # The second CPU arm adds little to the first, and starting a compiler takes longer than all the rest.
            nightly = (
                question not in DEFAULT_QUESTIONS.get((model.name, workload.batch_size), ())
                or device.name == "cpu-all"
                or (question == "compile" and not device.is_accelerator)
            )
            name = f"{device.name}-{model.name}-batch{workload.batch_size}-{question}"
            yield pytest.param(*values, id=name, marks=(*_device(device).marks, *_marks(nightly=nightly)))


over_overheads = pytest.mark.parametrize(("device", "model", "batch_size", "question"), list(_overheads()))
"""Every model at its batch sizes on every device, with the questions about its step that make sense there."""

over_rank_devices = pytest.mark.parametrize(
    "device",
    [pytest.param(name, id=name, marks=pytest.mark.benchmark(timer=slowest_rank_clock)) for name in ("cpu", "cuda")],
)
"""What ranks run on: one core each with gloo, or one CUDA device each with NCCL; timed by the slowest of them."""

over_world_sizes = pytest.mark.parametrize(
    "world_size", [pytest.param(count, id=f"ranks{count}") for count in (1, 2, 4, 8)]
)
"""How many ranks train together; one comes first, since the others are held against it."""

over_distributed_trainings = pytest.mark.parametrize(
    ("network", "batch_size", "scaling"),
    [
        pytest.param(network, batch_size, scaling, id=f"{network}-batch{batch_size}-{scaling}")
        for network, batch_size, scaling in (
            ("mnist-cnn", 128, "weak"),
            ("mnist-cnn", 512, "strong"),
            ("resnet18", 16, "weak"),
            ("resnet18", 64, "strong"),
        )
    ],
)
"""Weak scaling: the batch size is each rank's. Strong scaling: it is that of all ranks together."""

over_message_sizes = pytest.mark.parametrize(
    "message_bytes", [pytest.param(1 << power, id=f"bytes{1 << power}") for power in (10, 16, 20, 24, 28)]
)
"""What is reduced: 1 KiB, where the waiting counts, to 256 MiB, where the bandwidth does."""

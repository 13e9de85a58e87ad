"""The registry: every model that can be trained, with its data, loss, optimizer and the sizes it is tried at.

To measure another model, add a row to `_ROWS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from torch import nn, optim

from training import data, networks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from torch.nn import Parameter

LogInterval = int | Literal["never"]
NIGHTLY_LOG_INTERVALS: tuple[LogInterval, ...] = (10, 200)


@dataclass(frozen=True)
class Workload:
    """One batch size of a model, and how many steps make a round of about 50 ms on a CPU and on an accelerator.

    Steps per round are fixed here, not measured, so that a round is the same work in every launch.
    """

    batch_size: int
    cpu_steps: int
    accelerator_steps: int
    nightly: bool = False


@dataclass(frozen=True)
class Model:
    """A network with everything needed to train it.

    `data` gets the data folder and returns a Dataset; `resident` says whether the data lie on the device before
    training or are copied there batch by batch; `log_intervals` are those of the default matrix; `agreeing_steps`
    is over how many float32 steps at least two CPU arms stay within 1e-5 of each other, or two ways of the same step
    stay together, before rounding takes them apart.
    """

    name: str
    build: Callable[[], nn.Module]
    data: Callable[[Path], data.Dataset]
    optimizer: Callable[[Iterable[Parameter]], optim.Optimizer]
    workloads: tuple[Workload, ...]
    log_intervals: tuple[LogInterval, ...]
    resident: bool = True
    nightly: bool = False
    agreeing_steps: int = 50
    loss: Callable[[], nn.Module] = nn.CrossEntropyLoss

    def __post_init__(self) -> None:
        """Reject a row whose rounds would hide a read of the loss from the median."""
        for workload in self.workloads:
            for steps in (workload.cpu_steps, workload.accelerator_steps):
                for interval in self.log_intervals:
                    if interval != "never" and steps % interval:
                        raise ValueError(
                            f"{self.name} at batch {workload.batch_size}: {steps} steps per round are no multiple "
                            f"of its log interval {interval}"
                        )

    @property
    def loses_itself(self) -> bool:
        """Whether one update takes apart what rounding did not: then only the forward pass can be compared."""
        return self.agreeing_steps <= 2  # noqa: PLR2004  the second step's loss is the first after an update

    @property
    def amplified_rounding(self) -> float:
        """How far losses after an update may be apart, relative to them, where its gradients differ by rounding alone.

        Emulated on a CPU by disturbing the factors of every product and convolution by 3e-7, as kernels that add in
        another order do, and by 1e-5, as Winograd's do: the ResNets' batch normalization makes up to 7e-2 of it in one
        step, which says no more than that the loss is of the same size; Adam, which divides by gradients near zero,
        2e-4 in the CNN's first five; and the others 2e-6.
        """
        if self.loses_itself:
            return 0.5
        return 1e-2 if self.agreeing_steps <= 10 else 1e-4  # noqa: PLR2004  tells the CNN's row from the others

    def workload(self, batch_size: int) -> Workload:
        """The workload of that batch size.

        Raises:
            KeyError: the model is not tried at that batch size.
        """
        for workload in self.workloads:
            if workload.batch_size == batch_size:
                return workload
        raise KeyError(f"{self.name} has no batch size {batch_size}")

    def steps_per_round(self, batch_size: int, log_interval: LogInterval, *, accelerator: bool) -> int:
        """Steps of one round: the workload's own, stretched to a whole multiple of the log interval."""
        workload = self.workload(batch_size)
        steps = workload.accelerator_steps if accelerator else workload.cpu_steps
        return steps if log_interval == "never" else math.lcm(steps, log_interval)


def _sgd(learning_rate: float) -> Callable[[Iterable[Parameter]], optim.Optimizer]:
    return partial(optim.SGD, lr=learning_rate)


def _images(size: int) -> Callable[[Path], data.Dataset]:
    return lambda _folder: data.made_images(size)


_HEAVY: tuple[LogInterval, ...] = (1, 2, "never")

_ROWS = (
    Model(
        name="iris-mlp",
        build=networks.IrisMLP,
        data=lambda _folder: data.iris(),
        optimizer=_sgd(0.01),
        workloads=(Workload(16, 200, 200), Workload(32, 200, 200), Workload(120, 200, 200)),
        log_intervals=(1, 10, 200, "never"),
    ),
    Model(
        name="mnist-cnn",
        build=networks.mnist_cnn,
        data=data.handwriting,
        optimizer=partial(optim.Adam, lr=0.001),
        workloads=(
            Workload(32, 6, 60),
            Workload(128, 2, 60),
            Workload(512, 2, 30),
            Workload(5000, 2, 6, nightly=True),
        ),
        log_intervals=(1, 2, "never"),
        resident=False,
        agreeing_steps=10,
    ),
    Model(
        name="resnet18",
        build=partial(networks.from_torchvision, "resnet18"),
        data=_images(32),
        optimizer=_sgd(0.01),
        workloads=(
            Workload(8, 2, 10),
            Workload(16, 2, 10),
            Workload(64, 2, 10, nightly=True),
            Workload(256, 2, 6, nightly=True),
        ),
        log_intervals=(1, 2, "never"),
        agreeing_steps=2,
    ),
    Model(
        name="vit-tiny",
        build=networks.vit_tiny,
        data=_images(32),
        optimizer=_sgd(0.01),
        workloads=(
            Workload(8, 4, 20),
            Workload(32, 2, 20),
            Workload(128, 2, 20, nightly=True),
            Workload(512, 2, 10, nightly=True),
        ),
        log_intervals=(1, 2, "never"),
        agreeing_steps=10,
    ),
    Model(
        name="vgg11",
        build=partial(networks.from_torchvision, "vgg11", dropout=0.0),
        data=_images(32),
        optimizer=_sgd(0.01),
        workloads=(Workload(16, 2, 6, nightly=True), Workload(64, 2, 6, nightly=True)),
        log_intervals=_HEAVY,
        nightly=True,
    ),
    Model(
        name="resnet50",
        build=partial(networks.from_torchvision, "resnet50"),
        data=_images(64),
        optimizer=_sgd(0.001),
        workloads=(Workload(16, 2, 4, nightly=True), Workload(64, 2, 4, nightly=True)),
        log_intervals=_HEAVY,
        nightly=True,
        agreeing_steps=1,
    ),
    Model(
        name="resnet50-224px",
        build=partial(networks.from_torchvision, "resnet50"),
        data=_images(224),
        optimizer=_sgd(0.001),
        workloads=(Workload(16, 2, 2, nightly=True),),
        log_intervals=_HEAVY,
        nightly=True,
        agreeing_steps=1,
    ),
    Model(
        name="vgg11-224px",
        build=partial(networks.from_torchvision, "vgg11", dropout=0.0),
        data=_images(224),
        optimizer=_sgd(0.01),
        workloads=(Workload(16, 2, 2, nightly=True),),
        log_intervals=_HEAVY,
        nightly=True,
    ),
    Model(
        name="vit-b-16",
        build=partial(networks.from_torchvision, "vit_b_16"),
        data=_images(224),
        optimizer=_sgd(0.01),
        workloads=(Workload(8, 2, 2, nightly=True), Workload(32, 2, 2, nightly=True)),
        log_intervals=_HEAVY,
        nightly=True,
    ),
)
MODELS: dict[str, Model] = {row.name: row for row in _ROWS}

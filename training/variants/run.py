"""A training run whose step is made of parts, so that a variant changes one of them and nothing else."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import torch

from training.run import TrainingRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from training.batches import Batch
    from training.data import Dataset
    from training.devices import Device
    from training.registry import Model


class UnavailableError(Exception):
    """This device, torch or model cannot do a variant; the text says why, in one line."""


@dataclass(frozen=True)
class Setting:
    """What is trained where: a row of the registry, its data, a batch size, a device and the steps of a block.

    Losses that are gathered are fetched once a block.
    """

    model: Model
    dataset: Dataset
    batch_size: int
    device: Device
    block_steps: int


class VariantRun(TrainingRun):
    """The plain step, which never reads the loss; a variant overrides one part.

    `compiles` says that the first step is mostly compiling.
    """

    compiles = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting.model, setting.dataset, setting.batch_size, "never", setting.device)

    def step(self) -> None:
        """Take a batch, advance the network by it, and do with the loss what the variant does."""
        inputs, targets = self.take()
        self.loss = self.advance(inputs, targets)
        self.steps += 1
        self.keep(self.loss)

    def take(self) -> Batch:
        """The next batch, on the device."""
        return next(self._batches)

    def advance(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Forward, loss, backward, update; returns the loss."""
        loss = self.forward(inputs, targets)
        self.clear()
        loss.backward()
        self._optimizer.step()
        return loss

    def forward(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The loss of a batch."""
        return cast("torch.Tensor", self._criterion(self.network(inputs), targets))

    def clear(self) -> None:
        """Forget the gradients of the step before."""
        self._optimizer.zero_grad()

    def keep(self, loss: torch.Tensor) -> None:
        """Do nothing with the loss."""

    def switched(self) -> AbstractContextManager[object]:
        """The switches that have to be on while this run's steps are taken; turned outside the clock."""
        return nullcontext()

    def feed(self, batches: Iterator[Batch]) -> None:
        """Take the batches from here instead."""
        self._batches = batches

    def close(self) -> None:
        """End what feeds the run, worker processes included."""
        self._batches = iter(())


def with_optimizer(setting: Setting, **options: object) -> Setting:
    """The same setting with further options of its optimizer, such as `fused=True`.

    Raises:
        UnavailableError: the optimizer does not know the option, or not on this device.
    """
    optimizer: Callable[..., torch.optim.Optimizer] = partial(cast("Any", setting.model.optimizer), **options)
    named = ", ".join(f"{name}={value}" for name, value in options.items())
    try:
        optimizer([torch.nn.Parameter(torch.zeros(1, device=setting.device.torch_device))])
    except (TypeError, RuntimeError) as error:
        raise UnavailableError(f"no optimizer with {named}: {str(error).splitlines()[0]}") from error
    return replace(setting, model=replace(setting.model, optimizer=optimizer))

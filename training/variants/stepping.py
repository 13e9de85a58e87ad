"""Another way through the same step: gradients zeroed in place, in parts, in another layout or another arithmetic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from training import precision
from training.variants.run import UnavailableError, VariantRun

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from training.batches import Batch
    from training.variants.run import Setting

CONVOLUTIONS = (nn.Conv2d, nn.ConvTranspose2d)
BATCH_STATISTICS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)


class ZeroedInPlace(VariantRun):
    """Fills the gradients with zeros and adds to them, instead of dropping them."""

    def clear(self) -> None:
        """Fill them with zeros."""
        self._optimizer.zero_grad(set_to_none=False)


class ChannelsLast(VariantRun):
    """Keeps images and convolutions with the channels innermost in memory (NHWC).

    Raises:
        UnavailableError: the model has no convolution of images.
    """

    def __init__(self, setting: Setting) -> None:
        last, data = torch.channels_last, setting.dataset
        if data.train_inputs.dim() != 4:  # noqa: PLR2004  images: samples, channels, height, width
            raise UnavailableError(f"{setting.model.name} is given no images, which alone have channels")
        images = data.train_inputs.contiguous(memory_format=last)
        super().__init__(replace(setting, dataset=replace(data, train_inputs=images)))
        if not any(isinstance(module, CONVOLUTIONS) for module in self.network.modules()):
            raise UnavailableError(f"{setting.model.name} has no convolution")
        self.network.to(memory_format=last)

    def take(self) -> Batch:
        """The next batch, its layout changed where gathering lost it."""
        inputs, targets = super().take()
        return inputs.contiguous(memory_format=torch.channels_last), targets


class Accumulating(VariantRun):
    """Computes the gradients of a batch in equal parts and adds them up before the one update.

    Raises:
        UnavailableError: the parts are unequal, or batch statistics make them another computation.
    """

    def __init__(self, setting: Setting, parts: int) -> None:
        super().__init__(setting)
        self._parts = parts
        if setting.batch_size % parts:
            raise UnavailableError(f"a batch of {setting.batch_size} cannot be cut into {parts} equal parts")
        if any(isinstance(module, BATCH_STATISTICS) for module in self.network.modules()):
            raise UnavailableError(f"{setting.model.name} normalizes by batch statistics, which differ in a part")

    def advance(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Forward and backward part by part, then update; returns the mean loss of the parts."""
        self.clear()
        total = torch.zeros((), device=inputs.device)
        for some, theirs in zip(inputs.chunk(self._parts), targets.chunk(self._parts), strict=True):
            loss = self.forward(some, theirs) / self._parts
            loss.backward()
            total += loss.detach()
        self._optimizer.step()
        return total


class InTf32(VariantRun):
    """Float32 everywhere, but products and convolutions rounded to TF32's 10 bits.

    Raises:
        UnavailableError: the device has no TF32.
    """

    def __init__(self, setting: Setting) -> None:
        _require(precision.lacks_tf32(setting.device))
        super().__init__(setting)

    def switched(self) -> AbstractContextManager[object]:
        """TF32 allowed."""
        return precision.tf32()


class InBfloat16(VariantRun):
    """Forward under bfloat16 autocast; weights, their update and the loss stay float32.

    Raises:
        UnavailableError: the device has no bfloat16 arithmetic.
    """

    def __init__(self, setting: Setting) -> None:
        _require(precision.lacks_bfloat16(setting.device))
        super().__init__(setting)
        self._kind = setting.device.torch_device.type

    def forward(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The loss of a batch under autocast."""
        with torch.autocast(self._kind, dtype=torch.bfloat16):
            return super().forward(inputs, targets)


def _require(missing: str | None) -> None:
    if missing is not None:
        raise UnavailableError(missing)

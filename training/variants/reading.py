"""What becomes of the loss: read every step, fetched once a block, copied while the host goes on, or never read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from training.variants.run import UnavailableError, VariantRun

if TYPE_CHECKING:
    from training.variants.run import Setting


class ReadEveryStep(VariantRun):
    """Reads the loss after every step, as the lesson does: the host waits for the device."""

    def keep(self, loss: torch.Tensor) -> None:
        """Read it."""
        self.logged_loss = loss.item()
        self.reads += 1


class FetchedOnce(VariantRun):
    """Keeps the losses on the device and fetches those of a block at its end, all at once."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._block_steps = setting.block_steps
        self._kept: list[torch.Tensor] = []
        self.fetched: list[float] = []

    def keep(self, loss: torch.Tensor) -> None:
        """Keep it; fetch the block's when it is the last."""
        self._kept.append(loss.detach())
        if len(self._kept) == self._block_steps:
            self.fetched = torch.stack(self._kept).tolist()
            self.reads += 1
            self._kept.clear()


class CopiedAsync(VariantRun):
    """Copies every loss into page-locked memory without waiting, and reads a block's losses one block later.

    Raises:
        UnavailableError: the device is a CPU.
    """

    def __init__(self, setting: Setting) -> None:
        if not setting.device.is_accelerator:
            raise UnavailableError("the losses of a CPU lie in host memory already: nothing is copied")
        super().__init__(setting)
        self._halves = torch.zeros(2, setting.block_steps, pin_memory=True)
        self._slots = [list(half.unbind()) for half in self._halves]
        self._copied: list[torch.Event | None] = [None, None]
        self._half, self._filled = 0, 0
        self.fetched: list[float] = []

    def keep(self, loss: torch.Tensor) -> None:
        """Have it copied; read the other half of the memory when this half is full."""
        self._slots[self._half][self._filled].copy_(loss.detach(), non_blocking=True)
        self._filled += 1
        if self._filled == len(self._slots[self._half]):
            self._turn()

    def _turn(self) -> None:
        copied = torch.Event(self.device.torch_device)
        copied.record(torch.accelerator.current_stream(self.device.torch_device))
        self._copied[self._half] = copied
        self._half, self._filled = 1 - self._half, 0
        earlier = self._copied[self._half]
        if earlier is not None:
            earlier.synchronize()
            self.fetched = self._halves[self._half].tolist()
            self.reads += 1

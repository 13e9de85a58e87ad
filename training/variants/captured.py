"""A whole step captured once as a graph of the device and replayed: one launch in place of hundreds."""

from __future__ import annotations

import gc
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import torch

from training.variants.run import UnavailableError, VariantRun, with_optimizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from training.batches import Batch
    from training.variants.run import Setting

WARM_UP_STEPS = 3
"""Steps taken before a capture, as torch's notes on CUDA graphs advise: libraries set themselves up in the first."""


class CapturedStep(VariantRun):
    """Copies every batch to where the graph reads it and replays the captured step.

    The optimizer keeps its state on the device (`capturable`) where it has the option.

    Raises:
        UnavailableError: the device has no graphs, or the step cannot be captured.
    """

    def __init__(self, setting: Setting) -> None:
        new_graph = graph_class(setting)
        super().__init__(_capturable(setting))
        self.batch: Batch = (self._fixed[0][0].clone(), self._fixed[0][1].clone())
        self._graph = new_graph()
        try:
            self.captured_loss = self._capture()
        except RuntimeError as error:
            raise UnavailableError(f"the step cannot be captured: {str(error).splitlines()[0]}") from error

    def take(self) -> Batch:
        """The next batch, copied to where the graph reads it."""
        for target, source in zip(self.batch, super().take(), strict=True):
            target.copy_(source, non_blocking=True)
        return self.batch

    def advance(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:  # noqa: ARG002  the graph has them
        """Replay the step; returns where it leaves the loss."""
        self._graph.replay()
        return self.captured_loss

    def _capture(self) -> torch.Tensor:
        """Warm up, capture and put everything that was trained meanwhile back."""
        place = self.device.torch_device
        kept = [(tensor, tensor.detach().clone()) for tensor in (*self.network.parameters(), *self.network.buffers())]
        stream, current = torch.Stream(place), torch.accelerator.current_stream(place)
        stream.wait_stream(current)
        with stream, warnings.catch_warnings():
            # The optimizer says that it is made for captured steps and taking one uncaptured, which is the purpose.
            warnings.filterwarnings("ignore", "This instance was constructed with capturable=True", UserWarning)
            for _ in range(WARM_UP_STEPS):
                super().advance(*self.batch)
        current.wait_stream(stream)
        # Without gradients from before, the captured backward pass writes its own and never adds to them.
        self._optimizer.zero_grad(set_to_none=True)
        torch.accelerator.synchronize(place)
        with stream, _recording(self._graph):
            loss = super().advance(*self.batch)
        current.wait_stream(stream)
        self._put_back(kept)
        return loss.detach()

    def _put_back(self, kept: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
        with torch.no_grad():
            for tensor, value in kept:
                tensor.copy_(value)
        # In place, since the graph writes to these very tensors; SGD's and Adam's state begins at zero.
        for state in self._optimizer.state.values():
            for value in state.values():
                if isinstance(value, torch.Tensor):
                    value.zero_()


@contextmanager
def _recording(graph: Any) -> Iterator[None]:  # noqa: ANN401  either of torch's two, as below
    """Capture what the block queues; ended even where the block fails, or the device would record all that follows.

    Garbage is collected before and not during it: what a finalizer frees would be recorded, or forbid the capture.
    """
    was_collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        graph.capture_begin()
        try:
            yield
        except BaseException:
            with suppress(RuntimeError):  # that the capture is invalid is what the first error says
                graph.capture_end()
            raise
        graph.capture_end()
    finally:
        if was_collecting:
            gc.enable()


def graph_class(setting: Setting) -> Any:  # noqa: ANN401  either of torch's two, which share no base class
    """The class whose objects capture and replay work of this device.

    Raises:
        UnavailableError: the device has none.
    """
    if setting.device.torch_device.type == "cuda":
        return torch.cuda.CUDAGraph
    found = getattr(torch.accelerator, "Graph", None)
    if not setting.device.is_accelerator or found is None:
        raise UnavailableError(f"{setting.device.name} has no graphs of captured work")
    return found


def _capturable(setting: Setting) -> Setting:
    try:
        return with_optimizer(setting, capturable=True)
    except UnavailableError:
        return setting  # plain SGD keeps nothing that a capture could not hold

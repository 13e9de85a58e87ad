"""One training run: a model on a device at a batch size, advanced step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from training import batches, networks

if TYPE_CHECKING:
    from training.data import Dataset
    from training.devices import Device
    from training.registry import LogInterval, Model

SEED = 42


class TooFewSamplesError(Exception):
    """The dataset has fewer training samples than one batch."""


class TrainingRun:
    """A network in training; `step` is the thing that is timed.

    The same arguments give the same initial weights and the same order of batches on every device and at every log
    interval. The loss is read back to the host after every `log_interval` steps: `steps // log_interval` times in all.

    Raises:
        TooFewSamplesError: the dataset does not fill one batch.
    """

    def __init__(
        self, model: Model, dataset: Dataset, batch_size: int, log_interval: LogInterval, device: Device
    ) -> None:
        if dataset.train_samples < batch_size:
            raise TooFewSamplesError(
                f"batch {batch_size} needs {batch_size} training samples, {dataset.name} has {dataset.train_samples}"
            )
        place = device.torch_device
        self.model = model
        self.device = device
        self.dataset = dataset
        self.batch_size = batch_size
        self.log_interval: int | None = None if log_interval == "never" else log_interval
        self.network = networks.seeded(model.build, SEED).to(place)
        self._criterion = model.loss()
        self._optimizer = model.optimizer(self.network.parameters())
        self._fixed = batches.fixed(dataset, batch_size, place)
        self._batches = (
            batches.resident(dataset, batch_size, place)
            if model.resident
            else batches.copied(dataset, batch_size, place, SEED)
        )
        self.steps = 0
        self.reads = 0
        self.loss: torch.Tensor | None = None
        self.logged_loss: float | None = None

    def step(self) -> None:
        """Take a batch, forward, loss, backward, update; read the loss when it is due."""
        inputs, targets = next(self._batches)
        loss = self._criterion(self.network(inputs), targets)
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        self.loss = loss
        self.steps += 1
        if self.log_interval is not None and self.steps % self.log_interval == 0:
            self.logged_loss = loss.item()
            self.reads += 1

    def losses(self, steps: int) -> list[float]:
        """Take `steps` steps and return the loss of each; not for timing, since it waits for every step."""
        found = []
        for _ in range(steps):
            self.step()
            assert self.loss is not None
            found.append(float(self.loss.detach()))
        return found

    def mean_loss(self) -> float:
        """Mean loss over the same fixed training batches, as training mode computes it; leaves the network as it was.

        Training mode, since batch statistics in evaluation mode say nothing before they have been gathered; the
        gathered ones are put back afterwards.
        """
        kept = [buffer.clone() for buffer in self.network.buffers()]
        with torch.no_grad():
            losses = [self._criterion(self.network(inputs), targets) for inputs, targets in self._fixed]
            for buffer, value in zip(self.network.buffers(), kept, strict=True):
                buffer.copy_(value)
            return float(torch.stack(losses).mean())

    def accuracy(self) -> float:
        """Share of the test samples that the network classifies correctly, in evaluation mode."""
        return accuracy(self.network, self.dataset.test_inputs, self.dataset.test_targets)

    def trained_device(self) -> torch.device:
        """The device of the parameters that were trained, as torch reports it."""
        return next(self.network.parameters()).device


def accuracy(network: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor, chunk: int = 256) -> float:
    """Share of samples classified correctly in evaluation mode; restores the mode the network was in."""
    place = next(network.parameters()).device
    was_training = network.training
    network.eval()
    with torch.no_grad():
        parts = [network(part.to(place)).argmax(1).cpu() for part in torch.split(inputs, chunk)]
        right = int((torch.cat(parts) == targets).sum())
    network.train(was_training)
    return right / len(targets)

"""The two lessons' training loops, as they wrote them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import nn, optim

from training import networks
from training.run import SEED, accuracy

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.data import Dataset
    from training.devices import Device
    from training.registry import LogInterval

CNN_BATCH_SIZE = 128
CURVE_POINTS = 500

Curve = list[tuple[int, float]]


@dataclass
class Lesson:
    """A lesson prepared on a device: `train` is the loop that it times.

    `curve` holds the (step, loss) pairs the loop recorded; `first_step_time_s` is the first step's time alone, the
    device waited for at both ends, when it was asked for.
    """

    device: Device
    dataset: Dataset
    epochs: int
    log_interval: LogInterval
    network: nn.Module
    optimizer: optim.Optimizer
    time_first_step: bool = False
    first_step_time_s: float | None = None
    curve: Curve = field(default_factory=list)

    def train(self) -> None:
        """Run the lesson's whole loop on the prepared network."""
        raise NotImplementedError

    @property
    def steps(self) -> int:
        """Optimizer steps of the whole lesson."""
        return self.epochs

    def mean_loss(self) -> float:
        """Mean cross entropy over the training samples, at most the first 1000."""
        place = self.placed_on()
        inputs, targets = self.dataset.train_inputs[:1000].to(place), self.dataset.train_targets[:1000].to(place)
        with torch.no_grad():
            return float(nn.functional.cross_entropy(self.network(inputs), targets))

    def placed_on(self) -> torch.device:
        """The device of the network's parameters."""
        return next(self.network.parameters()).device

    def accuracy(self) -> float:
        """Share of the test samples classified correctly."""
        return accuracy(self.network, self.dataset.test_inputs, self.dataset.test_targets)

    def _end_first_step(self, start: float) -> None:
        if self.time_first_step and self.first_step_time_s is None:
            self.first_step_time_s = self.device.clock() - start


class IrisLesson(Lesson):
    """20000 full-batch epochs of SGD on data that lie on the device; the loss is read every `log_interval` epochs."""

    def train(self) -> None:
        """One step an epoch, calling `forward` by its name as the lesson does."""
        place = self.device.torch_device
        inputs, targets = self.dataset.train_inputs.to(place), self.dataset.train_targets.to(place)
        criterion, optimizer = nn.CrossEntropyLoss(), self.optimizer
        interval = math.inf if self.log_interval == "never" else self.log_interval
        start = self.device.clock()
        for epoch in range(1, self.epochs + 1):
            outputs = self.network.forward(inputs)
            loss = criterion(outputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % interval == 0:
                self.curve.append((epoch, loss.item()))
            if epoch == 1:
                self._end_first_step(start)


class CnnLesson(Lesson):
    """Epochs of Adam over shuffled batches of 128, the last one smaller, each copied to the device on its own.

    The lesson never reads the loss while it trains; the curve is fetched from the device after the loop.
    """

    @property
    def steps(self) -> int:
        """Optimizer steps of the whole lesson."""
        return self.epochs * math.ceil(self.dataset.train_samples / CNN_BATCH_SIZE)

    def train(self) -> None:
        """One pass over the data per epoch."""
        place = self.device.torch_device
        criterion, optimizer = nn.CrossEntropyLoss(), self.optimizer
        generator = torch.Generator().manual_seed(SEED)
        losses: list[torch.Tensor] = []
        start = self.device.clock()
        for _ in range(self.epochs):
            order = torch.randperm(self.dataset.train_samples, generator=generator)
            for chosen in torch.split(order, CNN_BATCH_SIZE):
                inputs, targets = (
                    self.dataset.train_inputs[chosen].to(place),
                    self.dataset.train_targets[chosen].to(place),
                )
                loss = criterion(self.network(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
                self._end_first_step(start)
        fetched = torch.stack(losses).tolist()
        self.curve = list(enumerate(fetched, start=1))


def iris_lesson(dataset: Dataset, device: Device, epochs: int, log_interval: LogInterval) -> IrisLesson:
    """The iris lesson with a fresh network on the device."""
    network = _placed(networks.IrisMLP, device)
    return IrisLesson(device, dataset, epochs, log_interval, network, optim.SGD(network.parameters(), lr=0.01))


def cnn_lesson(dataset: Dataset, device: Device, epochs: int) -> CnnLesson:
    """The CNN lesson with a fresh network on the device."""
    network = _placed(networks.mnist_cnn, device)
    return CnnLesson(device, dataset, epochs, "never", network, optim.Adam(network.parameters(), lr=0.001))


def thinned(curve: Curve, points: int = CURVE_POINTS) -> Curve:
    """At most `points` of a curve's points, evenly spaced, always with its first and its last."""
    if len(curve) <= points:
        return curve
    last = len(curve) - 1
    return [curve[round(i * last / (points - 1))] for i in range(points)]


def _placed(build: Callable[[], nn.Module], device: Device) -> nn.Module:
    network = networks.seeded(build, SEED).to(device.torch_device)
    device.synchronize()
    return network

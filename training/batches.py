"""Where a step's batch comes from: data resident on the device, or copied there batch by batch."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from training.data import Dataset

Batch = tuple[torch.Tensor, torch.Tensor]


def resident(dataset: Dataset, batch_size: int, device: torch.device) -> Iterator[Batch]:
    """Endless batches as views of training data that were put on the device once, in the dataset's order.

    The incomplete last batch is dropped.
    """
    inputs = dataset.train_inputs.to(device)
    targets = dataset.train_targets.to(device)
    starts = range(0, dataset.train_samples - batch_size + 1, batch_size)
    return cycle([(inputs[i : i + batch_size], targets[i : i + batch_size]) for i in starts])


def copied(dataset: Dataset, batch_size: int, device: torch.device, seed: int) -> Iterator[Batch]:
    """Endless batches gathered on the host and copied to the device one by one, reshuffled every epoch by the seed.

    The incomplete last batch of an epoch is dropped.
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        order = torch.randperm(dataset.train_samples, generator=generator)
        for start in range(0, dataset.train_samples - batch_size + 1, batch_size):
            chosen = order[start : start + batch_size]
            yield dataset.train_inputs[chosen].to(device), dataset.train_targets[chosen].to(device)


def fixed(dataset: Dataset, batch_size: int, device: torch.device, count: int = 4) -> list[Batch]:
    """The first `count` training batches, always the same, to judge by them whether a network learned."""
    count = min(count, dataset.train_samples // batch_size)
    inputs = dataset.train_inputs[: count * batch_size].to(device)
    targets = dataset.train_targets[: count * batch_size].to(device)
    return list(zip(torch.split(inputs, batch_size), torch.split(targets, batch_size), strict=True))

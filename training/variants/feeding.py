"""Where a batch comes from: on the device before training, copied from two kinds of memory, or from a DataLoader.

All of them give the batches that the model's row gives, in its order: the dataset's, or reshuffled every epoch by the
seed. An incomplete last batch is dropped.
"""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch.utils.data import DataLoader, TensorDataset

from training.devices import physical_cores
from training.run import SEED
from training.variants.run import UnavailableError, VariantRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from training.batches import Batch
    from training.variants.run import Setting

SAME_ON_CPU = "on a CPU the data lie in its memory already: this is what the plain variant does"


class EpochOrder:
    """Which samples make the batches of an epoch; every iteration is the next epoch.

    Slices of the dataset's order where the data are resident by the model's row, shuffled indices otherwise.
    """

    def __init__(self, setting: Setting) -> None:
        self._samples, self._batch_size = setting.dataset.train_samples, setting.batch_size
        self._generator = None if setting.model.resident else torch.Generator().manual_seed(SEED)

    def __iter__(self) -> Iterator[slice | torch.Tensor]:
        """The batches of one epoch."""
        order = None if self._generator is None else torch.randperm(self._samples, generator=self._generator)
        for start in range(0, self._samples - self._batch_size + 1, self._batch_size):
            chosen = slice(start, start + self._batch_size)
            yield chosen if order is None else order[chosen]

    def endless(self) -> Iterator[slice | torch.Tensor]:
        """The batches of one epoch after another."""
        while True:
            yield from self


class IndexLists:
    """An order as a DataLoader wants it: lists of sample numbers."""

    def __init__(self, order: EpochOrder, samples: int) -> None:
        self._order, self._samples = order, samples

    def __iter__(self) -> Iterator[list[int]]:
        """The lists of one epoch."""
        everything = torch.arange(self._samples)
        for chosen in self._order:
            yield everything[chosen].tolist()


def as_registered(setting: Setting) -> VariantRun:
    """As the model's row says: resident, or gathered in pageable memory and copied."""
    return VariantRun(setting)


def resident(setting: Setting) -> VariantRun:
    """All data on the device before training; batches are gathered there."""
    if not setting.device.is_accelerator:
        raise UnavailableError(SAME_ON_CPU)
    return _fed(setting, from_device(setting))


def pageable(setting: Setting) -> VariantRun:
    """Batches gathered in ordinary host memory, copied while the host waits."""
    if not setting.device.is_accelerator:
        raise UnavailableError(SAME_ON_CPU)
    return _fed(setting, from_host(setting))


def pinned(setting: Setting) -> VariantRun:
    """Batches gathered in page-locked host memory, copied while the host goes on."""
    if not setting.device.is_accelerator:
        raise UnavailableError("page-locked memory serves copies to an accelerator; nothing is copied to a CPU")
    return _fed(setting, from_pinned(setting))


def loaded(setting: Setting, workers: int) -> VariantRun:
    """Batches collated sample by sample by a DataLoader, restarted every epoch as in any training script."""
    if workers and physical_cores() < workers:
        raise UnavailableError(f"{workers} worker processes on {physical_cores()} core")
    return _fed(setting, from_loader(setting, workers))


def _fed(setting: Setting, batches: Iterator[Batch]) -> VariantRun:
    run = VariantRun(setting)
    run.feed(batches)
    return run


def from_device(setting: Setting) -> Iterator[Batch]:
    """Batches gathered on the device, where all data are put first."""
    place, data = setting.device.torch_device, setting.dataset
    inputs, targets = data.train_inputs.to(place), data.train_targets.to(place)
    for chosen in EpochOrder(setting).endless():
        there = chosen if isinstance(chosen, slice) else chosen.to(place)
        yield inputs[there], targets[there]


def from_host(setting: Setting) -> Iterator[Batch]:
    """Batches gathered in pageable memory, then copied."""
    place, data = setting.device.torch_device, setting.dataset
    for chosen in EpochOrder(setting).endless():
        yield data.train_inputs[chosen].to(place), data.train_targets[chosen].to(place)


def from_pinned(setting: Setting) -> Iterator[Batch]:
    """Batches gathered in page-locked memory; the copies are left under way."""
    to_device = partial(torch.Tensor.to, device=setting.device.torch_device, non_blocking=True)
    inputs, targets = setting.dataset.train_inputs, setting.dataset.train_targets
    if setting.model.resident:
        inputs, targets = inputs.pin_memory(), targets.pin_memory()
    for chosen in EpochOrder(setting).endless():
        if isinstance(chosen, slice):
            yield to_device(inputs[chosen]), to_device(targets[chosen])
        else:
            yield to_device(_gathered(inputs, chosen)), to_device(_gathered(targets, chosen))


def _gathered(source: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    # torch's allocator of page-locked memory gives a buffer out again only when copies from it are over.
    target = torch.empty((len(chosen), *source.shape[1:]), dtype=source.dtype, pin_memory=True)
    return torch.index_select(source, 0, chosen, out=target)


def from_loader(setting: Setting, workers: int) -> Iterator[Batch]:
    """Batches collated by a DataLoader that starts anew every epoch, then copied."""
    place, data = setting.device.torch_device, setting.dataset
    loader = DataLoader(
        TensorDataset(data.train_inputs, data.train_targets),
        batch_sampler=IndexLists(EpochOrder(setting), data.train_samples),
        num_workers=workers,
        persistent_workers=workers > 0,
        # Starting workers anew would import torch in each; they use no accelerator, so a fork is safe.
        multiprocessing_context=multiprocessing.get_context("fork") if workers and sys.platform == "linux" else None,
    )
    while True:
        with warnings.catch_warnings():
            # Python 3.12 warns of every fork of a process with threads; torch's workers are made for it.
            warnings.filterwarnings("ignore", r"This process .* is multi-threaded", DeprecationWarning)
            batches = iter(loader)
        for inputs, targets in batches:
            yield inputs.to(place), targets.to(place)

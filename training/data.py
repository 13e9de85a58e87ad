"""The data: iris and digits as scikit-learn bundles them, MNIST where it can be had, and made images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from training import mnist

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Dataset:
    """Training and test tensors on the CPU: float32 inputs (samples, ...), int64 targets (samples,)."""

    name: str
    train_inputs: torch.Tensor
    train_targets: torch.Tensor
    test_inputs: torch.Tensor
    test_targets: torch.Tensor

    @property
    def train_samples(self) -> int:
        """Number of training samples."""
        return len(self.train_targets)


@lru_cache(maxsize=1)
def iris() -> Dataset:
    """Iris as the lesson prepares it: 120 training and 30 test samples of 4 features, scaled to [0, 1].

    The scaling is fitted on the training part only; the split uses `random_state=42`.
    """
    from sklearn.datasets import load_iris  # noqa: PLC0415  scikit-learn takes seconds; other models need none
    from sklearn.model_selection import train_test_split  # noqa: PLC0415
    from sklearn.preprocessing import MinMaxScaler  # noqa: PLC0415

    inputs, targets = load_iris(return_X_y=True)
    parts = train_test_split(inputs, targets, test_size=0.2, random_state=42)
    train_inputs, test_inputs, train_targets, test_targets = parts
    scaler = MinMaxScaler().fit(train_inputs)
    return Dataset(
        "iris",
        torch.tensor(scaler.transform(train_inputs), dtype=torch.float32),
        torch.tensor(train_targets, dtype=torch.int64),
        torch.tensor(scaler.transform(test_inputs), dtype=torch.float32),
        torch.tensor(test_targets, dtype=torch.int64),
    )


@lru_cache(maxsize=1)
def digits() -> Dataset:
    """scikit-learn's 1797 handwritten digits of 8x8, resized to (1, 28, 28) in [0, 1]; the last 360 are the test."""
    from sklearn.datasets import load_digits  # noqa: PLC0415  as above

    bunch = load_digits()
    small = torch.tensor(bunch.images / 16.0, dtype=torch.float32).unsqueeze(1)
    images = torch.nn.functional.interpolate(small, size=(28, 28), mode="bilinear", align_corners=False)
    targets = torch.tensor(bunch.target, dtype=torch.int64)
    train = len(targets) - 360
    return Dataset("digits", images[:train], targets[:train], images[train:], targets[train:])


@lru_cache(maxsize=2)
def made_images(size: int) -> Dataset:
    """Made images (3, size, size) of ten classes: a fixed pattern per class plus noise, the same in every launch.

    512 training and 64 test samples up to 64 pixels, 64 and 32 above, so that they fit a small machine.
    """
    generator = torch.Generator().manual_seed(20240229)
    train, test = (512, 64) if size <= 64 else (64, 32)  # noqa: PLR2004  explained above
    patterns = torch.randn(10, 3, size, size, generator=generator)
    targets = torch.randint(10, (train + test,), generator=generator)
    images = patterns[targets] + torch.randn(train + test, 3, size, size, generator=generator)
    return Dataset("made", images[:train], targets[:train], images[train:], targets[train:])


@lru_cache(maxsize=4)
def handwriting(folder: Path, *, download: bool = True) -> Dataset:
    """MNIST's first 5000 training and 1000 test images from `folder` or the network, else scikit-learn's digits.

    Images are float32 (1, 28, 28) in [0, 1]. The dataset's name says which it is.

    Raises:
        mnist.DataError: the folder holds a damaged or incomplete MNIST.
    """
    found = mnist.load(folder, download=download)
    if found is None:
        return digits()
    train, test = found
    return Dataset("mnist", *train, *test)

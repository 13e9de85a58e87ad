"""MNIST in a folder: checked before use, downloaded whole or not at all, absent without fuss."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import tempfile
import urllib.error
from pathlib import Path

import torch

TRAIN_SAMPLES = 5000
TEST_SAMPLES = 1000
# Magic number, dimensions and samples needed; format: http://yann.lecun.com/exdb/mnist/ ("FILE FORMATS")
_FILES = {
    "train-images-idx3-ubyte": (2051, 3, TRAIN_SAMPLES),
    "train-labels-idx1-ubyte": (2049, 1, TRAIN_SAMPLES),
    "t10k-images-idx3-ubyte": (2051, 3, TEST_SAMPLES),
    "t10k-labels-idx1-ubyte": (2049, 1, TEST_SAMPLES),
}
_CONNECT_TIMEOUT_S = 10.0

Part = tuple[torch.Tensor, torch.Tensor]


class DataError(Exception):
    """A data folder that cannot be used; the message is one line that names the file and what is wrong."""


def default_folder() -> Path:
    """Where MNIST is looked for and kept unless told otherwise: in the user's cache, or else a temporary one."""
    try:
        home = Path.home()
    except RuntimeError:  # no HOME, and a user id that no password file knows, as a container may have
        home = Path(tempfile.gettempdir())
    return home / ".cache" / "training-benchmarks"


def load(folder: Path, *, download: bool = True) -> tuple[Part, Part] | None:
    """The first 5000 training and 1000 test images of MNIST in `folder`, downloaded there if need be and allowed.

    Returns two pairs of float32 images (samples, 1, 28, 28) in [0, 1] and int64 labels (samples,), or None when
    the folder holds none and the network brings none.

    Raises:
        DataError: the folder holds a damaged or incomplete MNIST, or cannot be written.
    """
    raw = folder / "MNIST" / "raw"
    found = sorted(path.name for path in raw.glob("*ubyte*")) if raw.is_dir() else []
    if not found and not (download and _download(folder)):
        return None
    missing = [name for name in _FILES if not (raw / name).is_file()]
    if missing:
        raise DataError(
            f"{raw}: MNIST is incomplete, {', '.join(missing)} missing; "
            "complete the folder, or delete it to download MNIST again"
        )
    for name, (magic, dimensions, samples) in _FILES.items():
        _check_file(raw / name, magic, dimensions, samples)
    return _part(folder, train=True, samples=TRAIN_SAMPLES), _part(folder, train=False, samples=TEST_SAMPLES)


def _check_file(path: Path, magic: int, dimensions: int, samples: int) -> None:
    header_bytes = 4 * (1 + dimensions)
    with path.open("rb") as file:
        header = file.read(header_bytes)
    if len(header) < header_bytes:
        raise DataError(f"{path}: cut short, {len(header)} bytes do not even hold its header of {header_bytes}")
    found_magic, *sizes = struct.unpack(f">{1 + dimensions}i", header)
    if found_magic != magic:
        raise DataError(f"{path}: not an MNIST file, it starts with {found_magic} instead of {magic}")
    if dimensions > 1 and sizes[1:] != [28, 28]:
        raise DataError(f"{path}: its images are {'x'.join(map(str, sizes[1:]))}, MNIST's are 28x28")
    if sizes[0] < samples:
        raise DataError(f"{path}: holds {sizes[0]} samples, {samples} are needed")
    promised = header_bytes + sizes[0] * (28 * 28 if dimensions > 1 else 1)
    actual = path.stat().st_size
    if actual != promised:
        raise DataError(f"{path}: damaged, {actual} bytes where its header promises {promised}")


def _part(folder: Path, *, train: bool, samples: int) -> Part:
    from torchvision.datasets import MNIST  # noqa: PLC0415  torchvision takes seconds and is not always needed

    dataset = MNIST(str(folder), train=train, download=False)
    if len(dataset.data) != len(dataset.targets):
        raise DataError(
            f"{folder / 'MNIST' / 'raw'}: {len(dataset.data)} images but {len(dataset.targets)} labels "
            f"in its {'training' if train else 'test'} part"
        )
    images = dataset.data[:samples].unsqueeze(1).to(torch.float32) / 255.0
    return images, dataset.targets[:samples].to(torch.int64)


def _download(folder: Path) -> bool:
    """Bring MNIST into `folder`, whole or not at all; False when that fails and no other process has brought it."""
    from torchvision.datasets import MNIST  # noqa: PLC0415  as above

    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".mnist-", dir=folder))
    except OSError as error:
        raise DataError(f"{folder}: cannot be used, {error.strerror}; --data-dir names another folder") from error
    timeout_before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_CONNECT_TIMEOUT_S)
    try:
        MNIST(str(staging), download=True)
        (folder / "MNIST").mkdir(exist_ok=True)
        os.replace(staging / "MNIST" / "raw", folder / "MNIST" / "raw")  # noqa: PTH105  replaces an empty folder
    except (RuntimeError, urllib.error.URLError, OSError):
        return any((folder / "MNIST" / "raw").glob("*ubyte*"))
    finally:
        socket.setdefaulttimeout(timeout_before)
        shutil.rmtree(staging, ignore_errors=True)
    return True

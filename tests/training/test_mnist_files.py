"""MNIST from a folder: real idx files, written here."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from training import data, mnist

IMAGES = {"train-images-idx3-ubyte": 5000, "t10k-images-idx3-ubyte": 1000}
LABELS = {"train-labels-idx1-ubyte": 5000, "t10k-labels-idx1-ubyte": 1000}


def write_mnist(folder: Path) -> Path:
    """An MNIST of the least size: image i is all i % 256, its label i % 10."""
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name, count in IMAGES.items():
        pixels = np.repeat(np.arange(count, dtype=np.uint32) % 256, 28 * 28).astype(np.uint8)
        (raw / name).write_bytes(struct.pack(">4i", 2051, count, 28, 28) + pixels.tobytes())
    for name, count in LABELS.items():
        (raw / name).write_bytes(struct.pack(">2i", 2049, count) + (np.arange(count) % 10).astype(np.uint8).tobytes())
    return raw


def test_reads_the_first_5000_and_1000_images_scaled_to_one(tmp_path: Path) -> None:
    write_mnist(tmp_path)

    (images, labels), (test_images, test_labels) = mnist.load(tmp_path) or pytest.fail("found no MNIST")

    assert images.shape == (5000, 1, 28, 28)
    assert images.dtype == torch.float32
    assert images[51].unique().tolist() == [pytest.approx(0.2)]  # 51 / 255
    assert labels[:12].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    assert labels.dtype == torch.int64
    assert test_images.shape == (1000, 1, 28, 28)
    assert len(test_labels) == 1000


def test_handwriting_is_named_mnist_when_the_folder_holds_it(tmp_path: Path) -> None:
    write_mnist(tmp_path)

    assert data.handwriting(tmp_path).name == "mnist"


def test_handwriting_is_named_digits_when_there_is_none(tmp_path: Path) -> None:
    found = data.handwriting(tmp_path, download=False)

    assert found.name == "digits"
    assert found.train_inputs.shape == (1437, 1, 28, 28)
    assert found.test_inputs.shape == (360, 1, 28, 28)


def test_without_a_home_folder_the_cache_is_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))

    assert mnist.default_folder() == tmp_path / ".cache" / "training-benchmarks"


def test_a_failed_download_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(root: str, **_options: object) -> None:
        (Path(root) / "MNIST" / "raw").mkdir(parents=True)
        (Path(root) / "MNIST" / "raw" / "train-images-idx3-ubyte.gz").write_bytes(b"half")
        raise RuntimeError("Error downloading train-images-idx3-ubyte.gz")

    monkeypatch.setattr("torchvision.datasets.MNIST", unreachable)

    assert mnist.load(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_download_is_moved_into_place_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchvision.datasets import MNIST  # noqa: PLC0415  only this test needs the real one

    def reached(root: str, *, download: bool = False, train: bool = True) -> object:
        if download:
            write_mnist(Path(root))
        return MNIST(root, train=train, download=False)

    monkeypatch.setattr("torchvision.datasets.MNIST", reached)

    assert mnist.load(tmp_path) is not None
    assert sorted(path.name for path in tmp_path.rglob("*ubyte")) == sorted([*IMAGES, *LABELS])
    assert [path.name for path in tmp_path.iterdir()] == ["MNIST"]


def test_what_another_process_has_brought_meanwhile_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchvision.datasets import MNIST  # noqa: PLC0415  as above

    def overtaken(root: str, *, download: bool = False, train: bool = True) -> object:
        if download:
            write_mnist(Path(root))
            write_mnist(tmp_path)
        return MNIST(root, train=train, download=False)

    monkeypatch.setattr("torchvision.datasets.MNIST", overtaken)

    assert mnist.load(tmp_path) is not None
    assert [path.name for path in tmp_path.iterdir()] == ["MNIST"]


@pytest.mark.parametrize(
    ("name", "damage", "says"),
    [
        ("train-images-idx3-ubyte", lambda raw: raw[:1000], "damaged, 1000 bytes where its header promises 3920016"),
        ("train-labels-idx1-ubyte", lambda raw: raw[:3], "cut short, 3 bytes do not even hold its header of 8"),
        ("t10k-images-idx3-ubyte", lambda raw: b"\0\0\0\7" + raw[4:], "it starts with 7 instead of 2051"),
        ("t10k-labels-idx1-ubyte", lambda raw: raw + b"\0", "damaged, 1009 bytes where its header promises 1008"),
        ("train-labels-idx1-ubyte", lambda _raw: b"", "cut short, 0 bytes"),
        (
            "t10k-labels-idx1-ubyte",
            lambda _raw: struct.pack(">2i", 2049, 10) + bytes(10),
            "holds 10 samples, 1000 are needed",
        ),
        ("t10k-images-idx3-ubyte", lambda raw: raw[:8] + struct.pack(">2i", 14, 56) + raw[16:], "its images are 14x56"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path: Path, name: str, damage: object, says: str) -> None:
    raw = write_mnist(tmp_path)
    (raw / name).write_bytes(damage((raw / name).read_bytes()))  # type: ignore[operator]

    with pytest.raises(mnist.DataError) as error:
        mnist.load(tmp_path)

    assert name in str(error.value)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_half_downloaded_folder_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    raw = write_mnist(tmp_path)
    (raw / "t10k-labels-idx1-ubyte").rename(raw / "t10k-labels-idx1-ubyte.gz")

    with pytest.raises(mnist.DataError, match="MNIST is incomplete, t10k-labels-idx1-ubyte missing"):
        mnist.load(tmp_path)


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(mnist.DataError, match=r"cannot be used, .*; --data-dir names another folder"):
        mnist.load(tmp_path / "data")

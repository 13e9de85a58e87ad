"""Machine primitives: the smallest operations a training step is made of, each with what one of it moves or computes.

A step's time is explained by them: what an operator costs the host, what a read waits, what memory and arithmetic
allow. `primitives_of(device)` lists those that exist on a device: nothing is copied to a CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch

from training import layers, pages, precision

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.devices import Device

KIB, MIB = 2**10, 2**20
COPY_SIZES = {"4kib": (4 * KIB, 500), "1mib": (MIB, 100), "64mib": (64 * MIB, 2)}
"""Bytes of one copy, and how many of them make a round."""
HOST_ARRAY_BYTES, ACCELERATOR_ARRAY_BYTES = 128 * MIB, 512 * MIB
"""Arrays that no cache holds: the largest last-level caches are 96 MiB per core complex and 50 MiB per GPU."""
HOST_SIDE, ACCELERATOR_SIDE, MATRIX_UNIT_SIDE = 1024, 4096, 8192
"""Rows and columns of the matrices that are multiplied.

The largest for the matrix units of an accelerator, which take 0.2 ms for a bfloat16 product of 4096: at the edges of so
few tiles a large GPU idles for a tenth of it.
"""
HOST_IMAGES, ACCELERATOR_IMAGES = (16, 64, 16), (64, 256, 32)
"""Batch size, channels and side of what is convolved and pooled: enough to fill a core or a GPU."""
HOST_WEIGHTS, ACCELERATOR_WEIGHTS = (2, 128, 1), (2, 2048, 1)
"""The same of a convolution with so few places that its weights are all that takes time."""
FRESH_BYTES = 64 * MIB


@dataclass(frozen=True)
class Operation:
    """What is timed, ready on its device; `without_read` does the same but for the read that is to be priced."""

    run: Callable[[], object]
    without_read: Callable[[], object] | None = None


@dataclass(frozen=True)
class Primitive:
    """One primitive on one kind of device.

    `name` is what it is; `amount` are the bytes moved (`amount_unit` "B") or floating-point operations ("FLOP") of one
    operation, None for a pure latency; `calls` operations make a round; `memory` says where the host's side of a copy
    lies. `missing` says what a device lacks for it.
    """

    name: str
    calls: int
    prepare: Callable[[Device], Operation]
    amount: float | None = None
    amount_unit: str | None = None
    dtype: str | None = None
    memory: str | None = None
    missing: Callable[[Device], str | None] = lambda _device: None


def primitives_of(device: Device) -> dict[str, Primitive]:
    """The primitives of a device by the words that name them in ids, such as `matmul-float32`."""
    return _ON_ACCELERATOR if device.is_accelerator else _ON_HOST


def sustained_product(device: Device) -> Primitive:
    """A product that keeps any device busy for long, to be repeated for minutes: nothing draws more power."""
    return _matmul_row(ACCELERATOR_SIDE, 50 if device.is_accelerator else 1, torch.float32, "float32")


def _dispatch(_device: Device) -> Operation:
    """An in-place addition of one element in host memory: what the host pays for any operator, on every device."""
    one, other = torch.zeros(1), torch.ones(1)
    return Operation(partial(one.add_, other))


def _launch(device: Device) -> Operation:
    """The same addition on the device, whose kernel ends sooner than the host can queue the next."""
    one, other = torch.zeros(1, device=device.torch_device), torch.ones(1, device=device.torch_device)
    return Operation(partial(one.add_, other))


def _read_idle(device: Device) -> Operation:
    return Operation(torch.zeros(1, device=device.torch_device).item)


def _read_busy(device: Device) -> Operation:
    """A pass over a large array, then a read of one of its elements, which waits for the pass."""
    array = _array(device)
    first = array[:1]
    work = partial(array.add_, 1.0)

    def read_while_busy() -> None:
        work()
        first.item()

    return Operation(read_while_busy, without_read=work)


def _memory(device: Device) -> Operation:
    """An in-place addition to every element: each is read once and written once, and no line is fetched in vain."""
    return Operation(partial(_array(device).add_, 1.0))


def _matmul(side: int, dtype: torch.dtype, device: Device) -> Operation:
    """Random factors, made where they are multiplied: products of zeros draw less power and are faster."""
    place = device.torch_device
    generator = torch.Generator(place).manual_seed(1)
    one, other = (torch.randn(side, side, generator=generator, device=place).to(dtype) for _ in range(2))
    return Operation(partial(torch.mm, one, other, out=torch.empty_like(one)))


def _convolution(images: tuple[int, int, int], device: Device) -> Operation:
    return Operation(layers.convolution(*images, device.torch_device))


def _pooling(images: tuple[int, int, int], device: Device) -> Operation:
    return Operation(layers.pooling(*images, device.torch_device))


def _fresh_memory(_device: Device) -> Operation:
    return Operation(pages.touched_anew(FRESH_BYTES))


def _copy(size_bytes: int, to_device: bool, pinned: bool, device: Device) -> Operation:
    there = torch.zeros(size_bytes, dtype=torch.uint8, device=device.torch_device)
    here = torch.zeros(size_bytes, dtype=torch.uint8, pin_memory=pinned)
    source, target = (here, there) if to_device else (there, here)
    return Operation(partial(target.copy_, source, non_blocking=pinned))


def _array(device: Device) -> torch.Tensor:
    size_bytes = ACCELERATOR_ARRAY_BYTES if device.is_accelerator else HOST_ARRAY_BYTES
    return torch.zeros(size_bytes // 4, device=device.torch_device)


def _layer_rows(
    images: tuple[int, int, int], weights: tuple[int, int, int], calls: tuple[int, int, int]
) -> dict[str, Primitive]:
    """Layers forward and backward: of images, and a convolution of weights alone; `calls` of each in their order."""
    convolution, of_weights, pooling = calls
    flops, weight_bytes = layers.convolution_flops(*images), layers.convolution_weight_bytes(*weights)
    moved_bytes = layers.pooling_bytes(*images)
    return {
        "convolution-float32": Primitive(
            "convolution", convolution, partial(_convolution, images), flops, "FLOP", "float32"
        ),
        "convolution-weights": Primitive(
            "convolution-weights", of_weights, partial(_convolution, weights), weight_bytes, "B", "float32"
        ),
        "pooling": Primitive("pooling", pooling, partial(_pooling, images), moved_bytes, "B", "float32"),
    }


def _memory_row(array_bytes: int, calls: int) -> Primitive:
    return Primitive("memory", calls, _memory, 2 * array_bytes, "B", "float32")


def _matmul_row(
    side: int, calls: int, dtype: torch.dtype, word: str, missing: Callable[[Device], str | None] = lambda _device: None
) -> Primitive:
    """A product of two square matrices: side^3 multiplications and as many additions."""
    return Primitive("matmul", calls, partial(_matmul, side, dtype), 2 * side**3, "FLOP", word, missing=missing)


def _copy_rows() -> dict[str, Primitive]:
    rows = {}
    for way in ("to-device", "to-host"):
        for size, (size_bytes, calls) in COPY_SIZES.items():
            for memory in ("pageable", "pinned"):
                prepare = partial(_copy, size_bytes, way == "to-device", memory == "pinned")
                rows[f"copy-{way}-{size}-{memory}"] = Primitive(
                    f"copy-{way}", calls, prepare, size_bytes, "B", memory=memory
                )
    return rows


_ON_HOST = {
    "dispatch": Primitive("dispatch", 10_000, _dispatch),
    "read-idle": Primitive("read-idle", 50_000, _read_idle),
    "memory": _memory_row(HOST_ARRAY_BYTES, 1),
    "fresh-memory": Primitive(
        "fresh-memory", 1, _fresh_memory, FRESH_BYTES, "B", missing=lambda _device: pages.missing()
    ),
    **_layer_rows(HOST_IMAGES, HOST_WEIGHTS, (1, 20, 5)),
    "matmul-float32": _matmul_row(HOST_SIDE, 1, torch.float32, "float32"),
    "matmul-bfloat16": _matmul_row(HOST_SIDE, 1, torch.bfloat16, "bfloat16", precision.lacks_bfloat16),
}
_ON_ACCELERATOR = {
    "dispatch": Primitive("dispatch", 10_000, _dispatch),
    "launch": Primitive("launch", 3_000, _launch),
    "read-idle": Primitive("read-idle", 1_000, _read_idle),
    "read-busy": Primitive("read-busy", 50, _read_busy),
    **_copy_rows(),
    "memory": _memory_row(ACCELERATOR_ARRAY_BYTES, 20),
    **_layer_rows(ACCELERATOR_IMAGES, ACCELERATOR_WEIGHTS, (4, 20, 50)),
    "matmul-float32": _matmul_row(ACCELERATOR_SIDE, 4, torch.float32, "float32"),
    "matmul-tf32": _matmul_row(MATRIX_UNIT_SIDE, 4, torch.float32, "tf32", precision.lacks_tf32),
    "matmul-bfloat16": _matmul_row(MATRIX_UNIT_SIDE, 8, torch.bfloat16, "bfloat16", precision.lacks_bfloat16),
}

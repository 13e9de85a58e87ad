"""Machine primitives: which exist where, what one moves or computes, and what it does."""

from __future__ import annotations

import mmap
import time
from typing import TYPE_CHECKING

import pytest
import torch
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from fixtures.primitives import settling
from fixtures.traffic import TrafficCounter
from fixtures.watch import page_faults
from training import layers, pages, precision, primitives
from training.devices import DEVICES, Device
from training.primitives import primitives_of

if TYPE_CHECKING:
    from collections.abc import Callable

CPU, CUDA = DEVICES["cpu"], DEVICES["cuda"]
SMALL = 4096


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(primitives, "HOST_ARRAY_BYTES", SMALL)
    monkeypatch.setattr(primitives, "ACCELERATOR_ARRAY_BYTES", SMALL)


def test_nothing_is_copied_to_a_cpu_nor_launched_on_it() -> None:
    assert list(primitives_of(CPU)) == [
        "dispatch", "read-idle", "memory", "fresh-memory", "convolution-float32", "convolution-weights", "pooling",
        "matmul-float32", "matmul-bfloat16",
    ]  # fmt: skip


def test_an_accelerator_copies_both_ways_at_three_sizes_from_two_kinds_of_memory() -> None:
    copies = [name for name in primitives_of(CUDA) if name.startswith("copy")]

    assert len(copies) == 2 * 3 * 2
    assert "copy-to-device-1mib-pinned" in copies
    assert {"dispatch", "launch", "read-idle", "read-busy", "memory", "matmul-tf32"} <= primitives_of(CUDA).keys()


@pytest.mark.parametrize(
    ("device", "name", "amount", "unit"),
    [
        (CPU, "matmul-float32", 2 * 1024 * 1024 * 1024, "FLOP"),  # 1024^3 products and as many sums: 2.147e9
        (CUDA, "matmul-float32", 137_438_953_472, "FLOP"),  # 2 * 4096^3
        (CUDA, "matmul-bfloat16", 1_099_511_627_776, "FLOP"),  # 2 * 8192^3
        (CPU, "memory", 268_435_456, "B"),  # 128 MiB read and written
        (CUDA, "memory", 1_073_741_824, "B"),  # 512 MiB read and written
        (CUDA, "copy-to-device-4kib-pageable", 4096, "B"),
        (CUDA, "copy-to-host-64mib-pinned", 67_108_864, "B"),
        (CPU, "fresh-memory", 67_108_864, "B"),
        (CPU, "convolution-float32", 905_969_664, "FLOP"),  # 3 parts of 2 * 16 * 16^2 * 64^2 * 9
        (CUDA, "convolution-float32", 231_928_233_984, "FLOP"),  # 3 parts of 2 * 64 * 32^2 * 256^2 * 9
        (CPU, "convolution-weights", 1_769_472, "B"),  # 128^2 * 9 weights of 4 bytes, 3 times
        (CPU, "pooling", 4_718_592, "B"),  # 18 bytes for each of 16 * 64 * 16^2 values: 3 * 4 and 2 * (4 + 8) / 4
        (CPU, "dispatch", None, None),
        (CUDA, "launch", None, None),
        (CUDA, "read-busy", None, None),
    ],
)
def test_what_one_operation_moves_or_computes(device: Device, name: str, amount: float | None, unit: str) -> None:
    row = primitives_of(device)[name]

    assert (row.amount, row.amount_unit) == (amount, unit)


@pytest.mark.usefixtures("small")
def test_an_addition_passes_over_the_whole_array() -> None:
    run = primitives_of(CPU)["memory"].prepare(CPU).run

    run()

    assert torch.equal(result_of(run), torch.full((SMALL // 4,), 2.0))


@pytest.mark.parametrize("name", ["convolution-float32", "convolution-weights", "pooling"])
def test_a_layers_amount_is_what_is_counted_of_it_in_a_step(name: str) -> None:
    row = primitives_of(CPU)[name]
    run = row.prepare(CPU).run

    with FlopCounterMode(display=False) as flops, TrafficCounter() as traffic:
        run()

    kinds = {"convolution-weights": "convolution_weights", "pooling": "pooling"}
    counted = flops.get_total_flops() if row.amount_unit == "FLOP" else traffic.bytes_by_kind[kinds[name]]
    assert row.amount == counted


def test_a_convolution_has_the_gradients_that_training_computes() -> None:
    output, of_inputs, of_weights = layers.convolution(2, 3, 5, torch.device("cpu"))()

    inputs, gradient, weights = (
        torch.randn(*shape, generator=torch.Generator().manual_seed(1))
        for shape in ((2, 3, 5, 5), (2, 3, 5, 5), (3, 3, 3, 3))
    )
    expected = functional.conv2d(inputs.requires_grad_(), weights.requires_grad_(), padding=1)
    expected.backward(gradient)
    assert inputs.grad is not None
    assert weights.grad is not None
    torch.testing.assert_close(output, expected.detach())
    torch.testing.assert_close(of_inputs, inputs.grad)
    torch.testing.assert_close(of_weights, weights.grad)


def test_pooling_hands_gradients_to_the_largest_of_each_window() -> None:
    output, places, back = layers.pooling(2, 3, 4, torch.device("cpu"))()

    assert output.shape == (2, 3, 2, 2)
    assert torch.equal(back.flatten(2).gather(2, places.flatten(2)).flatten(), layers_gradient((2, 3, 2, 2)))
    assert int((back != 0).sum()) == output.numel()


def layers_gradient(shape: tuple[int, ...]) -> torch.Tensor:
    """The gradient that a layer on its own is given: unit normals of a fixed seed."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).flatten()


@pytest.mark.skipif(pages.missing() is not None, reason="needs Linux's madvise")
def test_fresh_memory_faults_once_a_page_and_at_every_call() -> None:
    touch = pages.touched_anew(100 * mmap.PAGESIZE)

    touched = []
    for _ in range(3):
        before = page_faults()
        assert int(touch().sum()) == 100
        touched.append(page_faults() - before)

    assert all(100 <= faults < 120 for faults in touched)


def test_where_pages_cannot_be_given_back_fresh_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("training.pages.mmap.MADV_NOHUGEPAGE", raising=False)

    assert "madvise" in (primitives_of(CPU)["fresh-memory"].missing(CPU) or "")


def result_of(run: Callable[[], object]) -> torch.Tensor:
    """What an in-place operation leaves, after one run more."""
    found = run()
    assert isinstance(found, torch.Tensor)
    return found


def test_a_product_is_that_of_its_matrices_and_the_same_in_every_launch() -> None:
    one, other = (primitives_of(CPU)["matmul-float32"].prepare(CPU).run for _ in range(2))

    assert torch.equal(result_of(one), result_of(other))
    assert result_of(one).shape == (1024, 1024)
    assert float(result_of(one).std()) == pytest.approx(32.0, rel=0.05)  # sums of 1024 products of unit normals


@pytest.mark.usefixtures("small")
def test_a_busy_read_reads_what_the_work_before_it_wrote() -> None:
    """The work alone is the same pass without the read, so that the difference is the read."""
    operation = primitives_of(CUDA)["read-busy"].prepare(CPU)
    assert operation.without_read is not None

    first = result_of(operation.without_read)
    operation.run()

    assert first[0].item() == 2.0
    assert len(first) == SMALL // 4


@pytest.mark.parametrize(("way", "expected"), [("copy-to-device-4kib-pageable", 0), ("copy-to-host-4kib-pageable", 0)])
def test_a_copy_moves_its_bytes(way: str, expected: int) -> None:
    copied = result_of(primitives_of(CUDA)[way].prepare(CPU).run)

    assert (copied.nbytes, int(copied.sum())) == (4096, expected)


def test_a_cpu_computes_bfloat16_only_by_instructions_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": False, "avx2": True})
    assert "no bfloat16 instructions" in (precision.lacks_bfloat16(CPU) or "")

    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True})
    assert precision.lacks_bfloat16(CPU) is None

    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert "does not tell" in (precision.lacks_bfloat16(CPU) or "")


@pytest.mark.parametrize(("capability", "has"), [((7, 5), False), ((8, 0), True), ((9, 0), True)])
def test_tf32_and_bfloat16_come_with_ampere(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], has: bool
) -> None:
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _device: capability)

    for missing in (precision.lacks_tf32(CUDA), precision.lacks_bfloat16(CUDA)):
        assert (missing is None) is has
        assert has or "compute capability 7.5" in (missing or "")


def test_tf32_is_no_arithmetic_of_a_cpu_and_unknown_devices_promise_nothing() -> None:
    other = Device("xpu", "xpu", 1, time.perf_counter)

    assert "NVIDIA" in (precision.lacks_tf32(CPU) or "")
    assert "not known" in (precision.lacks_bfloat16(other) or "")


def test_tf32_holds_for_its_block_alone() -> None:
    with precision.tf32():
        inside = torch.backends.cuda.matmul.fp32_precision

    assert (inside, torch.backends.cuda.matmul.fp32_precision) == ("tf32", "ieee")


def test_a_sustained_run_tells_where_it_settled() -> None:
    """Twenty spans of two rounds, three calls each: four spans at 1 s, then a card that clocks down to 1.25 s."""
    rounds_s = [1.0] * 8 + [1.25] * 32

    assert settling(rounds_s, calls=3) == {"first_s": 1.0, "last_s": 1.25, "settled_after_s": 24.0}


def test_a_run_that_never_changes_is_settled_at_once_however_short() -> None:
    assert settling([2.0], calls=1) == {"first_s": 2.0, "last_s": 2.0, "settled_after_s": 0}
    assert settling([2.0, 2.02] * 20, calls=1)["settled_after_s"] == 0


def test_a_sustained_product_is_large_on_every_device() -> None:
    assert {primitives.sustained_product(device).amount for device in (CPU, CUDA)} == {2 * 4096**3}

"""Machine primitives: which exist where, what one moves or computes, and what it does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import torch

from fixtures.primitives import settling
from training import precision, primitives
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
    assert list(primitives_of(CPU)) == ["dispatch", "read-idle", "memory", "matmul-float32", "matmul-bfloat16"]


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

"""Devices: what is missing is said, and an accelerator's clock waits for it."""

from __future__ import annotations

import time
import warnings

import pytest
import torch

from training.devices import DEVICES, Device, hardware_name, physical_cores

CUDA = DEVICES["cuda"]


def test_the_standing_devices_are_two_cpu_arms_and_cuda() -> None:
    assert list(DEVICES)[:3] == ["cpu", "cpu-all", "cuda"]
    assert (DEVICES["cpu"].threads, DEVICES["cpu-all"].threads) == (1, physical_cores())
    assert [DEVICES[name].is_accelerator for name in ("cpu", "cpu-all", "cuda")] == [False, False, True]


def test_a_cpu_is_never_missing_and_has_no_peak_memory() -> None:
    assert DEVICES["cpu"].missing() is None
    assert DEVICES["cpu"].peak_memory_bytes() is None


@pytest.mark.parametrize(
    ("available", "count", "device", "says"),
    [
        (None, 0, CUDA, "no usable NVIDIA driver or GPU was found"),
        (torch.device("mps"), 1, CUDA, "no usable NVIDIA driver or GPU was found"),
        (torch.device("cuda"), 1, CUDA, None),
        (
            torch.device("cuda"),
            1,
            Device("cuda1", "cuda:1", 1, time.perf_counter),
            "this machine has only 1 cuda device(s)",
        ),
        (None, 0, Device("xpu", "xpu", 1, time.perf_counter), "finds no xpu device"),
    ],
)
def test_what_is_missing_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, available: torch.device | None, count: int, device: Device, says: str | None
) -> None:
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available=False: available)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)

    missing = device.missing()

    assert (missing is None) == (says is None)
    assert says is None or says in (missing or "")


def test_a_torch_without_cuda_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available=False: None)
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)

    assert "was built without CUDA" in (CUDA.missing() or "")


def test_a_driver_that_is_too_old_is_a_device_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch warns of it where it is first asked, which is while cases are collected; a warning is an error here."""

    def warn(check_available: bool = False) -> None:
        warnings.warn("CUDA initialization: The NVIDIA driver on your system is too old", stacklevel=2)

    monkeypatch.setattr(torch.accelerator, "current_accelerator", warn)

    assert "no usable NVIDIA driver" in (CUDA.missing() or "")


def test_the_clock_of_an_accelerator_waits_for_it_before_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda device: calls.append(f"synchronize {device}"))

    def read() -> float:
        calls.append("read")
        return 1.5

    monkeypatch.setattr(time, "perf_counter", read)

    assert CUDA.clock() == 1.5
    assert calls == ["synchronize cuda", "read"]
    assert CUDA.clock.__name__ == "cuda_synchronized_clock"


def test_memory_is_asked_of_the_device_and_its_cache_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(torch.accelerator, "empty_cache", lambda: calls.append("empty"))
    monkeypatch.setattr(torch.accelerator, "reset_peak_memory_stats", lambda device: calls.append(f"reset {device}"))
    monkeypatch.setattr(torch.accelerator, "max_memory_allocated", lambda device: 4096)

    CUDA.forget_memory()
    CUDA.restart_peak_memory()

    assert calls == ["empty", "reset cuda"]
    assert CUDA.peak_memory_bytes() == 4096


def test_a_peak_may_be_restarted_before_anything_was_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(device: torch.device) -> None:
        raise RuntimeError("Allocator not initialized for device 0: did you call init?")

    monkeypatch.setattr(torch.accelerator, "reset_peak_memory_stats", refuse)

    CUDA.restart_peak_memory()


def test_host_threads_are_set_for_the_block_and_put_back() -> None:
    before = torch.get_num_threads()
    with DEVICES["cpu"].host_threads():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_the_hardware_of_a_cpu_tensor_is_its_architecture() -> None:
    assert hardware_name(torch.zeros(1).device).startswith("cpu (")

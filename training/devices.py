"""The devices a case can train on: how each is found, waited for and asked for its memory.

The only place that tells one kind of device from another.
"""

from __future__ import annotations

import os
import platform
import time
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil
import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def physical_cores() -> int:
    """Physical cores this process may use: hyper-threads do not speed up matrix products."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    return cores


@dataclass(frozen=True)
class Device:
    """One value of the device axis.

    `name` stands in case ids, `torch_name` is what torch calls it, `threads` is torch's host thread count
    while a case runs on it, and `clock` reads seconds after the device has finished its queued work.
    """

    name: str
    torch_name: str
    threads: int
    clock: Callable[[], float]

    @property
    def is_accelerator(self) -> bool:
        """Whether work is queued to something other than the CPU."""
        return not self.torch_name.startswith("cpu")

    @property
    def torch_device(self) -> torch.device:
        """The torch device tensors are put on."""
        return torch.device(self.torch_name)

    def missing(self) -> str | None:
        """What this machine lacks to use the device, in words; None when it can be used."""
        if not self.is_accelerator:
            return None
        kind, _, index = self.torch_name.partition(":")
        here = _usable_accelerator()
        if here is None or here.type != kind:
            return f"{self.name}: {_why_unavailable(kind)}"
        if int(index or 0) >= torch.accelerator.device_count():
            return f"{self.name}: this machine has only {torch.accelerator.device_count()} {kind} device(s)"
        return None

    def synchronize(self) -> None:
        """Wait until the device has finished everything queued to it."""
        if self.is_accelerator:
            torch.accelerator.synchronize(self.torch_device)

    @contextmanager
    def host_threads(self) -> Iterator[None]:
        """Run with this device's host thread count, then go back to the one before."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    def forget_memory(self) -> None:
        """Give the driver back what earlier cases left in the allocator's cache."""
        if self.is_accelerator:
            torch.accelerator.empty_cache()

    def restart_peak_memory(self) -> None:
        """Start a new peak at what is allocated now."""
        if self.is_accelerator:
            with suppress(RuntimeError):  # releases before 2.14 refuse it where nothing was allocated yet
                torch.accelerator.reset_peak_memory_stats(self.torch_device)

    def peak_memory_bytes(self) -> int | None:
        """Peak bytes allocated since `restart_peak_memory`; None on a CPU, whose allocator keeps no such count."""
        if not self.is_accelerator:
            return None
        return torch.accelerator.max_memory_allocated(self.torch_device)


def hardware_name(device: torch.device) -> str:
    """The name of the hardware behind a tensor's device, such as `NVIDIA H200` or the CPU's architecture."""
    if device.type == "cpu":
        return f"cpu ({platform.machine()})"
    module = torch.get_device_module(device)
    return str(module.get_device_name(device)) if hasattr(module, "get_device_name") else str(device)


def _usable_accelerator() -> torch.device | None:
    """The kind of accelerator that works here; None where there is none, or none that the driver can use."""
    with warnings.catch_warnings():
        # Of a driver that is too old torch warns, which must not break off the collecting of cases for the CPU.
        warnings.simplefilter("ignore")
        # Without the check CUDA is named even where there is none.
        return torch.accelerator.current_accelerator(check_available=True)


def _why_unavailable(kind: str) -> str:
    if kind == "cuda":
        if torch.version.cuda is None and torch.version.hip is None:
            return f"torch {torch.__version__} was built without CUDA"
        return f"torch {torch.__version__} has CUDA {torch.version.cuda}, but no usable NVIDIA driver or GPU was found"
    return f"torch {torch.__version__} finds no {kind} device"


def _synchronized_clock(torch_name: str) -> Callable[[], float]:
    device = torch.device(torch_name)

    def clock() -> float:
        torch.accelerator.synchronize(device)
        return time.perf_counter()

    # pytest-benchmark stores a timer's bare name, so the name has to say what it does.
    clock.__name__ = f"{torch_name.replace(':', '')}_synchronized_clock"
    return clock


def _accelerator(torch_name: str) -> Device:
    return Device(torch_name.replace(":", ""), torch_name, physical_cores(), _synchronized_clock(torch_name))


def _further_accelerators() -> list[Device]:
    """Accelerators of this machine beyond the first CUDA device: `cuda1`, ..., `mps`, `xpu`."""
    here = _usable_accelerator()
    if here is None:
        return []
    names = [here.type if i == 0 else f"{here.type}:{i}" for i in range(torch.accelerator.device_count())]
    return [_accelerator(name) for name in names if name != "cuda"]


STANDING: tuple[Device, ...] = (
    Device("cpu", "cpu", 1, time.perf_counter),
    Device("cpu-all", "cpu", physical_cores(), time.perf_counter),
    _accelerator("cuda"),
)
FURTHER: tuple[Device, ...] = tuple(_further_accelerators())
DEVICES: dict[str, Device] = {device.name: device for device in (*STANDING, *FURTHER)}


def fix_precision() -> None:
    """Compute float32 in float32 everywhere and choose kernels without trial runs.

    TF32 is on for convolutions by default and would make a GPU do other work than a CPU; trial runs of cuDNN
    would make the choice of kernel differ from launch to launch.
    """
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    # torch makes these two attributes at run time, where a type checker cannot see them.
    torch.backends.cudnn.conv.fp32_precision = "ieee"  # type: ignore[attr-defined]
    torch.backends.cudnn.rnn.fp32_precision = "ieee"  # type: ignore[attr-defined]
    torch.backends.cudnn.benchmark = False

"""A recording stand-in for the module `pynvml`, at the boundary where the suite calls it."""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest


@dataclass
class FakeSlice:
    """A MIG slice; `whole` is set by the GPU that holds it."""

    uuid: str
    name: str = "NVIDIA H200 MIG 1g.18gb"
    memory: int = 16 << 30
    pids: tuple[int, ...] = ()
    whole: Any = None


@dataclass
class FakeGpu:
    """One GPU as the driver would describe it: an H200 in good health unless told otherwise."""

    uuid: str = "GPU-aaaa"
    name: str = "NVIDIA H200"
    memory: int = 143771 << 20
    link: tuple[int, int] = (5, 16)
    throttle_bits: int = 0
    pids: tuple[int, ...] = ()
    slices: list[FakeSlice] = field(default_factory=list)

    def __post_init__(self) -> None:
        for part in self.slices:
            part.whole = self


class FakeNvmlError(Exception):
    """Stands for NVMLError, the root of all that the library raises."""


class FakeNotSupportedError(FakeNvmlError):
    """Stands for NVMLError_NotSupported and its relatives."""


class FakeMismatchError(Exception):
    """Stands for NVMLLibraryMismatchError, which is none of NVMLError's."""


ANSWERS: dict[str, Callable[..., Any]] = {
    "nvmlDeviceGetName": lambda gpu: gpu.name,
    "nvmlDeviceGetMemoryInfo": lambda gpu: SimpleNamespace(total=gpu.memory, free=0, used=gpu.memory),
    "nvmlDeviceGetUUID": lambda gpu: gpu.uuid,
    "nvmlDeviceGetPowerManagementLimit": lambda gpu: 700_000,
    "nvmlDeviceGetPowerUsage": lambda gpu: 123_456,
    "nvmlDeviceGetCurrPcieLinkGeneration": lambda gpu: gpu.link[0],
    "nvmlDeviceGetCurrPcieLinkWidth": lambda gpu: gpu.link[1],
    "nvmlDeviceGetMaxPcieLinkGeneration": lambda gpu: 5,
    "nvmlDeviceGetMaxPcieLinkWidth": lambda gpu: 16,
    "nvmlDeviceGetMigMode": lambda gpu: [int(bool(gpu.slices)), 0],
    "nvmlDeviceGetEccMode": lambda gpu: [1, 1],
    "nvmlDeviceGetClockInfo": lambda gpu, clock: {1: 1755}[clock],
    "nvmlDeviceGetMaxClockInfo": lambda gpu, clock: {1: 1980}[clock],
    "nvmlDeviceGetTemperature": lambda gpu, sensor: {0: 41}[sensor],
    "nvmlDeviceGetCurrentClocksEventReasons": lambda gpu: gpu.throttle_bits,
    "nvmlDeviceGetCurrentClocksThrottleReasons": lambda gpu: gpu.throttle_bits,
    "nvmlDeviceGetComputeRunningProcesses": lambda gpu: [SimpleNamespace(pid=pid) for pid in gpu.pids],
    "nvmlDeviceGetMaxMigDeviceCount": lambda gpu: 7,
    "nvmlDeviceGetDeviceHandleFromMigDeviceHandle": lambda part: part.whole,
    "nvmlSystemGetDriverVersion": lambda: "580.65.06",
    "nvmlSystemGetCudaDriverVersion_v2": lambda: 13_020,
    "nvmlShutdown": lambda: None,
}
AS_TEXT = {"nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlSystemGetDriverVersion"}


class FakeNvml:
    """The module: `calls` records every function by name, in order.

    `refused` functions raise the library's "not supported", `missing` ones are not in this release of it,
    `mismatched` ones are not in the driver's.
    """

    NVMLError = FakeNvmlError
    NVMLLibraryMismatchError = FakeMismatchError
    NVML_CLOCK_SM = 1
    NVML_TEMPERATURE_GPU = 0

    def __init__(
        self,
        gpus: Iterable[FakeGpu] = (),
        *,
        refused: Iterable[str] = (),
        missing: Iterable[str] = (),
        driver: bool = True,
        text_as_bytes: bool = False,
    ) -> None:
        self.gpus = list(gpus)
        self.calls: list[str] = []
        self._refused = set(refused)
        self._missing = set(missing)
        self.mismatched: set[str] = set()
        self._text_as_bytes = text_as_bytes
        self._answers = ANSWERS | {
            "nvmlInit": self._initialise if driver else self._refuse,
            "nvmlDeviceGetCount": lambda: len(self.gpus),
            "nvmlDeviceGetHandleByIndex": lambda index: self.gpus[index],
            "nvmlDeviceGetMigDeviceHandleByIndex": self._slice_at,
            "nvmlDeviceGetHandleByUUID": self._slice_named,
        }

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in self.__dict__.get("_missing", ()) or name not in self.__dict__.get("_answers", {}):
            raise AttributeError(name)

        def function(*arguments: Any) -> Any:  # noqa: ANN401 - as in the library
            self.calls.append(name)
            if name in self._refused:
                self._refuse()
            if name in self.mismatched:
                raise FakeMismatchError
            answer = self._answers[name](*arguments)
            return answer.encode() if self._text_as_bytes and name in AS_TEXT else answer

        return function

    def _initialise(self) -> None:
        return None

    def _refuse(self) -> None:
        raise FakeNotSupportedError

    def _slice_at(self, gpu: FakeGpu, place: int) -> FakeSlice:
        if place >= len(gpu.slices):
            raise FakeNotSupportedError
        return gpu.slices[place]

    def _slice_named(self, uuid: str) -> FakeSlice:
        found = [part for gpu in self.gpus for part in gpu.slices if part.uuid == uuid]
        if not found:
            raise FakeNotSupportedError
        return found[0]


def split_gpu() -> FakeGpu:
    """Return a GPU with two MIG slices, the first of them in use by this process and by process 1."""
    return FakeGpu(
        "GPU-aaaa", slices=[FakeSlice("MIG-one", pids=(os.getpid(), 1)), FakeSlice("MIG-two", memory=32 << 30)]
    )


def install(patch: pytest.MonkeyPatch, library: FakeNvml | None) -> None:
    """Put the stand-in where `import pynvml` finds it; None makes that import fail."""
    patch.setitem(sys.modules, "pynvml", library)

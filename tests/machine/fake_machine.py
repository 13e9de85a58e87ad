"""Made-up machines, and what the suite takes them for."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from fixtures.machine import machine
from tests.machine.fake_nvml import FakeGpu, FakeNvml
from tests.machine.fake_system import MEMORY_24_GIB, PLAIN_EPYC, write_system

HOST = {"proc/self/ns/pid": "pid:[4026531836]", "proc/self/ns/cgroup": "cgroup:[4026531835]"}
CONTAINER = {"proc/self/ns/pid": "pid:[4026532777]", "proc/self/ns/cgroup": "cgroup:[4026532778]"}


@dataclass(frozen=True)
class Made:
    """A made-up machine: two cores of an EPYC 7B13 and 24 GiB unless told otherwise."""

    cpuinfo: str = PLAIN_EPYC
    cores: int | None = 2
    memory: int = MEMORY_24_GIB
    gpus: tuple[FakeGpu, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=lambda: HOST)


def identity(made: Made, root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str | None]:
    """Build the machine below `root` and return its class and unit."""
    write_system(root, {"proc/cpuinfo": made.cpuinfo, **made.files}, made.links)
    with monkeypatch.context() as patch:
        patch.setattr(psutil, "cpu_count", lambda logical=True: 4 if logical else made.cores)
        patch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"total": made.memory}))
        patch.setitem(sys.modules, "pynvml", FakeNvml(made.gpus))
        return machine(root=root)


BASE = Made()
H200 = FakeGpu("GPU-1")
WITH_GPU = Made(gpus=(H200,))

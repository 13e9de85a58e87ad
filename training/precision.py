"""Arithmetic other than float32: what a device lacks for it, and how it is switched on for a block."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from training.devices import fix_precision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from training.devices import Device

FIRST_MAJOR = 8
"""Compute capability from which NVIDIA GPUs have TF32 and bfloat16 units (Ampere)."""


def lacks_tf32(device: Device) -> str | None:
    """Why products of float32 cannot be computed in TF32 on this device; None where they can."""
    if device.torch_device.type != "cuda":
        return f"TF32 is arithmetic of NVIDIA GPUs, not of {device.name}"
    return _too_old(device, "TF32")


def lacks_bfloat16(device: Device) -> str | None:
    """Why this device has no arithmetic units for bfloat16; None where it has. Emulation does not count."""
    kind = device.torch_device.type
    if kind == "cpu":
        if not hasattr(torch.cpu, "get_capabilities"):
            return f"torch {torch.__version__} does not tell whether this processor has bfloat16 instructions"
        has = torch.cpu.get_capabilities()
        if has.get("avx512_bf16") or has.get("amx_bf16") or has.get("bf16"):
            return None
        return "this processor has no bfloat16 instructions (AVX512_BF16, AMX or Arm's BF16)"
    return _too_old(device, "bfloat16") if kind == "cuda" else f"not known whether {device.name} has bfloat16 units"


@contextmanager
def tf32() -> Iterator[None]:
    """Compute products and convolutions of float32 in TF32 inside the block, and as the suite fixes it after it."""
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    # torch makes this attribute at run time, where a type checker cannot see it.
    torch.backends.cudnn.conv.fp32_precision = "tf32"  # type: ignore[attr-defined]
    try:
        yield
    finally:
        fix_precision()


def _too_old(device: Device, what: str) -> str | None:
    if torch.version.hip:
        return f"not known whether {device.name} has {what} units: torch is built for ROCm"
    major, minor = torch.cuda.get_device_capability(device.torch_device)
    if major >= FIRST_MAJOR:
        return None
    return f"{device.name} has compute capability {major}.{minor}; {what} needs {FIRST_MAJOR}.0"

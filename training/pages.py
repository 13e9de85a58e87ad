"""Memory that a process touches for the first time: the system hands it over page by page, each with a page fault."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


def touched_anew(size_bytes: int) -> Callable[[], torch.Tensor]:
    """Give `size_bytes` of memory back to the system, then write one byte to each of its pages, at every call.

    Pages are kept at their smallest size, as those of an allocator are where huge ones are not asked for.
    """
    memory = mmap.mmap(-1, size_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    first_bytes = torch.frombuffer(memory, dtype=torch.uint8)[:: mmap.PAGESIZE]

    def give_back_and_touch() -> torch.Tensor:
        memory.madvise(mmap.MADV_DONTNEED)
        return first_bytes.fill_(1)

    return give_back_and_touch


def missing() -> str | None:
    """What the system lacks for it, in words: Linux drops given-back pages at once and keeps them small if asked to."""
    return None if hasattr(mmap, "MADV_NOHUGEPAGE") else "fresh memory is measured by Linux's madvise alone"

"""The iris lesson's second half: objects that can be called, beside plain functions doing the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Counter:
    """Counts its calls: the first returns 1, the next 2."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> int:
        """Count one more call and return how many there were."""
        self.count += 1
        return self.count


class Adder:
    """Returns the sum of its two arguments.

    The lesson's also prints a line, which is left out: printing takes longer than everything that is measured here.
    """

    def __call__(self, a: float, b: float) -> float:
        """Return a + b."""
        return a + b


def counting_function() -> Callable[[], int]:
    """A plain function that counts its calls as `Counter` does."""
    count = 0

    def counter() -> int:
        nonlocal count
        count += 1
        return count

    return counter


def add(a: float, b: float) -> float:
    """Return a + b."""
    return a + b

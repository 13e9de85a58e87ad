"""A clock for work that other processes timed: it stands still until it is told how long that work took."""

from __future__ import annotations


class ToldClock:
    """Seconds told so far. pytest-benchmark stores a timer's `__name__`, so the name has to say whose time it is."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self._now_s = 0.0

    def __call__(self) -> float:
        """Seconds told so far."""
        return self._now_s

    def tell(self, elapsed_s: float) -> None:
        """Move on by what somebody else has measured."""
        self._now_s += elapsed_s


slowest_rank_clock = ToldClock("slowest_rank_clock")
"""The clock of distributed cases: each round by the rank that took longest."""

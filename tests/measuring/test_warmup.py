"""Warming up ends when the steps are level, not at a constant."""

from __future__ import annotations

from itertools import accumulate

import pytest

from fixtures.warmup import WarmUp, warm_up


class Clockwork:
    """A clock whose blocks of steps take the given times, in seconds."""

    def __init__(self, block_times_s: list[float]) -> None:
        self._readings = iter(
            [reading for time_s in accumulate(block_times_s, initial=0.0) for reading in (time_s, time_s)][1:-1]
        )
        self.steps = 0

    def read(self) -> float:
        return next(self._readings)

    def step(self) -> None:
        self.steps += 1


@pytest.mark.parametrize(
    ("block_times_s", "most_s", "steps", "step_time_s", "level"),
    [
        ([4.0, 2.0, 2.0], 100.0, 30, 0.2, True),  # the third block is no faster than the second
        ([1.0, 0.98], 100.0, 20, 0.098, True),  # 2 % faster is level
        ([1.0, 0.96, 0.95], 100.0, 30, 0.095, True),  # 4 % faster is not, 1 % is
        ([8.0, 4.0, 2.0, 1.0, 0.5, 0.5], 100.0, 60, 0.05, True),
        ([8.0, 4.0, 2.0], 11.0, 20, 0.4, False),  # out of time after the second block
        ([5.0, 9.0], 100.0, 20, 0.9, True),  # slower is level too
    ],
)
def test_blocks_are_taken_until_one_is_no_faster(
    block_times_s: list[float], most_s: float, steps: int, step_time_s: float, level: bool
) -> None:
    clockwork = Clockwork(block_times_s)

    warmed = warm_up(clockwork.step, clockwork.read, block_steps=10, most_s=most_s)

    assert (warmed.steps, warmed.level) == (steps, level)
    assert warmed.step_time_s == pytest.approx(step_time_s)
    assert clockwork.steps == steps


def test_no_blocks_are_taken_when_none_are_allowed() -> None:
    clockwork = Clockwork([])

    assert warm_up(clockwork.step, clockwork.read, block_steps=10, most_s=1.0, most_blocks=0) == WarmUp(
        0, 0.0, level=False
    )

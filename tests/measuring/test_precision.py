"""How well rounds fix their median."""

from __future__ import annotations

import math

import pytest

from fixtures.options import Budget
from fixtures.precision import half_width, rounds_for
from fixtures.timing import Plan, plan

# Quartiles 1.0 and 1.2 around a median of 1.1; sigma = 0.2 / 1.349.
NINE = [0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3]
WIDTH = 1.96 * math.sqrt(math.pi / 2) * (0.2 / 1.349) / 3 / 1.1  # 0.1104


def test_the_half_width_of_the_median_comes_from_the_quartiles() -> None:
    assert half_width(NINE) == pytest.approx(WIDTH)
    assert pytest.approx(0.11036, abs=1e-5) == WIDTH


def test_a_spike_does_not_widen_it() -> None:
    assert half_width([*NINE[:-1], 90.0]) == pytest.approx(WIDTH)


@pytest.mark.parametrize("times_s", [[], [1.0], [1.0, 1.0, 1.0], [0.0] * 8])
def test_too_few_times_or_none_at_all_have_no_width(times_s: list[float]) -> None:
    assert half_width(times_s) is None


@pytest.mark.parametrize(("target", "rounds"), [(WIDTH, 9), (WIDTH / 2, 36), (2 * WIDTH, 3), (0.999, 1)])
def test_rounds_grow_with_the_square_of_the_precision(target: float, rounds: int) -> None:
    assert rounds_for(target * 1.0000001, NINE) == rounds


def test_a_pilot_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="2 pilot rounds are too few to plan by"):
        rounds_for(0.01, [1.0, 1.1])


@pytest.mark.parametrize(
    ("precision", "round_time_s", "planned"),
    [
        (WIDTH / 2 * 1.0000001, 0.01, Plan(36, 5, "precision")),
        (WIDTH * 2, 0.01, Plan(10, 5, "precision")),  # never fewer than the least rounds
        (WIDTH / 2 * 1.0000001, 0.1, Plan(10, 5, "budget")),  # 36 rounds would take 3.6 s
        (WIDTH / 100, 0.0005, Plan(1000, 5, "most-rounds")),
        (None, 0.01, Plan(100, 5, "budget")),
    ],
)
def test_a_case_stops_at_its_precision_when_the_budget_allows(
    precision: float | None, round_time_s: float, planned: Plan
) -> None:
    budget = Budget(rounds_s=1.0, limit_s=300.0, smoke=False, precision=precision)

    assert plan(5, round_time_s, budget, pilot_s=NINE) == planned

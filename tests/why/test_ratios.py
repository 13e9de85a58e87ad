"""Paired ratios and the distribution-free interval of their median, against values worked out by hand."""

from __future__ import annotations

import random

import pytest

from fixtures.ratios import PairedRatio, median_interval, paired_ratio


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        (1, 1, 1),
        (5, 1, 5),  # the whole range misses in 2 / 32 = 6.25 %: no narrower one can be had
        (6, 1, 6),  # 2 / 64 = 3.1 %
        (8, 1, 8),  # 2 / 256 = 0.8 %; one left out at either end: 2 * 9 / 256 = 7.0 %
        (9, 2, 8),  # 2 * 10 / 512 = 3.9 %
        (10, 2, 9),  # 2 * 11 / 1024 = 2.1 %; two left out: 2 * 56 / 1024 = 10.9 %
        (15, 4, 12),  # 2 * (1 + 15 + 105 + 455) / 32768 = 3.5 %
        (20, 6, 15),  # the tables' example: 4.1 %
    ],
)
def test_the_interval_leaves_out_as_many_as_the_binomial_allows(count: int, low: int, high: int) -> None:
    values = [float(value) for value in range(1, count + 1)]
    random.Random(7).shuffle(values)  # noqa: S311  an order, not a secret

    assert median_interval(values) == (low, high)


def test_ratios_are_taken_pair_by_pair() -> None:
    """A slow moment hits both of a pair: every ratio stays 1.5, and so does the interval."""
    assert paired_ratio([1.0, 10.0, 2.0], [1.5, 15.0, 3.0]) == PairedRatio(1.5, 1.5, 1.5, 3)


def test_one_disturbed_pair_moves_neither_median_nor_interval_of_ten() -> None:
    found = paired_ratio([1.0] * 10, [0.8] * 9 + [50.0])

    assert found == PairedRatio(0.8, 0.8, 0.8, 10)


def test_blocks_without_a_partner_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_ratio([1.0, 1.0], [1.0])


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    """Of 2000 samples of ten from a skewed distribution it misses the known median 2.1 % of the time."""
    generator = random.Random(11)  # noqa: S311  made data
    missed = 0
    for _ in range(2000):
        low, high = median_interval([generator.expovariate(1.0) for _ in range(10)])
        missed += not low <= 0.693147 <= high

    assert missed / 2000 == pytest.approx(22 / 1024, abs=0.01)

"""Paired blocks: order, and the three ways to compare."""

from __future__ import annotations

import pytest

from fixtures.paired import Pairs, paired_blocks


def test_which_way_goes_first_alternates() -> None:
    order: list[str] = []

    paired_blocks(
        lambda: order.append("a"), lambda: order.append("b"), iter(range(99)).__next__, block_steps=2, pairs=3
    )

    assert "".join(order) == "aabb" + "bbaa" + "aabb"


def test_blocks_are_seconds_per_step_of_the_way_they_timed() -> None:
    now_s = [0.0]

    def take(time_s: float) -> None:
        now_s[0] += time_s

    pairs = paired_blocks(lambda: take(1.0), lambda: take(3.0), lambda: now_s[0], block_steps=2, pairs=2)

    assert pairs == Pairs([1.0, 1.0], [3.0, 3.0])


def test_differences_and_ratios_are_taken_pair_by_pair() -> None:
    """A slow moment hits both blocks of a pair: the ratio stays, the medians of the ways would not."""
    pairs = Pairs(first_s=[1.0, 10.0, 2.0], second_s=[1.5, 15.0, 3.0])

    assert pairs.ratio() == pytest.approx(1.5)
    assert pairs.extra_s() == pytest.approx(1.0)
    assert pairs.ratio_of_minima() == pytest.approx(1.5)

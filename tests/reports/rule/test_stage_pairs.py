"""Pairs: two sets of launches against each other."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.rule.pairs import compare, environments, launches_needed
from reports.rule.settings import Settings


def launches(cases: Mapping[str, Sequence[float]], **columns: Any) -> pd.DataFrame:  # noqa: ANN401
    """Return launches as `reports.runs.Runs.cases` has them, from the ln medians of each case."""
    rows = [
        {
            "fullname": name, "median_s": math.exp(log_time), "outcome": "passed", "device": "cpu", "machine": "m",
            "extra": {"dataset": "iris"}, "environment": {"torch": "2.14.1"}, "flags": (),
        } | columns
        for name, times in cases.items()
        for log_time in times
    ]  # fmt: skip
    return pd.DataFrame(rows)


def row_of(a: Sequence[float], b: Sequence[float], settings: Settings | None = None) -> "pd.Series[Any]":
    """Return the comparison of one case; its two variances are too few to make a suite's."""
    return compare(launches({"a": a}), launches({"a": b}), settings).iloc[0]


def test_the_ratio_is_that_of_the_geometric_means() -> None:
    # 1 and 4 s against 4 and 9 s: 2 and 6 s.
    row = row_of([0.0, math.log(4)], [math.log(4), math.log(9)])

    assert (row["a_s"], row["b_s"], row["ratio"]) == (pytest.approx(2), pytest.approx(6), pytest.approx(3))
    assert (row["launches_a"], row["launches_b"]) == (2, 2)


def test_the_interval_is_that_of_welch_s_t() -> None:
    # Five launches each, +-0.01 about 0 and +-0.02 about 0.05: variances 0.0001 and 0.0004, so the standard error is
    # sqrt(0.0001 / 5 + 0.0004 / 5) = 0.01 and the degrees of freedom are 0.0005^2 / (0.0001^2 / 4 + 0.0004^2 / 4)
    # = 5.8824, with which Student's t is within 2.4586 in 95 of 100.
    row = row_of([0.01, 0.01, 0.0, -0.01, -0.01], [0.07, 0.07, 0.05, 0.03, 0.03])

    assert math.log(row["ratio"]) == pytest.approx(0.05)
    assert math.log(row["ratio_low"]) == pytest.approx(0.05 - 0.024586, abs=1e-5)
    assert math.log(row["ratio_high"]) == pytest.approx(0.05 + 0.024586, abs=1e-5)
    assert row["verdict"] == "regression"


@pytest.mark.parametrize("sign", [1, -1])
def test_p_is_two_sided(sign: int) -> None:
    # Variance 0.0001 on both sides: the standard error is 0.01 sqrt(2 / 5) = 0.0063246 with 8 degrees of freedom, and
    # Student's t is beyond 3.3554 on either side once in a hundred.
    a = [0.01, 0.01, 0.0, -0.01, -0.01]

    assert row_of(a, [away + sign * 3.3554 * 0.0063246 for away in a])["p"] == pytest.approx(0.01, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [(0.05, "regression"), (-0.05, "improvement"), (0.02, "unchanged"), (0.0, "unchanged"), (-0.02, "unchanged")],
)
def test_a_change_beyond_the_floor_has_its_word(change: float, verdict: str) -> None:
    a = [0.001, 0.0, -0.001]

    assert row_of(a, [change + away for away in a])["verdict"] == verdict


@pytest.mark.parametrize(
    ("sd", "needed"),
    [
        # 2 (3.24 sd / (2 ln 1.025))^2 = 2 (3.24 sd / 0.049385)^2
        (0.001, 3),  # 0.0086: at least three
        (0.02, 4),  # 2 x 1.3121^2 = 3.44
        (0.05, 22),  # 2 x 3.2803^2 = 21.52
        (0.1, 87),  # 2 x 6.5607^2 = 86.08
        (9.0, 1000),
        (math.nan, 3),
    ],
)
def test_launches_needed_to_see_twice_the_floor_nine_times_in_ten(sd: float, needed: int) -> None:
    assert launches_needed(np.array([sd]), np.array([math.log(1.025)]))[0] == needed


def test_too_noisy_a_pair_is_inconclusive_and_says_how_many_launches_would_do() -> None:
    # +-0.05 twice on both sides: variance 4 x 0.0025 / 3, sd 0.057735; 2 (3.24 x 0.057735 / 0.049385)^2 = 28.7.
    row = row_of([0.05, -0.05, 0.05, -0.05], [0.08, -0.02, 0.08, -0.02])

    assert (row["verdict"], row["launches_needed"]) == ("inconclusive", 29)


def test_two_quiet_launches_are_too_few_to_say_unchanged() -> None:
    row = row_of([0.001, -0.001], [0.001, -0.001])

    assert (row["verdict"], row["launches_needed"]) == ("inconclusive", 3)


def test_single_launches_tell_a_ratio_and_nothing_more() -> None:
    row = row_of([0.0], [0.5])

    assert (row["verdict"], row["ratio"]) == ("inconclusive", pytest.approx(math.exp(0.5)))
    assert math.isnan(row["ratio_low"])
    assert math.isnan(row["p"])


def test_a_case_of_one_side_is_missing_or_new() -> None:
    table = compare(launches({"a": [0.0] * 3, "gone": [0.0]}), launches({"a": [0.0] * 3, "came": [0.0]}))

    words = table.set_index("fullname")["verdict"].to_dict()
    assert words == {"a": "unchanged", "gone": "missing", "came": "new"}


def test_other_work_is_redefined() -> None:
    steady = {"a": [0.001, 0.0, -0.001]}

    table = compare(launches(steady), launches(steady, extra={"dataset": "wine"}))

    assert list(table["verdict"]) == ["redefined"]


def test_launches_without_a_result_do_not_count() -> None:
    failed = launches({"a": [5.0]}, outcome="failed")

    table = compare(pd.concat([launches({"a": [0.0, 0.0, 0.0]}), failed]), launches({"a": [0.0, 0.0, 0.0]}))

    assert (table.loc[0, "launches_a"], table.loc[0, "ratio"]) == (3, 1.0)


def test_of_many_cases_only_those_stand_out_that_benjamini_and_hochberg_would_name() -> None:
    # T = 0.03 / (0.01 sqrt(2 / 3)) = 3.674 with 4 df, p = 0.0213: less than 0.05, but not than 0.05 / 21.
    a, b = [0.01, 0.0, -0.01], [0.04, 0.03, 0.02]
    alone = row_of(a, b)
    many = {f"same-{case:02d}": a for case in range(20)}

    table = compare(launches({"a": a} | many), launches({"a": b} | many), Settings(prior_cap=0.0))

    assert alone["p"] == pytest.approx(0.0213, abs=1e-4)
    assert alone["verdict"] == "regression"
    assert table.set_index("fullname").loc["a", "verdict"] == "unchanged"


def test_what_differs_between_the_environments_is_named() -> None:
    one, other = launches({"a": [0.0]}), launches({"a": [0.0]}, environment={"torch": "2.15.0"}, machine="n")

    assert [str(difference) for difference in environments(one, other)] == [
        "machine m -> n",
        "torch 2.14.1 -> 2.15.0",
    ]


@pytest.mark.parametrize(
    ("contended", "verdict"),
    [(0, "regression"), (1, "regression"), (2, "regression"), (3, "inconclusive"), (5, "inconclusive")],
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_case_whose_launches_mostly_had_a_neighbour_is_not_decided(contended: int, verdict: str, side: int) -> None:
    a = [0.01, 0.01, 0.0, -0.01, -0.01]
    sides = [launches({"a": a}), launches({"a": [0.3 + away for away in a]})]
    sides[side]["flags"] = [("contended",)] * contended + [()] * (5 - contended)

    row = compare(sides[0], sides[1]).iloc[0]

    assert row["verdict"] == verdict
    assert row["flags"] == (("contended",) if contended > 2 else ())


def test_another_flag_is_told_and_decides_nothing() -> None:
    """A card that throttles is slower in earnest."""
    a = [0.01, 0.01, 0.0, -0.01, -0.01]
    throttled = launches({"a": [0.3 + away for away in a]}, flags=("throttled",))

    row = compare(launches({"a": a}), throttled).iloc[0]

    assert (row["verdict"], row["flags"]) == ("regression", ("throttled",))

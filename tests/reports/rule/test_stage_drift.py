"""Drift: a level is carried forward along its slope, as far as the suite gives reason to believe in slopes."""

import math

import numpy as np
import pytest

from reports.rule.drift import Slope, carried, slope_variance, slopes
from tests.reports.rule.made_histories import judged, made_sessions


def test_a_slope_is_that_of_least_squares() -> None:
    # Sessions 0 to 3, mean 1.5: squares 2.25 + 0.25 + 0.25 + 2.25 = 5. Of 0, 1, 1, 2 the products are 0 - 0.5 + 0.5
    # + 3, so the slope is 3 / 5; a variance of 0.5 makes its squared error 0.5 / 5.
    fit = slopes(np.array([[0.0, 1.0, 1.0, 2.0]]), np.ones((1, 4), dtype=bool), np.array([0.5]))

    assert (fit.slope[0], fit.error2[0]) == (pytest.approx(0.6), pytest.approx(0.1))
    assert (fit.moment[0], fit.centre[0]) == (5.0, 1.5)


def test_only_kept_results_make_a_slope() -> None:
    kept = np.array([[True, True, False, True]])

    # Sessions 0, 1 and 3 of 0, 1 and 3: the slope is 1, about their mean 4 / 3.
    fit = slopes(np.array([[0.0, 1.0, 99.0, 3.0]]), kept, np.array([0.5]))

    assert (fit.slope[0], fit.centre[0]) == (pytest.approx(1.0), pytest.approx(4 / 3))


@pytest.mark.parametrize(
    ("slope", "error2", "variance"),
    [
        ([0.3, -0.3], [0.01, 0.01], 0.08),  # 0.09 - 0.01
        ([1.0, -1.0], [0.01, 0.01], 0.15),  # beyond four errors it counts for four: 0.16 - 0.01
        ([0.05, -0.05], [0.01, 0.01], 0.0),  # 0.0025 - 0.01 is less than nothing
        ([0.2236068, 0.4472136], [0.01, 0.04], 0.05 / 1.0625),  # (0.05 - 0.01) + (0.2 - 0.04) / 16, over 1 + 1 / 16
    ],
)
def test_what_slopes_scatter_beyond_their_errors_is_believed(
    slope: list[float], error2: list[float], variance: float
) -> None:
    assert slope_variance(np.array(slope), np.array(error2)) == pytest.approx(variance)


def test_a_level_is_carried_along_its_slope_as_far_as_that_is_trusted() -> None:
    # Trust 0.03 / (0.03 + 0.01) = 0.75, four sessions from its centre: 0.75 x 0.1 x 4 = 0.3, and 0.75 x 16 / 5 = 2.4.
    fit = Slope(np.array([0.1]), np.array([0.01]), np.array([5.0]), np.array([1.5]))

    moved, added = carried(fit, 0.03, np.array([5.5]))

    assert (moved[0], added[0]) == (pytest.approx(0.3), pytest.approx(2.4))


def test_without_drift_in_the_suite_a_level_stays() -> None:
    fit = Slope(np.array([0.1]), np.array([0.01]), np.array([5.0]), np.array([1.5]))

    moved, added = carried(fit, 0.0, np.array([5.5]))

    assert (moved[0], added[0]) == (0.0, 0.0)


@pytest.mark.parametrize(("cases", "lag"), [(30, 0.0), (18, 0.0155)])
def test_cases_that_drift_are_met_where_they_are_now(cases: int, lag: float) -> None:
    # 0.1 % a night, every other case up or down: the mean of thirty nights lags by 15.5 nights, 1.55 %. With fewer than
    # twenty cases nothing tells drift from chance.
    frame = made_sessions(
        {
            f"case-{case:02d}": [
                (0.001 if case % 2 else -0.001) * night + 0.002 * math.cos(1.7 * case + 2.3 * night)
                for night in range(40)
            ]
            for case in range(cases)
        }
    )

    verdicts = judged(frame)
    rising = verdicts.loc[[f"case-{case:02d}" for case in range(1, cases, 2)], "step"].astype(float)

    assert set(verdicts["verdict"]) == {"unchanged"}
    assert math.log(rising.median()) == pytest.approx(lag, abs=0.003)


def test_precise_slopes_count_more() -> None:
    """Weights 1 and 1/16: (3 + 12/16) / (17/16)."""
    assert slope_variance(np.array([2.0, 4.0]), np.array([1.0, 4.0])) == pytest.approx(60 / 17)

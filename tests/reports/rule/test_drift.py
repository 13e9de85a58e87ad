import numpy as np
import pytest

from reports.rule.drift import Slope, carried, slope_variance, slopes


def test_the_slope_is_the_least_squares_one() -> None:
    values = np.array([[np.nan, 0.0, 1.0, 2.0]])

    fit = slopes(values, np.isfinite(values), np.array([1.0]))

    assert (fit.slope[0], fit.moment[0], fit.error2[0], fit.centre[0]) == (1.0, 2.0, 0.5, 2.0)


def test_what_slopes_show_beyond_their_errors_is_drift() -> None:
    """(4 - 1 + 4 - 1) / 2 = 3; slopes no larger than their errors show none; a step counts for four errors at most."""
    assert slope_variance(np.array([2.0, -2.0]), np.array([1.0, 1.0])) == pytest.approx(3.0)
    assert slope_variance(np.array([0.5, -0.5]), np.array([1.0, 1.0])) == 0.0
    assert slope_variance(np.array([10.0, 1.0]), np.array([1.0, 1.0])) == pytest.approx(7.5)


def test_precise_slopes_count_more() -> None:
    """Weights 1 and 1/16: (3 + 12/16) / (17/16)."""
    assert slope_variance(np.array([2.0, 4.0]), np.array([1.0, 4.0])) == pytest.approx(60 / 17)


def test_a_level_is_carried_along_half_trusted_slope() -> None:
    fit = Slope(np.array([2.0]), np.array([1.0]), np.array([10.0]), np.array([1.0]))

    moved, added = carried(fit, 1.0, np.array([3.0]))

    assert moved[0] == pytest.approx(0.5 * 2 * 2)
    assert added[0] == pytest.approx(0.5 * 4 / 10)
    assert carried(fit, 0.0, np.array([3.0]))[0][0] == 0.0

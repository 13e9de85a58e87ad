"""Shrunk variance: a case's own scatter, drawn towards that of the whole suite."""

import math

import numpy as np
import pytest

from reports.rule.spread import LEAST_VARIANCE, Prior, inverse_trigamma, shrunk, suite_prior


@pytest.mark.parametrize(
    ("value", "x"),
    [
        (math.pi**2 / 6, 1.0),  # trigamma(1) = pi^2 / 6
        (math.pi**2 / 2, 0.5),  # trigamma(1/2) = pi^2 / 2
        (math.pi**2 / 6 - 1, 2.0),  # trigamma(x + 1) = trigamma(x) - 1 / x^2
        (math.pi**2 / 6 - 1 - 1 / 4, 3.0),
    ],
)
def test_the_inverse_of_trigamma(value: float, x: float) -> None:
    assert inverse_trigamma(value) == pytest.approx(x, rel=1e-9)


def test_cases_that_scatter_alike_make_a_prior_of_the_cap() -> None:
    # Equal variances scatter less than chance alone would make them: the prior is worth the cap. With as many degrees
    # of freedom in each case as in the prior its bias corrections cancel, and it is the common variance.
    prior = suite_prior(np.full(5, 0.0004), np.full(5, 60.0), 60.0)

    assert prior.variance == pytest.approx(0.0004)
    assert prior.freedom == 60


def test_the_prior_s_worth_follows_from_how_much_the_log_variances_scatter() -> None:
    # Two degrees of freedom each: chance alone scatters the logs by trigamma(1) = pi^2 / 6. Logs set d apart with
    # d^2 = pi^2 / 3 leave an excess of pi^2 / 6 = trigamma(1), so d0 = 2; with d0 as large as each case's freedom the
    # prior is the geometric mean, 0.0001.
    apart = math.exp(math.pi / math.sqrt(3))
    variance = np.array([0.0001 / apart, 0.0001, 0.0001 * apart])

    prior = suite_prior(variance, np.full(3, 2.0), 60.0)

    assert prior.variance == pytest.approx(0.0001)
    assert prior.freedom == pytest.approx(2.0)


def test_cases_far_apart_lend_each_other_little() -> None:
    variance = np.array([1e-8, 1e-5, 1e-2, 10.0])

    assert suite_prior(variance, np.full(4, 20.0), 60.0).freedom < 1


@pytest.mark.parametrize(
    ("variance", "freedom"),
    [
        ([0.0001, 0.0001], [9.0, 9.0]),
        ([0.0001, 0.0001, math.nan], [9.0, 9.0, 9.0]),
        ([0.0001, 0.0001, 0.0001], [9.0, 9.0, 0.0]),
    ],
)
def test_fewer_than_three_cases_make_no_prior(variance: list[float], freedom: list[float]) -> None:
    assert suite_prior(np.array(variance), np.array(freedom), 60.0).freedom == 0


def test_a_cap_of_zero_leaves_every_case_its_own_variance() -> None:
    assert suite_prior(np.full(5, 0.0004), np.full(5, 9.0), 0.0).freedom == 0


def test_the_shrunk_variance_is_the_mean_weighted_by_degrees_of_freedom() -> None:
    # (9 x 0.0001 + 3 x 0.0004) / (9 + 3) = 0.0021 / 12 = 0.000175.
    variance, freedom = shrunk(np.array([0.0001]), np.array([9.0]), Prior(0.0004, 3.0))

    assert (variance[0], freedom[0]) == (pytest.approx(0.000175), 12)


def test_a_case_without_a_variance_of_its_own_has_the_suite_s() -> None:
    variance, freedom = shrunk(np.array([math.nan]), np.array([0.0]), Prior(0.0004, 3.0))

    assert (variance[0], freedom[0]) == (pytest.approx(0.0004), 3)


def test_where_nothing_is_known_there_is_no_variance() -> None:
    variance, freedom = shrunk(np.array([math.nan]), np.array([0.0]), Prior(LEAST_VARIANCE, 0.0))

    assert np.isnan(variance[0])
    assert freedom[0] == 0


def test_equal_times_scatter_by_a_millionth_at_least() -> None:
    variance, _ = shrunk(np.array([0.0]), np.array([9.0]), Prior(LEAST_VARIANCE, 0.0))

    assert math.sqrt(variance[0]) == pytest.approx(1e-6)

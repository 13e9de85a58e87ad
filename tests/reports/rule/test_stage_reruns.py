"""Re-runs: what was measured again in the same session decides alone."""

import math

import numpy as np
import pytest

from reports.rule.evidence import Level, measured_again
from reports.rule.settings import Settings
from tests.reports.rule.made_histories import QUIET, STEADY, judged, made_sessions

LEVEL = Level(np.zeros(1), np.array([0.0001]), np.array([9.0]), np.array([10]), np.array([0.1]))


@pytest.mark.parametrize(
    ("reruns", "of_the_median"), [(1, 1.0), (2, 0.5), (3, 0.449), (5, 0.287), (7, 0.210), (10, math.pi / 20)]
)
def test_re_runs_share_half_of_the_variance_and_their_median_has_its_own(reruns: int, of_the_median: float) -> None:
    # sd 0.01 and ten sessions; of three re-runs, 0.01 sqrt(0.5 + 0.5 x 0.449 + 0.1) = 0.0090802.
    two_and_a_half_sd = 2.5 * 0.01 * math.sqrt(0.5 + 0.5 * of_the_median + 0.1)

    z = measured_again(np.array([two_and_a_half_sd]), np.array([reruns]), LEVEL)

    assert z[0] == pytest.approx(2.5)


def test_without_re_runs_nothing_is_said() -> None:
    assert np.isnan(measured_again(np.array([np.nan]), np.array([0]), LEVEL)[0])


def test_slow_re_runs_make_a_regression_the_same_night() -> None:
    row = judged(made_sessions({"a": [*STEADY, 0.05]}, again={("a", 10): 0.06})).loc["a"]

    assert (row["verdict"], row["new"], row["reruns"]) == ("regression", True, 3)
    assert (row["last_good_run"], row["first_bad_run"]) == ("0009_run.json", "0010_run.json")


def test_with_re_runs_the_time_and_the_ratio_are_theirs() -> None:
    row = judged(made_sessions({"a": [*STEADY, 0.05]}, again={("a", 10): 0.06})).loc["a"]

    assert row["median_s"] == pytest.approx(math.exp(0.06))
    assert row["ratio"] == pytest.approx(math.exp(0.06))


def test_a_case_that_its_re_runs_clear_is_not_even_a_suspect() -> None:
    assert judged(made_sessions({"a": [*STEADY, 0.05]})).loc["a", "verdict"] == "suspect"
    cleared = made_sessions({"a": [*STEADY, 0.05]}, again={("a", 10): 0.0})
    assert judged(cleared).loc["a", "verdict"] == "unchanged"


def test_a_night_that_re_runs_cleared_does_not_count_towards_a_confirmation() -> None:
    frame = made_sessions({"a": [*STEADY, 0.05, 0.05]}, again={("a", 10): 0.0})

    assert judged(frame).loc["a", "verdict"] == "suspect"


def test_two_slow_nights_are_no_regression_when_the_second_s_re_runs_clear_it() -> None:
    frame = made_sessions({"a": [*STEADY, 0.05, 0.05]}, again={("a", 11): 0.0})

    assert judged(frame).loc["a", "verdict"] == "unchanged"


@pytest.mark.parametrize(("again", "verdict"), [(0.0245, "unchanged"), (0.0249, "regression")])
def test_re_runs_below_the_floor_are_no_regression(again: float, verdict: str) -> None:
    # ln 1.025 = 0.024693
    frame = made_sessions({"a": [*STEADY, 0.05]}, again={("a", 10): again})

    assert judged(frame).loc["a", "verdict"] == verdict


@pytest.mark.parametrize(
    ("decide", "again", "verdict"),
    [(3.0, 0.0286, "unchanged"), (3.0, 0.0288, "regression"), (2.5, 0.0286, "regression")],
)
def test_re_runs_decide_beyond_so_many_sd(decide: float, again: float, verdict: str) -> None:
    # Variance 0.001 / 9, ten sessions, three re-runs: sqrt(0.001 / 9 x 0.8245) = 0.0095714, times 3 is 0.028714.
    frame = made_sessions({"a": [*QUIET, 0.05]}, again={("a", 10): again})

    assert judged(frame, Settings(rerun_decide=decide)).loc["a", "verdict"] == verdict


def test_what_decides_can_be_set_for_some_cases() -> None:
    frame = made_sessions({name: [*QUIET, 0.05] for name in "ab"}, again={("a", 10): 0.03, ("b", 10): 0.03})

    verdicts = judged(frame, Settings(overrides={"b": {"rerun_decide": 4}}))

    assert verdicts["verdict"].to_dict() == {"a": "regression", "b": "unchanged"}

"""Levels and baselines: which earlier sessions say where a case is, and how far they scatter."""

import math

import numpy as np
import pytest

from reports.rule.baseline import baselines, latest, median
from reports.rule.evidence import Past, levels
from tests.reports.rule.made_histories import QUIET, judged, made_sessions, settings

NAN = math.nan


@pytest.mark.parametrize(
    ("values", "middle"),
    [([3.0, 1.0, 2.0], 2.0), ([4.0, 1.0, 2.0, 3.0], 2.5), ([NAN, 5.0, NAN, 1.0], 3.0), ([NAN, 7.0], 7.0)],
)
def test_a_median_leaves_out_what_is_not_there(values: list[float], middle: float) -> None:
    assert median(np.array([values]))[0] == middle


def test_the_median_of_nothing_is_not_a_number() -> None:
    assert np.isnan(median(np.array([[NAN, NAN]]))[0])


def test_only_the_last_usable_results_of_a_row_count() -> None:
    usable = np.array([[True, True, False, True, True]])

    assert latest(usable, 3).tolist() == [[False, True, False, True, True]]


def test_the_newest_columns_may_be_left_out_in_several_ways_at_once() -> None:
    usable = np.array([[True, True, False, True, True]])

    found = latest(usable, 2, np.array([0, 1, 2]))

    assert found[:, 0].astype(int).tolist() == [[0, 0, 0, 1, 1], [0, 1, 0, 1, 0], [1, 1, 0, 0, 0]]


def test_centre_and_variance_are_mean_and_sample_variance() -> None:
    # 1, 2, 3, 4, 5: mean 3; squares 4 + 1 + 0 + 1 + 4 = 10, over 4.
    base = baselines(np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]), 4.0)

    assert (base.centre[0], base.variance[0], base.sessions[0]) == (3.0, 2.5, 5)


@pytest.mark.parametrize(("beyond", "sessions"), [(-1e-6, 6), (1e-6, 5)])
def test_beyond_four_times_the_larger_spread_a_result_is_dropped(beyond: float, sessions: int) -> None:
    # 1, 2, 3, 4, 5 and a sixth above: median 3.5, distances 0.5, 0.5, 1.5, 1.5, 2.5 and the sixth's, so the MAD is 1.5
    # and 1.4826 x 1.5 = 2.2239. The steps are 1, 1, 1, 1 and a larger one: 1.4826 / sqrt 2 x 1 = 1.0484 is smaller.
    sixth = 3.5 + 4 * 2.2239 + beyond

    base = baselines(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, sixth]]), 4.0)

    assert base.sessions[0] == sessions
    assert base.kept[0].tolist() == [True] * 5 + [sessions == 6]


def test_a_row_that_jumps_between_two_modes_keeps_both() -> None:
    # Median 0 and MAD 0, for five of eight results are 0: by the MAD alone the ones would go. The steps are
    # 0, 0, 1, 1, 1, 1, 1: median 1, times 1.4826 / sqrt 2 is 1.0484, which reaches four times as far as the ones.
    base = baselines(np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]]), 4.0)

    assert (base.sessions[0], base.centre[0]) == (8, 3 / 8)


def test_equal_results_are_all_kept_and_do_not_scatter() -> None:
    base = baselines(np.array([[0.1 + 0.2, 0.3, 0.3]]), 4.0)

    assert base.sessions[0] == 3
    assert base.variance[0] == pytest.approx(0.0, abs=1e-24)


@pytest.mark.parametrize(("values", "centre"), [([NAN, NAN], NAN), ([NAN, 2.0], 2.0)])
def test_fewer_than_two_results_have_no_variance(values: list[float], centre: float) -> None:
    base = baselines(np.array([values]), 4.0)

    assert np.isnan(base.variance[0])
    assert base.centre[0] == pytest.approx(centre, nan_ok=True)


def past_of(*values: float, held: tuple[int, ...] = ()) -> Past:
    kept_out = np.isin(np.arange(len(values)), held)[None]
    return Past(np.array([values]), kept_out, np.zeros(1), np.zeros(1))


def test_a_level_is_the_mean_of_its_sessions_with_their_variance() -> None:
    # Ten of +-0.01: mean 0, variance 10 x 0.0001 / 9 with 9 degrees of freedom; one case has no suite to lean on.
    level = levels(past_of(*QUIET), (1,), settings()).row(0)

    assert (level.centre[0], level.sessions[0], level.error[0]) == (pytest.approx(0.0), 10, 0.1)
    assert (level.variance[0], level.freedom[0]) == (pytest.approx(0.001 / 9), 9)


def test_held_sessions_do_not_shape_a_level() -> None:
    level = levels(past_of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, held=(5,)), (1,), settings()).row(0)

    assert (level.centre[0], level.sessions[0]) == (3.0, 5)


def test_a_baseline_is_the_last_thirty_sessions() -> None:
    # 40 nights 0, 1, ..., 39: the last 30 are 10 to 39, mean 24.5.
    level = levels(past_of(*map(float, range(40))), (1,), settings()).row(0)

    assert (level.centre[0], level.sessions[0]) == (24.5, 30)


def test_before_a_window_lie_the_sessions_that_are_not_in_it() -> None:
    # Tonight is one session of each window: of the three last, two are in 1 .. 6 already, and 1 .. 4 lie before.
    level = levels(past_of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (1, 2, 3), settings())

    assert level.centre[:, 0].tolist() == [3.5, 3.0, 2.5]


@pytest.mark.parametrize(
    ("earlier", "verdict"),
    [(1, "insufficient-history"), (4, "insufficient-history"), (5, "unchanged"), (6, "unchanged")],
)
def test_a_case_is_judged_from_its_fifth_earlier_session_on(earlier: int, verdict: str) -> None:
    verdicts = judged(made_sessions({"a": QUIET[: earlier + 1]}))

    assert (verdicts.loc["a", "verdict"], verdicts.loc["a", "history"]) == (verdict, earlier)


def test_nights_without_a_result_do_not_count_as_history() -> None:
    verdicts = judged(made_sessions({"a": [0.0, None, 0.0, None, 0.0, NAN, 0.0, 0.0]}))

    assert (verdicts.loc["a", "verdict"], verdicts.loc["a", "history"]) == ("insufficient-history", 4)

"""Confirmation: the last sessions together, many cases at once, and changes too small to matter."""

import math

import numpy as np
import pytest

from reports.rule.evidence import Evidence, Level, confirmed, discovered
from reports.rule.settings import Settings
from tests.reports.rule.made_histories import STEADY, judged, made_sessions, settings, words

NAN = math.nan
SD = 0.01


def says(
    *recent_sd: float,
    windows: tuple[int, ...] = (2,),
    sessions: int = 10,
    clip: float = 3.0,
    weight: float = 0.5,
    q: float = 0.05,
) -> Evidence:
    """Return the evidence of the last sessions, given in sd above a level of ten sessions with 9 degrees of freedom."""
    shape = (len(windows), 1)
    level = Level(
        np.zeros(shape), np.full(shape, SD**2), np.full(shape, 9.0), np.full(shape, sessions), np.full(shape, 0.1)
    )
    rule = Settings(confirm_sessions=windows, confirm_weights=(weight,) * len(windows), confirm_clip=clip, q=q)
    return confirmed(np.array([recent_sd]) * SD, level, rule)


def test_two_sessions_confirm_by_their_mean() -> None:
    # Both 2.5173 sd: T = 2.5173 / sqrt(1 / 2 + 1 / 10) = 3.2498, whose p with 9 degrees of freedom is 0.005, over the
    # window's weight 0.5.
    found = says(2.5173, 2.5173)

    assert found.p[0] == pytest.approx(0.01, abs=1e-5)
    assert (found.estimate[0], found.before[0], found.sessions[0]) == (pytest.approx(0.025173), 0.0, 2)


def test_one_outlier_confirms_nothing() -> None:
    # 100 and 0 sd: the first counts for 3, so the mean is 1.5 and T = 1.5 / sqrt(0.6) = 1.9365, less than the 2.2622
    # that 2.5 % exceed with 9 degrees of freedom; the other session's own T is 0.
    found = says(100.0, 0.0)

    assert found.p[0] == 1.0
    assert math.isnan(found.estimate[0])
    anyway = says(100.0, 0.0, q=0.5)
    assert anyway.p[0] == pytest.approx(says(3.0, 0.0, q=0.5).p[0])
    assert anyway.p[0] > 0.025 / 0.5
    assert anyway.estimate[0] == 0.0


def test_a_large_change_is_not_cut_down() -> None:
    # Both sessions alone say 3.4085 / sqrt(1.1) = 3.2498 where each counts for 1 sd at most: 1 / sqrt(0.6) = 1.2910.
    found = says(3.4085, 3.4085, clip=1.0)

    assert found.p[0] == pytest.approx(0.005 / 0.5, abs=1e-5)


@pytest.mark.parametrize(
    ("recent_sd", "estimate_sd"),
    [
        ((0.5, 0.4), 0.4),
        ((0.1, 0.5, 0.3), 0.3),
        ((0.1, 0.2, 0.5, 0.4, 0.3), 0.3),
        ((0.7, 0.1, 0.2, 0.5, 0.4, 0.3, 0.6), 0.4),
        ((0.6, 0.0, 0.6), 0.4),  # the mean of three is smaller than their median 0.6
    ],
)
def test_the_estimate_is_the_lower_median_of_the_window_or_its_mean(
    recent_sd: tuple[float, ...], estimate_sd: float
) -> None:
    found = says(*recent_sd, windows=(len(recent_sd),), weight=1.0, q=0.5)

    assert found.estimate[0] == pytest.approx(estimate_sd * SD)


def test_the_window_that_says_most_counts() -> None:
    # Seven sessions at 1 sd: T = 1 / sqrt(1 / 7 + 0.1) = 2.0292 against 1.2910 for two. Two at 3 sd after five at 0:
    # 3 / sqrt(0.6) = 3.873 for two, and (6 / 7) / sqrt(1 / 7 + 0.1) = 1.7394 for seven.
    assert says(*[1.0] * 7, windows=(2, 7)).sessions[0] == 7
    assert says(*[0.0] * 5, 3.0, 3.0, windows=(2, 7)).sessions[0] == 2


def test_a_session_that_is_not_there_leaves_its_windows_without_evidence() -> None:
    found = says(3.0, NAN, 3.0, 3.0, windows=(2, 4))

    assert (found.sessions[0], found.p[0] < 0.01) == (2, True)
    assert says(NAN, 3.0).p[0] == 1.0


def test_a_window_after_fewer_than_five_sessions_says_nothing() -> None:
    assert says(9.0, 9.0, sessions=4).p[0] == 1.0


@pytest.mark.parametrize(
    ("p", "found"),
    [
        # Five p in order against q i / 5 = .01 .02 .03 .04 .05: the largest that holds is the second.
        ([0.039, 0.001, 0.041, 0.008, 0.06], [False, True, False, True, False]),
        # The fifth holds, and takes with it all before it, though two of them lie beyond their own.
        ([0.039, 0.001, 0.041, 0.008, 0.042], [True, True, True, True, True]),
        ([0.011, 0.6, 0.7, 0.8, 0.9], [False] * 5),
        ([0.0099, 0.6, 0.7, 0.8, 0.9], [True, False, False, False, False]),
    ],
)
def test_of_many_cases_those_stand_out_that_benjamini_and_hochberg_would_name(
    p: list[float], found: list[bool]
) -> None:
    assert discovered(np.array(p), np.ones(5, dtype=bool), 0.05).tolist() == found


def test_only_the_judged_cases_count_among_the_many() -> None:
    # One of five would need 0.01, one of two 0.025.
    p, judged_ones = np.array([0.02, 0.5, 0.5, 0.5, 0.5]), np.array([True, True, False, False, False])

    assert discovered(p, judged_ones, 0.05).tolist() == [True, False, False, False, False]
    assert not discovered(p, np.zeros(5, dtype=bool), 0.05).any()


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(1.0249, "unchanged"), (1.0251, "regression"), (1 / 1.0249, "unchanged"), (1 / 1.0251, "improvement")],
)
def test_a_change_below_the_floor_is_none(ratio: float, verdict: str) -> None:
    frame = made_sessions({"a": [*STEADY, math.log(ratio), math.log(ratio)]})

    assert judged(frame).loc["a", "verdict"] == verdict


def test_the_floor_is_one_on_the_estimate_not_on_its_whole_interval() -> None:
    verdicts = judged(made_sessions({"a": [*STEADY, 0.0255, 0.0255]}))

    assert verdicts.loc["a", "verdict"] == "regression"
    assert (verdicts["ratio_low"] < 1.025).all()


@pytest.mark.parametrize(("floor_s", "verdict"), [(4.9e-8, "regression"), (5.2e-8, "unchanged")])
def test_a_change_of_too_little_time_is_none(floor_s: float, verdict: str) -> None:
    # 5 % of a microsecond is 51 ns: exp(0.05) - 1 = 0.05127.
    microsecond = math.log(1e-6)
    frame = made_sessions({"a": [microsecond + away for away in (*STEADY, 0.05, 0.05)]})

    assert judged(frame, Settings(absolute_floor_s=floor_s)).loc["a", "verdict"] == verdict


def test_the_floor_can_be_set_for_some_cases() -> None:
    frame = made_sessions({name: [*STEADY, 0.05, 0.05] for name in ("a", "b")})

    verdicts = judged(frame, Settings(overrides={"b": {"floor": 0.06}}))

    assert verdicts["verdict"].to_dict() == {"a": "regression", "b": "unchanged"}


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ([0.05, 0.05], ["suspect", "regression!"]),
        ([-0.05, -0.05], ["unchanged", "improvement!"]),
        ([0.05, -0.05], ["suspect", "unchanged"]),
        ([0.05, 0.0, 0.05], ["suspect", "unchanged", "suspect"]),
    ],
)
def test_two_sessions_on_end_confirm_a_change(last: list[float], expected: list[str]) -> None:
    assert words([*STEADY, *last], len(last), settings()) == expected


def test_two_slow_sessions_of_three_have_a_window_of_their_own() -> None:
    # Cut off at 3 sd they count for 3, 0 and 3: T = 2 / sqrt(1 / 3 + 1 / 10) = 3.04, p = 0.007, over the weight 0.35.
    three = settings(confirm_sessions=(3,), confirm_weights=(0.35,))

    assert words([*STEADY, 0.05, 0.0, 0.05], 1, three) == ["regression!"]


def test_slow_and_fast_cases_do_not_hide_each_other() -> None:
    verdicts = judged(made_sessions({"a": [*STEADY, 0.05, 0.05], "b": [*STEADY, -0.05, -0.05]}))

    assert verdicts["verdict"].to_dict() == {"a": "regression", "b": "improvement"}


def test_longer_windows_find_what_two_sessions_cannot() -> None:
    # sd 0.021 and a step of 0.04: T of two is 1.9 / sqrt(0.6) = 2.45, p 0.018 over its weight 0.2; of seven it is
    # 1.9 / sqrt(1 / 7 + 0.1) = 3.85, p 0.002 over its weight 0.4.
    noisy = [0.02, -0.02] * 5
    frame = made_sessions({"a": [*noisy, *[0.04] * 7]})
    both = settings(confirm_sessions=(2, 7), confirm_weights=(0.2, 0.4))

    assert judged(frame, both, session="night-11").loc["a", "verdict"] == "unchanged"
    assert judged(frame, both).loc["a", "verdict"] == "regression"
    assert judged(frame, settings(confirm_weights=(0.2,))).loc["a", "verdict"] == "unchanged"


@pytest.mark.parametrize(("pair", "verdict"), [((0.05, 0.05), "unchanged"), ((0.07, 0.07), "regression")])
def test_two_sessions_confirm_nothing_where_the_case_has_often_been(pair: tuple[float, float], verdict: str) -> None:
    # Three outliers of 0.06 in the window: the weaker of two sessions must exceed the third worst.
    times = [*STEADY, 0.06, *STEADY[:5], 0.06, *STEADY[:5], 0.06, 0.0, 0.0]

    assert judged(made_sessions({"a": [*times, *pair]}), settings()).loc["a", "verdict"] == verdict

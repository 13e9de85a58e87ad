"""Tonight alone: T and p, the guard against cases that have been there before, and suspects."""

import math

import numpy as np
import pytest

from reports.rule.evidence import Level, Past, guarded, levels, tonight
from reports.rule.settings import Settings
from tests.reports.rule.made_histories import QUIET, STEADY, judged, made_sessions, settings


def level(variance: float = 0.0001, freedom: float = 9, sessions: int = 10, centre: float = 0.0) -> Level:
    error = np.array([1 / sessions])
    return Level(np.array([centre]), np.array([variance]), np.array([freedom]), np.array([sessions]), error)


def test_t_is_the_distance_over_the_sd_of_a_session_and_of_the_centre() -> None:
    # sd 0.01, ten sessions: 0.05 / (0.01 sqrt(1 + 1 / 10)) = 4.7673.
    t, _ = tonight(np.array([1.05]), level(centre=1.0), 5)

    assert t[0] == pytest.approx(4.7673, abs=1e-4)


@pytest.mark.parametrize(
    ("freedom", "quantile", "p"),
    [(9, 1.8331, 0.05), (9, 3.2498, 0.005), (30, 2.7500, 0.005), (60, 2.6603, 0.005), (9, -1.8331, 0.95)],
)
def test_p_for_slower_is_one_sided_of_student_s_t(freedom: float, quantile: float, p: float) -> None:
    _, slower = tonight(np.array([quantile * 0.01 * math.sqrt(1.1)]), level(freedom=freedom), 5)

    assert slower[0] == pytest.approx(p, abs=1e-5)


@pytest.mark.parametrize(("sessions", "is_told"), [(4, False), (5, True)])
def test_with_fewer_than_five_sessions_there_is_no_t(sessions: int, is_told: bool) -> None:
    t, p = tonight(np.array([0.05]), level(sessions=sessions), 5)

    assert (np.isfinite(t[0]), np.isfinite(p[0])) == (is_told, is_told)


def past_of(*values: float, held: tuple[int, ...] = ()) -> Past:
    kept_out = np.isin(np.arange(len(values)), held)[None]
    return Past(np.array([values]), kept_out, np.zeros(1), np.zeros(1))


@pytest.mark.parametrize(
    ("rank", "log_time", "is_beyond"),
    [(1, 9.5, True), (1, 9.0, False), (2, 8.5, True), (2, 8.0, False), (3, 7.5, True), (3, 6.5, False)],
)
def test_the_guard_asks_to_exceed_the_worst_session_of_a_rank(rank: int, log_time: float, is_beyond: bool) -> None:
    # Ten nights 3, 9, 1, 0, 8, 2, 7, 4, 6, 5: worst 9, second worst 8, third worst 7; a tie does not exceed.
    past = past_of(3, 9, 1, 0, 8, 2, 7, 4, 6, 5)

    assert guarded(np.array([log_time]), past, np.array([rank]), Settings())[0] == is_beyond


@pytest.mark.parametrize(("nights", "is_beyond"), [(9, True), (10, False)])
def test_the_guard_is_off_below_ten_sessions(nights: int, is_beyond: bool) -> None:
    past = past_of(*map(float, range(nights)))

    assert guarded(np.array([0.0]), past, np.array([2]), Settings())[0] == is_beyond


def test_held_sessions_count_for_the_guard() -> None:
    past = past_of(*[0.0] * 9, 5.0, held=(9,))

    assert not guarded(np.array([4.0]), past, np.array([1]), Settings())[0]


def test_the_guard_looks_back_as_far_as_the_window() -> None:
    past = past_of(9.0, *[0.0] * 30)

    assert guarded(np.array([1.0]), past, np.array([1]), Settings())[0]


def test_mirrored_values_ask_the_same_of_faster() -> None:
    past = past_of(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)
    usual = levels(past, (1,), settings()).row(0)
    mirrored = levels(past.mirrored(), (1,), settings()).row(0)

    assert tonight(np.array([-9.0]), mirrored, 5)[0] == -tonight(np.array([9.0]), usual, 5)[0]
    assert np.array_equal(mirrored.mirrored().centre, usual.centre)
    # the second fastest is 1
    beyond = [guarded(np.array([-time]), past.mirrored(), np.array([2]), Settings())[0] for time in (0.5, 1.5)]
    assert beyond == [True, False]


@pytest.mark.parametrize(("log_time", "verdict"), [(0.0360, "suspect"), (0.0358, "unchanged")])
def test_a_suspect_is_this_unlikely_by_chance(log_time: float, verdict: str) -> None:
    # Variance 0.001 / 9 and ten sessions: sd of the difference sqrt(0.001 / 9 x 1.1) = 0.011055. Student's t with 9
    # degrees of freedom exceeds 3.2498 once in 200 times, so the border is 0.035927.
    frame = made_sessions({"a": [*QUIET, log_time]})

    assert judged(frame, Settings(suspect_p=0.005)).loc["a", "verdict"] == verdict


def test_a_row_tells_its_t_its_ratio_and_the_interval_of_95_percent() -> None:
    # 0.05 / 0.011055 = 4.5227. Student's t with 9 degrees of freedom lies within 2.2622: 2.2622 x 0.011055 = 0.025009.
    row = judged(made_sessions({"a": [*QUIET, 0.05]})).loc["a"]

    assert row["t"] == pytest.approx(4.5227, abs=1e-3)
    assert row["ratio"] == pytest.approx(math.exp(0.05))
    assert row["ratio_low"] == pytest.approx(math.exp(0.05 - 0.025009), abs=1e-5)
    assert row["ratio_high"] == pytest.approx(math.exp(0.05 + 0.025009), abs=1e-5)
    assert (row["median_s"], row["baseline_s"]) == (pytest.approx(math.exp(0.05)), pytest.approx(1.0))


def test_one_night_is_never_more_than_a_suspect() -> None:
    row = judged(made_sessions({"a": [*STEADY, 0.5]})).loc["a"]

    assert (row["verdict"], row["new"]) == ("suspect", False)
    assert (row["last_good_run"], row["first_bad_run"]) == ("0009_run.json", "0010_run.json")


def test_a_faster_night_alone_is_no_line() -> None:
    assert judged(made_sessions({"a": [*STEADY, -0.5]})).loc["a", "verdict"] == "unchanged"


@pytest.mark.parametrize("away", [0.05, -0.05])
def test_an_unlikely_night_is_kept_out_of_the_baseline(away: float) -> None:
    row = judged(made_sessions({"a": [*STEADY, away, 0.0]})).loc["a"]

    assert (row["verdict"], row["history"]) == ("unchanged", 10)
    assert row["ratio"] == pytest.approx(1.0)


def test_a_case_that_has_often_been_there_is_no_suspect() -> None:
    # Twenty-two nights around 0 and three at 0.06, beyond 4 sd, so the level is 0: tonight's 0.05 is no worse than
    # the third worst of the window, and 0.07 is.
    times = [*STEADY, 0.06, *STEADY[:5], 0.06, *STEADY[:5], 0.06, 0.0, 0.0]

    assert judged(made_sessions({"a": [*times, 0.05]})).loc["a", "verdict"] == "unchanged"
    assert judged(made_sessions({"a": [*times, 0.07]})).loc["a", "verdict"] == "suspect"


def test_what_makes_a_suspect_can_be_set_for_some_cases() -> None:
    frame = made_sessions({"a": [*QUIET, 0.03], "b": [*QUIET, 0.03]})

    verdicts = judged(frame, Settings(overrides={"b": {"suspect_p": 0.05}}))

    assert verdicts["verdict"].to_dict() == {"a": "unchanged", "b": "suspect"}


@pytest.mark.parametrize(("cases", "verdict"), [(4, "suspect"), (6, "unchanged")])
def test_a_suspect_stands_out_among_all_cases(cases: int, verdict: str) -> None:
    # Student's t with 9 degrees of freedom exceeds 2.8214 once in a hundred: 2.8214 x 0.011055 = 0.03119. That is less
    # than 0.05 / 4, and more than 0.05 / 6.
    others = {f"same-{case}": [*QUIET, 0.0] for case in range(cases - 1)}
    frame = made_sessions({"a": [*QUIET, 0.0312]} | others)

    assert judged(frame, Settings(suspect_p=0.05, prior_cap=0.0)).loc["a", "verdict"] == verdict

"""Changes: where one begins, the new level after it, and how an open regression ends or comes slowly."""

import math

import numpy as np
import pytest

from reports.rule.accepted import Accepted
from reports.rule.changes import beginning, recovered
from reports.rule.levels import Levels, Opened
from reports.rule.settings import Settings
from tests.reports.rule.made_histories import STEADY, judged, made_sessions, words


@pytest.mark.parametrize(
    ("values", "last"),
    [
        ([0.0, 0.0, 0.1, 0.1], 2),
        ([0.0, 0.0, 0.0, 0.1], 1),
        ([0.1, 0.1, 0.1, 0.1], 4),
        ([0.0, 0.0, 0.06, 0.1], 2),  # just beyond the middle speaks for the new level, by 0.6 - 0.5
        ([0.0, 0.0, 0.04, 0.1], 1),
        ([0.1, 0.0, 0.1, 0.1], 2),  # the one before does not outweigh the gap, and a tie is cut late
        ([0.0, 9.0, 0.0, 0.1], 1),  # an outlier counts for no more than the new level itself
    ],
)
def test_a_change_begins_at_the_likeliest_cut(values: list[float], last: int) -> None:
    assert beginning(np.array(values), 0.0, 0.1, 4) == last


def test_a_change_downward_begins_where_it_begins() -> None:
    assert beginning(np.array([1.0, 1.0, 0.9, 0.9]), 1.0, -0.1, 4) == 2


def test_no_more_of_the_last_sessions_belong_to_a_change_than_are_looked_at() -> None:
    assert beginning(np.full(9, 0.1), 0.0, 0.1, 5) == 5


def levels_with(opened_at: float, *since: float) -> Levels:
    """Return one case whose regression opened from level 0 to `opened_at`, and what it did since."""
    levels = Levels(1, 30, 7, 4.0)
    for night, value in enumerate([*[opened_at] * 10, *since]):
        levels.append(night, np.array([value]), np.array([False]))
    nothing = np.full(levels.values.shape[1], np.nan)
    levels.opened[0] = Opened(0.0, 0, 1, nothing, np.full(levels.values.shape[1], -1))
    return levels


@pytest.mark.parametrize(
    ("since", "first"),
    [
        # sd 0.05, levels 0 and 0.1: a night at 0 speaks for the old one with 0.1 x 0.05 / 0.0025 = 2, and a thousand
        # to one asks for ln 1000 = 6.91: three are too few, four are enough.
        ([0.0, 0.0, 0.0], None),
        ([0.0, 0.0, 0.0, 0.0], 10),
        # at 0.01: 0.1 x (0.05 - 0.01) / 0.0025 = 1.6 each: five make 8.
        ([0.01] * 4, None),
        ([0.01] * 5, 10),
    ],
)
def test_a_regression_ends_when_the_old_level_is_a_thousand_times_likelier(
    since: list[float], first: int | None
) -> None:
    floor = math.log(1.025)

    assert recovered(levels_with(0.1, *since), 0, 0.0025, floor, Settings()) == first


@pytest.mark.parametrize(("back", "first"), [(0.0, 10), (0.024, 10), (0.025, None), (-0.1, 10)])
def test_a_single_clear_night_back_within_the_floor_ends_a_regression(back: float, first: int | None) -> None:
    # sd 0.01: 0.1 x (0.05 - 0.025) / 0.0001 = 25 is odds enough, but ln 1.025 = 0.02469 is the floor
    assert recovered(levels_with(0.1, back), 0, 0.0001, math.log(1.025), Settings()) == first


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([0.05] * 3, ["suspect", "regression!", "regression"]),
        ([0.05, 0.05, 0.0, 0.0], ["suspect", "regression!", "recovered", "unchanged"]),
        ([0.05] * 8, ["suspect", "regression!", *["regression"] * 6]),
        # an improvement is told until its level has five sessions and is what the case is judged against
        ([-0.05] * 8, ["unchanged", "improvement!", *["improvement"] * 3, *["unchanged"] * 3]),
    ],
)
def test_a_confirmed_change_is_new_once(after: list[float], expected: list[str]) -> None:
    assert words([*STEADY, *after], len(after)) == expected


@pytest.mark.parametrize("nights", [2, 5, 12])
def test_an_open_regression_remembers_its_old_level_and_the_runs_around_its_start(nights: int) -> None:
    row = judged(made_sessions({"a": [*STEADY, *[0.05] * nights]})).loc["a"]

    assert (row["last_good_run"], row["first_bad_run"]) == ("0009_run.json", "0010_run.json")
    assert row["ratio"] == pytest.approx(math.exp(0.05))
    assert row["baseline_s"] == pytest.approx(1.0)


def test_the_nights_since_a_change_are_the_new_level() -> None:
    assert judged(made_sessions({"a": [*STEADY, *[0.05] * 7]})).loc["a", "history"] == 6


def test_a_second_step_of_an_open_regression_is_new_again_and_told_against_the_old_level() -> None:
    times = [*STEADY, *(0.05 + away for away in STEADY), 0.12, 0.12]

    assert words(times, 2)[-1] == "regression!"
    row = judged(made_sessions({"a": times})).loc["a"]
    assert row["ratio"] == pytest.approx(math.exp(0.12))
    assert (row["last_good_run"], row["first_bad_run"]) == ("0019_run.json", "0020_run.json")


def test_a_regression_partly_undone_stays_open() -> None:
    times = [*STEADY, *(0.12 + away for away in STEADY), *(0.05 + away for away in STEADY)]

    assert words(times, 4) == ["regression"] * 4


def test_a_recovered_case_goes_on_from_its_old_level() -> None:
    row = judged(made_sessions({"a": [*STEADY, 0.05, 0.05, 0.0, 0.0]})).loc["a"]

    assert (row["verdict"], row["history"]) == ("unchanged", 11)


def test_a_regression_that_comes_back_after_recovering_is_new_again() -> None:
    assert words([*STEADY, 0.05, 0.05, 0.0, 0.0, 0.05, 0.05], 2)[-1] == "regression!"


def test_an_accepted_regression_is_silent_and_its_level_is_what_counts() -> None:
    times = [*STEADY, *[0.05] * 9]

    assert words(times, 9, None, Accepted("a", "on purpose", "night-11")) == [
        "suspect",
        "unchanged",
        *["insufficient-history"] * 3,
        *["unchanged"] * 4,
    ]


@pytest.mark.parametrize(
    ("at", "verdict"),
    [
        ("night-11", "unchanged"),
        ("2026-03-12", "unchanged"),  # night 11 is of that day
        ("2026-12-31", "unchanged"),
        ("2026-03-10", "regression"),  # accepted before it happened
        ("night-99", "regression"),
        ("2026-02-28", "regression"),
    ],
)
def test_what_is_accepted_is_named_by_its_session_or_day(at: str, verdict: str) -> None:
    frame = made_sessions({"a": [*STEADY, 0.05, 0.05]})

    assert judged(frame, None, Accepted("a", "on purpose", at)).loc["a", "verdict"] == verdict


def test_only_the_named_cases_are_accepted() -> None:
    frame = made_sessions({name: [*STEADY, 0.05, 0.05] for name in ("cpu-a", "cuda-a")})

    verdicts = judged(frame, None, Accepted("cpu-*", "on purpose", "night-11"))

    assert verdicts["verdict"].to_dict() == {"cpu-a": "unchanged", "cuda-a": "regression"}


def test_an_accepted_suspect_begins_a_level_that_night() -> None:
    times = [*STEADY, *[0.05] * 6]

    assert words(times, 6, None, Accepted("a", "on purpose", "night-10")) == [
        "unchanged",
        *["insufficient-history"] * 4,
        "unchanged",
    ]


def test_a_slowdown_after_an_accepted_one_is_a_regression_of_its_own() -> None:
    times = [*STEADY, *(0.05 + away for away in STEADY), 0.12, 0.12]
    accepted = Accepted("a", "on purpose", "night-11")

    row = judged(made_sessions({"a": times}), None, accepted).loc["a"]

    assert (row["verdict"], row["new"]) == ("regression", True)
    assert row["ratio"] == pytest.approx(math.exp(0.07), rel=1e-3)


def crawling(nights: int) -> list[float]:
    """Return a case that gets slower by 0.1 % a night, with a scatter of 0.2 %."""
    return [0.001 * night + (0.002 if night % 2 else -0.002) for night in range(nights)]


@pytest.mark.parametrize(("nights", "expected"), [(70, "unchanged"), (71, "regression!"), (72, "regression")])
def test_a_level_that_crept_beyond_twice_the_floor_is_a_regression(nights: int, expected: str) -> None:
    # The level of night t is the mean of the nights before it, at most 30: 0.001 (t - 15.5). The first level is that
    # of the nights 0 to 9, 0.0045. Twice the floor is 2 ln 1.025 = 0.049385: beyond it from t = 70 on.
    assert words(crawling(nights), 1) == [expected]


def test_creep_is_told_against_the_first_level_and_flagged() -> None:
    row = judged(made_sessions({"a": crawling(71)})).loc["a"]

    assert "crept" in row["flags"]
    assert row["baseline_s"] == pytest.approx(math.exp(0.0045))
    assert (row["last_good_run"], row["first_bad_run"]) == ("0009_run.json", "0070_run.json")


def test_after_an_acceptance_creep_is_measured_from_there() -> None:
    assert words(crawling(80), 1, None, Accepted("a", "on purpose", "night-70")) == ["unchanged"]


def test_after_an_improvement_creep_is_measured_from_the_faster_level() -> None:
    # The faster level's first ten nights are 10 to 19, and it creeps as `crawling` does: 70 nights later it is beyond.
    times = [*STEADY, *(away - 0.3 for away in crawling(71))]

    assert words(times, 2) == ["unchanged", "regression!"]


def test_work_that_was_redefined_as_slower_never_crept() -> None:
    times = [*STEADY, *(0.5 + away for away in STEADY * 2)]
    work = {("a", night): {"dataset": "iris" if night < 10 else "wine"} for night in range(30)}

    row = judged(made_sessions({"a": times}, work=work)).loc["a"]

    assert (row["verdict"], row["flags"]) == ("unchanged", ())


def test_a_level_given_with_an_acceptance_is_what_creep_is_measured_against() -> None:
    # The level after the change, 0.06, is beyond twice the floor of 1 s, ln 1 = 0, once ten sessions tell it.
    times = [*STEADY, *(0.06 + away for away in STEADY), 0.06]

    assert words(times, 2, None, Accepted("a", "for now", "night-11", 1.0)) == ["unchanged", "regression!"]
    assert words(times, 1, None, Accepted("a", "for good", "night-11")) == ["unchanged"]

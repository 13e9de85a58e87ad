"""Suspects: which cases are worth measuring again, and what changed with a case."""

import pytest

from reports.rule.settings import Settings
from reports.rule.suspects import Difference, differences, worth_measuring_again
from reports.rule.verdict import replay
from tests.reports.rule.made_histories import QUIET, STEADY, judged, made_sessions

SD = 0.011055  # of QUIET and its ten sessions: sqrt(0.001 / 9 x 1.1)


def worth(cases: dict[str, list[float | None]], settings: Settings | None = None) -> list[str]:
    return worth_measuring_again(replay(made_sessions(cases), settings), settings or Settings())


def test_cases_slower_by_more_than_two_sd_and_the_floor_are_worth_it_the_worst_first() -> None:
    # 2.3 sd are 0.025427, more than ln 1.025 = 0.024693; 2.2 sd are 0.024321, less; 1.9 sd are 0.021.
    times = {f"at-{t}": [*QUIET, t * SD] for t in (1.9, 2.2, 2.3, 5.0, -5.0)}

    assert worth({name: list(values) for name, values in times.items()}) == ["at-5.0", "at-2.3"]


@pytest.mark.parametrize(("t", "found"), [(1.99, []), (2.01, ["a"])])
def test_with_a_small_floor_two_sd_decide(t: float, found: list[str]) -> None:
    assert worth({"a": [*QUIET, t * SD]}, Settings(floor=0.001)) == found


def test_how_slow_is_worth_it_can_be_set() -> None:
    assert worth({"a": [*QUIET, 2.5 * SD]}, Settings(rerun_z=3.0)) == []


def test_what_was_measured_again_is_not_measured_once_more() -> None:
    frame = made_sessions({"a": [*QUIET, 0.05]}, again={("a", 10): 0.05})

    assert worth_measuring_again(replay(frame), Settings()) == []


def test_an_open_regression_that_stays_where_it_is_is_not_measured_again() -> None:
    assert worth({"a": [*STEADY, *(0.1 + away for away in STEADY), 0.1]}) == []


def test_neither_a_new_case_nor_one_with_little_history_is_worth_it() -> None:
    assert worth({"a": [0.0, 0.0, 0.0, 0.0, 0.5], "b": [*[None] * 4, 0.5]}) == []


def test_differences_name_what_is_not_as_it_was() -> None:
    before = {
        "environment": {"torch": "2.14.0", "flags": {"tf32": True}},
        "work": {"counts": 3},
        "method": {"rounds": 9},
    }
    after = {
        "environment": {"torch": "2.14.1", "flags": {"tf32": False}},
        "work": {"counts": 4},
        "method": {"rounds": 5},
    }

    found = differences(before, after)

    assert [str(difference) for difference in found] == [
        "torch 2.14.0 -> 2.14.1",
        "flags.tf32 True -> False",
        "counts 3 -> 4",
    ]


@pytest.mark.parametrize(("name", "old", "new", "told"), [
    ("rounds", 10, 20, False),
    ("warmup", False, True, True),  # the plug-in's own switch
    ("iterations", 1, 100, True),
])  # fmt: skip
def test_numbers_that_follow_the_time_explain_nothing(name: str, old: int, new: int, told: bool) -> None:
    before, after = ({"environment": {}, "work": {}, "method": {name: value}} for value in (old, new))

    assert bool(differences(before, after)) is told


def test_a_field_that_only_one_side_has_is_a_difference() -> None:
    sides: list[dict[str, dict[str, str]]] = [
        {"environment": {"driver": "1"}, "work": {}, "method": {}},
        {"environment": {"cuda": "12"}, "work": {}, "method": {}},
    ]

    assert differences(*sides) == [Difference("driver", "1", None), Difference("cuda", None, "12")]
    assert str(differences(*sides)[0]) == "driver 1 -> nothing"


def test_a_regression_names_what_changed_between_its_last_good_and_first_bad_run() -> None:
    frame = made_sessions({"a": [*STEADY, 0.05, 0.05, 0.05]})
    torch = frame["session"].map(lambda session: "2.15.0" if session >= "night-10" else "2.14.1")
    frame = frame.assign(environment=torch.map(lambda version: {"torch": version}))

    assert judged(frame).loc["a", "suspects"] == "torch 2.14.1 -> 2.15.0"

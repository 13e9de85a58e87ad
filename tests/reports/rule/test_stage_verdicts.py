"""Verdicts end to end: every word, the columns beside it, and that nothing but the files decides."""

import math
from typing import Any

import pandas as pd
import pytest

from reports.rule.accepted import Accepted, Book
from reports.rule.verdict import replay
from reports.verdicts import VERDICT_COLUMNS, WORST_FIRST
from tests.reports.rule.made_histories import MACHINE, QUIET, STEADY, judged, made_sessions

NAN = math.nan


@pytest.mark.parametrize(
    ("times", "verdict", "new"),
    [
        ([*STEADY, 0.0], "unchanged", False),
        ([*STEADY, 0.05], "suspect", False),
        ([*STEADY, 0.05, 0.05], "regression", True),
        ([*STEADY, 0.05, 0.05, 0.05], "regression", False),
        ([*STEADY, 0.05, 0.05, 0.0], "recovered", False),
        ([*STEADY, -0.05, -0.05], "improvement", True),
        ([*[None] * 10, 0.0], "new", False),
        ([*[None] * 8, 0.0, 0.0, 0.0], "insufficient-history", False),
        ([*STEADY, None], "missing", False),
        ([*STEADY, NAN], "failed", False),
        ([NAN], "failed", False),
    ],
)
def test_the_word_of_a_case(times: list[float | None], verdict: str, new: bool) -> None:
    beside = [*STEADY, 0.0, 0.0, 0.0][: len(times)]

    row = judged(made_sessions({"a": times, "beside": beside})).loc["a"]

    assert (row["verdict"], row["new"]) == (verdict, new)


@pytest.mark.parametrize("outcome", ["skipped", "timed-out", "not-reached", "failed"])
def test_a_case_without_a_time_has_its_outcome_as_word(outcome: str) -> None:
    frame = made_sessions({"a": [*STEADY, NAN], "beside": [*STEADY, 0.0]})
    frame.loc[frame["log_time"].isna(), "outcome"] = outcome
    frame.loc[frame["log_time"].isna(), "reason"] = "so it goes"

    row = judged(frame).loc["a"]

    assert (row["verdict"], row["reason"], row["run"]) == (outcome, "so it goes", "0010_run.json")


def test_a_failed_case_with_a_time_is_failed_and_no_history() -> None:
    frame = made_sessions({"a": [*STEADY, 0.5, 0.0]})
    frame.loc[frame["session"] == "night-10", "outcome"] = "failed"

    assert judged(frame, session="night-10").loc["a", "verdict"] == "failed"
    assert judged(frame).loc["a", "history"] == 10


def test_a_case_that_was_not_selected_is_skipped_not_missing() -> None:
    frame = made_sessions({"a": [*STEADY, None], "beside": [*STEADY, 0.0]})
    frame.loc[frame["session"] == "night-10", "narrowed"] = True

    row = judged(frame).loc["a"]

    assert (row["verdict"], row["reason"]) == ("skipped", "not selected in this run")


def test_a_missing_case_names_where_it_was_last() -> None:
    row = judged(made_sessions({"a": [*STEADY, None], "beside": [*STEADY, 0.0]})).loc["a"]

    assert (row["reason"], row["last_good_run"]) == ("last seen in night-09", "0009_run.json")


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ({"dataset": "iris"}, {"dataset": "wine"}, "redefined"),
        ({"counts": {"steps": 1}}, {"counts": {"steps": 2}}, "redefined"),
        ({"dataset": "iris"}, {"dataset": "iris"}, "unchanged"),
        ({}, {"dataset": "iris"}, "unchanged"),  # what was not recorded is not another work
    ],
)
def test_other_work_is_redefined_whatever_its_time(old: dict[str, Any], new: dict[str, Any], verdict: str) -> None:
    work = {("a", night): new if night == 10 else old for night in range(11)}

    row = judged(made_sessions({"a": [*STEADY, 0.0]}, work=work)).loc["a"]

    assert row["verdict"] == verdict
    assert row["reason"] == (f"changed: {next(iter(new))}" if verdict == "redefined" else "")


@pytest.mark.parametrize(
    ("method", "log_time", "verdict"),
    [
        ({"rounds": 20, "timer": "other"}, 0.70, "redefined"),  # ln 2 = 0.693
        ({"rounds": 20, "timer": "other"}, 0.69, "suspect"),
        ({"rounds": 20, "timer": "perf"}, 0.70, "suspect"),
        ({"rounds": 10, "timer": "perf"}, 0.70, "suspect"),  # twice the time, half of the rounds: one time budget
        ({"rounds": 100, "timer": "perf"}, 0.70, "redefined"),
    ],
)
def test_a_jump_beyond_twice_with_another_method_is_redefined(
    method: dict[str, Any], log_time: float, verdict: str
) -> None:
    frame = made_sessions({"a": [*STEADY, log_time]})
    frame["method"] = [{"rounds": 20, "timer": "perf"}] * 10 + [method]

    assert judged(frame).loc["a", "verdict"] == verdict


def test_redefined_work_starts_a_history_of_its_own() -> None:
    work = {("a", night): {"dataset": "iris" if night < 10 else "wine"} for night in range(16)}
    frame = made_sessions({"a": [*STEADY, *[0.7] * 6]}, work=work)

    found = [judged(frame, session=f"night-{night}").loc["a"] for night in (10, 14, 15)]

    assert [row["verdict"] for row in found] == ["redefined", "insufficient-history", "unchanged"]


def test_a_first_session_elsewhere_is_a_new_machine() -> None:
    here = made_sessions({"a": [*STEADY]})
    there = made_sessions({"a": [*[None] * 10, 0.5]}, machine="another")

    row = judged(pd.concat([here, there], ignore_index=True)).loc["a"]

    assert (row["verdict"], row["machine"]) == ("new-machine", "another")


def test_the_first_session_of_all_has_too_little_history() -> None:
    assert judged(made_sessions({"a": [0.0]})).loc["a", "verdict"] == "insufficient-history"


@pytest.mark.parametrize(
    "other",
    [{"kind": "local"}, {"machine": "another"}, {"complete": False}],
    ids=["of another kind", "of another machine", "incomplete"],
)
def test_sessions_that_are_not_alike_are_no_history(other: dict[str, Any]) -> None:
    frame = made_sessions({"a": [*STEADY, 0.0]})
    unlike = made_sessions({"a": [0.5] * 10}, **other).assign(session="other")
    unlike["session"] = [f"other-{night}" for night in range(10)]

    row = judged(pd.concat([unlike, frame], ignore_index=True), machine=MACHINE, session="night-10").loc["a"]

    assert (row["verdict"], row["history"]) == ("unchanged", 10)


def test_later_sessions_do_not_matter() -> None:
    frame = made_sessions({"a": [*STEADY, 0.05, 0.05, 0.0, 0.0]})
    earlier = frame[frame["session"] <= "night-11"]

    pd.testing.assert_frame_equal(replay(frame, session="night-11"), replay(earlier))


def test_a_session_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="no session 'night-77' on machine ''"):
        replay(made_sessions({"a": [0.0]}), session="night-77")


def mixed_history() -> pd.DataFrame:
    """Return a history with every kind of change in it."""
    cases: dict[str, list[float | None]] = {
        "slower": [*QUIET, *[0.1] * 5],
        "faster": [*QUIET, *[-0.1] * 5],
        "back": [*QUIET, 0.1, 0.1, 0.1, 0.0, 0.0],
        "suspect": [*QUIET, 0.0, 0.0, 0.0, 0.0, 0.1],
        "late": [*[None] * 12, 0.0, 0.0, 0.0],
        "gone": [*QUIET, None, None, None, None, None],
        "failed": [*QUIET, 0.0, 0.0, NAN, 0.0, NAN],
        "again": [*QUIET, 0.0, 0.0, 0.0, 0.0, 0.1],
    }
    steady: dict[str, list[float | None]] = {
        f"steady-{case:02d}": [0.003 * math.cos(case + 2.1 * night) for night in range(15)] for case in range(20)
    }
    return made_sessions(cases | steady, again={("again", 14): 0.1})


def test_the_same_frame_gives_the_same_verdicts_to_the_bit() -> None:
    pd.testing.assert_frame_equal(replay(mixed_history()), replay(mixed_history()), check_exact=True)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_the_rows_does_not_matter(seed: int) -> None:
    frame = mixed_history()
    shuffled = frame.sample(frac=1, random_state=seed)

    pd.testing.assert_frame_equal(replay(shuffled), replay(frame), check_exact=True)


def test_judging_leaves_the_frame_as_it_is() -> None:
    frame, before = mixed_history(), mixed_history()

    replay(frame, None, Book((Accepted("slower", "on purpose", "night-12"),)))

    pd.testing.assert_frame_equal(frame, before)


def test_rows_come_worst_first_with_the_columns_in_order() -> None:
    verdicts = replay(mixed_history())

    ranks = [WORST_FIRST.index(word) for word in verdicts["verdict"]]
    assert ranks == sorted(ranks)
    assert list(verdicts.columns[: len(VERDICT_COLUMNS)]) == VERDICT_COLUMNS
    assert {"suspects", "t", "step", "shift", "detectable", "detectable_in_two"} <= set(verdicts.columns)
    assert verdicts["fullname"].is_unique
    words = verdicts.set_index("fullname")["verdict"]
    assert {name: words[name] for name in words.index if not name.startswith("steady")} == {
        "again": "regression",
        "slower": "regression",
        "suspect": "suspect",
        "failed": "failed",
        "gone": "missing",
        "faster": "improvement",
        "late": "insufficient-history",
        "back": "unchanged",
    }

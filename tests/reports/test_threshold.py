import math
from typing import Any

import pytest
from made_runs import Store, fullname, made_benchmark

from reports.runs import load_runs
from reports.sessions import sessions
from reports.threshold import judge
from reports.verdicts import VERDICT_COLUMNS, verdict_frame

LEVEL = [1.0] * 6


def verdict(store: Store, session: str = "", **settings: Any) -> dict[Any, Any]:  # noqa: ANN401
    frame = sessions(load_runs(store.folder).cases)
    newest = session or str(frame["session"].iloc[-1])
    machine = str(frame["machine"].iloc[-1])
    return {row["fullname"]: row for row in judge(frame, newest, machine, **settings).to_dict("records")}


def of_series(store: Store, medians_s: list[float]) -> dict[Any, Any]:
    for median_s in medians_s:
        store.add({"a": median_s})
    row: dict[Any, Any] = verdict(store)[fullname("a")]
    return row


@pytest.mark.parametrize(
    ("medians_s", "word", "new"),
    [
        ([*LEVEL, 1.0], "unchanged", False),
        ([*LEVEL, 1.09], "unchanged", False),
        ([*LEVEL, 1.2], "suspect", False),
        ([*LEVEL, 1.2, 1.2], "regression", True),
        ([*LEVEL, 1.2, 1.2, 1.2], "regression", False),
        ([*LEVEL, 1.2, 1.0], "unchanged", False),
        ([*LEVEL, 1.2, 1.2, 1.0], "recovered", False),
        ([*LEVEL, 1.2, 1.2, 1.0, 1.0], "unchanged", False),
        ([*LEVEL, 0.8], "unchanged", False),
        ([*LEVEL, 0.8, 0.8], "improvement", True),
        ([*LEVEL, 0.8, 0.8, 0.8], "improvement", False),
        ([*LEVEL, 0.8, 1.2], "suspect", False),
        ([1.0] * 4, "insufficient-history", False),
        ([1.0], "insufficient-history", False),
        ([1.0] * 5, "insufficient-history", False),
        ([1.0] * 6, "unchanged", False),
    ],
)
def test_a_second_session_confirms(store: Store, medians_s: list[float], word: str, new: bool) -> None:
    row = of_series(store, medians_s)

    assert (row["verdict"], row["new"]) == (word, new)


def test_a_change_is_told_with_its_figures_and_runs(store: Store) -> None:
    row = of_series(store, [*LEVEL, 1.3, 1.2])

    assert row["ratio"] == pytest.approx(1.2)
    assert (row["median_s"], row["baseline_s"], row["history"]) == (pytest.approx(1.2), 1.0, 7)
    assert (row["first_bad_run"], row["last_good_run"]) == ("0007_run.json", "0006_run.json")


def test_the_interval_is_two_robust_deviations_of_the_history(store: Store) -> None:
    logs = [-0.02, -0.01, 0.0, 0.01, 0.02]

    row = of_series(store, [*map(math.exp, logs), math.exp(0.03)])

    half_width = 2 * 1.4826 * 0.01 * math.sqrt(1 + 1 / 5)
    assert math.log(row["ratio"]) == pytest.approx(0.03)
    assert math.log(row["ratio_high"]) == pytest.approx(0.03 + half_width)
    assert math.log(row["ratio_low"]) == pytest.approx(0.03 - half_width)


@pytest.mark.parametrize(
    ("reruns_s", "word", "new"), [([1.2, 1.2, 1.2], "regression", True), ([1.0, 1.0, 1.3], "unchanged", False)]
)
def test_re_runs_alone_decide_the_same_night(store: Store, reruns_s: list[float], word: str, new: bool) -> None:
    for median_s in [*LEVEL, 1.3]:
        store.add({"a": median_s})
    for median_s in reruns_s:
        store.add({"a": median_s}, session="night-06", kind="rerun")

    row = verdict(store, "night-06")[fullname("a")]

    assert (row["verdict"], row["new"]) == (word, new)


def test_what_re_runs_confirmed_is_not_new_again(store: Store) -> None:
    for median_s in [*LEVEL, 1.3]:
        store.add({"a": median_s})
    store.add({"a": 1.3}, session="night-06", kind="rerun")
    store.add({"a": 1.3}, session="night-07")

    row = verdict(store, "night-07")[fullname("a")]

    assert (row["verdict"], row["new"]) == ("regression", False)


def test_the_threshold_is_an_option(store: Store) -> None:
    for median_s in [*LEVEL, 1.05]:
        store.add({"a": median_s})

    assert verdict(store, threshold=0.04)[fullname("a")]["verdict"] == "suspect"
    assert verdict(store, threshold=0.06)[fullname("a")]["verdict"] == "unchanged"


def test_cases_that_come_and_go(store: Store) -> None:
    for _ in LEVEL:
        store.add({"a": 1.0, "gone": 1.0, "flaky": 1.0})
    failed = {fullname("flaky"): {"outcome": "timed-out", "reason": "after 30 s"}}
    store.add({"a": 1.0, "fresh": 2.0}, cases=failed)

    rows = verdict(store)

    assert {name.split("[")[1]: row["verdict"] for name, row in rows.items()} == {
        "a]": "unchanged",
        "gone]": "missing",
        "flaky]": "timed-out",
        "fresh]": "new",
    }
    assert rows[fullname("flaky")]["reason"] == "after 30 s"
    assert rows[fullname("gone")]["reason"] == "last seen in night-05"


def test_cases_left_out_of_a_narrowed_run_are_not_missing(store: Store) -> None:
    for _ in LEVEL:
        store.add({"a": 1.0, "b": 1.0})
    store.add({"a": 1.0}, narrowed=True)

    row = verdict(store)[fullname("b")]

    assert (row["verdict"], row["reason"]) == ("skipped", "not selected in this run")


def test_incomplete_sessions_and_other_kinds_are_no_history(store: Store) -> None:
    for _ in range(4):
        store.add({"a": 1.0})
    store.add({"a": 1.0}, kind="local")
    store.add({"a": 1.0}, complete=False)
    store.add({"a": 1.0})

    row = verdict(store)[fullname("a")]

    assert (row["verdict"], row["history"]) == ("insufficient-history", 4)


def test_another_machine_s_history_does_not_count(store: Store) -> None:
    for _ in LEVEL:
        store.add({"a": 1.0})
    store.add({"a": 1.0}, machine="another")

    assert verdict(store)[fullname("a")]["verdict"] == "new-machine"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"dataset": "digits"}, {"dataset": "mnist"}),
        ({"unit": "step"}, {"unit": "epoch"}),
        ({"samples_per_unit": 16}, {"samples_per_unit": 32}),
        ({"counts": {"ops": 9}}, {"counts": {"ops": 10}}),
    ],
)
def test_other_work_is_another_case(store: Store, before: dict[str, Any], now: dict[str, Any]) -> None:
    for extra in [before] * 6 + [now]:
        store.write([made_benchmark("a", 1.0, extra_info=extra)])

    row = verdict(store)[fullname("a")]

    assert (row["verdict"], row["reason"]) == ("redefined", f"changed: {next(iter(now))}")


def test_the_night_after_a_redefinition_begins_a_history(store: Store) -> None:
    for dataset in ["digits"] * 6 + ["mnist"] * 2:
        store.write([made_benchmark("a", 1.0, extra_info={"dataset": dataset})])

    row = verdict(store)[fullname("a")]

    assert (row["verdict"], row["history"]) == ("insufficient-history", 1)


@pytest.mark.parametrize(("factor", "word"), [(2.1, "redefined"), (0.45, "redefined"), (1.9, "suspect")])
def test_a_jump_beyond_twice_with_other_options_is_a_redefinition(store: Store, factor: float, word: str) -> None:
    for _ in LEVEL:
        store.add({"a": 1.0})
    store.write([made_benchmark("a", factor, rounds=[factor] * 3)])

    assert verdict(store)[fullname("a")]["verdict"] == word


def test_rows_come_worst_first_and_complete() -> None:
    words = ["unchanged", "missing", "suspect", "regression", "regression"]
    rows = [
        {"fullname": f"case {place}", "verdict": word, "ratio": 1 + place} for place, word in enumerate(words, start=1)
    ]

    frame = verdict_frame([*rows, {"fullname": "machine:m:cpu", "verdict": "regression", "ratio": 1.01}])

    assert list(frame["fullname"]) == ["machine:m:cpu", "case 5", "case 4", "case 3", "case 2", "case 1"]
    assert list(frame.columns) == VERDICT_COLUMNS
    assert frame["median_s"].isna().all()
    assert not frame["new"].any()

import math
from datetime import timedelta
from typing import Any

import pytest

from reports.runs import load_runs
from reports.sessions import SESSION_COLUMNS, sessions
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname, made_benchmark


def only_row(store: Store) -> dict[Any, Any]:
    (row,) = sessions(load_runs(store.folder).cases).to_dict("records")
    return row


def test_a_session_is_the_median_of_its_launches(store: Store) -> None:
    for launch, median_s in enumerate((1.0, 4.0, 9.0), start=1):
        store.add({"a": median_s}, session="s", launch=launch)

    row = only_row(store)

    assert row["log_time"] == pytest.approx(math.log(4))
    assert (row["launches"], row["reruns"], row["rounds"], row["run"]) == (3, 0, 30, "0003_run.json")
    assert row["started"] == FIRST_NIGHT


def test_two_launches_meet_in_the_middle_of_their_logarithms(store: Store) -> None:
    store.add({"a": 1.0}, session="s")
    store.add({"a": 4.0}, session="s")

    assert only_row(store)["log_time"] == pytest.approx(math.log(2))


def test_re_runs_stand_beside_the_session_not_in_it(store: Store) -> None:
    store.add({"a": 1.0}, session="s")
    for median_s in (2.0, 3.0, 8.0):
        store.add({"a": median_s}, session="s", kind="rerun", complete=False)

    row = only_row(store)

    assert (row["log_time"], row["rerun_log_time"]) == (0.0, pytest.approx(math.log(3)))
    assert (row["kind"], row["launches"], row["reruns"], row["complete"]) == ("nightly", 1, 3, True)


def test_a_session_of_re_runs_alone_is_complete_for_nobody(store: Store) -> None:
    store.add({"a": 1.0}, session="s", kind="rerun")

    row = only_row(store)

    assert (row["kind"], row["complete"]) == ("rerun", False)
    assert math.isnan(row["log_time"])


def test_a_session_is_complete_when_all_its_launches_are(store: Store) -> None:
    store.add({"a": 1.0}, session="s")
    store.add({"a": 1.0}, session="s", complete=False)

    assert not only_row(store)["complete"]


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        (("passed", "failed", "passed"), "failed"),
        (("passed", "timed-out"), "timed-out"),
        (("not-reached", "passed"), "passed"),
        (("skipped", "not-reached"), "not-reached"),
        (("skipped", "skipped"), "skipped"),
    ],
)
def test_of_several_launches_a_failure_shows_and_one_result_is_a_result(
    store: Store, outcomes: tuple[str, ...], told: str
) -> None:
    for outcome in outcomes:
        store.add({"a": 1.0}, session="s", cases={fullname("a"): {"outcome": outcome, "reason": f"was {outcome}"}})

    row = only_row(store)

    assert (row["outcome"], row["reason"]) == (told, f"was {told}")


def test_one_session_on_two_machines_is_two(store: Store) -> None:
    store.add({"a": 1.0}, session="s", machine="one")
    store.add({"a": 2.0}, session="s", machine="two")

    frame = sessions(load_runs(store.folder).cases)

    assert list(zip(frame["machine"], frame["log_time"].round(3), strict=True)) == [("one", 0.0), ("two", 0.693)]


def test_flags_of_any_launch_are_kept(store: Store) -> None:
    for flags in (["noisy"], [], ["contended", "noisy"]):
        store.write([made_benchmark("a", 1.0, extra_info={"flags": flags})], session="s")

    assert only_row(store)["flags"] == ("noisy", "contended")


def test_work_and_method_are_those_of_the_newest_result(store: Store) -> None:
    extra = {"unit": "step", "samples_per_unit": 32, "dataset": "mnist", "counts": {"ops": 9}, "flops_per_step": None}
    store.write([made_benchmark("a", 1.0, extra_info={"dataset": "digits"})], session="s")
    store.write([made_benchmark("a", 1.0, extra_info=extra)], session="s")
    store.write([], session="s", cases={fullname("a"): {"outcome": "not-reached", "reason": ""}})

    row = only_row(store)

    assert row["work"] == {"unit": "step", "samples_per_unit": 32, "dataset": "mnist", "counts": {"ops": 9}}
    assert row["method"] == {"timer": "perf_counter", "rounds": 10, "iterations": 1, "warmup": False}


def test_what_follows_the_time_is_no_method_of_the_suites_own_cases(store: Store) -> None:
    store.write([made_benchmark("a", 1.0, extra_info={"warmup_steps": 404, "stopped_by": "budget"})])

    assert only_row(store)["method"] == {"timer": "perf_counter", "iterations": 1, "warmup": False}


def test_files_without_our_fields_are_sessions_of_their_own(store: Store) -> None:
    store.add({"a": 1.0}, ours=False)
    store.add({"a": 1.0}, ours=False, started=FIRST_NIGHT + timedelta(days=1))

    frame = sessions(load_runs(store.folder).cases)

    assert list(frame["session"]) == ["0001_run.json", "0002_run.json"]
    assert set(frame["kind"]) == {"local"}
    assert frame["complete"].all()


def test_no_case_is_no_session(store: Store) -> None:
    store.write([], ours=False)

    frame = sessions(load_runs(store.folder).cases)

    assert (len(frame), list(frame.columns)) == (0, SESSION_COLUMNS)

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest

from reports.errors import DamagedFileError
from reports.run_file import RunFile, read_run
from reports.runs import load_runs
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname, made_benchmark, made_document


def read(store: Store, document: dict[str, Any]) -> RunFile:
    return read_run(store.write_text("0001_run.json", json.dumps(document)))


def cases_of(store: Store, document: dict[str, Any]) -> list[dict[Any, Any]]:
    store.write_text("0001_run.json", json.dumps(document))
    return load_runs(store.folder).cases.to_dict("records")


def only_case(store: Store, entry: dict[str, Any], **suite: Any) -> dict[Any, Any]:  # noqa: ANN401
    (case,) = cases_of(store, made_document([entry], FIRST_NIGHT, **suite))
    return case


def test_the_median_is_that_of_the_raw_rounds(store: Store) -> None:
    entry = made_benchmark("a", 9.0, rounds=[3.0, 1.0, 2.0, 10.0])

    case = only_case(store, entry)

    assert (case["median_s"], case["rounds"], case["iqr_s"]) == (2.5, 4, 0.09)


def test_quartiles_come_from_the_rounds_where_no_iqr_is_recorded(store: Store) -> None:
    entry = made_benchmark("a", 9.0, rounds=[1.0, 2.0, 3.0, 4.0, 5.0])
    del entry["stats"]["iqr"]

    assert only_case(store, entry)["iqr_s"] == 2.0


def test_without_raw_rounds_the_recorded_median_counts(store: Store) -> None:
    entry = made_benchmark("a", 0.25)
    del entry["stats"]["data"]
    entry["stats"]["rounds"] = 7

    case = only_case(store, entry)

    assert (case["median_s"], case["rounds"]) == (0.25, 7)


def test_an_old_file_without_params_cpu_or_ops_is_read(store: Store) -> None:
    entry = {"group": None, "name": "test_x", "fullname": "t.py::test_x", "options": {}, "stats": {"median": 0.5}}
    run = read(
        store,
        {
            "version": "2.5.0",
            "machine_info": {"machine": "x86_64", "processor": "", "node": "n"},
            "commit_info": {},
            "benchmarks": [entry],
            "datetime": "2015-08-11T01:22:12.345",
        },
    )

    assert run.head.started == datetime(2015, 8, 11, 1, 22, 12, 345000, tzinfo=UTC)
    head = run.head
    assert (head.machine, head.kind, head.complete, head.session) == ("x86_64", "local", True, "")
    assert run.cases.outcome == ["passed"]


@pytest.mark.parametrize(
    ("written", "hour"),
    [("2026-03-01T02:00:00", 2), ("2026-03-01T02:00:00+00:00", 2), ("2026-03-01T02:00:00+05:00", 21)],
)
def test_dates_with_and_without_offset_are_utc(store: Store, written: str, hour: int) -> None:
    document = made_document([], FIRST_NIGHT) | {"datetime": written}

    assert read(store, document).head.started.hour == hour


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"benchmarks": None}, "no list of benchmarks"),
        ({"benchmarks": {"a": 1}}, "no list of benchmarks"),
        ({"benchmarks": [3]}, "a benchmark without a name"),
        ({"benchmarks": [{"stats": {}}]}, "a benchmark without a name"),
        ({"datetime": "yesterday"}, "no usable datetime"),
        ({"datetime": None}, "no usable datetime"),
        ({"datetime": "0001-01-01T00:00:00+14:00"}, "no usable datetime"),
        ({"datetime": "9999-12-31T23:59:59-14:00"}, "no usable datetime"),
    ],
)
def test_a_document_that_is_no_run_says_why(store: Store, change: dict[str, Any], why: str) -> None:
    with pytest.raises(DamagedFileError, match=why):
        read(store, made_document([], FIRST_NIGHT) | change)


@pytest.mark.parametrize("median", [None, 0, -1.0, math.nan, math.inf, "fast", True, 10**400])
def test_a_time_that_is_none_is_no_result(store: Store, median: object) -> None:
    entry = made_benchmark("a", 1.0)
    entry["stats"] = {"median": median}

    case = only_case(store, entry)

    assert math.isnan(case["median_s"])
    assert (case["outcome"], case["reason"]) == ("failed", "the file holds no usable time for it")


def test_rounds_that_are_no_numbers_are_left_out(store: Store) -> None:
    entry = made_benchmark("a", 1.0, rounds=[math.nan, 2.0, None, 4.0, "x", math.inf])

    case = only_case(store, entry)

    assert (case["median_s"], case["rounds"]) == (3.0, 2)


def test_of_entries_with_one_name_the_last_counts(store: Store) -> None:
    case = made_document([made_benchmark("a", 1.0), made_benchmark("a", 2.0)], FIRST_NIGHT)

    assert [case["median_s"] for case in cases_of(store, case)] == [2.0]


def test_a_case_without_a_result_keeps_its_outcome_and_reason(store: Store) -> None:
    cases = {fullname("cuda-m-batch2-nolog"): {"outcome": "skipped", "reason": "no CUDA"}}

    _, skipped = cases_of(store, made_document([made_benchmark("a", 1.0)], FIRST_NIGHT, cases=cases))

    assert (skipped["outcome"], skipped["reason"], skipped["device"]) == ("skipped", "no CUDA", "cuda")


def test_the_time_of_a_failed_case_is_no_result(store: Store) -> None:
    case = only_case(store, made_benchmark("a", 1.0), cases={fullname("a"): {"outcome": "failed", "reason": "no loss"}})

    assert math.isnan(case["median_s"])
    assert case["reason"] == "no loss"


@pytest.mark.parametrize("told", [None, 3, {}, {"outcome": 5}, {"outcome": "perfect"}])
def test_outcomes_of_any_shape_are_no_trouble(store: Store, told: object) -> None:
    case = only_case(store, made_benchmark("a", 1.0), cases={fullname("a"): told})

    assert case["outcome"] in {"passed", "failed"}


def test_a_run_is_in_the_suite_s_own_words(store: Store) -> None:
    run = read(
        store, made_document([], FIRST_NIGHT, session="n1", kind="rerun", launch=3, complete=False, narrowed=True)
    )

    head = run.head
    assert (head.session, head.kind, head.launch, head.complete, head.narrowed) == ("n1", "rerun", "3", False, True)
    assert (head.machine, head.unit, head.environment["torch"]) == ("made-up-cpu-9000", "u1", "2.14.1")


def test_damaged_files_are_named_and_the_others_read(store: Store) -> None:
    store.add({"a": 1.0})
    store.write_text("0002_cut.json", '{"benchmarks": [')
    store.write_text("deep/er/0003_run.json.gz", json.dumps(made_document([made_benchmark("a", 1.0)], FIRST_NIGHT)))
    store.write_text("0004_list.json", "[]")

    runs = load_runs(store.folder)

    assert set(runs.files["run"]) == {"0001_run.json", "0003_run.json.gz"}
    assert list(zip(runs.skipped["run"], runs.skipped["reason"], strict=True)) == [
        ("0002_cut.json", "not JSON, or cut short, at line 1 column 17"),
        ("0004_list.json", "wrong shape: the file holds an array, not an object"),
    ]


def test_a_run_found_twice_counts_once(store: Store) -> None:
    document = made_document([made_benchmark("a", 1.0)], FIRST_NIGHT)
    store.write_text("one.json", json.dumps(document))
    store.write_text("copies/one.json.gz", json.dumps(dict(reversed(document.items())), indent=4))

    runs = load_runs(store.folder)

    assert len(runs.files) == 1
    assert list(runs.duplicates) == [store.folder / "one.json"]


def test_temporary_names_and_journals_are_not_runs(store: Store) -> None:
    store.add({"a": 1.0})
    store.write_text(".0002_half.json", "{")
    store.write_text(".hidden/0003.json", "{")
    store.write_text("0002_run.journal.jsonl", "{}\n")

    runs = load_runs(store.folder)

    assert len(runs.skipped) == 0
    assert [path.name for path in runs.journals] == ["0002_run.journal.jsonl"]


def test_a_linked_folder_is_followed_once(store: Store) -> None:
    store.add({"a": 1.0})
    (store.folder / "loop").symlink_to(store.folder, target_is_directory=True)

    runs = load_runs(store.folder)

    assert (len(runs.files), len(runs.duplicates)) == (1, 0)


def test_runs_of_one_name_in_two_folders_stay_two_sessions(store: Store) -> None:
    store.add({"a": 1.0}, ours=False, name="x/0001.json")
    store.add({"a": 2.0}, ours=False, name="y/0001.json")

    assert load_runs(store.folder).files["session"].nunique() == 2


def test_columns_have_their_types_whatever_they_hold(store: Store) -> None:
    store.add({"cpu-mlp-batch32-nolog": 1.0})

    types = load_runs(store.folder).cases.dtypes

    assert [str(types[name]) for name in ("log_interval", "batch_size", "complete", "narrowed")] == [
        "object", "Int64", "bool", "bool",
    ]  # fmt: skip

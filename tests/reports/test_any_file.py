"""Any pytest-benchmark file, wherever it lies and whoever wrote it: used, or named with its reason."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.cli import main
from reports.decoding import Content, parse
from reports.definition import Definitions
from reports.errors import DamagedFileError
from reports.run_file import Cases, run_in
from reports.runs import load_runs
from tests.reports.made_runs import FIRST_NIGHT, Store, made_benchmark, made_document

OLDEST = {"min": 0.4, "max": 0.6, "mean": 0.5, "stddev": 0.1, "rounds": 5, "median": 0.5, "iqr": 0.1, "q1": 0.4,
          "q3": 0.6, "outliers": "1;0", "stddev_outliers": 1, "iqr_outliers": 0, "ld15iqr": 0.4, "hd15iqr": 0.6,
          "iterations": 1}  # fmt: skip
"""The statistics of 2.5: neither ops nor total."""


@pytest.mark.parametrize(
    ("version", "written", "more"),
    [
        ("2.5.0", "2015-08-11T01:22:12.345000", {}),
        ("3.4.1", "2021-04-17T09:00:00.000001", {"ops": 2.0, "total": 2.5}),
        ("4.0.0", "2022-10-25T21:21:24.545241", {"ops": 2.0, "total": 2.5}),
        ("5.1.0", "2024-10-30T11:51:47.123456+00:00", {"ops": 2.0, "total": 2.5}),
        ("5.3.1", "2026-01-01T00:00:00+00:00", {"ops": 2.0, "total": 2.5, "data": [0.4, 0.5, 0.6]}),
    ],
)
def test_files_of_every_version_are_read(store: Store, version: str, written: str, more: dict[str, Any]) -> None:
    entry = {"group": None, "name": "test_x", "fullname": "t.py::test_x", "options": {}, "stats": OLDEST | more}
    document = {"version": version, "machine_info": {"machine": "x"}, "commit_info": {}, "benchmarks": [entry]}
    store.write_text("0001.json", json.dumps(document | {"datetime": written}))

    (case,) = load_runs(store.folder).cases.to_dict("records")

    assert (case["median_s"], case["iqr_s"], case["outcome"]) == (0.5, 0.1, "passed")
    assert f"{case['started']:%Y}" == written[:4]


@pytest.mark.parametrize("params", [None, [], "x", 3, {"device": {"a": [1]}}, {"a": [[[None]]]}, {"batch_size": "many"},
                                    {"model": None, "log_interval": {}}, {"\x1b[2J": "\u202e"}])  # fmt: skip
def test_params_of_any_shape_are_read(store: Store, params: object, tmp_path: Path) -> None:
    store.write([{**made_benchmark("a", 1.0), "params": params}])

    assert main(["judge", str(store.folder), "--output", str(tmp_path / "report")]) == 0
    assert len(load_runs(store.folder).cases) == 1


@pytest.mark.parametrize("time_s", [5e-324, 1e-300, 1e300, 1.7976931348623157e308, -1.0, 0])
def test_numbers_that_are_no_times_are_no_results(store: Store, time_s: float, tmp_path: Path) -> None:
    for night in range(8):
        odd = [time_s, time_s] if night > 5 else [1.0, 1.0]
        store.write([made_benchmark("a", 1.0, rounds=odd), made_benchmark("b", 1.0)])

    assert main(["judge", str(store.folder), "--output", str(tmp_path / "report"), "--no-cache"]) == 0
    last = load_runs(store.folder).cases.to_dict("records")[-2]
    assert (last["outcome"], last["reason"]) == ("failed", "the file holds no usable time for it")


@pytest.mark.parametrize("time_s", [1e-14, 1e14])
def test_tiny_and_huge_times_make_a_whole_report(store: Store, time_s: float, tmp_path: Path) -> None:
    for night in range(8):
        store.write([made_benchmark("a", 1.0, rounds=[time_s if night > 5 else 1.0])])

    assert main(["judge", str(store.folder), "--output", str(tmp_path / "report"), "--no-cache"]) in {0, 1}
    assert len(list((tmp_path / "report").iterdir())) == 5


def test_one_round_and_a_deviation_of_0_are_a_result(store: Store) -> None:
    store.write([made_benchmark("a", 1.0, rounds=[0.25])])

    assert list(load_runs(store.folder).cases["median_s"]) == [0.25]


def test_a_linked_file_is_the_run_it_leads_to(store: Store, tmp_path: Path) -> None:
    store.folder.mkdir()
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps(made_document([made_benchmark("a", 1.0)], FIRST_NIGHT)))
    (store.folder / "0001_link.json").symlink_to(outside)
    (store.folder / "0002_broken.json").symlink_to(tmp_path / "gone")

    runs = load_runs(store.folder)

    assert list(runs.files["run"]) == ["0001_link.json"]
    assert list(runs.skipped["reason"]) == ["cannot be read: No such file or directory"]


def test_a_pipe_named_like_a_run_is_named_and_not_waited_for(store: Store) -> None:
    store.add({"a": 1.0})
    os.mkfifo(store.folder / "0002_pipe.json")

    assert list(load_runs(store.folder).skipped["reason"]) == ["not a regular file"]


def test_a_path_in_a_file_is_never_opened(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    path = str(secret)
    extra = {"unit": path, "dataset": path, "lesson": {"name": path, "epochs": 1}, "path": path}
    store.write(
        [made_benchmark(path, 1.0, params={"device": path, "model": path}, extra_info=extra)],
        session=path, machine=path, environment={path: path},
    )  # fmt: skip
    opened: list[str] = []
    real = os.open

    def noted(name: Any, *rest: Any, **more: Any) -> int:  # noqa: ANN401
        opened.append(str(name))
        return real(name, *rest, **more)

    monkeypatch.setattr(os, "open", noted)

    assert main(["judge", str(store.folder), "--output", str(tmp_path / "report"), "--no-cache"]) == 0
    assert str(store.written[0]) in opened
    assert path not in opened


def test_a_compressed_bomb_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.folder.mkdir()
    (store.folder / "0001.json.gz").write_bytes(gzip.compress(b" " * 2**21))
    monkeypatch.setattr("reports.decoding.LARGEST_FILE_BYTES", 2**20)

    assert list(load_runs(store.folder).skipped["reason"]) == ["too large: more than 1 MiB"]


def test_a_large_file_is_refused_before_it_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.folder.mkdir()
    with (store.folder / "0001.json").open("wb") as stream:
        stream.truncate(2**40)  # sparse: reading it would take a terabyte

    assert list(load_runs(store.folder).skipped["reason"]) == ["too large: more than 256 MiB"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
entries = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=4)},
    optional={
        "fullname": json_values,
        "params": json_values,
        "extra_info": json_values,
        "options": json_values,
        "stats": st.dictionaries(st.sampled_from(["data", "median", "iqr", "rounds", "iterations"]), json_values),
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(entries, max_size=5))
def test_every_entry_of_any_shape_is_read_or_named(benchmarks: list[dict[str, Any]]) -> None:
    text = json.dumps(made_document(benchmarks, FIRST_NIGHT)).encode()

    cases = _cases_in(text)

    names = {entry["fullname"] if isinstance(entry.get("fullname"), str) and entry["fullname"] else entry["name"]
             for entry in parse(text)["benchmarks"]}  # fmt: skip
    assert cases is None or {one.fullname for one in cases.definition} == names
    assert cases is None or not (cases.median_s <= 0).any()


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60)
    | st.text(max_size=40).map(str.encode)
    | json_values.map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_a_document_or_named(content: bytes) -> None:
    _cases_in(content)


def _cases_in(content: bytes) -> Cases | None:
    """Return the cases in a file's content; nothing when it was refused with a reason of one line."""
    reason = ""
    try:
        read = Content(content, is_compressed=False, stat=os.stat_result([0] * 10))
        return run_in(Path("x.json"), read, Definitions()).cases
    except DamagedFileError as damage:
        reason = str(damage)
    assert reason
    assert "\n" not in reason
    return None

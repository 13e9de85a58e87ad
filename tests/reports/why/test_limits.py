"""Acceptance limits: a file of them, and the results beyond."""

from pathlib import Path
from typing import Any

import pytest

from reports.why.limits import Limit, LimitsError, against_limits, rate_in_words, read_limits
from tests.reports.why.made_cases import US, accelerator, case, frame, primitive, processor, training


def written(folder: Path, text: str) -> Path:
    path = folder / "limits.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('"a" = { at_most = "5 µs" }', Limit("a", "s", 5e-6, "at most 5 µs")),
        ('"a" = { at_most = "0.5ms" }', Limit("a", "s", 5e-4, "at most 0.5ms")),
        ('"a" = { at_least = "20 GB/s" }', Limit("a", "B", 2e10, "at least 20 GB/s")),
        ('"a" = { at_least = "1.5e1 TFLOP/s" }', Limit("a", "FLOP", 1.5e13, "at least 1.5e1 TFLOP/s")),
    ],
)
def test_a_limit_is_a_quantity_with_its_unit(tmp_path: Path, line: str, expected: Limit) -> None:
    (limit,) = read_limits(written(tmp_path, f"[limits]\n{line}\n"))

    assert limit.value == pytest.approx(expected.value)
    assert (limit.case, limit.kind, limit.told) == (expected.case, expected.kind, expected.told)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[limits\n", "not TOML: Expected ']'"),
        ("[other]\n", "other: not a table of limits"),
        ("limits = 3\n", "limits: not a table"),
        ('[limits]\n"a" = "5 µs"\n', "limits.a: '5 µs' is neither { at_most"),
        ('[limits]\n"a" = { at_most = "5 µs", at_least = "1 s" }\n', "limits.a: "),
        ('[limits]\n"a" = { at_most = 5 }\n', "limits.a: at_most = 5 is no quantity above 0 in one of s, ms"),
        ('[limits]\n"a" = { at_most = "5 parsecs" }\n', "limits.a: at_most = '5 parsecs' is no quantity"),
        ('[limits]\n"a" = { at_most = "0 s" }\n', "limits.a: at_most = '0 s' is no quantity"),
        ('[limits]\n"a" = { at_most = "5 GB/s" }\n', "a time has an at_most, a rate an at_least"),
    ],
)
def test_a_fault_is_one_line_that_names_file_and_key(tmp_path: Path, text: str, fault: str) -> None:
    path = written(tmp_path, text)

    with pytest.raises(LimitsError) as caught:
        read_limits(path)

    (line,) = caught.value.faults
    assert line.startswith(f"{path}: {fault}" if not fault.startswith("a time") else f"{path}: limits.a: ")
    assert fault in line
    assert "\n" not in line


def test_every_fault_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, '[limits]\n"a" = 1\n"b" = { at_most = "1 s" }\n"c" = 2\n')

    with pytest.raises(LimitsError) as caught:
        read_limits(path)

    assert len(caught.value.faults) == 2


def test_the_file_of_the_working_directory_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_limits() == []

    written(tmp_path, '[limits]\n"a" = { at_most = "1 s" }\n')
    assert len(read_limits()) == 1


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(LimitsError, match=r"gone\.toml: cannot be read: No such file"):
        read_limits(tmp_path / "gone.toml")


def held(limit: Limit, *cases: dict[str, Any]) -> dict[Any, Any]:
    (row,) = against_limits(frame(*cases), [limit]).to_dict("records")
    return row


@pytest.mark.parametrize(("most_s", "is_beyond"), [(1.9 * US, True), (2 * US, False)])
def test_a_time_beyond_its_limit_is_told_with_the_limit(most_s: float, is_beyond: bool) -> None:
    row = held(Limit("bench_primitive[cpu-dispatch]", "s", most_s, "at most 2 µs"), *processor())

    assert (row["limit"], row["measured"]) == ("at most 2 µs", "2.00 µs")
    assert (row["is_measured"], row["is_beyond"]) == (True, is_beyond)


@pytest.mark.parametrize(("least", "is_beyond"), [(1.1e12, True), (0.9e12, False)])
def test_a_rate_below_its_limit_is_beyond(least: float, is_beyond: bool) -> None:
    memory = primitive("cuda", "memory", 0.001, 1e9, amount_unit="B")

    row = held(Limit(memory["fullname"], "B", least, "at least 1.1 TB/s"), memory)

    assert (row["measured"], row["is_beyond"]) == ("1.00 TB/s", is_beyond)


def test_a_case_may_be_named_in_full_or_by_what_the_report_calls_it() -> None:
    name = "benchmarks/bench_training.py::bench_training[cpu-mlp]"
    measured = case(name, 1.0, {}, {})

    for told in (name, "bench_training[cpu-mlp]"):
        assert held(Limit(told, "s", 0.5, "at most 0.5 s"), measured)["is_beyond"]


@pytest.mark.parametrize("limit", [Limit("nowhere", "s", 1.0, "at most 1 s"),
                                   Limit("bench_primitive[cuda-launch]", "B", 1.0, "at least 1 GB/s")])  # fmt: skip
def test_a_limit_of_what_was_not_measured_is_shown_as_such(limit: Limit) -> None:
    row = held(limit, *accelerator(), training("cuda", 1.0))

    assert (row["fullname"], row["is_measured"], row["is_beyond"]) == (limit.case, False, False)


@pytest.mark.parametrize(
    ("rate", "kind", "words"),
    [
        (2.5e10, "B", "25.0 GB/s"),
        (3.35e12, "B", "3.35 TB/s"),
        (9.81e10, "FLOP", "98.1 GFLOP/s"),
        (1e3, "B", "0.00100 MB/s"),
    ],
)
def test_rates_are_told_in_the_unit_people_know(rate: float, kind: str, words: str) -> None:
    assert rate_in_words(rate, kind) == words

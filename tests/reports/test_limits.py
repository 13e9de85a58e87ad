"""Acceptance limits: a file of them, what each names, and what is beyond it."""

import math
from pathlib import Path

import pytest

from reports.limits import Limit, LimitsError, rate_in_words, read_limits


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


TIME, RATE = Limit("a", "s", 2e-6, "at most 2 µs"), Limit("a", "B", 1e12, "at least 1 TB/s")


@pytest.mark.parametrize(
    ("limit", "measured", "is_beyond"),
    [(TIME, 2.1e-6, True), (TIME, 2e-6, False), (TIME, 1e-6, False), (RATE, 0.9e12, True), (RATE, 1e12, False)],
)
def test_a_time_above_or_a_rate_below_the_limit_is_beyond_it(limit: Limit, measured: float, is_beyond: bool) -> None:
    assert limit.is_beyond(measured) == is_beyond


def test_a_limit_met_to_the_digit_is_held_after_a_logarithm_and_back() -> None:
    assert not Limit("a", "s", 8e-6, "at most 8 µs").is_beyond(8e-6 * (1 + 1e-12))


def test_a_time_is_held_against_a_time_and_an_amount_over_it_against_a_rate() -> None:
    assert TIME.measure(0.001, 1e9, "B") == 0.001
    assert RATE.measure(0.001, 1e9, "B") == pytest.approx(1e12)
    assert math.isnan(RATE.measure(0.001, 1e9, "FLOP"))
    assert math.isnan(RATE.measure(0.001, math.nan, ""))


@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        ("benchmarks/bench_training.py::bench_training[cpu-mlp-nolog]", True),
        ("bench_training[cpu-mlp-nolog]", True),
        ("cpu-mlp-nolog", True),
        ("cpu-mlp-*", True),
        ("cpu-mlp", False),
        ("bench_training", False),
    ],
)
def test_a_case_is_named_in_full_as_the_report_calls_it_or_by_a_glob_of_ids(name: str, is_named: bool) -> None:
    limit = Limit(name, "s", 1.0, "at most 1 s")

    assert limit.names("benchmarks/bench_training.py::bench_training[cpu-mlp-nolog]") == is_named


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

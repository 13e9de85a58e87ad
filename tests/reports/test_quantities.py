import math
from datetime import timedelta

import pytest

from reports.quantities import age, between, counted, memory, microseconds, percent_change, seconds, significant, times


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1.0, "1.00"),
        (27.64, "27.6"),
        (999.4, "999"),
        (999.6, "1,000"),
        (81347.0, "81,300"),
        (0.0123456, "0.0123"),
        (-2.5, "-2.50"),
        (1e-20, "1.00e-20"),
        (math.nan, "-"),
        (math.inf, "-"),
    ],
)
def test_a_number_has_three_significant_digits(value: float, shown: str) -> None:
    assert significant(value) == shown


@pytest.mark.parametrize(
    ("value_s", "shown"),
    [
        (0.000374, "374 µs"),
        (0.0009996, "1.00 ms"),
        (0.0009994, "999 µs"),
        (0.0276, "27.6 ms"),
        (14.13, "14.1 s"),
        (7200.0, "7,200 s"),
        (3e-9, "3.00 ns"),
        (4e-12, "0.00400 ns"),
        (-0.002, "-2.00 ms"),
        (0.0, "0 ns"),
        (math.nan, "-"),
    ],
)
def test_a_time_is_shown_in_the_unit_that_fits(value_s: float, shown: str) -> None:
    assert seconds(value_s) == shown


def test_microseconds_are_a_number_without_unit() -> None:
    assert microseconds(0.0000329) == "32.9"


@pytest.mark.parametrize(
    ("value_bytes", "shown"),
    [(512.0, "512 B"), (2048.0, "2.00 KiB"), (1.5 * 2**30, "1.50 GiB"), (math.nan, "-")],
)
def test_memory_is_shown_in_binary_units(value_bytes: float, shown: str) -> None:
    assert memory(value_bytes) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (1.225, "+22.5 %"),
        (0.7, "-30.0 %"),
        (1.0, "+0.0 %"),
        (0.9999, "+0.0 %"),
        (0.9, "-10.0 %"),
        (3.0, "+200 %"),
        (math.nan, "-"),
    ],
)
def test_a_ratio_is_a_signed_change(ratio: float, shown: str) -> None:
    assert percent_change(ratio) == shown


def test_an_interval_with_an_unknown_end_is_unknown() -> None:
    assert between("1.00", "2.00") == "1.00 to 2.00"
    assert between("-", "2.00") == "-"


def test_a_factor_is_marked_as_one() -> None:
    assert times(3.1826) == "3.18x"
    assert times(math.nan) == "-"


@pytest.mark.parametrize(
    ("elapsed", "shown"),
    [
        (timedelta(days=266, hours=5), "266 days"),
        (timedelta(days=1), "1 day"),
        (timedelta(hours=5, minutes=59), "5 hours"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(hours=-1), "less than a minute"),
    ],
)
def test_an_age_is_in_its_largest_whole_unit(elapsed: timedelta, shown: str) -> None:
    assert age(elapsed) == shown


@pytest.mark.parametrize(("number", "shown"), [(0, "0 cases"), (1, "1 case"), (1200, "1,200 cases")])
def test_a_count_agrees_with_its_noun(number: int, shown: str) -> None:
    assert counted(number, "case") == shown

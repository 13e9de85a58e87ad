"""Equal machines side by side: the one that is slower than its siblings today is named without any history."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from reports.units import compare_units, unit_ratios

NIGHT = datetime(2026, 3, 1, 2, tzinfo=UTC)
UNITS = [f"unit{letter}" for letter in "abcdefgh"]
TIMES_S = {"cuda-one": 0.001, "cuda-two": 0.02, "cuda-three": 0.3, "cpu-one": 0.01, "cpu-two": 0.2, "cpu-three": 3.0}


def run_of(unit: str, factors: dict[str, float] | None = None) -> pd.DataFrame:
    """One unit's run: every case's time by the unit's place within 0.6 %, times a factor by the case's first word."""
    place = (ord(unit[-1]) - ord("a") - 3.5) / 3.5
    rows = [
        {
            "machine": "m", "unit": unit, "kind": "nightly", "session": f"of-{unit}", "complete": True,
            "started": pd.Timestamp(NIGHT), "fullname": f"b.py::bench[{name}]", "device": name.partition("-")[0],
            "median_s": time_s * (1 + 0.006 * place) * (factors or {}).get(name.partition("-")[0], 1),
        }
        for name, time_s in TIMES_S.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def eight(slow: dict[str, float], unit: str = "unitf") -> pd.DataFrame:
    """Eight units, one of them slower."""
    return pd.concat([run_of(one, slow if one == unit else None) for one in UNITS], ignore_index=True)


def slower(cases: pd.DataFrame, session: str = "of-unita") -> list[tuple[str, str]]:
    found = compare_units(unit_ratios(cases, session, "m"))
    return sorted((row["unit"], row["device"]) for row in found.to_dict("records") if row["slower"])


def test_of_eight_units_the_one_that_is_8_percent_slower_is_named() -> None:
    assert slower(eight({"cpu": 1.08, "cuda": 1.08})) == [("unitf", "cpu"), ("unitf", "cuda")]


def test_a_unit_slow_on_one_device_is_named_for_that_device() -> None:
    assert slower(eight({"cuda": 1.08})) == [("unitf", "cuda")]


@pytest.mark.parametrize("factor", [1.0, 1.005, 0.9])
def test_none_is_named_where_none_is_slower_than_equal_machines_are(factor: float) -> None:
    assert slower(eight({"cuda": factor})) == []


def test_ratio_and_distance_are_as_worked_out_by_hand() -> None:
    """Three units at 1, 1 and 1.08: deviations of 0, 0 and ln 1.08; the spread is the least one, 0.005."""
    cases = pd.concat([run_of("unitd"), run_of("unitd"), run_of("unitd")], ignore_index=True)
    cases["unit"] = ["x"] * 6 + ["y"] * 6 + ["z"] * 6
    cases["session"] = "one"
    cases.loc[cases["unit"] == "z", "median_s"] *= 1.08

    first = compare_units(unit_ratios(cases, "one", "m")).iloc[0]

    assert first["unit"] == "z"
    assert first["ratio"] == pytest.approx(1.08)
    assert first["z"] == pytest.approx(math.log(1.08) / 0.005)
    assert first["cases"] == 3
    assert first["worst_ratio"] == pytest.approx(1.08)


def test_two_units_are_not_compared_since_nobody_can_say_which_is_the_odd_one() -> None:
    assert unit_ratios(pd.concat([run_of("unita"), run_of("unitb")]), "of-unita", "m").empty


@pytest.mark.parametrize(
    "more",
    [
        {"started": pd.Timestamp(NIGHT - timedelta(days=3))},
        {"kind": "local"},
        {"machine": "another"},
        {"complete": False},
        {"unit": ""},
    ],
    ids=lambda more: next(iter(more)),
)
def test_runs_of_another_night_kind_or_class_are_no_siblings(more: dict[str, Any]) -> None:
    cases = pd.concat([run_of("unita"), run_of("unitb"), run_of("unitc").assign(**more)], ignore_index=True)

    assert unit_ratios(cases, "of-unita", "m").empty


def test_of_a_units_sessions_that_night_the_newest_counts() -> None:
    earlier = run_of("unitf", {"cuda": 2.0}).assign(session="earlier", started=pd.Timestamp(NIGHT - timedelta(hours=2)))

    assert slower(pd.concat([earlier, eight({})], ignore_index=True)) == []


def test_a_case_that_one_unit_lacks_is_compared_among_the_others() -> None:
    cases = eight({"cuda": 1.08})
    lacking = (cases["unit"] == "unita") & (cases["fullname"] == "b.py::bench[cuda-one]")

    ratios = unit_ratios(cases[~lacking], "of-unitb", "m")

    assert ratios["unita"].isna().sum() == 1
    assert slower(cases[~lacking], "of-unitb") == [("unitf", "cuda")]

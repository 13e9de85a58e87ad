"""The report shows equal machines side by side where there are some, and says nothing where there are none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reports import judge, load_runs
from reports.report import Report, report_of

if TYPE_CHECKING:
    from pathlib import Path

NIGHT = datetime(2026, 3, 1, 2, tzinfo=UTC)


def write_run(store: Path, unit: str, factor: float, session: str = "night") -> None:
    """A run of three cases on one unit of a class."""
    benchmarks = [
        {
            "name": f"bench[cuda-{name}]", "fullname": f"b.py::bench[cuda-{name}]", "params": {"device": "cuda"},
            "extra_info": {}, "options": {}, "group": None, "param": name,
            "stats": {"median": time_s * factor, "iqr": time_s / 100, "rounds": 10, "iterations": 1,
                      "data": [time_s * factor] * 10},
        }
        for name, time_s in (("one", 0.01), ("two", 0.02), ("three", 0.03))
    ]  # fmt: skip
    document = {
        "benchmarks": benchmarks,
        "datetime": NIGHT.isoformat(),
        "version": "5.3.1",
        "machine_info": {"suite": {"machine": {"class": "m-8c", "unit": unit}, "environment": {"torch": "2"}}},
        "suite": {
            "schema": 1, "kind": "nightly", "session": session, "launch": unit, "complete": True,
            "cases": {entry["fullname"]: {"outcome": "passed", "reason": ""} for entry in benchmarks},
        },
    }  # fmt: skip
    (store / "m-8c").mkdir(parents=True, exist_ok=True)
    (store / "m-8c" / f"{unit}.json").write_text(json.dumps(document))


def report_on(store: Path) -> Report:
    runs = load_runs(store)
    return report_of(runs, judge(runs), "new")


@pytest.mark.parametrize("one_session", [True, False])
def test_the_report_names_the_slow_unit_of_eight(tmp_path: Path, one_session: bool) -> None:
    for place in range(8):
        unit = f"{place}0ff1ce5aa"
        write_run(tmp_path, unit, 1.08 if place == 5 else 1 + place / 2000, "night" if one_session else f"of-{place}")

    (section,) = [section for section in report_on(tmp_path).sections if section.anchor == "units"]

    assert section.sentences[0] == "Slower than its siblings, of 8 units: 50ff1ce5 on cuda (+7.8 %)."
    assert section.tables[0].rows[0][:4] == ("50ff1ce5", "cuda", "3", "+7.8 %")
    assert section.tables[0].rows[0][5] == "slower"
    assert len(section.tables[1].columns) == 9


def test_a_machine_without_siblings_has_no_such_section(tmp_path: Path) -> None:
    write_run(tmp_path, "u1", 1.0)

    assert "units" not in [section.anchor for section in report_on(tmp_path).sections]

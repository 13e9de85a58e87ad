"""A session of made cases as a store of run files, and the report of it."""

from pathlib import Path
from typing import Any

from reports import judge, load_runs, report
from reports.subject import Subject
from tests.reports.made_runs import Store, made_benchmark


def subject_of(folder: Path, *cases: dict[str, Any]) -> Subject:
    """Return what a report on one session with these cases is about."""
    write(Store(folder / ".benchmarks"), *cases)
    return newest_of(folder)


def write(store: Store, *cases: dict[str, Any]) -> None:
    """Write one more session of these cases."""
    entries = []
    for case in cases:
        entry = made_benchmark("", case["median_s"], fullname=f"benchmarks/bench.py::{case['fullname']}")
        entries.append(entry | {"params": case["params"], "extra_info": case["extra"]})
    store.write(entries)


def newest_of(folder: Path) -> Subject:
    """Return what a report on the newest session is about."""
    runs = load_runs(folder / ".benchmarks")
    return report.subject_of(runs, judge(runs))

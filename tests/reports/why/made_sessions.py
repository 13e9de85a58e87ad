"""A session of made cases as a store of run files, and the report of it."""

from pathlib import Path
from typing import Any

from made_runs import Store, made_benchmark

from reports import judge, load_runs
from reports.history import earlier_sessions, log_times
from reports.measured import measured
from reports.subject import Subject


def subject_of(folder: Path, *cases: dict[str, Any]) -> Subject:
    """Return what a report on one session with these cases is about."""
    store = Store(folder / ".benchmarks")
    entries = []
    for case in cases:
        entry = made_benchmark("", case["median_s"], fullname=f"benchmarks/bench.py::{case['fullname']}")
        entries.append(entry | {"params": case["params"], "extra_info": case["extra"]})
    store.write(entries)
    runs = load_runs(store.folder)
    judgement = judge(runs)
    frame = measured(runs.cases, judgement.sessions, judgement.session, judgement.machine)
    earlier = earlier_sessions(judgement.sessions, judgement.session, judgement.machine)
    return Subject(runs, judgement, frame, log_times(earlier))

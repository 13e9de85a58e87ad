"""Run files whose truth is known: small, written by hand rules, no random number in them."""

import copy
import gzip
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FIRST_NIGHT = datetime(2026, 3, 1, 2, tzinfo=UTC)
MACHINE_INFO: dict[str, Any] = {
    "node": "bench-1",
    "machine": "x86_64",
    "python_version": "3.11.7",
    "python_implementation": "CPython",
    "system": "Linux",
    "release": "6.1.0",
    "cpu": {"brand_raw": "Made Up CPU 9000", "count": 16, "hz_actual": [2_400_000_000, 0]},
}


def fullname(case_id: str) -> str:
    return f"benchmarks/bench_training.py::bench_training[{case_id}]"


def made_benchmark(case_id: str, median_s: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return one entry of `benchmarks`: ten rounds around the median and an IQR of 1 % of it."""
    rounds = more.get("rounds", [median_s * (1 + 0.002 * (place - 4.5)) for place in range(10)])
    return {
        "group": None,
        "name": f"bench_training[{case_id}]",
        "fullname": more.get("fullname", fullname(case_id)),
        "params": more.get("params"),
        "param": case_id,
        "extra_info": more.get("extra_info", {}),
        "options": {"timer": "perf_counter", "warmup": False, "disable_gc": False, "min_rounds": 5},
        "stats": {
            "median": median_s,
            "iqr": median_s * 0.01,
            "mean": median_s,
            "min": median_s,
            "max": median_s,
            "stddev": 0,
            "rounds": len(rounds),
            "iterations": 1,
            "data": rounds,
        },
    }


def made_document(benchmarks: list[dict[str, Any]], started: datetime, **suite: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a run file's content, with the suite's own fields when there are any."""
    document: dict[str, Any] = {
        "machine_info": copy.deepcopy(MACHINE_INFO),
        "commit_info": {"id": "c0ffee", "dirty": False, "branch": "main"},
        "benchmarks": benchmarks,
        "datetime": started.isoformat(),
        "version": "5.3.1",
    }
    if suite:
        machine = suite.pop("machine", "made-up-cpu-9000")
        environment = suite.pop("environment", {"torch": "2.14.1", "python": "3.11.7"})
        document["machine_info"]["suite"] = {
            "machine": {"class": machine, "unit": suite.pop("unit", "u1")},
            "environment": environment,
        }
        passed: dict[str, Any] = {entry["fullname"]: {"outcome": "passed", "reason": ""} for entry in benchmarks}
        cases = passed | suite.pop("cases", {})
        document["suite"] = {"schema": 1, "kind": "nightly", "launch": 1, "complete": True, "cases": cases, **suite}
    return document


@dataclass
class Store:
    """A folder of runs that grows a night at a time."""

    folder: Path
    nights: int = 0
    written: list[Path] = field(default_factory=list)

    def add(
        self,
        medians_s: dict[str, float],
        *,
        ours: bool = True,
        name: str = "",
        started: datetime | None = None,
        **suite: Any,  # noqa: ANN401
    ) -> Path:
        """Write one run of a new night: ids with their medians; `suite` sets fields of the suite's own."""
        benchmarks = [made_benchmark(case_id, median_s) for case_id, median_s in medians_s.items()]
        return self.write(benchmarks, ours=ours, name=name, started=started, **suite)

    def write(
        self,
        benchmarks: list[dict[str, Any]],
        *,
        ours: bool = True,
        name: str = "",
        started: datetime | None = None,
        **suite: Any,  # noqa: ANN401
    ) -> Path:
        """Write one run with these entries."""
        when = started or FIRST_NIGHT + timedelta(days=self.nights)
        if ours:
            suite.setdefault("session", f"night-{self.nights:02d}")
        self.nights += 1
        document = made_document(benchmarks, when, **suite)
        return self.write_text(name or f"{self.nights:04d}_run.json", json.dumps(document))

    def write_text(self, name: str, text: str) -> Path:
        """Write any text under a name of the store, compressed when the name says so."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode("utf-8", "surrogateescape")
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        self.written.append(path)
        return path

"""One run as its file tells it: any pytest-benchmark JSON from 2.5 to today, with the suite's own fields or without.

What a file does not tell stays empty. What makes a file no run at all is said once, by DamagedFileError.
"""

import statistics
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reports.decoding import decode, fingerprint
from reports.errors import DamagedFileError
from reports.identity import identify
from reports.machine import environment_of, machine_of
from reports.values import count, label, mapping, moment, number, positive, sequence, text, words

OUTCOMES = ("passed", "failed", "skipped", "timed-out", "not-reached")
KINDS = ("local", "nightly", "rerun")
NO_TIME = "the file holds no usable time for it"


@dataclass(frozen=True, slots=True)
class RunFile:
    """One launch's file. `session` is empty where the file names none: the run is then a session of its own."""

    path: Path
    run: str
    session: str
    kind: str
    launch: str
    started: datetime
    complete: bool
    narrowed: bool
    machine: str
    unit: str
    commit: str
    version: str
    ours: bool
    environment: dict[str, str]
    cases: list[dict[str, Any]]
    fingerprint: bytes


def read_run(path: Path) -> RunFile:
    """Read one file; the raw rounds are dropped as soon as their median is taken.

    Raises:
        DamagedFileError: the file is not a readable pytest-benchmark run.
    """
    document = decode(path)
    benchmarks = document.get("benchmarks")
    if not isinstance(benchmarks, list):
        raise DamagedFileError("wrong shape: no list of benchmarks, so no pytest-benchmark run")
    started = moment(document.get("datetime"))
    if started is None:
        raise DamagedFileError("wrong shape: no usable datetime")
    machine_info, suite = mapping(document.get("machine_info")), mapping(document.get("suite"))
    measured = dict(_measured(entry) for entry in benchmarks)
    machine, kind = machine_of(machine_info), text(suite.get("kind"))
    return RunFile(
        path=path,
        run=path.name,
        session=text(suite.get("session")),
        kind=kind if kind in KINDS else "local",
        launch=label(suite.get("launch")),
        started=started,
        complete=suite.get("complete", True) is True,
        narrowed=suite.get("narrowed") is True,
        machine=machine.slug,
        unit=machine.unit,
        commit=text(mapping(document.get("commit_info")).get("id")),
        version=text(document.get("version")),
        ours=bool(suite),
        environment=environment_of(machine_info),
        cases=list(_with_outcomes(measured, mapping(suite.get("cases"))).values()),
        fingerprint=fingerprint(document),
    )


def _measured(entry: object) -> tuple[str, dict[str, Any]]:
    """Return the case in one entry of `benchmarks`; of entries with one name the last counts, as in the plug-in."""
    fields = mapping(entry)
    fullname = text(fields.get("fullname")) or text(fields.get("name"))
    if not fullname:
        raise DamagedFileError("wrong shape: a benchmark without a name")
    stats, extra, params = (mapping(fields.get(name)) for name in ("stats", "extra_info", "params"))
    rounds = [seconds for seconds in map(number, sequence(stats.pop("data", None))) if seconds == seconds]  # noqa: PLR0124  NaN
    case = _blank(fullname, params) | {
        "median_s": positive(statistics.median(rounds)) if rounds else positive(stats.get("median")),
        "iqr_s": _iqr_s(rounds, stats),
        "rounds": len(rounds) or count(stats.get("rounds")),
        "iterations": count(stats.get("iterations")),
        "flags": words(extra.get("flags")),
        "extra": extra,
        "options": mapping(fields.get("options")),
    }
    return fullname, case


def _iqr_s(rounds: list[float], stats: dict[str, Any]) -> float:
    recorded = number(stats.get("iqr"))
    if recorded >= 0 or len(rounds) < 2:  # noqa: PLR2004  quartiles need two values
        return recorded
    first, _, third = statistics.quantiles(rounds, n=4, method="inclusive")
    return third - first


def _blank(fullname: str, params: dict[str, Any]) -> dict[str, Any]:
    nothing = {"median_s": float("nan"), "iqr_s": float("nan"), "rounds": 0, "iterations": 0}
    identity = identify(fullname, params)._asdict()
    return {"fullname": fullname, **identity, "params": params, **nothing, "flags": (), "extra": {}, "options": {}}


def _with_outcomes(measured: dict[str, dict[str, Any]], planned: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return every case of the run with its outcome; a time that did not come from a passed case is no result."""
    cases: dict[str, dict[str, Any]] = {}
    for fullname in [*planned, *(name for name in measured if name not in planned)]:
        case = measured.get(fullname) or _blank(fullname, {})
        case["outcome"], case["reason"] = _outcome(case, planned.get(fullname))
        if case["outcome"] != "passed":
            case["median_s"] = float("nan")
        cases[fullname] = case
    return cases


def _outcome(case: dict[str, Any], planned: object) -> tuple[str, str]:
    has_time = case["median_s"] > 0
    told = mapping(planned)
    outcome, reason = text(told.get("outcome")), text(told.get("reason"))
    if outcome in OUTCOMES and (outcome != "passed" or has_time):
        return outcome, reason
    if outcome not in {"", "passed"}:
        return "failed", f"unknown outcome {outcome!r}"
    return ("passed", "") if has_time else ("failed", reason or NO_TIME)

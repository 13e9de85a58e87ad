"""One run as its file tells it: any pytest-benchmark JSON from 2.5 to today, with the suite's own fields or without.

What a file does not tell stays empty. What makes a file no run at all is said once, by DamagedFileError.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from reports.decoding import Content, document_in, read_content
from reports.definition import Definition, Definitions
from reports.errors import DamagedFileError
from reports.escaping import sound
from reports.figures import Bools, Counts, Floats, figures
from reports.machine import environment_of, machine_of
from reports.values import label, mapping, moment, text

OUTCOMES = ("passed", "failed", "skipped", "timed-out", "not-reached")
KINDS = ("local", "nightly", "rerun", "smoke")
NO_TIME = "the file holds no usable time for it"
_PASSED = {"outcome": "passed", "reason": ""}
_NOT_MEASURED: dict[str, Any] = {}


class Cases(NamedTuple):
    """The cases of a run, field by field, so that many runs become one frame at little cost.

    `median_s` and `iqr_s` are seconds per unit of work over the rounds, NaN without a result.
    """

    definition: list[Definition]
    median_s: Floats
    iqr_s: Floats
    rounds: Counts
    iterations: Counts
    outcome: list[str]
    reason: list[str]

    @classmethod
    def from_columns(cls, definition: list[Definition], rest: Sequence[Sequence[Any]]) -> "Cases":
        """Return the cases of these definitions with the other fields, where None is an unknown time.

        Raises:
            ValueError, TypeError: the columns do not fit.
        """
        median_s, iqr_s, rounds, iterations, outcome, reason = rest
        return cls(
            definition,
            np.array(median_s, dtype=np.float64),
            np.array(iqr_s, dtype=np.float64),
            np.array(rounds, dtype=np.int64),
            np.array(iterations, dtype=np.int64),
            list(outcome),
            list(reason),
        )


@dataclass(frozen=True, slots=True)
class Head:
    """What a file tells of the whole launch. `session` is empty where it names none: the run is one of its own."""

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


@dataclass(frozen=True, slots=True)
class RunFile:
    """One launch's file, without its raw rounds. `fingerprint` is of what it tells, in any layout."""

    path: Path
    head: Head
    cases: Cases
    fingerprint: bytes

    @property
    def run(self) -> str:
        """The file's name."""
        return sound(self.path.name)

    @property
    def complete(self) -> bool:
        """Whether every selected case has an outcome."""
        return self.head.complete


def read_run(path: Path, definitions: Definitions | None = None) -> RunFile:
    """Read one file; the raw rounds are dropped as soon as their median is taken.

    Raises:
        DamagedFileError: the file is not a readable pytest-benchmark run.
    """
    return run_in(path, read_content(path), definitions or Definitions())


def run_in(path: Path, content: Content, definitions: Definitions) -> RunFile:
    """Return the run in a file's content.

    Raises:
        DamagedFileError: it is no readable pytest-benchmark run.
    """
    document = document_in(content)
    benchmarks = document.get("benchmarks")
    if not isinstance(benchmarks, list):
        raise DamagedFileError("wrong shape: no list of benchmarks, so no pytest-benchmark run")
    started = moment(document.get("datetime"))
    if started is None:
        raise DamagedFileError("wrong shape: no usable datetime")
    began = moment(document["suite"].get("started")) if isinstance(document.get("suite"), dict) else None
    head = _head(document, began or started)
    planned = mapping(mapping(document.get("suite")).get("cases"))
    cases = _cases([mapping(entry) for entry in benchmarks], planned, definitions)
    return RunFile(path, head, cases, _fingerprint(head, cases))


def _fingerprint(head: Head, cases: Cases) -> bytes:
    digests = b"".join(definition.digest for definition in cases.definition)
    told = orjson.dumps([head, cases.outcome, cases.reason], option=orjson.OPT_SORT_KEYS)
    figures_of_cases = b"".join(column.tobytes() for column in cases[1:5])
    return hashlib.blake2b(digests + told + figures_of_cases, digest_size=16).digest()


def _head(document: dict[str, Any], started: datetime) -> Head:
    machine_info, suite = mapping(document.get("machine_info")), mapping(document.get("suite"))
    machine, kind = machine_of(machine_info), text(suite.get("kind"))
    return Head(
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
    )


def _cases(entries: list[dict[str, Any]], planned: dict[str, Any], definitions: Definitions) -> Cases:
    """Return every case that was measured or planned; of entries with one name the last counts, as in the plug-in.

    A time that did not come from a passed case is no result.
    """
    measured = {text(fields.get("fullname")) or text(fields.get("name")): fields for fields in entries}
    if "" in measured:
        raise DamagedFileError("wrong shape: a benchmark without a name")
    by_name = {**dict.fromkeys(planned, _NOT_MEASURED), **measured}
    defined = [
        definitions.of(name, fields.get("params"), fields.get("extra_info"), fields.get("options"))
        for name, fields in by_name.items()
    ]
    median_s, iqr_s, rounds, iterations = figures([mapping(fields.get("stats")) for fields in by_name.values()])
    outcome, reason = _outcomes(by_name, planned, median_s > 0)
    median_s[[word != "passed" for word in outcome]] = math.nan
    return Cases(defined, median_s, iqr_s, rounds, iterations, outcome, reason)


def _outcomes(names: Iterable[str], planned: dict[str, Any], has_time: Bools) -> tuple[list[str], list[str]]:
    """Return outcome and reason of each case."""
    if has_time.all() and list(planned.values()) == [_PASSED] * len(planned):  # nearly always
        return ["passed"] * len(has_time), [""] * len(has_time)
    told = [_outcome(planned.get(name), has_time=one) for name, one in zip(names, has_time.tolist(), strict=True)]
    return [word for word, _ in told], [reason for _, reason in told]


def _outcome(planned: object, *, has_time: bool) -> tuple[str, str]:
    told = mapping(planned)
    outcome, reason = text(told.get("outcome")), text(told.get("reason"))
    if outcome in OUTCOMES and (outcome != "passed" or has_time):
        return outcome, reason
    if outcome not in {"", "passed"}:
        return "failed", f"unknown outcome {outcome!r}"
    return ("passed", "") if has_time else ("failed", reason or NO_TIME)

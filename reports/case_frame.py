"""The frame of cases, made column by column: hundreds of thousands of rows in a fraction of a second."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from reports.run_file import Cases, RunFile

CASE_COLUMNS = [
    "run", "session", "kind", "launch", "started", "complete", "narrowed", "machine", "unit", "fullname", "device",
    "model", "batch_size", "log_interval", "params", "median_s", "iqr_s", "rounds", "iterations", "outcome", "reason",
    "flags", "extra", "options", "environment",
]  # fmt: skip
_OF_HEAD = ("kind", "launch", "machine", "unit", "environment")
_TRUTHS = ("complete", "narrowed")
_OF_DEFINITION = ("fullname", "params", "extra", "options", "flags")
_OF_IDENTITY = ("device", "model", "batch_size", "log_interval")
_FIGURES = ("median_s", "iqr_s", "rounds", "iterations")
_WORDS = ("outcome", "reason")


def case_frame(files: list[tuple[RunFile, str]]) -> pd.DataFrame:
    """Return one row per run and case; each run comes with the session it belongs to."""
    cases = [run.cases for run, _ in files]
    numbers = [len(one.definition) for one in cases]
    heads = [run.head for run, _ in files]
    columns: dict[str, Any] = {
        "run": _objects([run.run for run, _ in files]).repeat(numbers),
        "session": _objects([session for _, session in files]).repeat(numbers),
        "started": pd.DatetimeIndex(pd.to_datetime([head.started for head in heads], utc=True)).repeat(numbers),
        **{name: _objects([getattr(head, name) for head in heads]).repeat(numbers) for name in _OF_HEAD},
        **{name: np.array([getattr(head, name) for head in heads], dtype=bool).repeat(numbers) for name in _TRUTHS},
        **_of_definitions(cases),
    }
    for name in _FIGURES:
        columns[name] = np.concatenate([getattr(one, name) for one in cases] or [np.empty(0)])
    for name in _WORDS:
        columns[name] = _objects(list(chain.from_iterable(getattr(one, name) for one in cases)))
    return pd.DataFrame(columns, columns=CASE_COLUMNS)


def _of_definitions(cases: list[Cases]) -> dict[str, Any]:
    held = list(chain.from_iterable(one.definition for one in cases))
    identities = np.array(list(map(id, held)), dtype=np.int64)
    _, first, places = np.unique(identities, return_index=True, return_inverse=True)
    different = [held[at] for at in first.tolist()]
    by_definition = {name: [getattr(one, name) for one in different] for name in _OF_DEFINITION}
    by_definition |= {name: [getattr(one.identity, name) for one in different] for name in _OF_IDENTITY}
    columns: dict[str, Any] = {name: _objects(values)[places] for name, values in by_definition.items()}
    columns["batch_size"] = pd.array(by_definition["batch_size"], dtype="Int64").take(places)
    columns["log_interval"] = pd.Series(columns["log_interval"], dtype=object)  # also where all of them are texts
    return columns


def _objects(values: list[Any]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return the values as they are, also lists and tuples, which numpy would take apart."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column

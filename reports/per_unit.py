"""Equal machines told apart: runs whose machine is class and unit together, so that every unit has its own history."""

from dataclasses import replace

import pandas as pd

from reports.machine import slugged
from reports.runs import Runs

BETWEEN = "/"
"""Stands between class and unit; no slug holds it."""
NO_UNIT = "no-unit"
"""In place of a unit that the file does not tell: such runs are one machine of their own in each class."""


def by_unit(runs: Runs) -> Runs:
    """Return the runs with `machine` as `CLASS/UNIT` in cases and files; all else stays as it is."""
    return replace(runs, cases=_renamed(runs.cases), files=_renamed(runs.files))


def class_of(machine: str) -> str:
    """Return the machine class of a machine that is told by class alone, or by class and unit.

    >>> class_of("m-8c"), class_of("m-8c/50ff1ce5")
    ('m-8c', 'm-8c')
    """
    return machine.partition(BETWEEN)[0]


def unit_of(machine: str) -> str:
    """Return the unit in a machine's name, empty where it is told by class alone.

    >>> unit_of("m-8c"), unit_of("m-8c/50ff1ce5")
    ('', '50ff1ce5')
    """
    return machine.partition(BETWEEN)[2]


def _renamed(frame: pd.DataFrame) -> pd.DataFrame:
    pairs = list(zip(frame["machine"], frame["unit"], strict=True))
    names = {(slug, unit): f"{slug}{BETWEEN}{slugged(unit) or NO_UNIT}" for slug, unit in set(pairs)}
    return frame.assign(machine=pd.Series([names[pair] for pair in pairs], index=frame.index, dtype=object))

"""Which cases are worth measuring again, and what may explain a change."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reports.rule.settings import Settings

NOTHING = "nothing"
"""Stands for a value that is not there."""


class Difference(NamedTuple):
    """One thing that is not what it was; a value that was not recorded is None."""

    name: str
    old: Any
    new: Any

    def __str__(self) -> str:
        """Return name, old and new value in one phrase."""
        return f"{self.name} {_shown(self.old)} -> {_shown(self.new)}"


def worth_measuring_again(verdicts: pd.DataFrame, settings: Settings) -> list[str]:
    """Return the fullnames, worst first, that lie more than `rerun_z` sd and the floor above their present level.

    `verdicts` is what `replay` returns. Cases that were measured again already are left out. Where a column `limit` is
    there, cases newly beyond their limit come after them.
    """
    floor = np.array(settings.per_case("floor", list(verdicts["fullname"])))
    once = verdicts["reruns"] == 0
    slow = once & (verdicts["t"] > settings.rerun_z) & (verdicts["step"] >= 1 + floor)
    found = list(verdicts[slow].sort_values("t", ascending=False, kind="stable")["fullname"])
    if "limit" not in verdicts:
        return found
    return list(dict.fromkeys([*found, *verdicts.loc[once & verdicts["new"] & (verdicts["limit"] != ""), "fullname"]]))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return what two rows of the sessions frame do not share: environment fields, then work and method.

    Time budgets make the number of rounds follow the time, so it explains nothing and is left out.
    """
    found: list[Difference] = []
    for part in ("environment", "work", "method"):
        old, new = dict(_flat(before[part])), dict(_flat(after[part]))
        names = dict.fromkeys([*old, *new])
        found += [Difference(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]
    return [difference for difference in found if difference.name != "rounds"]


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _shown(value: Any) -> str:  # noqa: ANN401  any value of a JSON file
    return NOTHING if value is None else str(value)

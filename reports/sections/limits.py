"""What the machine and its cases have to reach, and whether they do."""

from typing import Any

import pandas as pd

from reports.identity import short_names
from reports.layout import CaseName, Column, Name, Section, Table
from reports.limits import HOW_TO_CHANGE
from reports.quantities import MISSING, counted
from reports.subject import Subject

MOST_NAMED = 5
_COLUMNS = (
    Column("case", is_number=False), Column("limit", is_number=False), Column("measured"),
    Column("stands", is_number=False), Column("first run beyond it", is_number=False),
)  # fmt: skip


def section(subject: Subject) -> Section | None:
    """Return how the session stands to its limits, what is beyond one first, or nothing where none are set."""
    held = subject.judgement.limits
    if held.empty:
        return None
    held = held.sort_values(["is_beyond", "is_measured"], ascending=False, kind="stable")
    names = short_names(list(dict.fromkeys(held["fullname"])))
    rows: list[tuple[str, ...]] = [
        (_case(row, names), row["limit"], row["measured"] or MISSING, _stands(row), Name(row["first_bad_run"]))
        for row in held.to_dict("records")
    ]
    sentences = [*_beyond(held, names), *_unmeasured(held, names)]
    return Section("limits", "Limits", tuple(sentences), (Table("Limits, exceeded ones first", _COLUMNS, rows),))


def _case(row: dict[Any, Any], names: dict[str, str]) -> Name:
    return CaseName(names[row["fullname"]], row["fullname"])


def _stands(row: dict[Any, Any]) -> str:
    if not row["is_measured"]:
        return "not measured"
    if not row["is_beyond"]:
        return "held"
    return "exceeded (new)" if row["new"] else "exceeded"


def _beyond(held: pd.DataFrame, names: dict[str, str]) -> list[str]:
    beyond = held[held["is_beyond"].astype(bool)]
    measured = int(held["is_measured"].sum())
    if beyond.empty:
        return [f"None of {counted(measured, 'measured limit')} is exceeded."] if measured else []
    told = "; ".join(
        f"{names[row['fullname']]} ({row['limit']}, measured {row['measured']})"
        for row in beyond.head(MOST_NAMED).to_dict("records")
    )
    more = f"; and {len(beyond) - MOST_NAMED} more" if len(beyond) > MOST_NAMED else ""
    verb = "is" if len(beyond) == 1 else "are"
    change = f"{HOW_TO_CHANGE[0].upper()}{HOW_TO_CHANGE[1:]}."
    return [f"{len(beyond)} of {counted(measured, 'measured limit')} {verb} exceeded: {told}{more}.", change]


def _unmeasured(held: pd.DataFrame, names: dict[str, str]) -> list[str]:
    absent = list(dict.fromkeys(names[name] for name in held.loc[~held["is_measured"].astype(bool), "fullname"]))
    if not absent:
        return []
    more = f" and {len(absent) - MOST_NAMED} more" if len(absent) > MOST_NAMED else ""
    return [f"Limits of what this session did not measure: {', '.join(absent[:MOST_NAMED])}{more}."]

"""Equal machines side by side: the unit that is slower than its siblings tonight, without any history."""

import pandas as pd

from reports.identity import short_names
from reports.layout import Column, Name, Section, Table
from reports.quantities import counted, percent_change, significant
from reports.subject import Subject
from reports.units import compare_units, unit_ratios

SHOWN_LETTERS = 8
"""Of a unit's hash: enough to tell the units of one class apart."""


def section(subject: Subject) -> Section | None:
    """Return the comparison, or nothing where fewer than three equal machines were measured that night."""
    ratios = unit_ratios(subject.runs.cases, subject.judgement.session, subject.judgement.machine)
    if ratios.empty:
        return None
    compared = compare_units(ratios)
    sentences = (_who(compared), "Each unit's newest session, over the median of all units; no history is needed.")
    return Section("units", "Equal machines side by side", sentences, (_units(compared), _cases(ratios)))


def _who(compared: pd.DataFrame) -> str:
    slower = compared[compared["slower"]].to_dict("records")
    units = counted(compared["unit"].nunique(), "unit")
    if not slower:
        return f"None of {units} stands out."
    named = ", ".join(
        f"{short_unit(row['unit'])} on {row['device'] or 'its cases'} ({percent_change(row['ratio'])})"
        for row in slower
    )
    return f"Slower than its siblings, of {units}: {named}."


def _units(compared: pd.DataFrame) -> Table:
    columns = (
        Column("unit", is_number=False), Column("device", is_number=False), Column("cases"), Column("to its siblings"),
        Column("robust z"), Column("stands out", is_number=False), Column("worst case", is_number=False),
        Column("by"),
    )  # fmt: skip
    names = short_names([str(name) for name in compared["worst_case"].unique()])
    rows: list[tuple[str, ...]] = [
        (
            Name(short_unit(row["unit"])), row["device"], str(row["cases"]), percent_change(row["ratio"]),
            significant(row["z"], 2), "slower" if row["slower"] else "", Name(names[row["worst_case"]]),
            percent_change(row["worst_ratio"]),
        )
        for row in compared.to_dict("records")
    ]  # fmt: skip
    return Table("Units by how they stand to their siblings, slowest first", columns, rows)


def _cases(ratios: pd.DataFrame) -> Table:
    names = short_names([str(name) for _, name in ratios.index])
    columns = (Column("case", is_number=False), *(Column(short_unit(unit)) for unit in ratios.columns))
    rows: list[tuple[str, ...]] = [
        (Name(names[str(name)]), *(percent_change(ratio) for ratio in row))
        for (_, name), row in zip(ratios.index, ratios.to_numpy(), strict=True)
    ]
    return Table("Every case on every unit, against the units' median", columns, rows, folded=True)


def short_unit(unit: object) -> str:
    """Return the beginning of a unit's hash."""
    return str(unit)[:SHOWN_LETTERS]

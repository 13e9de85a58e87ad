"""From which batch size on the GPU is the faster one."""

import math
from typing import Any

import pandas as pd

from reports.layout import Column, Section, Table
from reports.measured import batch_label, log_label
from reports.quantities import between, significant
from reports.sections.devices import device_comparison
from reports.subject import Subject
from reports.why.crossover import crossovers
from reports.why.pictures.speed_up import speed_up_figure

_COLUMNS = (
    Column("model", is_number=False), Column("loss read", is_number=False), Column("batch sizes measured"),
    Column("GPU faster from", is_number=False), Column("between", is_number=False),
)  # fmt: skip


def section(subject: Subject) -> Section | None:
    """Return the crossover of each model, or nothing where no GPU was measured at two batch sizes."""
    compared = trained_on_both(subject)
    crossed = crossovers(compared)
    if crossed.empty:
        return None
    figure = speed_up_figure(compared, crossed)
    note = (
        "The crossover is where the speed-up passes 1, on a straight line between the logarithms of two batch sizes; "
        "its interval is where the two edges of the speed-up's interval pass 1."
    )
    rows: list[tuple[str, ...]] = [_row(row) for row in crossed.to_dict("records")]
    table = Table("Batch size at which the GPU overtakes the better processor arm", _COLUMNS, rows)
    return Section("crossover", "From which batch size on", (), (table,), (figure,) if figure else (), notes=(note,))


def trained_on_both(subject: Subject) -> pd.DataFrame:
    """Return `device_comparison` of the training cases alone: others, such as ablations, have no log interval."""
    compared = device_comparison(subject.measured, subject.earlier_log_times)
    return compared[compared["log_interval"].notna()]


def _row(row: dict[Any, Any]) -> tuple[str, ...]:
    smallest, largest = batch_label(row["smallest"]), batch_label(row["largest"])
    return (
        row["model"],
        log_label(row["log_interval"]),
        between(smallest, largest),
        in_words(row["crossover"]),
        _interval(row["low"], row["high"], smallest, largest),
    )


def in_words(batch_size: float) -> str:
    """Return a crossing, or that there is none within the sizes measured."""
    if batch_size == 0:
        return "every size measured"
    return "not within the sizes measured" if batch_size == math.inf else significant(batch_size)


def _interval(low: float, high: float, smallest: str, largest: str) -> str:
    ends = [{0: f"below {smallest}", math.inf: f"above {largest}"}.get(end, significant(end)) for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else between(*ends)

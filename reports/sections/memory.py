"""Peak device memory, where it was measured."""

import pandas as pd

from reports.layout import Column, Section, Table
from reports.measured import batch_label
from reports.quantities import memory
from reports.subject import Subject

SETTING = ["device", "model", "batch_size"]


def peak_memory(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the largest peak of each device, model and batch size, over its log intervals, in bytes."""
    known = measured[measured["peak_memory_bytes"].notna()]
    return known.groupby(SETTING, dropna=False)["peak_memory_bytes"].max().reset_index()


def section(subject: Subject) -> Section:
    """Return the table, or the plain statement that nothing was measured."""
    peaks = peak_memory(subject.measured)
    if peaks.empty:
        return Section("memory", "Peak memory", ("No device in this session reports its peak memory.",))
    setting = (Column("device", is_number=False), Column("model", is_number=False), Column("batch size"))
    columns = (*setting, Column("peak memory"))
    rows: list[tuple[str, ...]] = [
        (row["device"], row["model"], batch_label(row["batch_size"]), memory(row["peak_memory_bytes"]))
        for row in peaks.sort_values("peak_memory_bytes", ascending=False, kind="stable").to_dict("records")
    ]
    return Section("memory", "Peak memory", (), (Table("Largest peak over the log intervals", columns, rows),))

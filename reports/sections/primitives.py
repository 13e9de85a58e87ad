"""What the machine can do at best: its primitives in the units people know, and its roofline."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from reports.layout import Column, Section, Table
from reports.limits import rate_in_words
from reports.quantities import MISSING, between, memory, seconds
from reports.sections.why import borrowed
from reports.subject import Subject
from reports.why.pictures.roofline import roofline_figures
from reports.why.primitives import machine_of

TITLES = {
    "dispatch": "dispatching one operator",
    "launch": "launching one kernel",
    "read-idle": "reading one value (device idle)",
    "read-busy": "reading one value (beyond the work of a busy device)",
    "copy-to-device": "copy to the device",
    "copy-to-host": "copy to the host",
    "fresh-memory": "memory touched for the first time",
    "memory": "memory",
    "pooling": "max pooling, forward and backward",
    "matmul": "matrix product",
    "convolution": "convolution, forward and backward",
    "convolution-weights": "convolution that is all weights",
}
_COLUMNS = (
    Column("device", is_number=False), Column("what", is_number=False), Column("kind", is_number=False),
    Column("threads"), Column("size"), Column("time"), Column("rate"),
)  # fmt: skip
WHOLE_CORE = 0.9


def section(subject: Subject) -> Section | None:
    """Return the primitives, or nothing for a session that measured none."""
    why = subject.why
    if why.primitives.empty:
        return None
    rows: list[tuple[str, ...]] = [_row(row) for row in why.primitives.to_dict("records")]
    sentence = "Each row is a case with a history of its own: a change of one is a change of the machine."
    sentences = [*borrowed(subject, why.primitives), sentence]
    if (why.primitives["core_share"] < WHOLE_CORE).any():
        sentences.append(
            "Neighbours took part of the core; times of one thread are the core's own, and rates with them."
        )
    sentences += _busy_reads(why.primitives)
    table = Table("Primitives of the machine", _COLUMNS, rows)
    figures = tuple(roofline_figures(why.explanations, why.machines))
    return Section("primitives", "What the machine can do at best", tuple(sentences), (table,), figures)


def _busy_reads(found: pd.DataFrame) -> Iterator[str]:
    """Say what a read costs a device that had work to do, where that was measured.

    The interval is twice the standard error of both medians, IQR / sqrt(rounds), with the read and without; the latter
    scatters as the former, as far as the file tells.
    """
    for row in found[found["name"] == "read-busy"].to_dict("records"):
        half_s = 2 * math.sqrt(2) * row["iqr_s"] / math.sqrt(row["rounds"]) if row["rounds"] > 1 else math.inf
        low_s, high_s, machine = row["median_s"] - half_s, row["median_s"] + half_s, machine_of(found, row["device"])
        if not low_s > 0:
            yield f"{row['device']}: no detectable difference between a busy device's work with a read and without."
            continue
        yield (
            f"{row['device']}: a read adds {seconds(row['median_s'])} ({between(seconds(low_s), seconds(high_s))}) to "
            f"the work of a busy device, among them the {seconds(machine.operator_s)} of a launch that no longer "
            f"overlaps; on an idle device a read takes {seconds(machine.read_s)}."
        )


def _row(row: dict[Any, Any]) -> tuple[str, ...]:
    has_rate = row["rate"] > 0
    return (
        row["device"],
        TITLES[row["name"]],
        ", ".join(filter(None, (row["dtype"], row["memory"]))) or MISSING,
        str(row["threads"] or MISSING),
        memory(row["amount"]) if row["amount_unit"] == "B" else MISSING,
        seconds(row["median_s"]),
        rate_in_words(row["rate"], row["amount_unit"]) if has_rate and row["amount_unit"] else MISSING,
    )

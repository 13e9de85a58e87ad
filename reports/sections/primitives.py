"""What the machine can do at best: its primitives in the units people know, and its roofline."""

from collections.abc import Iterator
from typing import Any

from reports.layout import Column, Section, Table
from reports.limits import rate_in_words
from reports.quantities import MISSING, memory, seconds
from reports.sections.why import borrowed, why_of
from reports.subject import Subject
from reports.why.pictures.roofline import roofline_figures
from reports.why.primitives import Machine

_TITLES = {
    "dispatch": "dispatching one operator",
    "launch": "launching one kernel",
    "read-idle": "reading one value, device idle",
    "read-busy": "reading one value, beyond the work of a busy device",
    "copy-to-device": "copy to the device",
    "copy-to-host": "copy to the host",
    "memory": "memory",
    "matmul": "matrix product",
}
_COLUMNS = (
    Column("device", is_number=False), Column("what", is_number=False), Column("kind", is_number=False),
    Column("threads"), Column("size"), Column("time"), Column("rate"),
)  # fmt: skip
WHOLE_CORE = 0.9


def section(subject: Subject) -> Section | None:
    """Return the primitives, or nothing for a session that measured none."""
    why = why_of(subject)
    if why.primitives.empty:
        return None
    rows: list[tuple[str, ...]] = [_row(row) for row in why.primitives.to_dict("records")]
    sentence = "Each is a case of its own with a history of its own: a change of one is a change of the machine."
    sentences = [*borrowed(subject, why.primitives), sentence]
    if (why.primitives["core_share"] < WHOLE_CORE).any():
        sentences.append(
            "Neighbours took part of the core; times of one thread are the core's own, and rates with them."
        )
    sentences += _busy_reads(why.machines)
    table = Table("Primitives of the machine", _COLUMNS, rows)
    figures = tuple(roofline_figures(why.explanations, why.machines))
    return Section("primitives", "What the machine can do at best", tuple(sentences), (table,), figures)


def _busy_reads(machines: dict[str, Machine]) -> Iterator[str]:
    """Say what a read costs a device that had work to do, where that was measured."""
    for device, machine in machines.items():
        if machine.is_asynchronous and machine.read_busy_s > 0:
            added, launch, idle = map(seconds, (machine.read_busy_s, machine.operator_s, machine.read_s))
            yield (
                f"{device}: a read adds {added} to the work of a busy device, the {launch} of a launch that no longer "
                f"overlaps among them; on an idle device it takes {idle}."
            )


def _row(row: dict[Any, Any]) -> tuple[str, ...]:
    has_rate = row["rate"] > 0
    return (
        row["device"],
        _TITLES[row["name"]],
        ", ".join(filter(None, (row["dtype"], row["memory"]))) or MISSING,
        str(row["threads"] or MISSING),
        memory(row["amount"]) if row["amount_unit"] == "B" else MISSING,
        seconds(row["median_s"]),
        rate_in_words(row["rate"], row["amount_unit"]) if has_rate and row["amount_unit"] else MISSING,
    )

"""Is more than one device worth it: efficiency by ranks, with its picture, and what the all-reduce moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.charts import COLOURS, DASHES, drawn
from reports.layout import Column, Figure, Section, Table
from reports.quantities import MISSING, between, counted, memory, seconds, significant
from reports.scaling import SAME_TRAINING, distributed_trainings, reductions
from reports.uncertainty import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

    from reports.subject import Subject


def section(subject: Subject) -> Section | None:
    """Return tables and picture, or nothing for a session without distributed cases."""
    of = (subject.runs.cases, subject.judgement.session, subject.judgement.machine)
    trainings, reduced = distributed_trainings(*of, subject.earlier_log_times), reductions(*of)
    if trainings.empty and reduced.empty:
        return None
    method = f"its interval is made of {sources(subject.earlier_log_times)}"
    sentences = [
        *_best(trainings),
        f"A round counts by its slowest rank. An efficiency of 100 % loses nothing to waiting; {method}.",
    ]
    tables = [table for table in (_trainings(trainings), _reductions(reduced)) if table.rows]
    return Section("scaling", "Several devices", tuple(sentences), tuple(tables), tuple(_picture(trainings)))


def _best(trainings: pd.DataFrame) -> Iterator[str]:
    """Say for the most ranks of every device how much of their work is not lost, at best and at worst."""
    together = trainings[(trainings["world_size"] > 1) & trainings["efficiency"].notna()]
    for device, group in together.groupby("device"):
        most = int(group["world_size"].max())
        shares = group.loc[group["world_size"] == most, "efficiency"]
        low, high = share(shares.min()), share(shares.max())
        own = group[group["world_size"] == most]
        interval = between(share(own["efficiency_low"].min()), share(own["efficiency_high"].max()))
        within = "without an interval" if interval == MISSING else f"intervals from {interval}"
        yield f"{most} ranks on {device}: efficiency {low}{'' if low == high else f' to {high}'} ({within})."


def share(value: float) -> str:
    """Return a share in percent."""
    return MISSING if value != value else f"{significant(value * 100)} %"  # noqa: PLR0124  NaN


def _trainings(trainings: pd.DataFrame) -> Table:
    columns = (
        Column("device", is_number=False), Column("network", is_number=False), Column("batch size"),
        Column("scaling", is_number=False), Column("ranks"), Column("per step"), Column("samples per second"),
        Column("efficiency"), Column("between"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["device"], row["network"], str(row["batch_size"]), row["scaling"], str(row["world_size"]),
            seconds(row["median_s"]), significant(row["samples_per_s"]), share(row["efficiency"]),
            between(share(row["efficiency_low"]), share(row["efficiency_high"])),
        )
        for row in trainings.to_dict("records")
    ]  # fmt: skip
    return Table("Training with DistributedDataParallel", columns, rows)


def _reductions(reduced: pd.DataFrame) -> Table:
    columns = (
        Column("device", is_number=False), Column("ranks"), Column("message"), Column("per all-reduce"),
        Column("bus bandwidth (GB/s)"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["device"], str(row["world_size"]), memory(row["message_bytes"]), seconds(row["median_s"]),
            significant(row["bus_bandwidth_gb_s"]),
        )
        for row in reduced.to_dict("records")
    ]  # fmt: skip
    return Table("All-reduce by size", columns, rows, folded=True)


def _picture(trainings: pd.DataFrame) -> Iterator[Figure]:
    """Yield efficiency over ranks, a line per training, where more than one rank was measured."""
    known = trainings[trainings["efficiency"].notna()]
    if known.empty or known["world_size"].max() == 1:
        return
    lines = {
        " ".join(map(str, key)): list(zip(group["world_size"], group["efficiency"], strict=True))
        for key, group in known.groupby(SAME_TRAINING)
        if len(group) > 1
    }
    words = "; ".join(
        f"{name}: " + ", ".join(f"{counted(n, 'rank')} {share(e)}" for n, e in points) for name, points in lines.items()
    )
    svg = drawn(lambda axes: _draw(axes, lines))
    yield Figure("Efficiency by number of ranks; higher is better.", f"Line chart. {words}.", svg)


def _draw(axes: Axes, lines: dict[str, list[tuple[int, float]]]) -> None:
    for place, (name, points) in enumerate(lines.items()):
        ranks, shares = zip(*points, strict=True)
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
        axes.plot(ranks, [100 * one for one in shares], marker="o", color=colour, linestyle=dash, label=name)
    axes.axhline(100, linewidth=0.8, color="#888888")
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({ranks for points in lines.values() for ranks, _ in points}), minor=False)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("ranks")
    axes.set_ylabel("efficiency (%)")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.legend(fontsize=8)

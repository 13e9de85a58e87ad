"""How long a whole training run takes, start-up included, and from which epoch on the GPU's is the shorter one."""

import math
from typing import Any

import pandas as pd

from reports.layout import Column, Section, Table
from reports.quantities import counted, seconds
from reports.run_time import first_shorter_epoch, pairs, run_times
from reports.subject import Subject
from reports.uncertainty import relative_error

_COLUMNS = (
    Column("model", is_number=False), Column("batch size"), Column("device", is_number=False),
    Column("steps per epoch"), Column("per epoch"), Column("start-up"), Column("whole run"),
)  # fmt: skip
ANCHOR = "runs"


def section(subject: Subject) -> Section | None:
    """Return what a run takes, or nothing where no epoch is known."""
    runs, epochs = run_times(subject.measured, subject.epochs), counted(subject.epochs, "epoch")
    if runs.empty:
        return None
    sentences = [_sentence(subject, group) for _, group in runs.groupby("model", sort=True)]
    if runs["start_up_s"].isna().any():
        without = ", ".join(sorted(set(runs.loc[runs["start_up_s"].isna(), "device"])))
        sentences.append(f"Start-up is left out for {without}: no lesson was run there from a cold start.")
    rows: list[tuple[str, ...]] = [
        (
            row["model"], str(row["batch_size"]), row["device"], f"{row['steps_per_epoch']:,}",
            seconds(row["epoch_s"]), seconds(row["start_up_s"]), seconds(row["total_s"]),
        )
        for row in runs.to_dict("records")
    ]  # fmt: skip
    table = Table(f"A run of {epochs} on each device", _COLUMNS, rows, folded=True)
    return Section(ANCHOR, f"How long a run of {epochs} takes", tuple(sentences), (table,))


def _sentence(subject: Subject, group: pd.DataFrame) -> str:
    """Tell a model's run at its middle batch size on every device, and when the GPU's becomes the shorter one."""
    sizes = sorted(group["batch_size"].unique())
    size = sizes[(len(sizes) - 1) // 2]
    runs = group[group["batch_size"] == size]
    rows = runs.sort_values("total_s", kind="stable").to_dict("records")
    said = f"{rows[0]['model']} at batch size {size}: {', '.join(map(_of_device, rows))}"
    both = [pair for pair in pairs(runs) if len({math.isnan(row["start_up_s"]) for row in pair}) == 1]
    return f"{said}; {_break_even(*both[0], _error(subject, *both[0]))}." if both else f"{said}."


def _error(subject: Subject, processor: dict[Any, Any], accelerator: dict[Any, Any]) -> float:
    """Return half of the interval of the ln ratio of the two steps, NaN where that is not known."""
    cases = subject.measured.set_index("fullname", drop=False)
    one, other = cases.loc[processor["fullname"]], cases.loc[accelerator["fullname"]]
    return relative_error(one, other, subject.earlier_log_times)


def _of_device(row: dict[Any, Any]) -> str:
    start_up = "without start-up" if math.isnan(row["start_up_s"]) else f"start-up {seconds(row['start_up_s'])}"
    return f"{seconds(row['total_s'])} on {row['device']} ({start_up})"


def _break_even(processor: dict[Any, Any], accelerator: dict[Any, Any], error: float) -> str:
    device, other = accelerator["device"], processor["device"]
    difference = math.log(processor["epoch_s"] / accelerator["epoch_s"])
    if not abs(difference) > error:
        known = "has no interval" if math.isnan(error) else "is not detectable"
        return f"whether {device} or {other} is faster is open: the difference of their steps {known}"
    first = first_shorter_epoch(processor, accelerator)
    if first is None:
        return f"however long, {device} is never faster than {other}"
    ends = [first_shorter_epoch(processor, accelerator, math.exp(side * error)) or first for side in (-1, 1)]
    interval = "" if ends[0] == ends[1] else f" ({ends[0]:,} to {ends[1]:,} by the interval of a step)"
    return f"from epoch {first:,} on {device} is faster than {other}{interval}"

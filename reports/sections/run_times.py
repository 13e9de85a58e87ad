"""What a whole run takes on each device, and from how many epochs on the GPU's is the shorter one."""

import math
from typing import Any

import pandas as pd

from reports.layout import Column, Table
from reports.quantities import between, counted, seconds
from reports.run_time import break_even_epochs, pairs
from reports.subject import Subject
from reports.uncertainty import relative_error


def said_of_runs(subject: Subject, runs: pd.DataFrame) -> list[str]:
    """Say for each model from how many epochs on the GPU's run is the shorter one, start-up included."""
    sentences = []
    cases = subject.measured.set_index("fullname", drop=False)
    for processor, accelerator in {pair[0]["model"]: pair for pair in pairs(runs)}.values():
        steps = (cases.loc[processor["fullname"]], cases.loc[accelerator["fullname"]])
        error = relative_error(*steps, subject.earlier_log_times)
        sentences.append(_said_of_run(processor, accelerator, error))
    if runs["start_up_s"].isna().all():
        sentences.append("No lesson was run cold in this session, so what a run takes is without start-up.")
    return sentences


def _said_of_run(processor: dict[Any, Any], accelerator: dict[Any, Any], error: float) -> str:
    """Return the sentence; `error` is half of the interval of the ln ratio of the two steps, NaN if unknown."""
    setting = f"{processor['model']} at batch size {processor['batch_size']}"
    sides = f"{accelerator['device']} than on {processor['device']}"
    difference = math.log(processor["epoch_s"] / accelerator["epoch_s"])
    if not abs(difference) > error:
        devices = f"{accelerator['device']} and {processor['device']}"
        known = "has no interval" if math.isnan(error) else "is not detectable"
        return f"Which run of {setting} is the shorter one is open: the difference of a step on {devices} {known}."
    if difference < 0:
        return f"A run of {setting} takes longer on {sides}, whatever its length."
    spreads = (1.0, math.exp(-error), math.exp(error))
    least, low, high = (_whole(break_even_epochs(processor, accelerator, spread)) for spread in spreads)
    interval = "" if low == high else f" ({between(f'{low:,}', f'{high:,}')} by the interval of a step)"
    return f"A run of {setting} is shorter on {sides} from {counted(least, 'epoch')} on{interval}, start-up included."


def _whole(epochs: float) -> int:
    return max(1, math.ceil(round(epochs, 6)))


def table_of_runs(runs: pd.DataFrame, epochs: int) -> Table:
    """Return what a run of so many epochs takes on each device."""
    columns = (
        Column("model", is_number=False), Column("batch size"), Column("device", is_number=False),
        Column("steps per epoch"), Column("per epoch"), Column("start-up"), Column("whole run"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["model"], str(row["batch_size"]), row["device"], f"{row['steps_per_epoch']:,}",
            seconds(row["epoch_s"]), seconds(row["start_up_s"]), seconds(row["total_s"]),
        )
        for row in runs.to_dict("records")
    ]  # fmt: skip
    return Table(f"What a run of {counted(epochs, 'epoch')} takes, start-up included", columns, rows)

"""How long a whole training run takes on each device: start-up once, then so many epochs."""

import math
from typing import Any

import pandas as pd

from reports.identity import is_cpu
from reports.lessons import lesson_runs
from reports.measured import grouped
from reports.values import count, mapping

RUN_COLUMNS = [
    "fullname",
    "model",
    "batch_size",
    "device",
    "step_s",
    "steps_per_epoch",
    "epoch_s",
    "start_up_s",
    "total_s",
]


def run_times(measured: pd.DataFrame, epochs: int) -> pd.DataFrame:
    """Return one row per model, batch size and device whose epoch is known: `total_s` = `start_up_s` + epochs x epoch.

    An epoch is the lesson's training set of the same dataset, its incomplete last batch dropped. The step is the one
    at the largest log interval. `start_up_s` is what a cold lesson on that device took until its first step was done
    (imports, data, the device's own start), of the same dataset if there is one; the processor's two arms start alike,
    so one stands for the other. It is NaN where no cold lesson ran, and `total_s` is then without it.
    """
    samples, start_up = _samples_per_epoch(measured), _start_up(measured)
    steps = measured[measured["unit"].isin(["step", ""]) & (measured["model"] != "") & measured["median_s"].notna()]
    rows = []
    for group in grouped(steps[steps["batch_size"].notna()], ["model", "batch_size", "device"]):
        quiet = max(group, key=lambda case: _rank(case["log_interval"]))
        if quiet["dataset"] not in samples:
            continue
        model, batch_size, device = quiet["model"], max(1, count(quiet["batch_size"])), quiet["device"]
        steps_per_epoch = max(1, samples[quiet["dataset"]] // batch_size)
        epoch_s = steps_per_epoch * quiet["median_s"]
        start_up_s = _start_up_of(device, quiet["dataset"], start_up)
        total_s = epochs * epoch_s + (0 if math.isnan(start_up_s) else start_up_s)
        rows.append(
            (
                quiet["fullname"],
                model,
                batch_size,
                device,
                quiet["median_s"],
                steps_per_epoch,
                epoch_s,
                start_up_s,
                total_s,
            )
        )
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


def _rank(log_interval: object) -> float:
    return math.inf if log_interval == "never" else float(count(log_interval))


def _samples_per_epoch(measured: pd.DataFrame) -> dict[str, int]:
    """Return the training samples of each dataset: what a lesson's run saw, over its epochs."""
    found = {}
    for case in measured[measured["unit"] == "lesson"].to_dict("records"):
        epochs = count(mapping(case["lesson"]).get("epochs"))
        if epochs and case["samples_per_unit"] > 0 and case["dataset"]:
            found[case["dataset"]] = round(case["samples_per_unit"] / epochs)
    return found


def _start_up_of(device: str, dataset: str, start_up: dict[tuple[str, str], float]) -> float:
    devices = [device, *(["cpu", "cpu-all"] if is_cpu(device) else [])]
    places = [(name, of) for name in devices for of in (dataset, "")]
    return next((start_up[place] for place in places if place in start_up), math.nan)


def _start_up(measured: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the seconds until the first step was done, by device and dataset; for no dataset the longest."""
    found: dict[tuple[str, str], float] = {}
    cold = lesson_runs(measured)
    for run in cold[cold["start_up_s"].notna()].to_dict("records"):
        taken_s = run["start_up_s"] + (0 if math.isnan(run["first_step_s"]) else run["first_step_s"])
        for key in ((run["device"], run["dataset"]), (run["device"], "")):
            found[key] = max(found.get(key, 0), taken_s)
    return found


def break_even_epochs(processor: dict[Any, Any], accelerator: dict[Any, Any], spread: float = 1.0) -> float:
    """Return after how many epochs the accelerator's run has caught up; infinity for never.

    Both are rows of `run_times`; start-up that is not known counts as none. With a `spread` other than 1 the
    accelerator's epoch takes so many times as long: an end of the interval of the two epochs' ratio.
    """
    gained_s = float(processor["epoch_s"] - accelerator["epoch_s"] * spread)
    starts_s = [0.0 if math.isnan(row["start_up_s"]) else float(row["start_up_s"]) for row in (accelerator, processor)]
    return max(0.0, (starts_s[0] - starts_s[1]) / gained_s) if gained_s > 0 else math.inf


def first_shorter_epoch(processor: dict[Any, Any], accelerator: dict[Any, Any], spread: float = 1.0) -> int | None:
    """Return the number of epochs of the shortest run that the accelerator ends first; None for never.

    `spread` is that of `break_even_epochs`.
    """
    epochs = break_even_epochs(processor, accelerator, spread)
    return None if math.isinf(epochs) else math.floor(round(epochs, 6)) + 1


def pairs(times: pd.DataFrame) -> list[tuple[dict[Any, Any], dict[Any, Any]]]:
    """Return for each model and batch size the processor's quickest run and the accelerator's."""
    found = []
    for _, group in times.groupby(["model", "batch_size"], sort=True):
        ordered = group.sort_values("epoch_s", kind="stable").to_dict("records")
        sides = [[row for row in ordered if is_cpu(row["device"]) == on_cpu] for on_cpu in (True, False)]
        if all(sides):
            found.append((sides[0][0], sides[1][0]))
    return found

"""How long a whole training run takes on each device: start-up once, then so many epochs."""

import math
from typing import Any

import pandas as pd

from reports.identity import is_cpu
from reports.lessons import lesson_runs
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
    (imports, data, the device's own start), of the same dataset if there is one; NaN where no cold lesson ran, and
    `total_s` is then without it.
    """
    samples, start_up = _samples_per_epoch(measured), _start_up(measured)
    steps = measured[measured["unit"].isin(["step", ""]) & (measured["model"] != "") & measured["median_s"].notna()]
    rows = []
    for _, group in steps[steps["batch_size"].notna()].groupby(["model", "batch_size", "device"], sort=True):
        quiet = max(group.to_dict("records"), key=lambda case: _rank(case["log_interval"]))
        if quiet["dataset"] not in samples:
            continue
        model, batch_size, device = quiet["model"], max(1, count(quiet["batch_size"])), quiet["device"]
        steps_per_epoch = max(1, samples[quiet["dataset"]] // batch_size)
        epoch_s = steps_per_epoch * quiet["median_s"]
        start_up_s = start_up.get((device, quiet["dataset"]), start_up.get((device, ""), math.nan))
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
    """Return from how many epochs on the accelerator's run is the shorter one; infinity for never.

    Both are rows of `run_times`; start-up that is not known counts as none. With a `spread` other than 1 the
    accelerator's epoch takes so many times as long: an end of the interval of the two epochs' ratio.
    """
    gained_s = float(processor["epoch_s"] - accelerator["epoch_s"] * spread)
    starts_s = [0.0 if math.isnan(row["start_up_s"]) else float(row["start_up_s"]) for row in (accelerator, processor)]
    return max(0.0, (starts_s[0] - starts_s[1]) / gained_s) if gained_s > 0 else math.inf


def pairs(times: pd.DataFrame) -> list[tuple[dict[Any, Any], dict[Any, Any]]]:
    """Return for each model and batch size the processor's quickest run and the accelerator's."""
    found = []
    for _, group in times.groupby(["model", "batch_size"], sort=True):
        ordered = group.sort_values("epoch_s", kind="stable").to_dict("records")
        sides = [[row for row in ordered if is_cpu(row["device"]) == on_cpu] for on_cpu in (True, False)]
        if all(sides):
            found.append((sides[0][0], sides[1][0]))
    return found

"""Is the GPU worth it: the same training on each device, against the better of the processor's two arms."""

import math
from typing import Any

import pandas as pd

from reports.identity import is_cpu
from reports.layout import Column, Section, Table
from reports.measured import batch_label, grouped, log_label
from reports.quantities import MISSING, counted, microseconds, seconds, times, times_between
from reports.subject import Subject
from reports.uncertainty import relative_error, sources

SAME_WORK = ["model", "batch_size", "log_interval"]


def device_comparison(measured: pd.DataFrame, earlier_log_times: pd.DataFrame) -> pd.DataFrame:
    """Return one row per model, batch size and log interval that ran on a processor or an accelerator.

    Columns: those three, `samples_per_unit`, `times_s` (a dict of seconds per step by device), `cpu_device` (the
    faster of the processor's arms, an uncontended one if there is one), `cpu_s`, `gpu_device`, `gpu_s`, `speed_up`
    (cpu_s / gpu_s, above 1 where the accelerator wins), and `speed_up_low` and `speed_up_high`, its interval
    (`reports.uncertainty`).
    """
    trained = measured[
        (measured["unit"].isin(["step", ""]))
        & (measured["model"] != "")
        & measured["log_interval"].notna()  # steps measured for another question have none
        & measured["median_s"].notna()
    ]
    rows = [_compared(group, earlier_log_times) for group in grouped(trained, SAME_WORK)]
    columns = [*SAME_WORK, "samples_per_unit", "times_s", "cpu_device", "cpu_s", "gpu_device", "gpu_s",
               "speed_up", "speed_up_low", "speed_up_high"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _compared(group: list[dict[Any, Any]], earlier_log_times: pd.DataFrame) -> dict[str, object]:
    by_device = {case["device"]: case for case in reversed(group)}
    processor = _fastest([case for device, case in by_device.items() if is_cpu(device)])
    accelerator = _fastest([case for device, case in by_device.items() if device and not is_cpu(device)])
    row: dict[str, object] = {name: group[0][name] for name in (*SAME_WORK, "samples_per_unit")}
    row["times_s"] = {device: case["median_s"] for device, case in by_device.items()}
    for label, case in (("cpu", processor), ("gpu", accelerator)):
        row[f"{label}_device"] = "" if case is None else case["device"]
        row[f"{label}_s"] = math.nan if case is None else case["median_s"]
    if processor is None or accelerator is None:
        return row
    speed_up = processor["median_s"] / accelerator["median_s"]
    spread = math.exp(relative_error(processor, accelerator, earlier_log_times))
    return row | {"speed_up": speed_up, "speed_up_low": speed_up / spread, "speed_up_high": speed_up * spread}


def _fastest(cases: list[dict[Any, Any]]) -> dict[Any, Any] | None:
    """Return the fastest case, of the uncontended ones if there are any."""
    calm = [case for case in cases if "contended" not in case["flags"]]
    return min(calm or cases, key=lambda case: case["median_s"], default=None)


def section(subject: Subject) -> Section:
    """Return the comparison in sentences and a table."""
    compared = device_comparison(subject.measured, subject.earlier_log_times)
    both = compared[compared["speed_up"].notna()]
    sentences, notes = [*_no_gpu(subject.measured), *_who_wins(both)], list[str]()
    if compared.empty:
        return Section("devices", "Is the GPU worth it", (*sentences, "No training step was measured on any device."))
    devices = sorted({device for by_device in compared["times_s"] for device in by_device if device})
    tables = [_table_of_times(compared, devices)]
    if len(both):
        tables.insert(0, _table_of_speed_ups(both))
        notes.append(
            "The processor's time is the faster of cpu and cpu-all that no neighbour disturbed. The interval of a "
            f"speed-up is made of {sources(subject.earlier_log_times)}."
        )
    return Section("devices", "Is the GPU worth it", tuple(sentences), tuple(tables), notes=tuple(notes))


def _no_gpu(measured: pd.DataFrame) -> list[str]:
    """Say plainly that accelerators were not measured, and why."""
    elsewhere = measured.loc[[bool(device) and not is_cpu(device) for device in measured["device"]]]
    if elsewhere.empty:
        return ["This session has no case on a GPU, so the question stays open on this machine."]
    skipped = elsewhere[elsewhere["median_s"].isna()]
    if len(skipped) < len(elsewhere):
        return []
    reasons = [reason for reason in skipped["reason"] if reason]
    why = f": {max(set(reasons), key=reasons.count)}" if reasons else ""
    devices = ", ".join(sorted(set(skipped["device"])))
    number = counted(len(skipped), "case")
    return [f"The GPU was not measured on this machine: {number} on {devices} without a result{why}."]


def _who_wins(both: pd.DataFrame) -> list[str]:
    """Say in how many settings the accelerator is faster, and for each model from which batch size on."""
    if both.empty:
        return []
    faster, slower = both["speed_up_low"] > 1, both["speed_up_high"] < 1
    unknown = both["speed_up_low"].isna()
    gpu_wins, cpu_wins, settings = int(faster.sum()), int(slower.sum()), counted(len(both), "setting")
    undecided, open_ones = int((~faster & ~slower & ~unknown).sum()), int(unknown.sum())
    no_difference = f"; {undecided} show no difference" if undecided else ""
    no_interval = f"; {open_ones} have no interval, so cannot tell" if open_ones else ""
    sentences = [
        f"The GPU is faster in {gpu_wins} of {settings}, the processor in {cpu_wins}{no_difference}{no_interval}."
    ]
    return [*sentences, *(_worth_of(str(model), group) for model, group in both.groupby("model"))]


def _worth_of(model: str, group: pd.DataFrame) -> str:
    """Say from which batch size on a model is worth the GPU; only what the intervals decide counts."""
    wins, losses = group["speed_up_low"] > 1, group["speed_up_high"] < 1
    if wins.all() or losses.all():
        return f"{model}: {'always' if wins.all() else 'never'} worth the GPU here."
    if not wins.any():
        return f"{model}: no setting in which the GPU is detectably faster here."
    crossover = group.loc[wins, "batch_size"].min()
    if pd.isna(crossover):
        return f"{model}: the GPU is faster in {int(wins.sum())} of {counted(len(group), 'setting')}."
    return f"{model}: the GPU begins to win at batch size {int(crossover)}."


def _table_of_times(compared: pd.DataFrame, devices: list[str]) -> Table:
    settings = (Column("model", is_number=False), Column("batch size"), Column("loss read", is_number=False))
    columns = [*settings, *(Column(f"{device}: per step") for device in devices)]
    columns += [Column(f"{device}: per sample (µs)") for device in devices]
    rows = []
    for row in compared.to_dict("records"):
        by_device = [row["times_s"].get(device, math.nan) for device in devices]
        cells = [row["model"], batch_label(row["batch_size"]), log_label(row["log_interval"])]
        cells += [seconds(time_s) for time_s in by_device]
        cells += [microseconds(time_s / row["samples_per_unit"]) for time_s in by_device]
        rows.append(tuple(cells))
    return Table("Median time by device", tuple(columns), rows, folded=True)


def _table_of_speed_ups(both: pd.DataFrame) -> Table:
    columns = (
        Column("model", is_number=False), Column("batch size"), Column("loss read", is_number=False),
        Column("processor", is_number=False), Column("per step"), Column("GPU", is_number=False), Column("per step"),
        Column("speed-up"), Column("between"), Column("worth it", is_number=False),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["model"], batch_label(row["batch_size"]), log_label(row["log_interval"]),
            row["cpu_device"], seconds(row["cpu_s"]), row["gpu_device"], seconds(row["gpu_s"]),
            times(row["speed_up"]), times_between(row["speed_up_low"], row["speed_up_high"]), _worth(row),
        )
        for row in both.sort_values("speed_up", ascending=False).to_dict("records")
    ]  # fmt: skip
    return Table("Speed-up of the GPU over the processor", columns, rows)


def _worth(row: dict[object, float]) -> str:
    if row["speed_up_low"] > 1:
        return "yes"
    if row["speed_up_high"] < 1:
        return "no"
    return "no difference" if not math.isnan(row["speed_up_low"]) else MISSING

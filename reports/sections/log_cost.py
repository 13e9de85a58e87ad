"""What reading the loss costs: each log interval against "never", per device, model and batch size."""

import math

import pandas as pd

from reports.layout import Column, Section, Table
from reports.measured import batch_label, log_label
from reports.quantities import MISSING, between, counted, microseconds, significant
from reports.subject import Subject
from reports.uncertainty import relative_error, sources

NEVER = "never"
SETTING = ["device", "model", "batch_size"]


def reading_cost(measured: pd.DataFrame, earlier_log_times: pd.DataFrame) -> pd.DataFrame:
    """Return what one read of the loss costs, a row per device, model, batch size and log interval.

    Columns: those four, `cost_s` = (median at interval i - median at "never") x i, in seconds per read; `half_width_s`,
    the interval's half (`reports.uncertainty`); `is_detected`, whether the cost exceeds it; `share`, the part of a step
    at this interval that goes to reading.
    """
    trained = measured[measured["unit"].isin(["step", ""]) & (measured["model"] != "") & measured["median_s"].notna()]
    rows = []
    for key, group in trained.groupby(SETTING, dropna=False, sort=True):
        never = group[group["log_interval"] == NEVER]
        if never.empty:
            continue
        base = never.iloc[0]
        reading = group.loc[[isinstance(interval, int) for interval in group["log_interval"]]]
        for _, case in reading.sort_values("log_interval").iterrows():
            rows.append({**dict(zip(SETTING, key, strict=True)), **_cost(case, base, earlier_log_times)})
    return pd.DataFrame(rows, columns=[*SETTING, "log_interval", "cost_s", "half_width_s", "is_detected", "share"])


def _cost(case: "pd.Series", base: "pd.Series", earlier_log_times: pd.DataFrame) -> dict[str, object]:
    difference_s = case["median_s"] - base["median_s"]
    error_s = relative_error(case, base, earlier_log_times) * base["median_s"]
    return {
        "log_interval": case["log_interval"],
        "cost_s": difference_s * case["log_interval"],
        "half_width_s": error_s * case["log_interval"],
        "is_detected": abs(difference_s) > error_s,
        "share": difference_s / case["median_s"],
    }


def section(subject: Subject) -> Section | None:
    """Return the cost of reading the loss, or nothing for a store without such an axis."""
    costs = reading_cost(subject.measured, subject.earlier_log_times)
    if costs.empty:
        return None
    columns = (
        Column("device", is_number=False), Column("model", is_number=False), Column("batch size"),
        Column("loss read", is_number=False), Column("cost per read (µs)"), Column("between (µs)"),
        Column("share of the step"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (row["device"], row["model"], batch_label(row["batch_size"]), log_label(row["log_interval"]), *_figures(row))
        for row in costs.to_dict("records")
    ]
    table = Table("Reading the loss", columns, rows, folded=True)
    return Section("logging", "What logging costs", _summary(subject, costs), (table,))


def _figures(row: dict[object, float]) -> tuple[str, str, str]:
    if math.isnan(row["half_width_s"]):
        return microseconds(row["cost_s"]), MISSING, MISSING
    if not row["is_detected"]:
        return "no detectable difference", f"within ±{microseconds(row['half_width_s'])}", MISSING
    low, high = row["cost_s"] - row["half_width_s"], row["cost_s"] + row["half_width_s"]
    return (
        microseconds(row["cost_s"]),
        between(microseconds(low), microseconds(high)),
        _percent(row["share"]) if row["share"] > 0 else MISSING,
    )


def _percent(share: float) -> str:
    return f"{significant(share * 100, 2)} %"


def _summary(subject: Subject, costs: pd.DataFrame) -> tuple[str, ...]:
    every_step = costs[costs["log_interval"] == 1]
    sentences = [_said_of(str(device), group) for device, group in every_step.groupby("device")]
    quiet = len(costs) - int(costs["is_detected"].astype(bool).sum())
    if quiet:
        sentences.append(f"{quiet} of {counted(len(costs), 'comparison')} show no detectable difference.")
    sentences.append(
        "Cost per read = (median step time at that interval - median at never) x interval. The interval of a cost is "
        f"made of {sources(subject.earlier_log_times)}."
    )
    return tuple(sentences)


def _said_of(device: str, group: pd.DataFrame) -> str:
    """Return what reading every step costs on a device, over its models and batch sizes."""
    detected = group[group["is_detected"].astype(bool) & (group["cost_s"] > 0)]
    settings = counted(len(group), "setting")
    if detected.empty:
        return f"{device}: reading the loss every step shows no detectable cost in {settings}."
    worst = detected.sort_values("share", kind="stable").iloc[-1]
    where = f"{worst['model']}, batch size {batch_label(worst['batch_size'])}"
    most = f"at most {_percent(worst['share'])} of a step ({where})"
    if 2 * len(detected) <= len(group):
        return f"{device}: reading the loss every step shows a cost in only {len(detected)} of {settings}, {most}."
    return (
        f"{device}: reading the loss every step costs {microseconds(group['cost_s'].median())} µs a read "
        f"(median of {settings}, detectable in {len(detected)}), {most}."
    )

"""What reading the loss costs: per device and model from all its cases, and each log interval against "never"."""

import math
from operator import itemgetter
from typing import Any

import pandas as pd

from reports.layout import Column, Section, Table
from reports.measured import batch_label, grouped, log_label
from reports.quantities import MISSING, between, counted, microseconds, significant
from reports.subject import Subject
from reports.uncertainty import relative_error, sources
from reports.why.explanation import cases_to_explain
from reports.why.own_times import own_times
from reports.why.primitives import results
from reports.why.read_cost import NEVER, read_cost

SETTING = ["device", "model", "batch_size"]
NO_DIFFERENCE = "no detectable difference"
CANNOT_TELL = "cannot tell"
"""Stands for the cost of a comparison whose scatter nobody knows."""


def reading_cost(measured: pd.DataFrame, earlier_log_times: pd.DataFrame) -> pd.DataFrame:
    """Return what one read of the loss costs, a row per device, model, batch size and log interval.

    Columns: those four, `cost_s` = (median at interval i - median at "never") x i, in seconds per read; `half_width_s`,
    the interval's half (`reports.uncertainty`); `is_detected`, whether the cost is positive and exceeds it; `share`,
    the part of a step at this interval that goes to reading.
    """
    rows = []
    for group in grouped(_trained(measured), SETTING):
        base = next((case for case in group if case["log_interval"] == NEVER), None)
        reading = [case for case in group if case["log_interval"] != NEVER]
        if base is not None:
            costs = (_cost(case, base, earlier_log_times) for case in sorted(reading, key=itemgetter("log_interval")))
            rows += [{name: group[0][name] for name in SETTING} | cost for cost in costs]
    return pd.DataFrame(rows, columns=[*SETTING, "log_interval", "cost_s", "half_width_s", "is_detected", "share"])


def _trained(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the training cases with a time and a log interval."""
    trained = measured[measured["unit"].isin(["step", ""]) & (measured["model"] != "") & measured["median_s"].notna()]
    return trained[trained["log_interval"].notna()]


def _cost(case: dict[Any, Any], base: dict[Any, Any], earlier_log_times: pd.DataFrame) -> dict[str, object]:
    difference_s = case["median_s"] - base["median_s"]
    error_s = relative_error(case, base, earlier_log_times) * base["median_s"]
    return {
        "log_interval": case["log_interval"],
        "cost_s": difference_s * case["log_interval"],
        "half_width_s": error_s * case["log_interval"],
        "is_detected": difference_s > error_s,
        "share": difference_s / case["median_s"],
    }


def section(subject: Subject) -> Section | None:
    """Return the cost of reading the loss, or nothing for a store without such an axis."""
    costs = reading_cost(subject.measured, subject.earlier_log_times)
    if costs.empty:
        return None
    judgement = subject.judgement
    launches = results(cases_to_explain(subject.runs.cases, judgement.session, judgement.machine))
    pooled = read_cost(own_times(_trained(subject.measured), launches, subject.why.machines))
    tables = (_pooled_table(pooled), _table(costs))
    return Section("logging", "What logging costs", _summary(pooled, costs), tables, notes=(_how(subject),))


def _pooled_table(pooled: pd.DataFrame) -> Table:
    columns = (
        Column("device", is_number=False), Column("model", is_number=False), Column("batch sizes"), Column("cases"),
        Column("cost per read (µs)"), Column("between (µs)"), Column("share of the shortest step"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            row["device"], row["model"], str(row["batch_sizes"]), str(row["cases"]),
            microseconds(row["cost_s"]) if row["is_detected"] else NO_DIFFERENCE,
            between(microseconds(row["low_s"]), microseconds(row["high_s"])),
            _percent(row["share"]) if row["is_detected"] else MISSING,
        )
        for row in pooled.to_dict("records")
    ]  # fmt: skip
    return Table("What one read of the loss costs", columns, rows)


def _table(costs: pd.DataFrame) -> Table:
    columns = (
        Column("device", is_number=False), Column("model", is_number=False), Column("batch size"),
        Column("loss read", is_number=False), Column("cost per read (µs)"), Column("between (µs)"),
        Column("share of the step"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (row["device"], row["model"], batch_label(row["batch_size"]), log_label(row["log_interval"]), *_figures(row))
        for row in costs.to_dict("records")
    ]
    return Table("Each log interval against never reading", columns, rows, folded=True)


def _figures(row: dict[object, float]) -> tuple[str, str, str]:
    if math.isnan(row["half_width_s"]):
        return CANNOT_TELL, MISSING, MISSING
    low, high = row["cost_s"] - row["half_width_s"], row["cost_s"] + row["half_width_s"]
    interval = between(microseconds(low), microseconds(high))
    if not row["is_detected"]:
        return NO_DIFFERENCE, interval, MISSING
    return microseconds(row["cost_s"]), interval, _percent(row["share"])


def _percent(share: float) -> str:
    return f"{significant(share * 100, 2)} %"


def _summary(pooled: pd.DataFrame, costs: pd.DataFrame) -> tuple[str, ...]:
    sentences = [sentence for device, group in pooled.groupby("device") for sentence in _said_of(str(device), group)]
    below = int((costs["cost_s"] < -costs["half_width_s"]).sum())
    if below:
        sentences.append(
            f"In {below} of {counted(len(costs), 'comparison')} reading came out faster than never reading by more "
            "than its interval: the machine was less steady between the cases than within them."
        )
    return tuple(sentences)


def _how(subject: Subject) -> str:
    return (
        "The cost of a model fits step time = base + cost / interval at each batch size, with one cost for all, on one "
        "thread in the core's own time and without page faults; its 95 % interval is made of how far the cases scatter "
        "around the fit. The cost of a single comparison is (median at that interval - median at never) x interval; "
        f"its interval is made of {sources(subject.earlier_log_times)}."
    )


def _said_of(device: str, group: pd.DataFrame) -> list[str]:
    """Return what a read costs on a device: the models where it shows, and those where it does not."""
    is_detected = group["is_detected"].astype(bool)
    sentences = [
        f"{device}, {row['model']}: reading the loss costs {microseconds(row['cost_s'])} µs a read "
        f"({between(microseconds(row['low_s']), microseconds(row['high_s']))}), {_percent(row['share'])} of the "
        "shortest step when every step reads."
        for row in group[is_detected].to_dict("records")
    ]
    quiet = group.loc[~is_detected, "model"]
    if len(quiet):
        sentences.append(f"{device}: {NO_DIFFERENCE} between reading the loss and not, with {', '.join(quiet)}.")
    return sentences

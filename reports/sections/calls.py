"""What a call costs: the ways of calling that do the same work, side by side."""

import math
from typing import Any

import pandas as pd

from reports.layout import Column, Name, Section, Table
from reports.quantities import MISSING, between, seconds, times
from reports.subject import Subject
from reports.uncertainty import relative_error, sources

NO_DIFFERENCE = "no detectable difference"

_NOTE = (
    "The ways of one benchmark do the same work on the same device, so what one takes longer than the fastest is the "
    "price of calling that way: forward is model.forward(x), call is model(x), which also runs hooks."
)


def call_comparison(measured: pd.DataFrame, earlier_log_times: pd.DataFrame) -> pd.DataFrame:
    """Return one row per call that was measured.

    Columns: `benchmark`, `case`, `device`, `median_s`, `factor` (the time over that of the fastest way in the same
    benchmark on the same device), `factor_low` and `factor_high` (its interval, `reports.uncertainty`; both 1 for the
    fastest way itself).
    """
    calls = measured[(measured["unit"] == "call") & measured["median_s"].notna()]
    names = [str(fullname).rpartition("::")[2].partition("[") for fullname in calls["fullname"]]
    frame = calls.assign(
        benchmark=[benchmark for benchmark, _, _ in names], case=[rest.removesuffix("]") for _, _, rest in names]
    ).sort_values(["benchmark", "device", "median_s"], kind="stable")
    rows = [
        _against(case, group.iloc[0].to_dict(), earlier_log_times)
        for _, group in frame.groupby(["benchmark", "device"], sort=True)
        for case in group.to_dict("records")
    ]
    columns = ["benchmark", "case", "device", "median_s", "factor", "factor_low", "factor_high"]
    return pd.DataFrame(rows, columns=columns)


def _against(case: dict[Any, Any], fastest: dict[Any, Any], earlier_log_times: pd.DataFrame) -> dict[str, Any]:
    is_itself = case["fullname"] == fastest["fullname"]
    spread = 1.0 if is_itself else math.exp(relative_error(case, fastest, earlier_log_times))
    factor = case["median_s"] / fastest["median_s"]
    told = {name: case[name] for name in ("benchmark", "case", "device", "median_s")}
    return told | {"factor": factor, "factor_low": factor / spread, "factor_high": factor * spread}


def section(subject: Subject) -> Section | None:
    """Return the calls, or nothing for a session that measured none."""
    calls = call_comparison(subject.measured, subject.earlier_log_times)
    if calls.empty:
        return None
    columns = (
        Column("benchmark", is_number=False), Column("case", is_number=False), Column("time per call"),
        Column("against the fastest way"), Column("between"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (Name(row["benchmark"]), Name(row["case"]), seconds(row["median_s"]), *_factor(row))
        for row in calls.to_dict("records")
    ]
    sentence = f"The interval of a factor is made of {sources(subject.earlier_log_times)}."
    return Section(
        "calls",
        "What a call costs",
        (sentence,),
        (Table("Ways of calling, fastest first", columns, rows),),
        notes=(_NOTE,),
    )


def _factor(row: dict[Any, Any]) -> tuple[str, str]:
    """Return the factor and its interval; without an interval, or with one that holds 1, no difference is told."""
    if row["factor_low"] == row["factor_high"] == 1:
        return times(1), MISSING
    interval = between(times(row["factor_low"]), times(row["factor_high"]))
    if math.isnan(row["factor_low"]):
        return "cannot tell", MISSING
    return (NO_DIFFERENCE if row["factor_low"] <= 1 else times(row["factor"])), interval

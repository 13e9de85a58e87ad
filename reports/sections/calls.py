"""What a call costs: the ways of calling that do the same work, side by side."""

import pandas as pd

from reports.layout import Column, Name, Section, Table
from reports.quantities import seconds, times
from reports.subject import Subject

_NOTE = (
    "The ways of one benchmark do the same work on the same device, so what one takes longer than the fastest is the "
    "price of calling that way: forward is model.forward(x), call is model(x), which also runs hooks."
)


def call_comparison(measured: pd.DataFrame) -> pd.DataFrame:
    """Return one row per call that was measured: `benchmark`, `case`, `device`, `median_s`, and `factor`.

    `factor` is the time over that of the fastest way in the same benchmark on the same device.
    """
    calls = measured[(measured["unit"] == "call") & measured["median_s"].notna()]
    names = [str(fullname).rpartition("::")[2].partition("[") for fullname in calls["fullname"]]
    frame = calls[["device", "median_s"]].assign(
        benchmark=[benchmark for benchmark, _, _ in names], case=[rest.removesuffix("]") for _, _, rest in names]
    )
    fastest = frame.groupby(["benchmark", "device"])["median_s"].transform("min")
    frame = frame.assign(factor=frame["median_s"] / fastest)
    return frame.sort_values(["benchmark", "device", "median_s"], kind="stable").reset_index(drop=True)


def section(subject: Subject) -> Section | None:
    """Return the calls, or nothing for a session that measured none."""
    calls = call_comparison(subject.measured)
    if calls.empty:
        return None
    columns = (
        Column("benchmark", is_number=False), Column("case", is_number=False), Column("time per call"),
        Column("against the fastest way"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (Name(row["benchmark"]), Name(row["case"]), seconds(row["median_s"]), times(row["factor"]))
        for row in calls.to_dict("records")
    ]
    return Section(
        "calls", "What a call costs", (), (Table("Ways of calling, fastest first", columns, rows),), notes=(_NOTE,)
    )

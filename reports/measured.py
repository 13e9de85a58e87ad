"""What the judged session measured, one row per case, for the tables that compare cases with one another."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from reports.values import mapping, positive, text

MEASURED_COLUMNS = [
    "fullname", "device", "model", "batch_size", "log_interval", "unit", "median_s", "iqr_s", "rounds", "launches",
    "launch_variance", "samples_per_unit", "peak_memory_bytes", "accuracy", "dataset", "threads", "device_name",
    "flags", "outcome", "reason", "lesson",
]  # fmt: skip


def measured(cases: pd.DataFrame, sessions: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return one row for each case of a machine's session.

    `median_s` is the session's median in seconds per unit of work, `iqr_s` the interquartile range of the rounds
    (median over launches), `rounds` their number over all launches; `launches` are those with a result, and
    `launch_variance` is the variance of ln seconds between them, NaN for one; facts come from the newest launch with a
    result. Figures are NaN and texts empty where the files do not tell.
    """
    of_session = (cases["session"] == session) & (cases["machine"] == machine) & (cases["kind"] != "rerun")
    launches = cases.loc[of_session.to_numpy(dtype=bool)]
    judged = sessions[(sessions["session"] == session) & (sessions["machine"] == machine)].set_index("fullname")
    with_result = launches.assign(has_result=launches["median_s"].notna()).sort_values("has_result", kind="stable")
    frame = with_result.drop_duplicates("fullname", keep="last").set_index("fullname")
    extras = [mapping(extra) for extra in frame["extra"]]
    judged = judged.reindex(frame.index)
    log_times = launches.assign(log_time=np.log(launches["median_s"].astype(float))).groupby("fullname")["log_time"]
    frame = frame.assign(
        median_s=np.exp(judged["log_time"]),
        launches=log_times.count(),
        launch_variance=log_times.var(),
        iqr_s=launches.groupby("fullname")["iqr_s"].median(),
        rounds=launches.groupby("fullname")["rounds"].sum(),
        outcome=judged["outcome"],
        reason=judged["reason"],
        flags=judged["flags"],
        unit=[text(extra.get("unit")) for extra in extras],
        lesson=pd.Series([mapping(extra.get("lesson")) for extra in extras], index=frame.index, dtype=object),
        **{name: [text(extra.get(name)) for extra in extras] for name in ("dataset", "device_name")},
        **{
            name: [positive(extra.get(name)) for extra in extras]
            for name in ("samples_per_unit", "peak_memory_bytes", "accuracy", "threads")
        },
    )
    return frame.reset_index()[MEASURED_COLUMNS].sort_values("fullname", kind="stable").reset_index(drop=True)


def grouped(frame: pd.DataFrame, columns: list[str]) -> Iterator[list[dict[Any, Any]]]:
    """Yield the rows of each group as records, in order of the columns' values; unknown ones are a group as well.

    It spares a frame for each group, of which a large suite has hundreds.
    """
    numbers = frame.groupby(columns, dropna=False, sort=True).ngroup()
    groups: dict[int, list[dict[Any, Any]]] = {}
    for number, row in zip(numbers.tolist(), frame.to_dict("records"), strict=True):
        groups.setdefault(number, []).append(row)
    return (groups[number] for number in sorted(groups))


def samples_per_s(frame: pd.DataFrame) -> "pd.Series[float]":
    """Return throughput: samples per unit of work over seconds per unit of work."""
    return frame["samples_per_unit"] / frame["median_s"]


def batch_label(batch_size: object) -> str:
    """Return the batch size as text, empty when unknown."""
    return "" if pd.isna(batch_size) else str(int(batch_size))  # type: ignore[call-overload]


def log_label(log_interval: object) -> str:
    """Return the log interval in words."""
    if log_interval is None or log_interval != log_interval:  # noqa: PLR0124  NaN
        return ""
    if log_interval == "never":
        return "never"
    return "every step" if log_interval == 1 else f"every {log_interval} steps"

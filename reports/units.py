"""Equal machines side by side: which unit of a machine class is slower than its siblings today, without any history.

Each unit's newest session is held against the others': for every case the time over the median of all units, and for
every unit and device the median of these ratios over its cases. A unit stands out by its distance from the units'
median in robust standard deviations (1.4826 x median absolute deviation), with the limit of Iglewicz and Hoaglin, "How
to Detect and Handle Outliers" (1993): 3.5.
"""

import math
from datetime import timedelta

import numpy as np
import pandas as pd

from reports.history import MAD_TO_SD
from reports.per_unit import class_of

LEAST_UNITS = 3
"""Of two that differ nobody can say which is the odd one."""
LEAST_CASES = 3
LIMIT_Z = 3.5
LEAST_SPREAD = 0.005
"""Standard deviation below which equal machines are not believed to be: chips of one kind differ by more than that."""
LEAST_CHANGE = 0.02
BEFORE, AFTER = timedelta(hours=36), timedelta(hours=12)
"""Sessions that began so long before or after the judged one stand for the same night."""

UNIT_COLUMNS = ["unit", "device", "cases", "ratio", "z", "slower", "worst_case", "worst_ratio"]


def unit_ratios(cases: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return each unit's time over the median of all units, a row per case and a column per unit, NaN where none is.

    `cases` is the frame of `reports.runs`. Rows are indexed by `device` and `fullname`. Empty unless at least
    `LEAST_UNITS` units of the class have a session of the same kind that night.
    """
    newest = _newest(cases, session, machine)
    times = newest.pivot_table(index=["device", "fullname"], columns="unit", values="log_time", sort=True)
    shared = times[times.notna().sum(axis=1) >= LEAST_UNITS]
    if shared.shape[1] < LEAST_UNITS or shared.empty:
        return pd.DataFrame()
    return shared.sub(shared.median(axis=1), axis=0).map(math.exp)


def compare_units(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return one row per unit and device, the slowest first; `ratios` is from `unit_ratios`.

    Columns: `unit`, `device`, `cases`, `ratio` (the median over its cases, above 1 is slower than its siblings), `z`
    (how many robust standard deviations that is from the units' median), `slower` (bool), `worst_case` and its
    `worst_ratio`. A device with fewer than `LEAST_CASES` cases is left out.
    """
    logs = ratios.map(math.log)
    rows = [row for device in _devices(ratios) for row in _of_device(device, logs.loc[[device], :])]
    frame = pd.DataFrame(rows, columns=UNIT_COLUMNS).astype({"slower": bool})
    return frame.sort_values("ratio", ascending=False, kind="stable").reset_index(drop=True)


def _devices(ratios: pd.DataFrame) -> list[str]:
    if ratios.empty:
        return []
    counts = ratios.groupby(level="device").size()
    return [str(device) for device in counts.index[counts >= LEAST_CASES]]


def _of_device(device: str, logs: pd.DataFrame) -> list[dict[str, object]]:
    """Return a row for each unit of one device; `logs` has a row per case and a column per unit."""
    measured = logs.loc[:, logs.notna().sum() >= LEAST_CASES]
    level = measured.median()
    if len(level) < LEAST_UNITS:
        return []
    spread = max(MAD_TO_SD * float((level - level.median()).abs().median()), LEAST_SPREAD)
    distance = level - level.median()
    return [
        {
            "unit": unit,
            "device": device,
            "cases": int(measured[unit].notna().sum()),
            "ratio": math.exp(level[unit]),
            "z": float(distance[unit]) / spread,
            "slower": bool(distance[unit] / spread > LIMIT_Z and math.expm1(distance[unit]) > LEAST_CHANGE),
            "worst_case": str(measured.index[int(measured[unit].argmax())][1]),
            "worst_ratio": math.exp(measured[unit].max()),
        }
        for unit in measured.columns
    ]


def _newest(cases: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return the launches of each unit's newest session of that night, re-runs aside, with their ln times.

    The class's units are siblings, also where `machine` tells one unit alone.
    """
    siblings = [one for one in cases["machine"].unique() if class_of(one) == class_of(machine)]
    ours = cases[cases["machine"].isin(siblings) & (cases["unit"] != "") & (cases["kind"] != "rerun")]
    judged = ours[ours["session"] == session]
    if judged.empty:
        return ours.iloc[:0].assign(log_time=pd.Series(dtype=float))
    kind, begun = judged["kind"].iloc[0], judged["started"].min()
    same = ours[(ours["kind"] == kind) & ours["complete"].astype(bool) & ours["median_s"].notna()]
    tonight = same[(same["started"] > begun - BEFORE) & (same["started"] < begun + AFTER)]
    tonight = tonight.assign(log_time=np.log(tonight["median_s"].astype(float)))
    last = tonight.sort_values("started", kind="stable").drop_duplicates("unit", keep="last")
    chosen = set(zip(last["unit"], last["session"], strict=True))
    is_chosen = [key in chosen for key in zip(tonight["unit"], tonight["session"], strict=True)]
    return pd.DataFrame(tonight.loc[is_chosen, :])

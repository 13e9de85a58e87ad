"""What several ranks gain over one: the distributed cases of a session, and the all-reduce that they rest on."""

import math
from typing import Any

import pandas as pd

from reports.uncertainty import relative_error
from reports.values import count, mapping, number, text

SCALING_COLUMNS = [
    "fullname", "device", "network", "batch_size", "scaling", "world_size", "median_s", "samples_per_s", "efficiency",
    "efficiency_low", "efficiency_high",
]  # fmt: skip
REDUCTION_COLUMNS = ["fullname", "device", "world_size", "message_bytes", "median_s", "bus_bandwidth_gb_s"]
SAME_TRAINING = ["device", "network", "batch_size", "scaling"]


def distributed_trainings(
    cases: pd.DataFrame, session: str, machine: str, earlier_log_times: pd.DataFrame
) -> pd.DataFrame:
    """Return one row per distributed training of a machine's session, `SCALING_COLUMNS`.

    `cases` is the frame of `reports.runs`. `median_s` is seconds per step of the slowest rank, `efficiency` the share
    of the ranks' work that is not lost: one rank's time over all ranks', and in strong scaling that over the number of
    ranks. NaN where one rank alone was not measured. `efficiency_low` and `efficiency_high` are its interval
    (`reports.uncertainty`; `earlier_log_times` is from `reports.history.log_times`).
    """
    rows = []
    for row, told in _told(cases, session, machine):
        if text(told.get("scaling")):
            params = mapping(row["params"])
            rows.append(
                {
                    "network": text(params.get("network")),
                    "batch_size": count(params.get("batch_size")),
                    "scaling": text(told.get("scaling")),
                    "world_size": count(told.get("world_size")),
                    "samples_per_s": number(mapping(row["extra"]).get("samples_per_unit")) / row["median_s"],
                    **{name: row[name] for name in ("fullname", "device", "median_s", "iqr_s", "rounds")},
                }
            )
    columns = [name for name in SCALING_COLUMNS if not name.startswith("efficiency")]
    frame = pd.DataFrame(rows, columns=[*columns, "iqr_s", "rounds"])
    alone = frame[frame["world_size"] == 1].drop_duplicates(SAME_TRAINING, keep="last")
    of_training = {tuple(row[name] for name in SAME_TRAINING): row for row in alone.to_dict("records")}
    efficiencies = [
        _efficiency(row, of_training.get(tuple(row[name] for name in SAME_TRAINING)), earlier_log_times)
        for row in frame.to_dict("records")
    ]
    names = ["efficiency", "efficiency_low", "efficiency_high"]
    frame = frame.join(pd.DataFrame(efficiencies, columns=names, index=frame.index))
    return frame[SCALING_COLUMNS].sort_values([*SAME_TRAINING, "world_size"], kind="stable").reset_index(drop=True)


def _efficiency(
    row: dict[Any, Any], alone: dict[Any, Any] | None, earlier_log_times: pd.DataFrame
) -> tuple[float, float, float]:
    """Return the efficiency and the ends of its interval; one rank is its own measure."""
    if alone is None:
        return math.nan, math.nan, math.nan
    efficiency = alone["median_s"] / (row["median_s"] * (row["world_size"] if row["scaling"] == "strong" else 1))
    is_itself = row["fullname"] == alone["fullname"]
    spread = 1.0 if is_itself else math.exp(relative_error(row, alone, earlier_log_times))
    return efficiency, efficiency / spread, efficiency * spread


def reductions(cases: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return one row per all-reduce of a machine's session, `REDUCTION_COLUMNS`.

    The bandwidth is 2 (n - 1) / n of the message over its time (NVIDIA's nccl-tests, doc/PERFORMANCE.md), in GB/s;
    NaN for one rank, which sends nothing.
    """
    rows = []
    for row, told in _told(cases, session, machine):
        size, ranks = count(told.get("message_bytes")), count(told.get("world_size"))
        if size and ranks:
            sent = size * 2 * (ranks - 1) / ranks
            bandwidth = sent / row["median_s"] / 1e9 if ranks > 1 else math.nan
            facts = {"world_size": ranks, "message_bytes": size, "bus_bandwidth_gb_s": bandwidth}
            rows.append(facts | {name: row[name] for name in ("fullname", "device", "median_s")})
    frame = pd.DataFrame(rows, columns=REDUCTION_COLUMNS)
    return frame.sort_values(["device", "world_size", "message_bytes"], kind="stable").reset_index(drop=True)


def _told(cases: pd.DataFrame, session: str, machine: str) -> list[tuple[dict[Any, Any], dict[str, Any]]]:
    """Return the session's measured cases that ranks did together, each with what they told, re-runs aside."""
    ours = (cases["session"] == session) & (cases["machine"] == machine) & (cases["kind"] != "rerun")
    measured = cases.loc[(ours & cases["median_s"].notna()).to_numpy(dtype=bool)]
    rows = measured.drop_duplicates("fullname", keep="last").to_dict("records")
    told = [(row, mapping(mapping(row["extra"]).get("distributed"))) for row in rows]
    return [(row, facts) for row, facts in told if facts]

"""A plain rule: this session's time over the median of the earlier ones, and a percentage that must be exceeded.

One session beyond the threshold is a suspect; a second one in a row, or re-runs of the same session, confirm it. The
rule knows nothing of each case's own noise, so its threshold must lie well above it.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reports.history import MAD_TO_SD, earlier_sessions, is_new_machine, of_session
from reports.verdicts import NOT_SELECTED, verdict_frame

THRESHOLD = 0.10
LEAST_HISTORY = 5
REDEFINING_JUMP = math.log(2)


@dataclass(frozen=True)
class Series:
    """One case's deciding times in order, this session last: ln of seconds, and whether re-runs gave it."""

    log_time: "np.ndarray[Any, np.dtype[np.float64]]"
    is_rerun: list[bool]
    runs: list[str]


def judge(
    sessions: pd.DataFrame,
    judged_session: str,
    machine: str,
    *,
    threshold: float = THRESHOLD,
    least_history: int = LEAST_HISTORY,
) -> pd.DataFrame:
    """Return the verdicts of one machine's session, a row for each case in it or in its history.

    `threshold` is the relative change that counts (0.1 is 10 %); `least_history` is how many earlier sessions a case
    needs before it is judged. The interval of a ratio is two robust standard deviations of the history either way.
    """
    now = of_session(sessions, judged_session, machine)
    history = earlier_sessions(sessions, judged_session, machine)
    past = {str(name): rows for name, rows in history.groupby("fullname", sort=False)}
    first = "new-machine" if is_new_machine(sessions, judged_session, machine) else "insufficient-history"
    rows = []
    for case in now.to_dict("records"):
        told = _told(case, past.pop(case["fullname"], None), threshold, least_history)
        if told["verdict"] == "new" and history.empty:
            told["verdict"] = first
        rows.append({**{name: case[name] for name in ("fullname", "flags", "run", "machine", "device")}, **told})
    absent = "skipped" if bool(now["narrowed"].any()) else "missing"
    rows.extend(_absent(name, earlier, absent) for name, earlier in past.items())
    return verdict_frame(rows)


def _absent(fullname: str, earlier: pd.DataFrame, verdict: str) -> dict[str, Any]:
    last = earlier.iloc[-1]
    reason = NOT_SELECTED if verdict == "skipped" else f"last seen in {last['session']}"
    told = {"verdict": verdict, "reason": reason, "last_good_run": last["run"], "history": len(earlier)}
    return {"fullname": fullname, "machine": last["machine"], "device": last["device"], **told}


def _told(case: dict[Any, Any], earlier: pd.DataFrame | None, threshold: float, least_history: int) -> dict[str, Any]:
    """Return what is said of one case of the session."""
    if case["outcome"] != "passed":
        return {"verdict": case["outcome"], "reason": case["reason"]}
    measured = {"median_s": math.exp(_deciding(case))}
    earlier = earlier[earlier["log_time"].notna()] if earlier is not None else None
    if earlier is None or earlier.empty:
        return measured | {"verdict": "new"}
    if changed := differing(case["work"], earlier.iloc[-1]["work"]):
        return measured | {"verdict": "redefined", "reason": f"changed: {', '.join(changed)}"}
    same_work = earlier.loc[[not differing(case["work"], work) for work in earlier["work"]]]
    measured["history"] = len(same_work)
    if len(same_work) < least_history:
        return measured | {"verdict": "insufficient-history"}
    told = measured | _compared(_series(case, same_work), threshold)
    changed = differing(case["method"], same_work.iloc[-1]["method"])
    if changed and abs(math.log(told["ratio"])) > REDEFINING_JUMP:
        return told | {"verdict": "redefined", "new": False, "reason": f"more than 2x, changed: {', '.join(changed)}"}
    return told


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the names that stand in both and hold different values."""
    return [name for name in one if name in other and one[name] != other[name]]


def _deciding(case: dict[Any, Any]) -> float:
    """Return the ln time that a verdict rests on: the re-runs' alone where there are any."""
    return float(case["log_time"] if math.isnan(case["rerun_log_time"]) else case["rerun_log_time"])


def _series(case: dict[Any, Any], earlier: pd.DataFrame) -> Series:
    rows = [*earlier[["log_time", "rerun_log_time", "run"]].to_dict("records"), case]
    return Series(
        np.array([_deciding(row) for row in rows]),
        [not math.isnan(row["rerun_log_time"]) for row in rows],
        [row["run"] for row in rows],
    )


def _compared(series: Series, threshold: float) -> dict[str, Any]:
    """Return verdict, ratio and interval of a case with enough history."""
    past = series.log_time[:-1]
    baseline = float(np.median(past))
    sd = MAD_TO_SD * float(np.median(np.abs(past - baseline)))
    change, half_width = float(series.log_time[-1]) - baseline, 2 * sd * math.sqrt(1 + 1 / len(past))
    figures = {
        "baseline_s": math.exp(baseline),
        "ratio": math.exp(change),
        "ratio_low": math.exp(change - half_width),
        "ratio_high": math.exp(change + half_width),
    }
    beyond = np.where(
        np.abs(series.log_time - baseline) > math.log1p(threshold), np.sign(series.log_time - baseline), 0
    )
    return figures | _verdict(series, [int(side) for side in beyond])


def _verdict(series: Series, beyond: list[int]) -> dict[str, Any]:
    """Return the verdict; `beyond` says for each session whether it is slower (1), faster (-1) or neither (0)."""
    side, start = beyond[-1], _streak_start(beyond)
    if side == 0:
        return _recovery(series, beyond)
    earlier_confirmed = _is_confirmed(series, start, len(beyond) - 1)
    if not _is_confirmed(series, start, len(beyond)):
        return {"verdict": "unchanged"} if side < 0 else {"verdict": "suspect", **_span(series, start)}
    word = "regression" if side > 0 else "improvement"
    return {"verdict": word, "new": not earlier_confirmed, **_span(series, start)}


def _recovery(series: Series, beyond: list[int]) -> dict[str, Any]:
    """Return `recovered` when the session before was the last of a confirmed slow streak."""
    before = beyond[:-1]
    start = _streak_start(before)
    if before[-1] == 1 and _is_confirmed(series, start, len(before)):
        return {"verdict": "recovered", **_span(series, start)}
    return {"verdict": "unchanged"}


def _streak_start(beyond: list[int]) -> int:
    """Return where the last stretch of equal sides begins."""
    start = len(beyond) - 1
    while start > 0 and beyond[start - 1] == beyond[-1]:
        start -= 1
    return start


def _is_confirmed(series: Series, start: int, stop: int) -> bool:
    return stop - start >= 2 or any(series.is_rerun[start:stop])  # noqa: PLR2004  a second session confirms


def _span(series: Series, start: int) -> dict[str, str]:
    return {"first_bad_run": series.runs[start], "last_good_run": series.runs[start - 1] if start else ""}

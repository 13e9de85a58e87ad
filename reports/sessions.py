"""From launches to sessions: one number per machine, session and case, and what may explain it.

A session's number is the median over its launches of each launch's median round time, as a natural logarithm: a change
of +5 % is then the same distance at every speed, and one odd launch of three does not move it. Re-runs of a session
are kept beside that number, not mixed into it: they are there to decide about it.
"""

from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from reports.run_file import OUTCOMES

SESSION_COLUMNS = [
    "machine", "device", "kind", "session", "started", "complete", "narrowed", "fullname", "outcome", "reason",
    "log_time", "launches", "rerun_log_time", "reruns", "rounds", "flags", "work", "method", "environment", "run",
]  # fmt: skip
WORK = ("dataset", "unit", "samples_per_unit", "counts", "flops_per_step")
KEY = ["machine", "session", "fullname"]
_WORST_FIRST = ("failed", "timed-out", "passed", "not-reached", "skipped")
"""Of several launches' outcomes the first of these is the session's: a failure shows, one result is a result."""


def sessions(cases: pd.DataFrame) -> pd.DataFrame:
    """Fold launches into sessions: one row per machine, session and fullname, in order of time.

    Columns: `machine`, `device`, `kind` ("local" or "nightly"; "rerun" when the session holds nothing else),
    `session`, `started` (UTC, its first launch), `complete` (all its launches, re-runs aside), `narrowed`,
    `fullname`, `outcome`, `reason`, `log_time` (ln of seconds per unit of work; NaN without a result), `launches`
    (those with a result), `rerun_log_time`, `reruns`, `rounds` (over all launches), `flags`, `work` (what a change of
    makes another case: dataset, unit, samples per unit, counts, FLOPs), `method` (timer, rounds, iterations, warm-up),
    `environment`, `run` (the newest file holding the case).
    """
    if cases.empty:
        return pd.DataFrame(columns=SESSION_COLUMNS)
    launches = cases.assign(
        key=_case_of_session(cases),
        log_time=np.log(cases["median_s"].to_numpy(dtype=float)),
        is_rerun=cases["kind"] == "rerun",
        is_result=cases["median_s"].notna(),
    )
    launches = launches.iloc[_in_order(launches)]
    main, again = launches[~launches["is_rerun"]], launches[launches["is_rerun"]]
    frame = launches.drop_duplicates("key", keep="last").set_index("key")
    frame = frame.assign(
        log_time=main.groupby("key")["log_time"].median(),
        launches=main.groupby("key")["is_result"].sum(),
        rerun_log_time=again.groupby("key")["log_time"].median(),
        reruns=again.groupby("key")["is_result"].sum(),
        rounds=launches.groupby("key")["rounds"].sum(),
    ).fillna({"launches": 0, "reruns": 0})
    frame = _with_outcomes(frame, main if len(main) else launches)
    per_session = ["kind", "started", "complete", "narrowed"]
    frame = _with_facts(frame, launches).drop(columns=per_session).merge(_spans(launches), on=["machine", "session"])
    frame = frame.astype({"launches": int, "reruns": int, "rounds": int, "log_time": float, "rerun_log_time": float})
    return frame.sort_values(["started", "session", "machine", "fullname"], kind="stable")[SESSION_COLUMNS].reset_index(
        drop=True
    )


def _case_of_session(cases: pd.DataFrame) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Return one number per machine, session and fullname: far cheaper to group by than three strings."""
    number = np.zeros(len(cases), dtype=np.int64)
    for name in KEY:
        codes, different = pd.factorize(cases[name])
        number = pd.factorize(number * len(different) + codes)[0].astype(np.int64)
    return number


def _in_order(launches: pd.DataFrame) -> "np.ndarray[Any, np.dtype[np.intp]]":
    """Return the order by time, launch and file."""
    ranks = [pd.factorize(launches[name], sort=True)[0] for name in ("started", "launch", "run")]
    return np.lexsort(ranks[::-1])


def _with_outcomes(frame: pd.DataFrame, launches: pd.DataFrame) -> pd.DataFrame:
    """Give each case the outcome and reason of its most telling launch; flags are those of any launch."""
    rank = {outcome: place for place, outcome in enumerate(_WORST_FIRST)}
    telling = (
        launches.assign(rank=launches["outcome"].map(rank))
        .sort_values("rank", kind="stable")
        .drop_duplicates("key")
        .set_index("key")
    )
    flags = _flags_of_any_launch(launches)
    outcome = telling["outcome"].reindex(frame.index)
    reason = telling["reason"].reindex(frame.index)
    return frame.assign(
        outcome=outcome.where(outcome.notna(), frame["outcome"]),
        reason=reason.where(reason.notna(), frame["reason"]),
        flags=pd.Series([flags.get(key, ()) for key in frame.index], index=frame.index, dtype=object),
    )


def _flags_of_any_launch(launches: pd.DataFrame) -> dict[object, tuple[str, ...]]:
    flagged = launches[launches["flags"].map(bool).astype(bool)]
    return {key: tuple(dict.fromkeys(chain.from_iterable(rows))) for key, rows in flagged.groupby("key")["flags"]}


def _with_facts(frame: pd.DataFrame, launches: pd.DataFrame) -> pd.DataFrame:
    """Take work and method from the newest launch with a result, since one without a result tells neither."""
    telling = launches[launches["is_result"]].drop_duplicates("key", keep="last")
    works: dict[int, dict[str, Any]] = {}
    methods: dict[tuple[int, ...], dict[str, Any]] = {}
    work, method = {}, {}
    columns = (telling[name].to_numpy() for name in ("extra", "options", "rounds", "iterations"))
    for key, extra, options, rounds, iterations in zip(telling["key"].tolist(), *columns, strict=True):
        work[key] = works.get(id(extra)) or works.setdefault(id(extra), _work(extra))
        told = (id(extra), id(options), int(rounds), int(iterations))
        method[key] = methods.get(told) or methods.setdefault(told, _method(extra, options, *told[2:]))
    return frame.assign(
        work=pd.Series([work.get(key, {}) for key in frame.index], index=frame.index, dtype=object),
        method=pd.Series([method.get(key, {}) for key in frame.index], index=frame.index, dtype=object),
    )


def _work(extra: dict[str, Any]) -> dict[str, Any]:
    return {name: extra[name] for name in WORK if extra.get(name) is not None}


def _method(extra: dict[str, Any], options: dict[str, Any], rounds: int, iterations: int) -> dict[str, Any]:
    warmup = extra.get("warmup_steps")
    method = {
        "timer": options.get("timer"),
        "rounds": rounds,
        "iterations": iterations,
        "warmup": options.get("warmup") if warmup is None else warmup,
    }
    return {name: value for name, value in method.items() if value is not None}


def _spans(launches: pd.DataFrame) -> pd.DataFrame:
    """Return kind, start, completeness and narrowing of each machine's session, from its launches, re-runs aside."""
    main = launches[~launches["is_rerun"]]
    span = {"kind": ("kind", "first"), "started": ("started", "min")}
    group = ["machine", "session"]
    everything = launches.groupby(group).agg(**span)
    told = main.groupby(group).agg(**span, complete=("complete", "all"), narrowed=("narrowed", "any"))
    spans = told.reindex(everything.index)
    spans["kind"] = spans["kind"].where(spans["kind"].notna(), "rerun")
    spans["started"] = spans["started"].where(spans["started"].notna(), everything["started"])
    for name in ("complete", "narrowed"):
        spans[name] = spans[name].eq(other=True)  # a session of re-runs alone is neither
    return spans.reset_index()


assert set(_WORST_FIRST) == set(OUTCOMES)  # an outcome without a rank would be lost

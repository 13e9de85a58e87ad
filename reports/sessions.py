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
        key=_numbered(*(cases[name] for name in KEY)),
        span=_numbered(cases["machine"], cases["session"]),
        log_time=np.log(cases["median_s"].to_numpy(dtype=float)),
        is_rerun=cases["kind"] == "rerun",
        is_result=cases["median_s"].notna(),
    )
    launches = launches.iloc[_in_order(launches)]
    main, again = launches[~launches["is_rerun"]], launches[launches["is_rerun"]]
    # A session's own runs name it; re-runs do where there is nothing else.
    frame = pd.concat([again, main]).drop_duplicates("key", keep="last").set_index("key")
    frame = frame.assign(
        log_time=main.groupby("key")["log_time"].median(),
        launches=main.groupby("key")["is_result"].sum(),
        rerun_log_time=again.groupby("key")["log_time"].median(),
        reruns=again.groupby("key")["is_result"].sum(),
        rounds=launches.groupby("key")["rounds"].sum(),
    ).fillna({"launches": 0, "reruns": 0})
    frame = _with_outcomes(frame, main if len(main) else launches)
    per_session = ["kind", "started", "complete", "narrowed"]
    frame = _with_facts(frame, launches).drop(columns=per_session).merge(_spans(launches), on="span")
    frame = frame.astype({"launches": int, "reruns": int, "rounds": int, "log_time": float, "rerun_log_time": float})
    return frame.sort_values(["started", "session", "machine", "fullname"], kind="stable")[SESSION_COLUMNS].reset_index(
        drop=True
    )


def _numbered(*columns: Any) -> "np.ndarray[Any, np.dtype[np.int64]]":  # noqa: ANN401  columns of anything
    """Return one number per different row of these columns: far cheaper to group by than strings."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        codes, different = pd.factorize(column)
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
    outcome = telling["outcome"].reindex(frame.index)
    reason = telling["reason"].reindex(frame.index)
    return frame.assign(
        outcome=outcome.where(outcome.notna(), frame["outcome"]),
        reason=reason.where(reason.notna(), frame["reason"]),
        flags=_placed(_flags_of_any_launch(launches), (), frame.index),
    )


def _placed(values: dict[object, Any], blank: object, keys: pd.Index) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Return each key's value, or the blank one."""
    column = np.empty(len(keys), dtype=object)
    column.fill(blank)
    for place, value in zip(keys.get_indexer(pd.Index(values)).tolist(), values.values(), strict=True):
        column[place] = value
    return column


def _flags_of_any_launch(launches: pd.DataFrame) -> dict[object, tuple[str, ...]]:
    flagged = launches[launches["flags"].map(bool).astype(bool)]
    return {key: tuple(dict.fromkeys(chain.from_iterable(rows))) for key, rows in flagged.groupby("key")["flags"]}


def _with_facts(frame: pd.DataFrame, launches: pd.DataFrame) -> pd.DataFrame:
    """Take work and method from the newest launch with a result, since one without a result tells neither."""
    telling = launches[launches["is_result"]].drop_duplicates("key", keep="last")
    places = frame.index.get_indexer(pd.Index(telling["key"]))
    extra, option = (np.array(list(map(id, telling[name])), dtype=np.int64) for name in ("extra", "options"))
    work = _shared(places, len(frame), extra, [_work(one) for one in telling["extra"].iloc[_first_of(extra)]])
    told = _numbered(extra, option, telling["rounds"], telling["iterations"])
    facts = telling[["extra", "options", "rounds", "iterations"]].iloc[_first_of(told)]
    method = _shared(places, len(frame), told, [_method(*row) for row in facts.itertuples(index=False)])
    return frame.assign(work=work, method=method)


def _first_of(numbers: "np.ndarray[Any, np.dtype[np.int64]]") -> list[int]:
    """Return where each different number stands first, in order of the numbers."""
    return list(np.unique(numbers, return_index=True)[1].tolist())


def _shared(
    places: "np.ndarray[Any, np.dtype[np.intp]]",
    length: int,
    numbers: "np.ndarray[Any, np.dtype[np.int64]]",
    values: list[dict[str, Any]],
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Return a column with the value of each number at its place; one object for all that have the same number."""
    column, different = np.empty(length, dtype=object), np.empty(len(values), dtype=object)
    column.fill({})
    different[:] = values
    column[places] = different[np.unique(numbers, return_inverse=True)[1]]
    return column


def _work(extra: dict[str, Any]) -> dict[str, Any]:
    return {name: extra[name] for name in WORK if extra.get(name) is not None}


def _method(extra: dict[str, Any], options: dict[str, Any], rounds: int, iterations: int) -> dict[str, Any]:
    """Return how a result was measured.

    The suite's own cases (they tell what they were `stopped_by`) warm up until steps are level and make as many rounds
    as a time budget holds: both follow the time and the noise, so that a number of either would pass every large
    slowdown off as another method.
    """
    method = {"timer": options.get("timer"), "iterations": iterations, "warmup": options.get("warmup")}
    if extra.get("stopped_by") is None:
        method["rounds"] = rounds
    return {name: value for name, value in method.items() if value is not None}


def _spans(launches: pd.DataFrame) -> pd.DataFrame:
    """Return kind, start, completeness and narrowing by `span`, a machine's session, from its launches but re-runs."""
    main = launches[~launches["is_rerun"]]
    span = {"kind": ("kind", "first"), "started": ("started", "min")}
    everything = launches.groupby("span").agg(**span)
    told = main.groupby("span").agg(**span, complete=("complete", "all"), narrowed=("narrowed", "any"))
    spans = told.reindex(everything.index)
    spans["kind"] = spans["kind"].where(spans["kind"].notna(), "rerun")
    spans["started"] = spans["started"].where(spans["started"].notna(), everything["started"])
    for name in ("complete", "narrowed"):
        spans[name] = spans[name].eq(other=True)  # a session of re-runs alone is neither
    return spans.reset_index()


assert set(_WORST_FIRST) == set(OUTCOMES)  # an outcome without a rank would be lost

"""Verdicts by limits: what is beyond its limit in a session is a regression, whatever its history says.

The earlier sessions are held against the same limits, so that the same files and limits give the same verdicts: a case
is newly beyond its limit in the first session that shows it after one that held it, and recovered in the first that
holds it again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports.history import earlier_sessions, of_session
from reports.limits import Limit
from reports.rule.accepted import Renamed
from reports.rule.renames import joined
from reports.rule.suspects import differences
from reports.values import mapping, positive, text
from reports.verdicts import worst_first

STANDING_COLUMNS = [
    "case", "fullname", "limit", "measured", "is_measured", "is_beyond", "new", "recovered", "first_bad_run",
    "last_good_run", "suspects",
]  # fmt: skip
_USED = ["session", "run", "time_s", "amount", "amount_unit", "environment", "work", "method"]
RECOVERING = ("unchanged", "insufficient-history")
"""What a history may say of a case that is within its limit again: it is then called recovered."""
Row = dict[Any, Any]


def limited_results(
    sessions: pd.DataFrame, cases: pd.DataFrame, limits: Sequence[Limit], session: str, machine: str
) -> pd.DataFrame:
    """Return the results that the limits are about, of a session and its history: a row per case and session, in order.

    `sessions` and `cases` are the frames of `reports.sessions` and `reports.runs`. Columns besides those of `sessions`:
    `time_s` (seconds per unit of work; of the re-runs where there are any), `amount` and `amount_unit` (of primitives:
    what one operation moves or computes).
    """
    rows = pd.concat([earlier_sessions(sessions, session, machine), of_session(sessions, session, machine)])
    names = {str(name) for name in rows["fullname"].unique() if any(limit.names(str(name)) for limit in limits)}
    rows = rows[rows["fullname"].isin(names) & rows["log_time"].notna()]
    again = rows["rerun_log_time"]
    measured = cases[(cases["machine"] == machine) & cases["fullname"].isin(names) & cases["median_s"].notna()]
    newest = measured.drop_duplicates(["session", "fullname"], keep="last")
    told = {
        (row_session, name): mapping(mapping(extra).get("primitive"))
        for row_session, name, extra in zip(newest["session"], newest["fullname"], newest["extra"], strict=True)
    }
    primitives = [told.get(key, {}) for key in zip(rows["session"], rows["fullname"], strict=True)]
    return rows.assign(
        time_s=np.exp(again.where(again.notna(), rows["log_time"])),
        amount=[positive(primitive.get("amount")) for primitive in primitives],
        amount_unit=[text(primitive.get("amount_unit")) for primitive in primitives],
    )


def standing(results: pd.DataFrame, limits: Sequence[Limit], session: str) -> pd.DataFrame:
    """Hold a session against the limits: a row per limit and case that it names, `results` from `limited_results`.

    Columns: `case` (the limit's own name for it), `fullname` (that name where no session has such a case), `limit` and
    `measured` in words, `is_measured` (false where this session has no such time or rate), `is_beyond`, `new` and
    `recovered` (whether the last session before that measured it says otherwise, or for `new` there is none),
    `first_bad_run` and `last_good_run` (the runs between which it went beyond), `suspects` (what changed between them).
    """
    of_case = {str(name): group[_USED].to_dict("records") for name, group in results.groupby("fullname")}
    rows = []
    for limit in limits:
        named = [_standing(limit, name, own, session) for name, own in of_case.items() if limit.names(name)]
        rows += named or [_unmeasured(limit, limit.case)]
    return pd.DataFrame(rows, columns=STANDING_COLUMNS)


def _unmeasured(limit: Limit, fullname: str) -> Row:
    blank: Row = dict.fromkeys(STANDING_COLUMNS, "") | dict.fromkeys(
        ("is_measured", "is_beyond", "new", "recovered"), False
    )
    return blank | {"case": limit.case, "fullname": fullname, "limit": limit.told}


def _standing(limit: Limit, fullname: str, results: list[Row], session: str) -> Row:
    """Return how a case stands in the session, by its results in order of time."""
    row = _unmeasured(limit, fullname)
    values = [limit.measure(result["time_s"], result["amount"], result["amount_unit"]) for result in results]
    known = [(result, value) for result, value in zip(results, values, strict=True) if value > 0]
    if not known or known[-1][0]["session"] != session:
        return row
    beyond = [limit.is_beyond(value) for _, value in known]
    row |= {"measured": limit.in_words(known[-1][1]), "is_measured": True}
    if not beyond[-1]:
        return row | {"recovered": any(beyond[-2:-1])}
    first_bad = len(beyond) - beyond[::-1].index(False) if False in beyond else 0
    row |= {"is_beyond": True, "new": first_bad == len(beyond) - 1, "first_bad_run": known[first_bad][0]["run"]}
    if first_bad:
        good, bad = known[first_bad - 1][0], known[first_bad][0]
        row |= {"last_good_run": good["run"], "suspects": "; ".join(map(str, differences(good, bad)))}
    return row


def with_limits(verdicts: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts, worst first, with what the limits say; `held` is from `standing`.

    A case beyond its limit is a `regression`, and the last column `limit` tells the limit and what was measured. What
    its history knows of an earlier regression stays. A case within its limit again is `recovered`, unless its history
    says more than that nothing changed.
    """
    by_case = {name: group.to_dict("records") for name, group in held[held["is_measured"]].groupby("fullname")}
    rows = [row | _said_of(row, by_case.get(row["fullname"], [])) for row in verdicts.to_dict("records")]
    return worst_first(pd.DataFrame(rows, columns=[*verdicts.columns, "limit"]))


def _said_of(row: Row, own: list[Row]) -> Row:
    """Return what the limits of its case change in a verdict's row."""
    beyond = [limit for limit in own if limit["is_beyond"]]
    if beyond:
        return _beyond(row, beyond)
    if any(limit["recovered"] for limit in own) and row["verdict"] in RECOVERING:
        return {"verdict": "recovered", "reason": "within its limit again", "limit": ""}
    return {"limit": ""}


def _beyond(row: Row, beyond: list[Row]) -> Row:
    told = {
        "verdict": "regression",
        "new": any(limit["new"] for limit in beyond) or bool(row["new"] and row["verdict"] == "regression"),
        "limit": "; ".join(f"{limit['limit']}, measured {limit['measured']}" for limit in beyond),
    }
    if row["verdict"] == "regression":
        return told
    first = next((limit for limit in beyond if limit["new"]), beyond[0])
    return told | {name: first[name] for name in ("first_bad_run", "last_good_run", "suspects")}


def judged_by_limits(  # noqa: PLR0913  the stage's inputs, each a frame or a name of its own
    verdicts: pd.DataFrame,
    sessions: pd.DataFrame,
    cases: pd.DataFrame,
    limits: Sequence[Limit],
    renamed: Sequence[Renamed],
    *,
    session: str,
    machine: str,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts with what the limits say, and how the session stands to each limit.

    The second frame has, besides the columns of `standing`, `by_history`: the verdict of the history alone, empty for a
    case that has none.
    """
    if not limits:
        return verdicts.assign(limit=""), pd.DataFrame(columns=[*STANDING_COLUMNS, "by_history"])
    results = limited_results(joined(sessions, renamed), joined(cases, renamed), limits, session, machine)
    held = standing(results, limits, session)
    by_history = dict(zip(verdicts["fullname"], verdicts["verdict"], strict=True))
    told = [by_history.get(name, "") for name in held["fullname"]]
    return with_limits(verdicts, held), held.assign(by_history=pd.Series(told, index=held.index, dtype=object))

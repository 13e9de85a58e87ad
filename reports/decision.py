"""The decision: an exit code for the machine, and first lines for the person."""

from datetime import UTC, datetime

import pandas as pd

from reports.freshness import CLOCK_AHEAD, baseline_age
from reports.identity import short_names
from reports.judging import Judgement
from reports.quantities import age, counted, significant
from reports.verdicts import case_rows

FAIL_ON = ("new", "open", "suspect", "never")
GOOD, REGRESSED, NO_VERDICT = 0, 1, 2


def exit_code(judgement: Judgement, fail_on: str) -> int:
    """Return 0, 1 when a row fails the job by `fail_on`, or 2 when no verdict was possible.

    Of "new", "open" and "suspect" each word includes those before it; "never" silences regressions, but not a missing
    verdict.
    """
    if judgement.problem:
        return NO_VERDICT
    return REGRESSED if failing(judgement.verdicts, fail_on).any() else GOOD


def failing(verdicts: pd.DataFrame, fail_on: str) -> "pd.Series[bool]":
    """Return which rows fail a job."""
    regression, suspect = verdicts["verdict"] == "regression", verdicts["verdict"] == "suspect"
    widths = {
        "never": regression & False,
        "new": regression & verdicts["new"],
        "open": regression,
        "suspect": regression | suspect,
    }
    return widths[fail_on].astype(bool)


def headline(judgement: Judgement) -> str:
    """Return the verdict in one sentence."""
    if judgement.problem:
        return f"No verdict: {judgement.problem}."
    rows = judgement.verdicts
    regressions = rows[rows["verdict"] == "regression"]
    new, still_open = int(regressions["new"].sum()), int((~regressions["new"]).sum())
    suspects = int((rows["verdict"] == "suspect").sum())
    if new:
        return f"{counted(new, 'new regression')}: {_worst(regressions[regressions['new']])}{_also(still_open)}."
    if still_open:
        beyond = int((regressions["limit"] != "").sum())
        and_beyond = f", {beyond} of them beyond a limit" if beyond else ""
        return f"Nothing new got slower; {counted(still_open, 'earlier regression')} still open{and_beyond}."
    if suspects:
        worst = _worst(rows[rows["verdict"] == "suspect"])
        return f"No confirmed regression; {counted(suspects, 'suspect')} slower in this session only: {worst}."
    if not judgement.judged:
        return _not_yet(judgement)
    return "Nothing got slower."


def _worst(rows: pd.DataFrame) -> str:
    """Return the largest change, and what is beyond a limit, in words; rows come worst first."""
    slower, beyond = rows[rows["limit"] == ""], rows[rows["limit"] != ""]
    told = []
    if len(slower):
        worst = "" if len(slower) == 1 else "the worst, "
        told.append(f"{worst}{_name(slower)} takes {significant(slower['ratio'].iloc[0])} times as long as before")
    if len(beyond):
        which = len(beyond) if len(slower) else "all"
        many = f"{which} beyond their limits, the first " if len(beyond) > 1 else ""
        told.append(f"{many}{_name(beyond)}{'' if many else ' is beyond its limit'}: {beyond['limit'].iloc[0]}")
    return "; ".join(told)


def _name(rows: pd.DataFrame) -> str:
    fullname = str(rows["fullname"].iloc[0])
    return short_names([fullname])[fullname]


def _also(still_open: int) -> str:
    return f"; {counted(still_open, 'earlier one')} still open" if still_open else ""


def _not_yet(judgement: Judgement) -> str:
    cases = case_rows(judgement.verdicts)
    if (cases["verdict"] == "new-machine").any():
        return f"First session on this machine ({judgement.machine}): not enough history to compare with yet."
    if not judgement.short_of_history:
        return "No case could be compared: all are new, redefined or without a time."
    if judgement.history >= judgement.least_history:
        return (
            f"Not enough history yet: {counted(judgement.short_of_history, 'case')} with fewer than "
            f"{judgement.least_history} earlier sessions on the present level."
        )
    return (
        f"Not enough history yet: {counted(judgement.history, 'earlier session')} on this machine, "
        f"{judgement.least_history} are needed."
    )


def first_lines(judgement: Judgement, now: datetime | None = None) -> list[str]:
    """Return the verdict, then what it rests on: cases judged of cases expected, history, ages."""
    lines = [headline(judgement)]
    if judgement.started is None:
        return lines
    elapsed = (now or datetime.now(UTC)) - judgement.started
    dated = f"is dated {age(-elapsed)} after now" if -elapsed > CLOCK_AHEAD else f"is {age(elapsed)} old"
    lines.append(
        f"{judgement.judged} of {counted(judgement.expected, 'case')} judged against "
        f"{counted(judgement.history, f'earlier {judgement.kind} session')} of {judgement.machine}; "
        f"the session {judgement.session} {dated}."
    )
    if judgement.short_of_history and judgement.judged:
        lines.append(
            f"{counted(judgement.short_of_history, 'case')} not judged for want of history "
            f"(fewer than {judgement.least_history} earlier sessions)."
        )
    if len(judgement.limits):
        lines.append(_limits(judgement.limits))
    if judgement.judged:
        lines.append(baseline_age(judgement.sessions, judgement.session, judgement.machine))
    return lines


def _limits(held: pd.DataFrame) -> str:
    measured, beyond = held["is_measured"].astype(bool), held["is_beyond"].astype(bool)
    counts = {"held": measured & ~beyond, "exceeded": beyond, "not measured in this session": ~measured}
    told = ", ".join(f"{int(rows.sum())} {word}" for word, rows in counts.items() if rows.any())
    return f"{counted(len(held), 'limit')}: {told}."

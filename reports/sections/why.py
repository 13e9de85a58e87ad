"""Why a step takes as long as it does, and what cures it."""

from typing import Any

import pandas as pd

from reports.layout import Column, Section, Table
from reports.measured import batch_label, log_label
from reports.quantities import MISSING, Quantity, between, counted, seconds, significant, times, times_between
from reports.subject import Subject
from reports.why.causes import CANNOT_TELL, COMPUTE, COPY, INPUT, LAUNCH, MEMORY, READ, UNDER_FILLED
from reports.why.pictures.ladder import ladder_figures
from reports.why.pictures.shares import one_per_setting, shares_figures
from reports.why.prediction import METHODS, NEAR, accuracy
from reports.why.primitives import ONE_THREAD
from reports.why.shares import SHARE_TITLES

_SETTING = (Column("device", is_number=False), Column("model", is_number=False), Column("batch size"))
_CAUSE = (
    Column("per step"), Column("cause", is_number=False), Column("of the ceiling"), Column("because", is_number=False),
)  # fmt: skip
_CURE = (
    Column("what helped most", is_number=False), Column("times as fast"), Column("between"), Column("worth it after"),
    Column("of the ceiling then"),
)  # fmt: skip
MEANINGS = {
    LAUNCH: "most of the step goes into handing operators over, not into computing them",
    COPY: "most of the step goes into copies to the device",
    READ: "most of the step goes into waiting for values to be read back",
    INPUT: "most of the step goes into making the batch",
    COMPUTE: "most of the step goes into arithmetic",
    MEMORY: "most of the step goes into moving data between memory and processor",
    UNDER_FILLED: "the device works, but has too little to do at once to reach its ceilings",
}
"""What a cause means; the name alone is the field's jargon."""
NEXT_TO_NOTHING = 1e-6
MOST_REASONS, MOST_CURES = 3, 5
NOTICED = 0.1
LEAST_SHARE = 0.0005


def section(subject: Subject) -> Section | None:
    """Return the explanations, or nothing for a session without training steps of the suite's own."""
    why = subject.why
    if why.explanations.empty:
        return None
    rows, settings = why.explanations.to_dict("records"), one_per_setting(why.explanations).to_dict("records")
    told = [_cause_row(row) for row in settings if row["cause"] != CANNOT_TELL]
    tables = [Table("Causes", (*_SETTING, *_CAUSE), told)] if told else []
    if cures := [_cure_row(row) for row in settings if row["cure"]]:
        tables.append(Table("Cures", (*_SETTING, *_CURE), cures))
    if predicted := [row for row in rows if not pd.isna(row["predicted_s"])]:
        tables.append(_shares_table(predicted))
    tables.append(_accuracy_table(accuracy(why.predictions)))
    figures = (*shares_figures(why.explanations), *ladder_figures(why.variants, why.explanations))
    sentences = (
        *borrowed(subject, why.primitives),
        *_neighbours(why.explanations),
        *_causes(why.explanations),
        *_accuracy_sentences(why.predictions),
        *_cures(why.explanations),
    )
    found = set(why.explanations["cause"])
    notes = tuple(f"{cause}: {meaning}." for cause, meaning in MEANINGS.items() if cause in found)
    return Section(
        "why", "Why a step takes this long, and what cures it", sentences, tuple(tables), figures, notes=notes
    )


def borrowed(subject: Subject, primitives: pd.DataFrame) -> list[str]:
    """Say that the primitives are of another session, if they are."""
    if primitives.empty or set(primitives["fullname"]) <= set(subject.measured["fullname"]):
        return []
    return ["This session measured no primitives; those of this machine's newest session that did are used."]


def _neighbours(explanations: pd.DataFrame) -> list[str]:
    """Say how much of its core a one-thread case had, where neighbours took more than a tenth."""
    lost = explanations.loc[explanations["device"] == ONE_THREAD, "neighbours"].dropna()
    if not (lost > NOTICED).any():
        return []
    taken = between(_percent(lost.min()), _percent(lost.max()))
    told = "these are explained and predicted in the core's own time: measured time x share of the core"
    return [f"Neighbours took {taken} of the core from one-thread cases; {told}."]


def _causes(explanations: pd.DataFrame) -> list[str]:
    sentences = []
    for device, group in explanations[explanations["cause"] != CANNOT_TELL].groupby("device"):
        counts = group["cause"].value_counts()
        told = ", ".join(f"{cause} in {number}" for cause, number in counts.items())
        sentences.append(f"{device}: of {counted(len(group), 'training case')} {told}.")
    unknown = explanations[explanations["cause"] == CANNOT_TELL]
    reasons = unknown["because"][unknown["unexplained"].isna()].value_counts()
    sentences += [
        f"No cause is told for {counted(number, 'training case')} ({reason})."
        for reason, number in reasons.head(MOST_REASONS).items()
    ]
    if off := int(unknown["unexplained"].notna().sum()):
        told = counted(off, "training case")
        sentences.append(
            f"No cause is told for {told} (too much is unexplained, or the parts come to far more than the step)."
        )
    return sentences


def _cures(explanations: pd.DataFrame) -> list[str]:
    cured = one_per_setting(explanations[explanations["cure"] != ""])
    return [
        f"{row['model']} at batch size {batch_label(row['batch_size'])} on {row['device']}: {row['cure']} "
        f"({row['question']}) makes the step {times(1 / row['cure_ratio'])} as fast "
        f"({between(times(1 / row['cure_ratio_high']), times(1 / row['cure_ratio_low']))}){_of_the_ceilings(row)}."
        for row in cured.sort_values("cure_ratio").head(MOST_CURES).to_dict("records")
    ]


def _of_the_ceilings(row: dict[Any, Any]) -> str:
    share = row["ceiling_share"]
    return "" if pd.isna(share) else f"; that is {_percent(share)} of what the machine's ceilings allow"


def _accuracy_sentences(predictions: pd.DataFrame) -> list[str]:
    found = accuracy(predictions)
    return [
        f"{row['device']}: from primitives and counts {_percent(row['near_share'])} of "
        f"{counted(row['cases'], 'case')} are predicted within {_percent(NEAR)}, none of them from its own setting; "
        f"the median error is {_percent(row['error'])}."
        for row in found[found["method"] == METHODS[-1]].to_dict("records")
    ]


def _setting(row: dict[Any, Any]) -> tuple[str, str, str]:
    return row["device"], row["model"], batch_label(row["batch_size"])


def _cause_row(row: dict[Any, Any]) -> tuple[str, ...]:
    of_ceiling = _percent(row["ceiling_s"] / row["step_time_s"])
    return (*_setting(row), seconds(row["step_time_s"]), row["cause"], of_ceiling, row["because"])


def _cure_row(row: dict[Any, Any]) -> tuple[str, ...]:
    pays_off = row["pays_off_after_steps"]
    return (
        *_setting(row),
        f"{row['question']}: {row['cure']}",
        times(1 / row["cure_ratio"]),
        times_between(1 / row["cure_ratio_high"], 1 / row["cure_ratio_low"]),
        MISSING if pd.isna(pays_off) else counted(int(pays_off), "step"),
        _percent(row["ceiling_share"]),
    )


def _shares_table(rows: list[dict[Any, Any]]) -> Table:
    shares = map(Column, SHARE_TITLES.values())
    columns = (*_SETTING, Column("loss read", is_number=False), *shares, Column("predicted"), Column("measured"))
    cells: list[tuple[str, ...]] = [
        (
            *_setting(row),
            log_label(row["log_interval"]),
            *(share_in_percent(row[name]) for name in SHARE_TITLES),
            seconds(row["predicted_s"]),
            seconds(row["step_time_s"]),
        )
        for row in rows
    ]
    return Table("Shares of the step in percent, every case", columns, cells, folded=True)


def share_in_percent(share: float) -> str:
    """Return a share as a number of percent; nothing for none, so that a column without any can be left out.

    >>> share_in_percent(0.224), share_in_percent(0.0002), share_in_percent(0.0)
    ('22.4', '<0.1', '-')
    """
    if pd.isna(share) or share == 0:
        return MISSING
    return Quantity("<0.1" if 0 < share < LEAST_SHARE else f"{share * 100:,.1f}", share)


def _accuracy_table(found: pd.DataFrame) -> Table:
    columns = (
        Column("device", is_number=False), Column("prediction from", is_number=False), Column("cases"),
        Column(f"within {_percent(NEAR)}"), Column("median error"),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (row["device"], row["method"], str(row["cases"]), _percent(row["near_share"]), _percent(row["error"]))
        for row in found.to_dict("records")
    ]
    return Table("Predicted against measured, on cases that nothing was fitted on", columns, rows)


def _percent(share: float) -> str:
    if abs(share) < NEXT_TO_NOTHING:
        return "0 %"
    return MISSING if pd.isna(share) else f"{significant(share * 100, 2)} %"

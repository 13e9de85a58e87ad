"""The lessons: ours beside the published figures, the loss curves, and what the lesson concluded."""

import math
from typing import Any

import pandas as pd

from reports.layout import Column, Section, Table
from reports.lesson_conclusions import conclusions
from reports.lessons import FULL_EPOCHS, IRIS, iris_comparison, lesson_runs
from reports.quantities import MISSING, seconds, significant
from reports.sections.lesson_pictures import LESSON_TITLES, bar_chart, epoch_label, loss_curves
from reports.subject import Subject

_WHAT = (
    f"The iris lesson trains a 4-10-3 network on 120 samples, {FULL_EPOCHS:,} times; the CNN lesson trains "
    "a small convolutional network on handwritten digits for one epoch. Published times are those of their author's "
    "machine, of a fresh process (cold); warm is the training loop alone, in a process that has run it before."
)
_COMPARISON = (
    Column("device", is_number=False),
    Column("loss read", is_number=False),
    Column("published (s)"),
    Column("ours (s)"),
    Column("how", is_number=False),
)
_RUNS = (
    Column("lesson", is_number=False),
    Column("device", is_number=False),
    Column("start", is_number=False),
    Column("epochs"),
    Column("loss read", is_number=False),
    Column("all that was timed"),
    Column("training loop"),
    Column("per epoch"),
    Column("accuracy (%)"),
    Column("data", is_number=False),
)


def section(subject: Subject) -> Section | None:
    """Return the lessons, or nothing for a session that ran none."""
    lessons = lesson_runs(subject.measured)
    if lessons.empty:
        return None
    sentences = [*conclusions(lessons, subject.earlier_log_times), *_scaling(lessons), *_cold_starts(lessons)]
    figures = [*bar_chart(lessons), *loss_curves(lessons)]
    return Section("lessons", "The lessons", tuple(sentences), _tables(lessons), tuple(figures), notes=(_WHAT,))


def _scaling(lessons: pd.DataFrame) -> list[str]:
    is_scaled = (lessons["name"] == IRIS) & (lessons["epochs"] != FULL_EPOCHS)
    counts = " and ".join(f"{epochs:,}" for epochs in sorted(set(lessons["epochs"][is_scaled])))
    if not counts:
        return []
    return [f"Ours ran {counts} epochs; where it says scaled, that is seconds per epoch times {FULL_EPOCHS:,}."]


def _cold_starts(lessons: pd.DataFrame) -> list[str]:
    return [
        f"Cold start of the {LESSON_TITLES.get(run['name'], 'lesson')} on {run['device']}: start-up "
        f"{seconds(run['start_up_s'])}, first step {seconds(run['first_step_s'])}."
        for run in lessons[lessons["start_up_s"].notna()].to_dict("records")
    ]


def _tables(lessons: pd.DataFrame) -> tuple[Table, ...]:
    ours = Table("Lessons as run in this session", _RUNS, [_run_row(run) for run in lessons.to_dict("records")])
    if not (lessons["name"] == IRIS).any():
        return (ours,)
    compared = [_compared_row(row) for row in iris_comparison(lessons).to_dict("records")]
    return (Table(f"Iris lesson, {FULL_EPOCHS:,} epochs: published and ours", _COMPARISON, compared), ours)


def _compared_row(row: dict[Any, Any]) -> tuple[str, ...]:
    how = "scaled" if row["is_scaled"] else "measured"
    figures = (significant(row["published_s"], 4), significant(row["ours_s"]))
    return (
        row["device"],
        epoch_label(row["log_interval"]),
        *figures,
        "not measured here" if math.isnan(row["ours_s"]) else how,
    )


def _run_row(run: dict[Any, Any]) -> tuple[str, ...]:
    return (
        LESSON_TITLES.get(run["name"], run["name"]),
        run["device"],
        run["start"],
        f"{run['epochs']:,}",
        epoch_label(run["log_interval"]),
        seconds(run["total_s"]),
        seconds(run["loop_s"]),
        seconds(run["epoch_s"]),
        significant(run["accuracy"] * 100),
        run["dataset"] or MISSING,
    )

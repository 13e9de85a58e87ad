"""The lessons as pictures: a bar chart of published and own times, and the loss curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from reports.charts import COLOURS, DASHES, drawn
from reports.layout import Figure
from reports.lessons import CNN, FULL_EPOCHS, IRIS, PUBLISHED, iris_comparison
from reports.measured import log_label
from reports.quantities import significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

LESSON_TITLES = {IRIS: "iris lesson", CNN: "CNN lesson"}
MOST_CURVES = len(COLOURS)


class Bar(NamedTuple):
    """One bar: a time in seconds, published or our own."""

    label: str
    time_s: float
    is_ours: bool


def epoch_label(log_interval: object) -> str:
    """Return the log interval in words; in a full-batch lesson a step is an epoch."""
    return log_label(log_interval).replace("step", "epoch")


def bar_chart(lessons: pd.DataFrame) -> Iterator[Figure]:
    """Yield the chart of the iris lesson, if it was run."""
    bars = bars_of(lessons)
    if not bars:
        return
    words = "; ".join(f"{bar.label}: {significant(bar.time_s)} s" for bar in bars)
    svg = drawn(lambda axes: _draw_bars(axes, bars), height_inches=0.8 + 0.34 * len(bars))
    yield Figure(f"Iris lesson: seconds for {FULL_EPOCHS:,} epochs; shorter is faster.", f"Bar chart. {words}.", svg)


def bars_of(lessons: pd.DataFrame) -> list[Bar]:
    """Return the bars from the top: the published ones, then ours; none when the iris lesson was not run."""
    if not (lessons["name"] == IRIS).any():
        return []
    bars = [Bar(f"published: {one.device}, {epoch_label(one.log_interval)}", one.total_s, False) for one in PUBLISHED]
    for row in iris_comparison(lessons).to_dict("records"):
        if not math.isnan(row["ours_s"]):
            how = " (scaled)" if row["is_scaled"] else ""
            bars.append(Bar(f"ours: {row['device']}, {epoch_label(row['log_interval'])}{how}", row["ours_s"], True))
    return bars


def _draw_bars(axes: Axes, bars: list[Bar]) -> None:
    for place, bar in enumerate(reversed(bars)):
        colour, hatch = (COLOURS[0], "") if bar.is_ours else (COLOURS[1], "//")
        axes.barh(place, bar.time_s, color=colour, hatch=hatch)
        end = f"{significant(bar.time_s)} s"
        axes.annotate(end, (bar.time_s, place), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(bars)), [bar.label for bar in reversed(bars)])
    axes.margins(x=0.12)
    axes.set_xlabel("seconds")


def loss_curves(lessons: pd.DataFrame) -> Iterator[Figure]:
    """Yield a picture of the loss for each lesson that recorded it."""
    for name, title in LESSON_TITLES.items():
        runs = lessons[lessons["name"] == name].to_dict("records")
        if curves := [run for run in runs if run["loss_curve"]][:MOST_CURVES]:
            yield _curve_figure(title, curves)


def _curve_figure(title: str, curves: list[dict[Any, Any]]) -> Figure:
    ends = "; ".join(f"{_curve_label(run)} ends at {significant(run['loss_curve'][-1][1])}" for run in curves)
    svg = drawn(lambda axes: _draw_curves(axes, curves))
    return Figure(f"Loss over the steps of the {title}.", f"Line chart of the loss. {ends}.", svg)


def _curve_label(run: dict[Any, Any]) -> str:
    read = "" if run["log_interval"] == "never" else epoch_label(run["log_interval"])
    return ", ".join(filter(None, (run["device"], run["start"], read)))


def _draw_curves(axes: Axes, curves: list[dict[Any, Any]]) -> None:
    for place, run in enumerate(curves):
        steps, losses = zip(*run["loss_curve"], strict=True)
        dash, marker = DASHES[place % len(DASHES)], "o" if len(steps) == 1 else ""
        axes.plot(steps, losses, dash, label=_curve_label(run), color=COLOURS[place], marker=marker)
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.grid(visible=True)
    axes.legend()

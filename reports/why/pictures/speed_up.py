"""The speed-up of the GPU by batch size, with the crossover marked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reports.charts import COLOURS, DASHES, drawn
from reports.layout import Figure
from reports.quantities import between, significant, times

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

NEVER = "never"
MOST_LINES = len(COLOURS)
LEAST_TICK_RATIO = 1.25
Line = tuple[str, tuple[object, object], "pd.DataFrame"]


def speed_up_figure(compared: pd.DataFrame, crossed: pd.DataFrame) -> Figure | None:
    """Return the picture, one line per model at the least frequent reading it has; None without a GPU.

    `compared` is what `reports.why.crossover.crossovers` takes, `crossed` what it returns.
    """
    lines = _lines(compared)
    if not lines:
        return None
    told = [f"{label}: {_in_words(frame)}{_crossing_words(crossed, *key)}" for label, key, frame in lines]
    svg = drawn(lambda axes: _draw(axes, lines, crossed), height_inches=4.0)
    caption = "Speed-up of the GPU over the better processor arm by batch size; above the line at 1 the GPU is faster."
    return Figure(caption, f"Line chart. {'; '.join(told)}.", svg)


def _lines(compared: pd.DataFrame) -> list[Line]:
    """Return label, model and log interval, and the points of each line, by batch size."""
    known = compared[compared["speed_up"].notna() & compared["batch_size"].notna()]
    lines: list[Line] = []
    for model, group in known.groupby("model", sort=True):
        intervals = list(dict.fromkeys(group["log_interval"]))
        chosen = NEVER if NEVER in intervals else intervals[-1]
        frame = group[group["log_interval"] == chosen].sort_values("batch_size")
        lines.append((str(model), (model, chosen), frame))
    return lines[:MOST_LINES]


def _in_words(frame: pd.DataFrame) -> str:
    ends = [
        between(times(low), times(high))
        for low, high in zip(frame["speed_up_low"], frame["speed_up_high"], strict=True)
    ]
    points = zip(frame["batch_size"], frame["speed_up"], ends, strict=True)
    return ", ".join(f"{times(speed_up)} ({interval}) at batch size {size}" for size, speed_up, interval in points)


def _crossing(crossed: pd.DataFrame, model: object, log_interval: object) -> float:
    found = crossed[(crossed["model"] == model) & (crossed["log_interval"] == log_interval)]["crossover"]
    return float(found.iloc[0]) if len(found) and 0 < found.iloc[0] < math.inf else math.nan


def _crossing_words(crossed: pd.DataFrame, model: object, log_interval: object) -> str:
    batch_size = _crossing(crossed, model, log_interval)
    return "" if math.isnan(batch_size) else f", crossover at {significant(batch_size)}"


def _draw(axes: Axes, lines: list[Line], crossed: pd.DataFrame) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.axhline(1, color="#888888", linewidth=1)
    for place, (label, key, frame) in enumerate(lines):
        colour = COLOURS[place]
        sizes, values = frame["batch_size"].astype(float).to_numpy(), frame["speed_up"].to_numpy()
        spread = [values - frame["speed_up_low"].to_numpy(), frame["speed_up_high"].to_numpy() - values]
        style = DASHES[place % len(DASHES)]
        axes.errorbar(sizes, values, spread, color=colour, linestyle=style, marker="o", capsize=3, label=label)
        batch_size = _crossing(crossed, *key)
        if not math.isnan(batch_size):
            axes.plot([batch_size], [1], marker="D", markersize=8, color=colour, linestyle="")
            offset = (0, 10 + 12 * (place % 2))
            axes.annotate(
                significant(batch_size), (batch_size, 1), offset, textcoords="offset points", ha="center"
            )  # fmt: skip
    sizes_told = _apart({int(size) for _, _, frame in lines for size in frame["batch_size"]})
    axes.set_xticks(sizes_told, [str(size) for size in sizes_told])
    axes.minorticks_off()
    ticks = [tick for tick in (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100) if _is_within(tick, *axes.get_ylim())]
    axes.set_yticks(ticks, [f"{tick:g}x" for tick in ticks])
    axes.set_xlabel("batch size")
    axes.set_ylabel("speed-up")
    axes.grid(visible=True)
    axes.legend()


def _is_within(tick: float, low: float, high: float) -> bool:
    return low <= tick <= high


def _apart(sizes: set[int]) -> list[int]:
    """Return the batch sizes whose labels do not run into that of the one before."""
    told: list[int] = []
    for size in sorted(sizes):
        if not told or size >= LEAST_TICK_RATIO * told[-1]:
            told.append(size)
    return told

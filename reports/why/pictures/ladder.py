"""The variants of one step from the slowest to the best, with the machine's ceiling as a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from reports.charts import COLOURS, drawn
from reports.layout import Figure
from reports.quantities import between, seconds, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

MOST_LADDERS = 6
PLAIN = "plain"
NARROW, WIDE = 6, 30
"""Ratios of the largest to the smallest time: even ticks below the first, one per power of ten from the second."""


def ladder_figures(variants: pd.DataFrame, explanations: pd.DataFrame) -> Iterator[Figure]:
    """Yield a picture per device, model and batch size whose step was varied, up to six of them.

    Variants that did not prove to do the same work, or were skipped, are left out. A variant's time is its ratio times
    the median plain time of its setting, since only the ratio was paired; the ceiling is placed likewise.
    """
    usable = variants[variants["is_same_work"].astype(bool) & variants["ratio"].notna()]
    ladders = usable.groupby(["device", "model", "batch_size"], sort=True)
    for (device, model, batch_size), group in list(ladders)[:MOST_LADDERS]:
        of_setting = explanations[
            (explanations["device"] == device)
            & (explanations["model"] == model)
            & (explanations["batch_size"] == batch_size)
        ]
        rungs, plain_s = _rungs(group), float(group["plain_s"].median())
        reached = of_setting["ceiling_s"] / of_setting["step_time_s"]
        ceiling_s = plain_s * float(reached.median()) if len(reached) else math.nan
        told = "; ".join(map(_in_words, rungs))
        ceiling = "" if math.isnan(ceiling_s) else f"; at the machine's ceiling {seconds(ceiling_s)}"
        svg = drawn(
            lambda axes, rungs=rungs, plain_s=plain_s, ceiling_s=ceiling_s: _draw(axes, rungs, plain_s, ceiling_s),  # type: ignore[misc]
            height_inches=1.3 + 0.27 * len(rungs),
        )
        caption = f"{model} at batch size {batch_size} on {device}: each variant from the slowest to the best."
        yield Figure(caption, f"Dot chart. Plain: {seconds(plain_s)}; {told}{ceiling}.", svg)


def _in_words(rung: dict[Any, Any]) -> str:
    interval = between(times(1 / rung["ratio_high"]), times(1 / rung["ratio_low"]))
    return f"{rung['label']}: {times(1 / rung['ratio'])} as fast{'' if rung['label'] == PLAIN else f' ({interval})'}"


def _rungs(group: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the variants and one plain step, slowest first."""
    changed = group[group["variant"] != group["plain"]]
    rungs = changed.assign(label=changed["question"] + ": " + changed["variant"]).to_dict("records")
    plain = {"label": PLAIN, "ratio": 1.0, "ratio_low": 1.0, "ratio_high": 1.0}
    return sorted([plain, *rungs], key=lambda rung: rung["ratio"], reverse=True)


def _draw(axes: Axes, rungs: list[dict[Any, Any]], plain_s: float, ceiling_s: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator  # noqa: PLC0415  only when there is a picture to draw

    axes.set_xscale("log")
    for place, rung in enumerate(reversed(rungs)):
        colour = COLOURS[1] if rung["label"] == PLAIN else COLOURS[0]
        axes.plot([rung["ratio_low"] * plain_s, rung["ratio_high"] * plain_s], [place, place], color=colour)
        axes.plot([rung["ratio"] * plain_s], [place], marker="o", color=colour, linestyle="")
    axes.set_yticks(range(len(rungs)), [rung["label"] for rung in reversed(rungs)])
    if not math.isnan(ceiling_s):
        axes.axvline(ceiling_s, color=COLOURS[4], linestyle="--")
        axes.annotate(
            "ceiling", (ceiling_s, 1), (4, -2), xycoords=("data", "axes fraction"),
            textcoords="offset points", va="top", color=COLOURS[4],
        )  # fmt: skip
    low_s, high_s = axes.get_xlim()
    if high_s < NARROW * low_s:
        axes.xaxis.set_major_locator(MaxNLocator(4))
    else:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high_s < WIDE * low_s else (1,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: seconds(value)))
    axes.set_ylim(-0.6, len(rungs) - 0.4)
    axes.set_xlabel("time per step")
    axes.grid(visible=True, axis="x")

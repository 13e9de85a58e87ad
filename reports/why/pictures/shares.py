"""The shares of a step as stacked bars, what is unexplained included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reports.charts import COLOURS, drawn
from reports.layout import Figure
from reports.quantities import significant
from reports.why.shares import SHARE_TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

NEVER = "never"
_FILLS = (*COLOURS, "#c9b037", "#4f5d8c", "#b07aa1", "#888888", "none")
"""One per share, in their order; what is unexplained is hatched."""
MOST_BARS = 16
LEAST_TOLD = 0.005
"""Shares below this are left out of the words, and of the legend when they are that small everywhere."""


def shares_figures(explanations: pd.DataFrame) -> Iterator[Figure]:
    """Yield a picture per device: a bar per model and batch size, at the least frequent reading it has."""
    known = explanations[explanations["unexplained"].notna()]
    for device, group in known.groupby("device", sort=True):
        bars = one_per_setting(group).head(MOST_BARS).to_dict("records")
        told = "; ".join(f"{label(bar)}: {_in_words(bar)}" for bar in bars)
        svg = drawn(lambda axes, bars=bars: _draw(axes, bars), height_inches=1.9 + 0.32 * len(bars))  # type: ignore[misc]
        caption = (
            f"Where a step's time goes on {device}, in percent of the measured time; a bar beyond 100 % means that the "
            "parts come to more than was measured."
        )
        yield Figure(caption, f"Stacked bars. {told}.", svg)


def label(bar: dict[Any, Any]) -> str:
    """Return model and batch size."""
    return f"{bar['model']}, {bar['batch_size']}"


def one_per_setting(explanations: pd.DataFrame) -> pd.DataFrame:
    """Return one case per device, model and batch size: that which never reads the loss, if there is one."""
    setting = ["device", "model", "batch_size"]
    never_last = explanations.assign(is_never=explanations["log_interval"] == NEVER).sort_values(
        "is_never", kind="stable"
    )
    return never_last.drop_duplicates(setting, keep="last").sort_values(setting)[list(explanations.columns)]


def _in_words(bar: dict[Any, Any]) -> str:
    told = [
        f"{title} {significant(bar[name] * 100, 2)} %"
        for name, title in SHARE_TITLES.items()
        if abs(bar[name]) >= LEAST_TOLD
    ]
    return ", ".join(told)


def _draw(axes: Axes, bars: list[dict[Any, Any]]) -> None:
    places = list(range(len(bars)))[::-1]
    ends = [0.0] * len(bars)
    for colour, (name, title) in zip(_FILLS, SHARE_TITLES.items(), strict=True):
        widths = [max(0.0, bar[name] * 100) for bar in bars]
        if max(widths) >= 100 * LEAST_TOLD:
            hatch, edge = ("///", "#888888") if colour == "none" else ("", "none")
            axes.barh(places, widths, left=ends, color=colour, hatch=hatch, edgecolor=edge, label=title, height=0.7)
        ends = [end + width for end, width in zip(ends, widths, strict=True)]
    axes.axvline(100, color="#888888", linewidth=1)
    axes.set_yticks(places, [label(bar) for bar in bars])
    axes.set_xlim(0, max(104.0, *(1.02 * end for end in ends)))
    axes.set_xlabel("percent of the step")
    figure = axes.get_figure()
    assert figure is not None
    figure.legend(loc="outside lower center", ncol=2)

"""The roofline of a device: what memory bandwidth and arithmetic allow, and how far below it the cases stay.

Williams, Waterman, Patterson: Roofline: an insightful visual performance model, CACM 52(4), 2009.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reports.charts import COLOURS, drawn
from reports.layout import Figure
from reports.limits import rate_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

    from reports.why.primitives import Machine

MARKERS = "osD^vPX*"


def roofline_figures(explanations: pd.DataFrame, machines: dict[str, Machine]) -> Iterator[Figure]:
    """Yield a picture per device that has explained cases."""
    for device, machine in sorted(machines.items()):
        group = explanations[(explanations["device"] == device) & explanations["unexplained"].notna()]
        if group.empty:
            continue
        points = _points(group)
        told = "; ".join(f"{label}: {rate_in_words(y, 'FLOP')}" for label, (_, y) in _fastest(points).items())
        svg = drawn(
            lambda axes, points=points, machine=machine: _draw(axes, points, machine),  # type: ignore[misc]
            height_inches=4.0,
        )
        caption = (
            f"The roofline of {device}: at most {rate_in_words(machine.float32_flop_s, 'FLOP')} and "
            f"{rate_in_words(machine.memory_b_s, 'B')}. The bytes are those of the parameters alone, so that every "
            "case stands too far to the right."
        )
        yield Figure(caption, f"Scatter chart below a roof. The fastest of each model: {told}.", svg)


def _points(group: pd.DataFrame) -> dict[str, list[tuple[float, float]]]:
    """Return per model FLOP per byte and FLOP per second of its cases, without what neighbours took."""
    points: dict[str, list[tuple[float, float]]] = {}
    for case in group.to_dict("records"):
        own_time_s = case["step_time_s"] * (1 - case["neighbours"])
        place = (case["flops"] / case["traffic_bytes"], case["flops"] / own_time_s)
        points.setdefault(case["model"], []).append(place)
    return points


def _fastest(points: dict[str, list[tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    return {model: max(of_model, key=lambda point: point[1]) for model, of_model in points.items()}


def _draw(axes: Axes, points: dict[str, list[tuple[float, float]]], machine: Machine) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator  # noqa: PLC0415  only when there is a picture to draw

    peak, bandwidth = machine.float32_flop_s, machine.memory_b_s
    ridge = peak / bandwidth
    xs = [x for of_model in points.values() for x, _ in of_model]
    left, right = min(*xs, ridge) / 3, max(*xs, ridge) * 3
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.plot([left, ridge, right], [bandwidth * left, peak, peak], color=COLOURS[4], linewidth=2, label="roof")
    for place, (model, of_model) in enumerate(points.items()):
        xs_of, ys_of = zip(*of_model, strict=True)
        colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
        axes.plot(xs_of, ys_of, marker=marker, color=colour, linestyle="", label=model)
    axes.yaxis.set_major_formatter(FuncFormatter(_rate))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("floating-point operations per byte of memory traffic")
    axes.set_ylabel("rate")
    axes.grid(visible=True)
    figure = axes.get_figure()
    assert figure is not None
    figure.legend(loc="outside lower center", ncol=5)


def _rate(value: float, _place: Any) -> str:  # noqa: ANN401  matplotlib's own signature
    return rate_in_words(value, "FLOP")

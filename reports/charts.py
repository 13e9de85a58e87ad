"""Pictures as inline SVG that takes its text colour from the page, so that it reads on light and on dark."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

_INK = "#010203"
"""Stands for the page's text colour while matplotlib draws."""
COLOURS = ("#2f81c7", "#d9822b", "#3f9c5a", "#a35bc2", "#c7464e", "#8a8f2a", "#5aa7a7", "#8c6d5a")
DASHES = ("-", "--", "-.", ":")
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "reports",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.parse_math": False,
    "text.color": _INK,
    "hatch.color": _INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
    "grid.color": "#888888",
    "grid.alpha": 0.3,
}


def drawn(draw: Callable[[Axes], None], width_inches: float = 7.0, height_inches: float = 3.6) -> str:
    """Return what `draw` puts on one pair of axes, as an SVG element without ids that could meet those of another."""
    from matplotlib import rc_context  # noqa: PLC0415  takes most of a second, and most reports hold no picture
    from matplotlib.figure import Figure  # noqa: PLC0415  same

    with rc_context(_STYLE):
        figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
        draw(figure.add_subplot())
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return _for_inlining(text.getvalue())


def _for_inlining(document: str) -> str:
    """Keep the element alone without a style, drop ids that nothing refers to, take the text colour from the page."""
    element = document[document.index("<svg") :]
    element = re.sub(r"<(metadata|style)\b.*?</\1>", "", element, flags=re.DOTALL)
    used = set(re.findall(r"(?:#|href=\"#)([\w-]+)", element))
    element = re.sub(r' id="([\w-]+)"', lambda found: found[0] if found[1] in used else "", element)
    return element.replace(_INK, "currentColor")

"""The report as one self-contained page: no script, no request to anywhere, everything from files escaped."""

import jinja2

from reports.escaping import visible
from reports.layout import Name
from reports.report import Report


def render(report: Report) -> str:
    """Return the page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports.rendering"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.tests["name"] = lambda cell: isinstance(cell, Name)
    return environment.get_template("page.html").render(report=report, verdict_class=_verdict_class)


def _verdict_class(cell: str) -> str:
    """Return the CSS class of a cell that holds a verdict: its word, without sign and addition."""
    words = [word for word in cell.split() if word[0].isalpha()]
    return f"verdict-{words[0]}" if words else ""

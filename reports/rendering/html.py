"""The report as one self-contained page: no request to anywhere, everything from files escaped, scripts named by hash.

Tables sort (tablesort) and filter; a case's history is drawn (uPlot) when it is asked for, from numbers in the page.
Without scripts the page still reads in full.
"""

import base64
import hashlib
import re
from importlib.resources import files
from typing import Any

import jinja2
import orjson
from markupsafe import Markup

from reports.decision import exit_code
from reports.escaping import visible
from reports.histories import Histories, spark
from reports.layout import CaseName, Name, Stack, Table
from reports.quantities import Quantity
from reports.report import Report

SIGNS = ("✓", "✗", "?")
"""Beside the verdict's sentence, by exit code, so that its colour never stands alone; none when nothing was judged."""
_BETWEEN_WORDS = re.compile(r"(?<=\w[-_/:.\[\]=])(?=\w)|(?<=::)(?=\w)")
_STYLES, _SCRIPTS = ("uplot.min.css", "page.css"), ("tablesort.min.js", "uplot.iife.min.js", "page.js")


def render(report: Report) -> str:
    """Return the page."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports.rendering", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "breakable": _breakable, "verdict_of": _verdict_of}
    environment.tests |= {
        "name": lambda cell: isinstance(cell, Name),
        "case": lambda cell: isinstance(cell, CaseName),
        "stack": lambda cell: isinstance(cell, Stack),
        "quantity": lambda cell: isinstance(cell, Quantity),
    }
    style, scripts = "".join(map(_asset, _STYLES)), [_asset(name) for name in _SCRIPTS]
    decision, histories = exit_code(report.judgement, report.fail_on), report.histories
    return environment.get_template("page.html").render(
        report=report,
        decision=decision,
        sign=SIGNS[decision] if decision or report.judgement.judged else "",
        style=style,
        scripts=scripts,
        policy=_policy(style, scripts),
        places={fullname: place for place, fullname in enumerate(histories.cases)},
        sparks=[spark(history.times) for history in histories.cases.values()],
        histories=_embedded(histories),
    )


def _asset(name: str) -> str:
    return files("reports.rendering").joinpath("page", name).read_text(encoding="utf-8")


def _policy(style: str, scripts: list[str]) -> str:
    """Return a policy under which nothing is loaded, and nothing runs but our own scripts.

    Style attributes are allowed: pictures are made of them, and no text from a file reaches one.
    """
    allowed = " ".join(map(_hash_source, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src-elem {_hash_source(style)}; "
        "style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )


def _hash_source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _embedded(histories: Histories) -> str:
    """Return JSON that cannot end the element it stands in."""
    document: dict[str, Any] = {
        "sessions": [[visible(cell) if isinstance(cell, str) else cell for cell in row] for row in histories.sessions],
        "environments": [
            {visible(name): visible(value) for name, value in environment.items()}
            for environment in histories.environments
        ],
        "cases": list(histories.cases.values()),
    }
    return orjson.dumps(document).decode().replace("<", "\\u003c")


def _breakable(words: str) -> Markup:
    """Return text that may be wrapped after what separates the words of a name, and only there is wrapped unasked."""
    return Markup("<wbr>").join(_BETWEEN_WORDS.split(visible(words)))


def _verdict_of(table: Table, row: tuple[str, ...]) -> str:
    """Return the word of a row's verdict without sign and addition, empty in a table without verdicts."""
    headers = [column.header for column in table.columns]
    if "verdict" not in headers:
        return ""
    words = [word for word in row[headers.index("verdict")].split() if word[0].isalpha()]
    return words[0] if words else ""

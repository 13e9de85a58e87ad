"""The short form for a terminal: the first lines, what changed, what the other sections say in a sentence."""

import shutil
import textwrap
from pathlib import Path

from reports.escaping import visible
from reports.layout import Table
from reports.report import Report

MOST_ROWS = 20
NARROWEST, WIDEST = 60, 160
_SHOWN_COLUMNS = ("verdict", "change", "now", "case")
"""Of the table of changes; the rest of its columns are in the report."""


def render(report: Report, folder: Path, width: int | None = None) -> str:
    """Return what the command prints; `width` is the terminal's own unless given, 80 where there is none."""
    columns = min(max(width or shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)
    lines = [wrapped for line in report.lines for wrapped in textwrap.wrap(visible(line, longest=2000), columns)]
    for section in report.sections:
        if section.anchor == "changes" and section.tables:
            lines += ["", *_table(section.tables[0], columns)]
        elif section.anchor in {"cases", "devices", "logging", "unmeasured", "skipped"} and section.sentences:
            lines += ["", f"{section.title}:"]
            for sentence in section.sentences[:3]:
                said = visible(sentence, longest=2000)
                lines += textwrap.wrap(said, columns, initial_indent="  ", subsequent_indent="  ")
    return "\n".join([*lines, "", f"Report: {visible(str(folder / 'index.html'))}", ""])


def _table(table: Table, width: int) -> list[str]:
    """Return the rows in aligned columns; the case's name comes last and is cut at the width of the terminal."""
    places = [[column.header for column in table.columns].index(header) for header in _SHOWN_COLUMNS]
    rows = [[visible(row[place]) for place in places] for row in table.rows[:MOST_ROWS]]
    lines = [list(_SHOWN_COLUMNS), *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(places) - 1)]
    numbers = [table.columns[place].is_number for place in places]
    shown = []
    for line in lines:
        cells = [
            cell.rjust(size) if number else cell.ljust(size)
            for cell, size, number in zip(line, widths, numbers, strict=False)
        ]
        shown.append(_cut("  ".join([*cells, line[-1]]), width))
    more = len(table.rows) - MOST_ROWS
    return [*shown, *([f"... and {more} more, in the report"] if more > 0 else [])]


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"

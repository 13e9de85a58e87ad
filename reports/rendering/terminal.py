"""The short form for a terminal: the first lines, what changed, what the other sections say in a sentence."""

import os
import shutil
import textwrap
from pathlib import Path
from typing import TextIO

from reports.decision import exit_code
from reports.escaping import visible
from reports.layout import Section, Stack, Table
from reports.report import Report

MOST_ROWS = 20
NARROWEST, WIDEST = 60, 160
_SHOWN_COLUMNS = ("verdict", "change", "now", "case")
"""Of the table of changes; the rest of its columns are in the report."""
_SAID = ("changes", "limits", "cases", "renamed", "devices", "runs", "logging", "unmeasured", "skipped")
MOST_SENTENCES = 3
_BOLD, _RED, _YELLOW, _GREEN, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[0m"
_BY_VERDICT = {
    "regression": _RED, "failed": _RED, "timed-out": _RED, "not-reached": _RED, "suspect": _YELLOW,
    "missing": _YELLOW, "redefined": _YELLOW, "improvement": _GREEN, "recovered": _GREEN,
}  # fmt: skip
_BY_EXIT_CODE = (_GREEN, _RED, _YELLOW)


def has_colour(stream: TextIO) -> bool:
    """Return whether colour is welcome there: a terminal that is not dumb, and nobody set NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def render(report: Report, folder: Path, width: int | None = None, *, colour: bool = False) -> str:
    """Return what the command prints; `width` is the terminal's own unless given, 80 where there is none."""
    columns = min(max(width or shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)
    verdict, *rest = ["\n".join(_wrapped(line, columns)) for line in report.lines]
    if colour:
        verdict = f"{_BOLD}{_ink_of_the_decision(report)}{verdict}{_PLAIN}"
    lines = [verdict, *rest]
    for section in report.sections:
        if section.anchor in _SAID and (section.sentences or section.tables):
            lines += ["", *_section(section, columns, colour=colour)]
    return "\n".join([*lines, "", f"Report: {visible(str(folder / 'index.html'))}", ""])


def _ink_of_the_decision(report: Report) -> str:
    """Return the colour of the first line: none where nothing was wrong but nothing was judged either."""
    decision = exit_code(report.judgement, report.fail_on)
    return _BY_EXIT_CODE[decision] if decision or report.judgement.judged else ""


def _section(section: Section, width: int, *, colour: bool) -> list[str]:
    """Return the first sentences under the title; of the changes their table first, which needs no title."""
    lines = [f"{section.title}:"]
    if section.anchor == "changes" and section.tables:
        lines = [*_table(section.tables[0], width, colour=colour), *([""] if section.sentences else [])]
    for sentence in section.sentences[:MOST_SENTENCES]:
        lines += _wrapped(sentence, width, indent="  ")
    return lines


def _wrapped(words: str, width: int, indent: str = "") -> list[str]:
    """Return the lines of a sentence; names are kept whole, so that they can be copied."""
    said = visible(words, longest=2000)
    return textwrap.wrap(said, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _table(table: Table, width: int, *, colour: bool) -> list[str]:
    """Return the rows in aligned columns; the case's name comes last and is cut at the width of the terminal."""
    places = [[column.header for column in table.columns].index(header) for header in _SHOWN_COLUMNS]
    rows = [[visible(_first_line(row[place])) for place in places] for row in table.rows[:MOST_ROWS]]
    lines = [list(_SHOWN_COLUMNS), *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(places) - 1)]
    numbers = [table.columns[place].is_number for place in places]
    shown = []
    for line in lines:
        cells = [
            cell.rjust(size) if number else cell.ljust(size)
            for cell, size, number in zip(line, widths, numbers, strict=False)
        ]
        text = _cut("  ".join([*cells, line[-1]]), width)
        shown.append(_coloured(text, cells[0]) if colour else text)
    more = len(table.rows) - MOST_ROWS
    return [*shown, *([f"... and {more} more, in the report"] if more > 0 else [])]


def _coloured(line: str, verdict: str) -> str:
    """Colour the verdict at the beginning of a line."""
    ink = next((ink for word, ink in _BY_VERDICT.items() if word in verdict.split()), "")
    return f"{ink}{verdict}{_PLAIN}{line[len(verdict) :]}" if ink else line


def _first_line(cell: str) -> str:
    return cell.lines[0] if isinstance(cell, Stack) else cell


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"

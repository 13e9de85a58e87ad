"""The report as GitHub-flavoured Markdown, for a job's summary. Pictures are left to the page."""

import re
from collections.abc import Iterator

from reports.escaping import markdown, markdown_code, visible
from reports.layout import Name, Section, Snippet, Stack, Table
from reports.report import Report

LONGEST_UNFOLDED_ROWS = 15


def render(report: Report) -> str:
    """Return the whole report; long tables are folded after their first, worst rows."""
    verdict, *rest = report.lines
    parts = [f"# {markdown(verdict)}", *map(markdown, rest)]
    for section in report.sections:
        parts.extend(_section(section))
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield f"## {markdown(section.title)}"
    yield from map(markdown, section.sentences)
    yield from map(_snippet, section.snippets)
    for table in (table.filled() for table in section.tables if table.rows):
        if table.folded and len(table.rows) > LONGEST_UNFOLDED_ROWS:
            yield from _fold(f"{markdown(table.caption)} ({len(table.rows)})", table, table.rows)
            continue
        yield f"**{markdown(table.caption)}**"
        yield _table(table, table.rows[:LONGEST_UNFOLDED_ROWS])
        if rest := table.rows[LONGEST_UNFOLDED_ROWS:]:
            yield from _fold(f"{len(rest)} more", table, rest)
    yield from map(markdown, section.notes)


def _fold(summary: str, table: Table, rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"<details><summary>{summary}</summary>"
    yield _table(table, rows)
    yield "</details>"


def _snippet(snippet: Snippet) -> str:
    lines = [visible(line, longest=2000) for line in snippet.lines]
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))
    return "\n".join([f"**{markdown(snippet.caption)}**", "", f"{fence}toml", *lines, fence])


def _table(table: Table, rows: list[tuple[str, ...]]) -> str:
    lines = [
        _row([markdown(column.header) for column in table.columns]),
        _row(["---:" if column.is_number else "---" for column in table.columns]),
        *(_row([_cell(cell) for cell in row]) for row in rows),
    ]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: str) -> str:
    if isinstance(cell, Stack):
        return "<br>".join(map(_cell, cell.lines))
    return markdown_code(cell) if isinstance(cell, Name) else markdown(cell)

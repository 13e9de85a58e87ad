"""The report as GitHub-flavoured Markdown, for a job's summary. Pictures are left to the page."""

from collections.abc import Iterator

from reports.escaping import markdown, markdown_code
from reports.layout import Name, Section, Table
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
    for table in section.tables:
        if not table.rows:
            continue
        yield f"**{markdown(table.caption)}**"
        yield _table(table, table.rows[:LONGEST_UNFOLDED_ROWS])
        if rest := table.rows[LONGEST_UNFOLDED_ROWS:]:
            yield f"<details><summary>{len(rest)} more</summary>"
            yield _table(table, rest)
            yield "</details>"


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
    return markdown_code(cell) if isinstance(cell, Name) else markdown(cell)

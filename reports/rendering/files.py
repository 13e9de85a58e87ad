"""Write a report's files: all made before the first is written, each put in place whole."""

from pathlib import Path

from reports.errors import ReportError
from reports.rendering import html, junit, markdown, tables
from reports.report import Report
from reports.writing import write_whole


def write_report(report: Report, folder: Path) -> None:
    """Write verdicts.csv, verdicts.json, summary.md, junit.xml and index.html into a folder, which is made if need be.

    Raises:
        ReportError: the folder cannot be written to.
    """
    contents = {
        "verdicts.csv": tables.render_csv(report.judgement.verdicts),
        "verdicts.json": tables.render_json(report),
        "summary.md": markdown.render(report),
        "junit.xml": junit.render(report),
        "index.html": html.render(report),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            write_whole(folder / name, content)
    except OSError as error:
        raise ReportError(f"cannot write the report to {folder}: {error.strerror or error}") from error

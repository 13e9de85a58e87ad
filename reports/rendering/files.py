"""Write a report's files: all made before the first is written, each put in place whole."""

import tempfile
from pathlib import Path

from reports.errors import ReportError
from reports.rendering import html, junit, markdown, tables
from reports.report import Report


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
            _write_whole(folder / name, content)
    except OSError as error:
        raise ReportError(f"cannot write the report to {folder}: {error.strerror or error}") from error


def _write_whole(path: Path, content: str) -> None:
    """Write to a temporary file beside it, then rename: a reader sees the old file or the new one, never a half."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as stream:
        temporary = Path(stream.name)
        try:
            stream.write(content)
            stream.flush()
            temporary.chmod(0o644)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

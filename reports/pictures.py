"""Pictures of a report for a README.

The page and the terminal as a reader sees them; the lesson's bars, the speed-up by batch size and the shares of a step.
"""

import html
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from reports.browser import browser
from reports.errors import ReportError
from reports.lessons import lesson_runs
from reports.rendering import html as page
from reports.rendering import terminal
from reports.report import Report, subject_of
from reports.runs import Runs
from reports.sections.lesson_pictures import bar_chart
from reports.subject import Subject
from reports.why import files as why

PAGE_SIZE, TERMINAL_SIZE = (1160, 760), (760, 420)
_INKS = {"1": "font-weight:bold", "31": "color:#ff7b72", "32": "color:#56d364", "33": "color:#e3b341"}
_OWN_COLOUR = (
    "<style>svg{color:#1b1f24}svg *{stroke-linejoin:round}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>"
)
_TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ margin: 0; background: #0d1117; color: #e6edf3; }}
pre {{ margin: 0; padding: 14px 18px; font: 14px/1.35 "DejaVu Sans Mono", monospace; width: max-content; }}
</style><pre>$ python -m reports judge\n{text}</pre>"""


def pictures(runs: Runs, report: Report) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the drawn pictures (SVG), of each where the session measured what it shows."""
    subject = subject_of(runs, report.judgement)
    if chart := _lesson(subject):
        yield "lesson.svg", chart.encode()
    for name, drawn in why.pictures(subject):
        yield name, drawn.encode()


def screens(report: Report) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the page's and the terminal's pictures (PNG).

    Raises:
        ReportError: no Chromium, or it does not do its part.
    """
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        place = Path(folder, "report.html")
        place.write_text(page.render(report), encoding="utf-8")
        chromium.open(place, *PAGE_SIZE)
        chromium.evaluate("document.querySelector('#changes .grow')?.click()")
        yield "page.png", chromium.picture()
        place.write_text(_TERMINAL.format(text=_in_html(report)), encoding="utf-8")
        chromium.open(place, *TERMINAL_SIZE)
        size = chromium.evaluate(
            "['width', 'height'].map(side => Math.ceil(document.querySelector('pre').getBoundingClientRect()[side]))"
        )
        chromium.open(place, *size)
        yield "terminal.png", chromium.picture()


def _in_html(report: Report) -> str:
    """Return the terminal's text with its colours."""
    shown = html.escape(terminal.render(report, Path("report"), 80, colour=True)).rstrip()
    plain, *inked = re.split("\x1b\\[(\\d+)m", shown)
    written, is_open = [plain], 0
    for ink, words in zip(inked[::2], inked[1::2], strict=True):
        written.append("</span>" * is_open if ink == "0" else f'<span style="{_INKS[ink]}">')
        is_open = 0 if ink == "0" else is_open + 1
        written.append(words)
    return "".join(written)


def _lesson(subject: Subject) -> str | None:
    for figure in bar_chart(lesson_runs(subject.measured)):
        return re.sub(r"(<svg[^>]*>)", lambda found: found[1] + _OWN_COLOUR, figure.svg, count=1)
    return None


def write_pictures(runs: Runs, report: Report, folder: Path, *, with_screens: bool = True) -> list[Path]:
    """Write the pictures into a folder and return their paths; the screens, which need Chromium, may be left out.

    Raises:
        ReportError: a picture cannot be made or written.
    """
    made = dict(screens(report)) if with_screens else {}
    made |= pictures(runs, report)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in made.items():
            (folder / f".{name}").write_bytes(content)
            (folder / f".{name}").replace(folder / name)
    except OSError as error:
        raise ReportError(f"cannot write the pictures to {folder}: {error.strerror or error}") from error
    return [folder / name for name in made]

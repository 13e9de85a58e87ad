"""The two pictures for a README, as files of their own."""

from pathlib import Path

from reports.errors import ReportError
from reports.layout import Figure
from reports.sections.crossover import trained_on_both
from reports.subject import Subject
from reports.why.crossover import crossovers
from reports.why.pictures.shares import shares_figures
from reports.why.pictures.speed_up import speed_up_figure
from reports.writing import write_whole

_STYLE = (
    "<style>svg{color:#1b1f24}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}"
    "*{stroke-linejoin:round;stroke-linecap:butt}</style>"
)
"""The page's own text colours, and what the page lays down for all its pictures."""


def write_pictures(subject: Subject, folder: Path) -> list[Path]:
    """Write `speed-up.svg`, and `shares-DEVICE.svg` for each device; return those that there was something to draw for.

    Raises:
        ReportError: the folder cannot be written to.
    """
    compared = trained_on_both(subject)
    explanations = subject.why.explanations
    figures = {"speed-up": speed_up_figure(compared, crossovers(compared))}
    for device in sorted(set(explanations["device"])):
        own = explanations[explanations["device"] == device]
        figures[f"shares-{_plain(device)}"] = next(shares_figures(own), None)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            if figure is not None:
                path = folder / f"{name}.svg"
                write_whole(path, document(figure))
                written.append(path)
    except OSError as error:
        raise ReportError(f"cannot write the pictures to {folder}: {error.strerror or error}") from error
    return written


def document(figure: Figure) -> str:
    """Return a picture as an SVG file that reads on light and on dark."""
    start = figure.svg.index(">") + 1
    return f'<?xml version="1.0" encoding="utf-8"?>\n{figure.svg[:start]}{_STYLE}{figure.svg[start:]}'


def _plain(device: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in device)

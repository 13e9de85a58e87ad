"""The two pictures for a README, as files of their own."""

from collections.abc import Iterator
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


def pictures(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield name and content of `speed-up.svg`, and of `shares-DEVICE.svg` for each device that trained.

    One that there is nothing to draw for is left out.
    """
    compared = trained_on_both(subject)
    if (figure := speed_up_figure(compared, crossovers(compared))) is not None:
        yield "speed-up.svg", document(figure)
    explanations = subject.why.explanations
    for device in sorted(set(explanations["device"])):
        figure = next(shares_figures(explanations[explanations["device"] == device]), None)
        if figure is not None:
            yield f"shares-{_plain(device)}.svg", document(figure)


def write_pictures(subject: Subject, folder: Path) -> list[Path]:
    """Write the pictures into a folder and return their paths.

    Raises:
        ReportError: the folder cannot be written to.
    """
    made = dict(pictures(subject))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in made.items():
            write_whole(folder / name, content)
    except OSError as error:
        raise ReportError(f"cannot write the pictures to {folder}: {error.strerror or error}") from error
    return [folder / name for name in made]


def document(figure: Figure) -> str:
    """Return a picture as an SVG file that reads on light and on dark."""
    start = figure.svg.index(">") + 1
    return f'<?xml version="1.0" encoding="utf-8"?>\n{figure.svg[:start]}{_STYLE}{figure.svg[start:]}'


def _plain(device: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in device)

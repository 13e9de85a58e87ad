"""`pictures`: the page, the terminal, the lesson's bars and why a step is slow as pictures, for a README."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys
from pathlib import Path

from reports.commands import cached, paths

HELP = "draw the newest session as pictures: page and terminal (by Chromium), lesson, speed-up, shares of a step"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    paths.add_store(parser)
    parser.add_argument(
        "--output", type=paths.named, default=Path("docs/images"), metavar="DIR", help="where the pictures are written"
    )
    parser.add_argument(
        "--no-screens", action="store_true", help="leave out page and terminal, which Chromium is needed for"
    )
    cached.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Judge, draw, and name each picture, or say that there is none; return 0."""
    from reports.grounds import Grounds
    from reports.judging import judge
    from reports.pictures import write_pictures
    from reports.report import report_of
    from reports.runs import load_runs

    cache = cached.cache_of(arguments)
    runs = load_runs(arguments.store, cache=cache)
    report = report_of(runs, judge(runs, grounds=Grounds(shelf=cache)), "new")
    made = write_pictures(runs, report, arguments.output, with_screens=not arguments.no_screens)
    sys.stdout.writelines(f"{path}\n" for path in made)
    if not made:
        sys.stdout.write("Nothing to draw: the newest session has neither lessons nor training steps.\n")
    return 0

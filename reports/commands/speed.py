"""`speed`: how fast a store is read and judged, beside a bare read of its files."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reports.commands import paths

if TYPE_CHECKING:
    from reports.speed import Figure

HELP = "measure how fast a store is read and judged (a minute), beside a bare read of its files"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "store", nargs="?", type=paths.named, metavar="STORE", help="folder of runs; made ones if none is named"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table as Markdown, row by row; return 0."""
    from tempfile import TemporaryDirectory

    from reports.speed import made_store, readings, replays

    sys.stdout.write("| what | CPU seconds | that is | most memory |\n|---|---|---|---|\n")
    with TemporaryDirectory() as folder:
        store = arguments.store or made_store(Path(folder))
        for figures in (replays(), readings(store)):
            for figure in figures:
                sys.stdout.write(_line(figure))
                sys.stdout.flush()
    return 0


def _line(figure: "Figure") -> str:
    peak = "" if figure.peak_mib is None else f"{figure.peak_mib:.0f} MiB"
    return f"| {figure.what} | {figure.seconds:.3g} | {figure.compared} | {peak} |\n"

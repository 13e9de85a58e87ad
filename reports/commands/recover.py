"""`recover`: make run files of the journals that runs left behind when they ended without saving."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys

from reports.commands import paths

HELP = "turn left-over journals into run files"
RECOVERED, CANNOT = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    paths.add_store(parser, "folder of runs, or a journal")


def run(arguments: argparse.Namespace) -> int:
    """Recover every journal, a line each; return 0, or 2 when one could not be recovered."""
    from reports.escaping import visible
    from reports.recovery import recover
    from reports.store import find_journals

    journals = find_journals(arguments.store)
    if not journals:
        sys.stdout.write(f"no journal left over in {visible(str(arguments.store))}\n")
    recoveries = {path: recover(path) for path in journals}
    for path, recovery in recoveries.items():
        stream = sys.stderr if recovery.failed else sys.stdout
        stream.write(f"{visible(str(path))}: {visible(recovery.said, longest=1000)}\n")
    return CANNOT if any(recovery.failed for recovery in recoveries.values()) else RECOVERED

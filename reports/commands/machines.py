"""The option of every command that judges: whose sessions are one history, those of a machine class or of one unit."""

# ruff: noqa: PLC0415  what judges is imported when a command runs, so that --help answers at once

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.grounds import Grounds
    from reports.judging import Judgement
    from reports.runs import Runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--by",
        choices=("class", "unit"),
        default="class",
        help="what one history is of: all equal machines together, or each unit by itself; then every unit of the "
        "session is judged, or that of the run file that is named",
    )


def as_asked(runs: "Runs", arguments: argparse.Namespace) -> "Runs":
    """Return the runs with the machines that the option asks for."""
    from reports.per_unit import by_unit

    return by_unit(runs) if arguments.by == "unit" else runs


def judgements(runs: "Runs", run: str | Path | None, by: str, grounds: "Grounds") -> "list[Judgement]":
    """Judge each machine that is meant: one of a class, or every unit of the session; `runs` are from `as_asked`.

    Raises:
        ReportError: nothing in the store has that name.
    """
    from reports.fleet import judge_machines
    from reports.judging import judge

    return judge_machines(runs, run, grounds) if by == "unit" else [judge(runs, run, grounds)]

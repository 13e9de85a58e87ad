"""`suspects`: the node ids worth measuring again, one a line."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys
from pathlib import Path

from reports.commands import rule

HELP = "print the node ids worth measuring again, one a line"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "store", nargs="?", type=Path, default=Path(".benchmarks"), metavar="STORE", help="folder of runs, or one file"
    )
    parser.add_argument(
        "--session",
        default="newest",
        metavar="FILE-OR-SESSION",
        help="look at this run file's session, or this session",
    )
    rule.add_limits(parser)
    rule.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the node ids; exit code 0, also when there are none, and 2 when the session cannot be judged."""
    from reports.errors import ReportError
    from reports.judging import judge
    from reports.rule.suspects import worth_measuring_again
    from reports.runs import load_runs

    settings, accepted = rule.settings_of(arguments), rule.book_of(arguments)
    asked = None if arguments.session == "newest" else arguments.session
    limits, runs = rule.limits_of(arguments), load_runs(arguments.store)
    judgement = judge(runs, asked, settings=settings, accepted=accepted, limits=limits)
    if judgement.problem:
        raise ReportError(judgement.problem)
    sys.stdout.writelines(f"{node_id}\n" for node_id in worth_measuring_again(judgement.verdicts, settings))
    return 0

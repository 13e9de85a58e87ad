"""`suspects`: the node ids worth measuring again, one a line."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys

from reports.commands import judged, paths, rule

HELP = "print the node ids worth measuring again, one a line"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    paths.add_store(parser)
    parser.add_argument(
        "--session",
        default=judged.NEWEST,
        metavar="FILE-OR-SESSION",
        help="look at this run file's session, or this session",
    )
    judged.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the node ids; exit code 0, also when there are none, and 2 when the session cannot be judged."""
    from reports.errors import ReportError
    from reports.rule.suspects import worth_measuring_again

    _, found = judged.judged(arguments, arguments.session)
    settings = rule.settings_of(arguments)
    for judgement in found:
        if judgement.problem:
            raise ReportError(judgement.problem)
    named = [node_id for one in found for node_id in worth_measuring_again(one.verdicts, settings)]
    sys.stdout.writelines(f"{node_id}\n" for node_id in dict.fromkeys(named))
    return 0

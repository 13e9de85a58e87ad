"""`goals`: error rates and power of the rule on made histories, beside other rules."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys

HELP = "measure the rule's error rates and power on made histories (minutes), beside other rules"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--suites", type=_count, default=40, metavar="N", help="made suites a row; more tell more")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other seeds make other suites")


def _count(words: str) -> int:
    if not words.isdecimal() or not 1 <= int(words) <= 10000:  # noqa: PLR2004  hours
        raise argparse.ArgumentTypeError(f"{words!r} is not a whole number from 1 to 10000")
    return int(words)


def run(arguments: argparse.Namespace) -> int:
    """Print the table as Markdown, row by row; exit code 1 when a goal is missed."""
    from reports.goals import outcomes, rivals, shown

    others = rivals()
    names = tuple(others)
    sys.stdout.write(_line(["#", "situation", "goal", "reached", *names]) + _line(["---"] * (4 + len(names))))
    missed = 0
    for outcome in outcomes(arguments.suites, arguments.seed, others):
        sys.stdout.write(_line(shown(outcome, names)))
        sys.stdout.flush()
        missed += not outcome.holds
    sys.stdout.write(f"\n{missed} rows missed. Others: named by night 0, 1, 3 and 7 at false lines per 100 a night.\n")
    return int(missed > 0)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"

"""`judge`: the newest session of a store, or the one named, against its history."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reports.commands import judged, paths

HELP = "judge the newest session, or the one named, against its history"
MOST_EPOCHS = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    paths.add_store(parser)
    parser.add_argument(
        "--run", default=judged.NEWEST, metavar="FILE-OR-SESSION", help="judge this run file's session, or this session"
    )
    parser.add_argument(
        "--output", type=paths.named, default=Path("report"), metavar="DIR", help="where the report is written"
    )
    parser.add_argument(
        "--fail-on",
        choices=("new", "open", "suspect", "never"),
        default="new",
        help="what makes the exit code 1: new confirmed regressions; open ones as well; suspects as well; nothing",
    )
    parser.add_argument(
        "--epochs", type=_epochs, default=10, metavar="N", help="tell how long a training run of so many epochs takes"
    )
    parser.add_argument(
        "--max-age",
        type=_hours,
        metavar="HOURS",
        help="exit code 2 when the session is older, as when the nightly no longer runs (default: any age)",
    )
    judged.add_arguments(parser)


def _epochs(words: str) -> int:
    if not words.isdecimal() or not 1 <= int(words) <= MOST_EPOCHS:
        raise argparse.ArgumentTypeError(f"{words!r} is not a whole number from 1 to {MOST_EPOCHS}")
    return int(words)


def _hours(words: str) -> timedelta:
    try:
        span = timedelta(hours=float(words))
    except (ValueError, OverflowError):
        span = timedelta()
    if span <= timedelta():
        raise argparse.ArgumentTypeError(f"{words!r} is not a number of hours above 0")
    return span


def run(arguments: argparse.Namespace) -> int:
    """Judge, write the report, print its short form; return the exit code."""
    from reports.decision import exit_code
    from reports.fleet import folder_of, report_of_all
    from reports.freshness import held_to_age
    from reports.rendering import terminal
    from reports.rendering.files import write_report
    from reports.report import report_of

    named = [Path(arguments.run)] if arguments.run != judged.NEWEST and Path(arguments.run).is_file() else []
    runs, judgements = judged.judged(arguments, arguments.run, named, rest=", named in the report")
    if arguments.max_age:
        judgements = [held_to_age(one, datetime.now(UTC), arguments.max_age) for one in judgements]
    reports = [report_of(runs, one, arguments.fail_on, epochs=arguments.epochs) for one in judgements]
    report = reports[0]
    if len(reports) > 1:
        report = report_of_all(reports)
        for number, its_own in enumerate(reports, 1):
            write_report(its_own, arguments.output / folder_of(number, its_own.judgement.machine))
    write_report(report, arguments.output)
    sys.stdout.write(terminal.render(report, arguments.output, colour=terminal.has_colour(sys.stdout)))
    return exit_code(report.judgement, arguments.fail_on)

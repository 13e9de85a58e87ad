"""`judge`: the newest session of a store, or the one named, against its history."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import gc
import sys
from collections.abc import Hashable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reports.commands import cached, rule

HELP = "judge the newest session, or the one named, against its history"
MOST_NAMED = 20
MOST_EPOCHS = 1_000_000
NEWEST = "newest"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "store", nargs="?", type=Path, default=Path(".benchmarks"), metavar="STORE", help="folder of runs, or one file"
    )
    parser.add_argument(
        "--run", default=NEWEST, metavar="FILE-OR-SESSION", help="judge this run file's session, or this session"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("report"), metavar="DIR", help="where the report is written"
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
    cached.add_arguments(parser)
    rule.add_arguments(parser)


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


def _name_skipped(skipped: list[dict[Hashable, Any]]) -> None:
    """Say which files could not be used, a line each."""
    from reports.escaping import visible

    for row in skipped[:MOST_NAMED]:
        sys.stderr.write(f"left out: {visible(str(row['path']))}: {visible(row['reason'])}\n")
    if len(skipped) > MOST_NAMED:
        sys.stderr.write(f"left out: {len(skipped) - MOST_NAMED} more, named in the report\n")


def run(arguments: argparse.Namespace) -> int:
    """Judge, write the report, print its short form; return the exit code."""
    from reports.decision import exit_code
    from reports.freshness import held_to_age
    from reports.judging import judge
    from reports.rendering import terminal
    from reports.rendering.files import write_report
    from reports.report import report_of
    from reports.runs import load_runs

    asked = None if arguments.run == NEWEST else arguments.run
    named = Path(asked) if asked and Path(asked).is_file() else None
    cache = cached.cache_of(arguments)
    runs = load_runs(arguments.store, also=[named] if named else [], cache=cache)
    gc.freeze()  # what was read stays to the end, so nobody need look through it for garbage again
    _name_skipped(runs.skipped.to_dict("records"))
    settings, accepted = rule.settings_of(arguments), rule.book_of(arguments)
    judgement = judge(runs, named or asked, settings=settings, accepted=accepted, shelf=cache)
    if arguments.max_age:
        judgement = held_to_age(judgement, datetime.now(UTC), arguments.max_age)
    report = report_of(runs, judgement, arguments.fail_on, epochs=arguments.epochs)
    write_report(report, arguments.output)
    sys.stdout.write(terminal.render(report, arguments.output, colour=terminal.has_colour(sys.stdout)))
    return exit_code(judgement, arguments.fail_on)

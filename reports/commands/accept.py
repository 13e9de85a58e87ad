"""`accept`: take the present level of cases as right, or join a renamed case to its history."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reports.commands import judged, paths, rule

if TYPE_CHECKING:
    import pandas as pd

    from reports.rule.accepted import Book

HELP = "accept the present level of cases, so that it is what later sessions are compared with"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "case", metavar="CASE-GLOB", help="cases by id or whole name, or machine:... for a whole machine"
    )
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; it stands in the file")
    parser.add_argument(
        "--store", type=paths.named, default=Path(".benchmarks"), metavar="STORE", help="folder of runs, or one file"
    )
    parser.add_argument(
        "--session",
        default=judged.NEWEST,
        metavar="FILE-OR-SESSION",
        help="the session from which on the level is right",
    )
    parser.add_argument("--renamed-from", metavar="OLD-NAME", help="CASE-GLOB is the new whole name of this case")
    judged.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the file and say what was accepted; exit code 2 when no case is meant."""
    from reports.errors import ReportError
    from reports.fleet import together

    _, judgements = judged.judged(arguments, arguments.session)
    judgement = together(judgements)
    if not arguments.reason.strip():
        raise ReportError("--reason: a reason is needed")
    if arguments.renamed_from:
        return _rename(arguments, judgement.verdicts)
    return _accept(arguments, judgement.verdicts, judgement.session)


def _accept(arguments: argparse.Namespace, verdicts: "pd.DataFrame", session: str) -> int:
    from reports.errors import ReportError
    from reports.quantities import counted
    from reports.rule.accepted import Accepted, with_accepted
    from reports.rule.settings import matches

    meant = verdicts[[matches(str(name), arguments.case) for name in verdicts["fullname"]]]
    if meant.empty:
        raise ReportError(f"{arguments.case}: no case of {session or 'the store'} has such a name")
    entry = Accepted(arguments.case, arguments.reason, session)
    _write(arguments.accepted, with_accepted(rule.book_of(arguments), entry))
    slower = int(meant["verdict"].isin(["regression", "suspect"]).sum())
    _say(
        f"accepted since {session}: {counted(len(meant), 'case')}, {slower} of them slower; commit {arguments.accepted}"
    )
    if beyond := int((meant["limit"] != "").sum()):
        from reports.limits import HOW_TO_CHANGE

        _say(f"still beyond a limit: {beyond} of them; {HOW_TO_CHANGE}")
    return 0


def _rename(arguments: argparse.Namespace, verdicts: "pd.DataFrame") -> int:
    from reports.errors import ReportError
    from reports.rule.accepted import Renamed, with_renamed

    for name in (arguments.renamed_from, arguments.case):
        if name not in set(verdicts["fullname"]):
            raise ReportError(f"{name}: no case has this whole name")
    if arguments.renamed_from == arguments.case:
        raise ReportError(f"{arguments.case}: the old name is the new one")
    entry = Renamed(arguments.renamed_from, arguments.case, arguments.reason)
    _write(arguments.accepted, with_renamed(rule.book_of(arguments), entry))
    _say(f"joined: {arguments.renamed_from} goes on as {arguments.case}; commit {arguments.accepted}")
    return 0


def _write(path: Path, book: "Book") -> None:
    from reports.errors import ReportError
    from reports.rule.accepted import write

    try:
        write(path, book)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written: {error.strerror or error}") from error


def _say(line: str) -> None:
    from reports.escaping import visible

    sys.stdout.write(f"{visible(line, longest=1000)}\n")

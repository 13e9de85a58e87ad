"""What every command that judges does first: read the store, name what cannot be used, judge the session."""

# ruff: noqa: PLC0415  what judges is imported when a command runs, so that --help answers at once

import argparse
import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reports.commands import cached, machines, rule
from reports.commands.left_out import name_left_out

if TYPE_CHECKING:
    from reports.judging import Judgement
    from reports.runs import Runs

NEWEST = "newest"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide verdicts, and that of the cache."""
    machines.add_arguments(parser)
    cached.add_arguments(parser)
    rule.add_limits(parser)
    rule.add_arguments(parser)


def judged(
    arguments: argparse.Namespace, asked: str, also: Sequence[Path] = (), *, rest: str = ""
) -> "tuple[Runs, list[Judgement]]":
    """Judge the newest session of `arguments.store`, or the one `asked` for; `also` are files besides the store's.

    Files that cannot be used are named on standard error; `rest` says where those beyond the first twenty stand. There
    is one judgement, or one for each unit.

    Raises:
        ReportError: there is no such store or session, or a setting cannot be used.
    """
    from reports.runs import load_runs

    cache = cached.cache_of(arguments)
    runs = machines.as_asked(load_runs(arguments.store, also=also, cache=cache), arguments)
    gc.freeze()  # what was read stays to the end, so nobody need look through it for garbage again
    name_left_out(runs.skipped, rest)
    run = also[0] if also else None if asked == NEWEST else asked
    return runs, machines.judgements(runs, runs.counting(run), arguments.by, rule.grounds_of(arguments, cache))

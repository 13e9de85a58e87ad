"""The commands, one module each. A module adds its own arguments, and imports what it works with only when it runs."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from reports.commands import accept, compare, goals, judge, pictures, recover, speed, suspects


class Command(NamedTuple):
    """One row of the table of commands."""

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does the work and returns the exit code."""


COMMANDS = (
    Command("judge", judge.HELP, judge.add_arguments, judge.run),
    Command("compare", compare.HELP, compare.add_arguments, compare.run),
    Command("suspects", suspects.HELP, suspects.add_arguments, suspects.run),
    Command("goals", goals.HELP, goals.add_arguments, goals.run),
    Command("speed", speed.HELP, speed.add_arguments, speed.run),
    Command("accept", accept.HELP, accept.add_arguments, accept.run),
    Command("pictures", pictures.HELP, pictures.add_arguments, pictures.run),
    Command("recover", recover.HELP, recover.add_arguments, recover.run),
)

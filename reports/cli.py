"""The command line: a table of commands, telling exit codes, and one line for everything that goes wrong."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from reports.commands import COMMANDS
from reports.errors import ReportError

CANNOT = 2


class _Formatter(argparse.ArgumentDefaultsHelpFormatter):
    """Tells defaults that are values; that a switch is off needs no words, and a text may tell its own."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default in (None, False) else super()._get_help_string(action)


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> None:  # type: ignore[override]  # argparse promises that it never returns
        raise ReportError(f"{message} (see {self.prog} --help)")


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; what goes wrong is one line on stderr and exit code 2."""
    _forgive_the_terminal()
    try:
        arguments = _parser().parse_args(words)
        return int(arguments.run_command(arguments))
    except ReportError as error:
        return _cannot(str(error))
    except BrokenPipeError:  # the reader of our output went away; nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CANNOT
    except OSError as error:
        return _cannot(f"{error.filename or 'output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        return _cannot("stopped")
    except Exception as error:  # noqa: BLE001  an error of our own is one line too
        return _cannot(f"error of our own in {_place(error)}: {type(error).__name__}: {error}")


def _place(error: Exception) -> str:
    """Return the innermost line of this package that the error passed through."""
    package = Path(__file__).parent
    places = traceback.extract_tb(error.__traceback__)
    last = [place for place in places if Path(place.filename).is_relative_to(package)][-1]
    return f"{Path(last.filename).relative_to(package)}:{last.lineno}"


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m reports", description="What saved benchmark runs mean.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        its_own = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help[0].upper() + command.help[1:] + ".",
            formatter_class=_Formatter,
        )
        command.add_arguments(its_own)
        its_own.set_defaults(run_command=command.run)
    return parser


def _forgive_the_terminal() -> None:
    """Let a terminal that lacks a character show another one, instead of failing the job."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _cannot(message: str) -> int:
    from reports.escaping import visible  # noqa: PLC0415  only when there is something to say

    sys.stderr.write(f"reports: {visible(message, longest=1000)}\n")
    return CANNOT

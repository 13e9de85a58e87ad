"""The options of every command that judges: the rule's settings, and the file of accepted changes."""

# ruff: noqa: PLC0415  what the options are made into is imported when a command runs, so that --help answers at once

import argparse
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.commands import paths
from reports.errors import ReportError
from reports.rule.settings import Settings, described, from_table

if TYPE_CHECKING:
    from reports.grounds import Grounds
    from reports.limits import Limit
    from reports.rule.accepted import Book
    from reports.rule.checkpoints import Shelf

PROJECT, TABLE = Path("pyproject.toml"), "training-reports"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option for each setting of the rule, and the place of accepted.toml."""
    parser.add_argument(
        "--accepted", type=paths.named, default=Path("accepted.toml"), metavar="FILE", help="changes that were accepted"
    )
    group = parser.add_argument_group(
        "the rule", f"Each can stand in {PROJECT}, table [tool.{TABLE}], too; there also per glob of case ids."
    )
    for name, default, meaning in described():
        shown = ",".join(f"{part:g}" for part in default) if isinstance(default, tuple) else f"{default:g}"
        group.add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"rule_{name}",
            metavar="N,..." if isinstance(default, tuple) else "N",
            default=argparse.SUPPRESS,
            help=f"{meaning} (default: {shown})".replace("%", "%%"),
        )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the place of limits.toml."""
    parser.add_argument(
        "--limits",
        type=paths.named,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="what machine and cases have to reach (default: limits.toml in the working directory, if there is one)",
    )


def limits_of(arguments: argparse.Namespace) -> "list[Limit]":
    """Return the limits.

    Raises:
        ReportError: the file that was named is not there, or one cannot be used.
    """
    from reports.limits import read_limits

    return read_limits(getattr(arguments, "limits", None))


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the rule's settings: the defaults, then the project file's, then the command line's.

    Raises:
        ReportError: a value that the rule cannot take, or a project file that cannot be read.
    """
    given = {
        name: _value(getattr(arguments, f"rule_{name}"), default)
        for name, default, _ in described()
        if hasattr(arguments, f"rule_{name}")
    }
    table = _project_table()
    try:
        base = from_table(table)
    except ValueError as error:
        raise ReportError(f"{PROJECT}: tool.{TABLE}: {error}") from error
    try:
        return from_table(given, base)
    except ValueError as error:
        raise ReportError(f"--{str(error).replace('_', '-', 1) if given else error}") from error


def _value(words: str, default: Any) -> Any:  # noqa: ANN401  a setting is a number, or several
    if isinstance(default, tuple):
        return [_number(word) for word in words.split(",")]
    return _number(words)


def _number(words: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(words)
        except ValueError:
            continue
    return words


def _project_table() -> dict[str, Any]:
    try:
        tools = tomllib.loads(PROJECT.read_text(encoding="utf-8")).get("tool", {})
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReportError(f"{PROJECT}: not readable as TOML: {error}") from error
    if not isinstance(tools, dict):
        raise ReportError(f"{PROJECT}: tool: not a table")
    table = tools.get(TABLE, {})
    if not isinstance(table, dict):
        raise ReportError(f"{PROJECT}: tool.{TABLE}: not a table")
    return table


def book_of(arguments: argparse.Namespace) -> "Book":
    """Return what the file of accepted changes holds.

    Raises:
        ReportError: the file cannot be used.
    """
    from reports.rule.accepted import read

    try:
        return read(arguments.accepted)
    except ValueError as error:
        raise ReportError(str(error)) from error


def grounds_of(arguments: argparse.Namespace, shelf: "Shelf | None") -> "Grounds":
    """Return what a session is judged on besides the files.

    Raises:
        ReportError: a setting or a file cannot be used.
    """
    from reports.grounds import Grounds

    return Grounds(settings_of(arguments), book_of(arguments), tuple(limits_of(arguments)), shelf)

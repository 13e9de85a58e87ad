"""The cache that the commands read a store with, and the option to go without."""

# ruff: noqa: PLC0415  what `cache_of` works with is imported when a command runs, so that --help answers at once

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.run_cache import RunCache


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--no-cache", action="store_true", help="read every file anew, and keep nothing of them for the next time"
    )


def cache_of(arguments: argparse.Namespace) -> "RunCache | None":
    """Return the user's cache, or None where it is not wanted."""
    from reports.run_cache import RunCache, default_place

    return None if arguments.no_cache else RunCache(default_place())

"""Paths on the command line."""

import argparse
from pathlib import Path


def named(words: str) -> Path:
    """Return the path; an empty one, as from a variable that is not set, would mean the working directory.

    Raises:
        argparse.ArgumentTypeError: there is nothing in it.
    """
    if not words.strip():
        raise argparse.ArgumentTypeError(f"{words!r} names nothing; write . for the working directory")
    return Path(words)


def add_store(parser: argparse.ArgumentParser, what: str = "folder of runs, or one file") -> None:
    """Add the store as a command's first word."""
    parser.add_argument("store", nargs="?", type=named, default=Path(".benchmarks"), metavar="STORE", help=what)

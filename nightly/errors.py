"""What went wrong, in one line for whoever reads the log."""

import sys
from collections.abc import Callable

CANNOT = 2


class NightError(Exception):
    """Something that the command cannot do; its text is one line that names what stood in the way."""


def in_one_line(command: Callable[[], int], name: str) -> int:
    """Run a command and return its exit code; what it cannot do is one line on stderr and exit code 2."""
    try:
        return command()
    except NightError as error:
        sys.stderr.write(f"{name}: {error}\n")
        return CANNOT

"""Other processes, waited for to their end."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def wait_for(command: Sequence[str]) -> int:
    """Run a command and return its exit code; an interrupt is left to it, so that a launch saves what it has."""
    process = subprocess.Popen(command)  # noqa: S603  our own modules and pip, by our interpreters
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue

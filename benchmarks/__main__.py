"""The main job: measure the matrix, then judge what was measured.

`python -m benchmarks [pytest's options]` ends with the report's exit code; when that is 0 although cases failed, with
pytest's. Without a result to judge (wrong options, an interrupt) it ends with pytest's code at once.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
from datetime import UTC, datetime

STORAGE = "--benchmark-storage"
SESSION = "--session-id"
PASSED, FAILED = 0, 1


def main(arguments: list[str]) -> int:
    """Run both steps and return the exit code."""
    session = option(arguments, SESSION)
    if session is None:
        session = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        arguments = [*arguments, SESSION, session]
    measured = run("pytest", "benchmarks", *arguments)
    if measured not in (PASSED, FAILED):
        return measured
    store = option(arguments, STORAGE)
    judged = run("reports", "judge", *([store.removeprefix("file://")] if store else []), "--run", session)
    return judged or measured


def option(arguments: list[str], name: str) -> str | None:
    """The value of the last `name VALUE` or `name=VALUE` among the arguments."""
    found = None
    for argument, following in zip(arguments, [*arguments[1:], None], strict=True):
        if argument == name:
            found = following
        elif argument.startswith(f"{name}="):
            found = argument.removeprefix(f"{name}=")
    return found


def run(module: str, *arguments: str) -> int:
    """Run a module by this interpreter and return its exit code; an interrupt is left to the module."""
    process = subprocess.Popen([sys.executable, "-m", module, *arguments])  # noqa: S603  our own modules
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

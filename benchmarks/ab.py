"""Two torch requirements on one machine: measured in alternating launches, then compared.

`python -m benchmarks.ab "torch==2.13.*" "torch==2.14.*" [--launches N] [--folder DIR] [pytest's options]` sets up an
environment for each requirement, measures in the order A B B A A B ..., so that a drift of the machine favours
neither, and ends with the exit code of `python -m reports compare`; where that is 0 although cases failed, with 1. The
environments are kept for the next time; the runs of each time have stores of their own, since the requirements may be
others then.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.launching import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Run = Callable[[Sequence[str]], int]

PASSED, FAILED, CANNOT = 0, 1, 2
SIDES = ("a", "b")


def order(launches: int) -> list[str]:
    """Which side is launched when: `launches` of each, the first of every pair alternating."""
    return [side for pair in range(launches) for side in (SIDES if pair % 2 == 0 else SIDES[::-1])]


def python_of(environment: Path) -> str:
    """The interpreter of a virtual environment."""
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def set_up(environment: Path, requirement: str, run: Run) -> int:
    """Install the suite with one torch requirement; pip finds the torchvision that goes with it. Returns pip's code."""
    if not environment.exists():
        venv.create(environment, with_pip=True)
    pip = [python_of(environment), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Dependency groups need pip 25.1, newer than what Python's own ensurepip brings.
    return run([*pip, "--upgrade", "pip>=25.1"]) or run([*pip, "--group", "suite", requirement])


def measure(launches: int, environments: dict[str, Path], runs: Path, for_pytest: Sequence[str], run: Run) -> int:
    """Launch both sides in turn, each into a store of its own; stop at the first code that is neither 0 nor 1.

    Returns that code, else 1 when cases of any launch failed.
    """
    ended = PASSED
    for side in order(launches):
        store = f"--benchmark-storage={runs / side}"
        pytest = [python_of(environments[side]), "-m", "pytest", "benchmarks", "--benchmark-quiet"]
        code = run([*pytest, store, *for_pytest])
        if code not in (PASSED, FAILED):
            return code
        ended = max(ended, code)
    return ended


def main(words: Sequence[str], run: Run) -> int:
    """Set up, measure in turn, compare; return the exit code."""
    own, for_pytest = parse(words)
    environments = {side: own.folder / f"environment-{side}" for side in SIDES}
    runs = own.folder / f"runs-{started()}"
    for side, requirement in zip(SIDES, own.requirements, strict=True):
        try:
            code = set_up(environments[side], requirement, run)
        except (OSError, subprocess.SubprocessError) as error:
            say(f"NOT MEASURED: no environment in {environments[side]}: {error}")
            return CANNOT
        if code:
            say(f"NOT MEASURED: {requirement} could not be installed (exit code {code})")
            return CANNOT
    measured = measure(own.launches, environments, runs, for_pytest, run)
    if measured not in (PASSED, FAILED):
        say(f"NOT MEASURED: pytest ended with exit code {measured}")
        return measured
    compared = run([sys.executable, "-m", "reports", "compare", *(str(runs / side) for side in SIDES)])
    if measured == FAILED and compared == PASSED:
        say("CASES FAILED: nothing got slower, but not every case was measured on both sides")
    return compared or measured


def started() -> str:
    """When this comparison began, as it names the folder of its runs."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"


def parse(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the job's own options and the words meant for pytest."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ab", description=__doc__.splitlines()[0], allow_abbrev=False
    )
    parser.add_argument("requirements", nargs=2, metavar="REQUIREMENT", help='such as "torch==2.13.*"')
    parser.add_argument(
        "--launches", type=_positive, default=5, metavar="N", help="of each side (default: %(default)s)"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path(".ab"), help="environments and stores (default: %(default)s)"
    )
    own, rest = parser.parse_known_args(words)
    return own, rest


def say(words: str) -> None:
    """Tell whoever reads the log."""
    sys.stderr.write(f"benchmarks.ab: {words}\n")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


_positive.__name__ = "number of launches above zero"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], wait_for))

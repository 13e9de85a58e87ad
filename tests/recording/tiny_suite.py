"""A project of tiny cases without torch, run by the suite's own hooks in a process of its own."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CAPABILITIES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what lets root ignore a file's mode
PR_CAPBSET_DROP = 24

BENCH = """
    import ctypes, json, os, resource, shutil, signal, sys, time
    from pathlib import Path

    import pytest

    from fixtures.timing import Plan, timed_rounds

    DEEDS = json.loads(Path("deeds.json").read_text())
    STORE = Path(".benchmarks")
    RECORDS = {}


    class OutOfMemoryError(RuntimeError):
        '''Stands for torch's.'''


    def do(case, place):
        for deed in (deed for where, deed in DEEDS[case] if where == place):
            exec(deed)


    @pytest.fixture
    def prepared(case):
        do(case, "fixture")
        yield
        do(case, "teardown")


    @pytest.mark.parametrize("case", DEEDS)
    def bench_tiny(benchmark, prepared, case):
        RECORDS[case] = benchmark.extra_info
        do(case, "before")
        rounds = iter(range(9))
        preparations = iter(range(9))
        timed_rounds(
            benchmark,
            lambda: do(case, f"round {next(rounds)}"),
            Plan(3, 1, "budget"),
            setup=lambda: do(case, f"set-up {next(preparations)}"),
        )
        benchmark.extra_info["last"] = case
        do(case, "after")
"""

Deeds = dict[str, list[tuple[str, str]]]
"""For each case what is done where in it: `fixture`, `before`, `set-up N`, `round N`, `after`, `teardown`.

Deeds see their `case`, its record as `RECORDS[case]`, and the folder `STORE`.
"""


def middle(place: str, deed: str) -> Deeds:
    """Three cases, the middle one of which does something."""
    return {"first": [], "middle": [(place, deed)], "last": []}


@dataclass(frozen=True)
class Ended:
    """A process that ended, and what it left in the store."""

    code: int
    said: str
    run_files: list[Path]
    journals: list[Path]
    left_behind: list[Path] = field(default_factory=list)

    @property
    def run(self) -> dict[str, Any]:
        """The newest run file."""
        assert self.run_files, self.said
        return read(self.run_files[-1])


@dataclass(frozen=True)
class TinySuite:
    """Cases in a folder, with the suite's own list of plug-ins and settings."""

    folder: Path

    def __post_init__(self) -> None:
        """Put the project into the folder."""
        shutil.copy(ROOT / "conftest.py", self.folder)
        self.write("bench_tiny.py", BENCH)

    def write(self, name: str, source: str) -> Path:
        """Write a file, its common indentation taken out."""
        path = self.folder / name
        path.write_text(textwrap.dedent(source))
        return path

    def run(self, deeds: Deeds | None = None, *options: str, mode_counts: bool = False) -> Ended:
        """Run the cases; with `mode_counts` the process must keep to the modes of files even as root."""
        (self.folder / "deeds.json").write_text(json.dumps({"first": [], "last": []} if deeds is None else deeds))
        done = subprocess.run(
            command(self.folder, *options),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=_let_modes_count if mode_counts else None,
        )
        return self.ended(done.returncode, done.stdout + done.stderr)

    def ended(self, code: int = 0, said: str = "", store: Path | None = None) -> Ended:
        """What lies in the store now."""
        files = sorted(path for path in (store or self.store).rglob("*") if path.is_file())
        journals = [path for path in files if path.name.endswith(".journal.jsonl")]
        run_files = [path for path in files if path.name.endswith(".json")]
        return Ended(code, said, run_files, journals, [path for path in files if path not in [*journals, *run_files]])

    @property
    def store(self) -> Path:
        """The default store of the project."""
        return self.folder / ".benchmarks"


def command(folder: Path, *options: str) -> list[str]:
    """Pytest on a folder with the settings of this project and without plug-ins that cost time and are not used."""
    unused = [
        "cacheprovider",
        "hypothesispytest",
        *([] if any(word.startswith("-n") for word in options) else ["xdist"]),
    ]
    plugins = ["--assert=plain", *(word for name in unused for word in ("-p", f"no:{name}"))]
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder), "--confcutdir", str(folder)]
    return [sys.executable, "-m", "pytest", str(folder), *settings, *plugins, *options]


def read(path: Path) -> dict[str, Any]:
    """A run file's content."""
    run: dict[str, Any] = json.loads(path.read_text())
    return run


def outcomes(run: dict[str, Any]) -> dict[str, str]:
    """The outcome of each case by its short name."""
    return {_short(name): case["outcome"] for name, case in run["suite"]["cases"].items()}


def reasons(run: dict[str, Any]) -> dict[str, str]:
    """The reason of each case by its short name."""
    return {_short(name): case["reason"] for name, case in run["suite"]["cases"].items()}


def results(run: dict[str, Any]) -> list[str]:
    """The short names of the cases that have times."""
    return [_short(entry["fullname"]) for entry in run["benchmarks"]]


def _short(name: str) -> str:
    return name.partition("[")[2].removesuffix("]")


def _let_modes_count() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in CAPABILITIES:
        libc.prctl(PR_CAPBSET_DROP, capability)

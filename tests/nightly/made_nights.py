"""Nights of tiny cases, run as a scheduler runs them, on a clock that only moves when a case says so."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

BENCH = """
    import json, os
    from pathlib import Path

    import pytest

    from fixtures.timing import Plan, timed_rounds

    STATE = json.loads(Path("state.json").read_text())
    now_s = 0.0


    def made_clock():
        global now_s
        now_s += 1e-9  # else the plug-in would wait a second for it to move, to know its precision
        return now_s


    def devices():
        return [pytest.param(name, id=name, marks=pytest.mark.benchmark(timer=made_clock)) for name in ("cpu", "cuda")]


    @pytest.mark.parametrize("case", list(STATE["times_s"]))
    @pytest.mark.parametrize("device", devices())
    def bench_made(benchmark, request, device, case):
        if device == "cuda" and not STATE["has_cuda"]:
            if request.config.getoption("require_device") == device:
                pytest.fail("required device is absent: cuda", pytrace=False)
            pytest.skip("cuda: no usable GPU was found")
        rounds = iter(range(99))

        def step():
            global now_s
            wobble = ((next(rounds) * 7 + os.getpid()) % 11 - 5) * 0.0004
            now_s += STATE["times_s"][case] * (1 + wobble)

        timed_rounds(benchmark, step, Plan(10, 1, "budget"))
        benchmark.extra_info.update(unit="step", flags=[])
"""
"""Every round takes its case's time, within 0.2 %."""

STEADY = {"one": 0.010, "two": 0.020, "three": 0.030}


@dataclass(frozen=True)
class Night:
    """How a night ended, what its log says and what its report says."""

    code: int
    log: str
    report: Path

    @property
    def headline(self) -> str:
        """The report's first sentence."""
        return (self.report / "summary.md").read_text().splitlines()[0].removeprefix("# ").replace("\\", "")

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each case, named as in `cpu-two`."""
        rows = csv.DictReader((self.report / "verdicts.csv").read_text().splitlines())
        return {row["fullname"].partition("[")[2].removesuffix("]"): row["verdict"] for row in rows}


@dataclass(frozen=True)
class Nights:
    """A project in a folder, measured a night at a time."""

    folder: Path

    def __post_init__(self) -> None:
        """Put the project into the folder."""
        (self.folder / "benchmarks").mkdir(exist_ok=True)
        (self.folder / "benchmarks" / "bench_made.py").write_text(textwrap.dedent(BENCH))
        for name in ("conftest.py", "pyproject.toml"):
            shutil.copy(ROOT / name, self.folder)

    def run(self, *options: str, slower: dict[str, float] | None = None, has_cuda: bool = True) -> Night:
        """Run a night in which some cases take so many times as long."""
        times_s = {case: time_s * (slower or {}).get(case, 1) for case, time_s in STEADY.items()}
        (self.folder / "state.json").write_text(json.dumps({"times_s": times_s, "has_cuda": has_cuda}))
        report = self.folder / f"report-{len(list(self.folder.glob('report-*')))}"
        code, log = self.command(
            "benchmarks", "--run-kind", "nightly", "-p", "no:cacheprovider", "--output", str(report), *options
        )
        return Night(code, log, report)

    def command(self, module: str, *words: str) -> tuple[int, str]:
        """Run one of the suite's modules in the project; its exit code and all it said."""
        done = subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "PASSIVE", "COLUMNS": "160"},
        )
        return done.returncode, done.stdout + done.stderr

    def files(self, kind: str) -> list[Path]:
        """The run files of a kind, oldest first."""
        return sorted((self.folder / ".benchmarks").glob(f"*/*_{kind}_*.json"))

"""A real training run that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from reports.cli import main
from reports.runs import load_runs
from tests.recording.tiny_suite import ROOT, read

if TYPE_CHECKING:
    from pathlib import Path

CASES = ["--devices", "cpu", "--models", "iris-mlp", "--batch-sizes", "16,32", "--log-intervals", "never,200"]


def wait_for(store: Path, started: int, limit_s: float = 120.0) -> None:
    """Wait until the journal in a store tells of so many cases that were begun."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if sum(journal.read_text().count('{"started"') for journal in store.rglob("*.journal.jsonl")) >= started:
            return
        time.sleep(0.02)
    pytest.fail(f"no {started} cases within {limit_s:.0f} s")


@pytest.mark.slow
def test_a_killed_training_run_keeps_every_case_but_the_one_in_flight(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "benchmarks/bench_training.py", "-q", "-p", "no:cacheprovider"]
    process = subprocess.Popen([*command, *CASES, "--benchmark-storage", str(tmp_path)], cwd=ROOT)
    wait_for(tmp_path, started=3)
    os.kill(process.pid, signal.SIGKILL)

    assert process.wait(timeout=10) == -signal.SIGKILL
    assert main(["recover", str(tmp_path)]) == 0
    (path,) = tmp_path.rglob("*.json")
    run = read(path)
    found = [case["outcome"] for case in run["suite"]["cases"].values()]
    over = found.count("passed")
    assert 2 <= over < 4  # the third may be over before it is killed, on a machine that wakes this process late
    assert found == ["passed"] * over + ["not-reached"] * (4 - over)
    assert len(run["benchmarks"]) == over
    assert all(entry["extra_info"]["last_loss"] < entry["extra_info"]["first_loss"] for entry in run["benchmarks"])
    assert list(load_runs(path).files["complete"]) == [False]

"""Ranks on this machine, by gloo: they agree, one reports, and a rank that dies or hangs takes all others with it."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from fixtures.distributed import places
from fixtures.torchrun import TOKEN, RankError, launch

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
ENDLESS = ["train", "--batch-size", "16", "--calls", "2", "--budget", "600", "--most-rounds", "1000000"]


def ranks_here() -> list[psutil.Process]:
    """The ranks that this test's process has started, told by torchrun's own variable."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "RANK" in process.environ() and TOKEN in process.environ():
                found.append(process)
        except psutil.Error:
            continue
    return found


def once_both_run(do: Callable[[psutil.Process], None]) -> threading.Thread:
    """Do something to the second rank as soon as both use the processor in earnest."""

    def watch() -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            ranks = ranks_here()
            if len(ranks) == 2 and all(sum(rank.cpu_times()[:2]) > 6 for rank in ranks):
                do(next(rank for rank in ranks if rank.environ()["RANK"] == "1"))
                return
            time.sleep(0.2)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


@pytest.fixture
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks find the suite's modules where they are started."""
    monkeypatch.chdir(ROOT)


@pytest.mark.usefixtures("at_root")
def test_two_ranks_train_the_same_network_and_the_first_reports_for_both() -> None:
    three = ["--least-rounds", "3", "--most-rounds", "3"]
    told = launch(["train", "--batch-size", "32", "--calls", "2", "--budget", "0.1", *three], 2, 200)

    assert told["world_size"] == 2
    assert told["backend"] == "gloo"
    assert told["largest_parameter_difference"] == 0.0
    assert len(told["rounds_s"]) == 3
    assert all(math.isfinite(round_s) and round_s > 0 for round_s in told["rounds_s"])
    assert told["last_loss"] < told["first_loss"]
    assert ranks_here() == []


@pytest.mark.usefixtures("at_root")
def test_a_rank_that_dies_ends_the_launch_with_its_name_and_leaves_nothing_behind() -> None:
    died_at: list[float] = []

    def kill(rank: psutil.Process) -> None:
        died_at.append(time.monotonic())
        rank.kill()

    thread = once_both_run(kill)
    with pytest.raises(RankError, match=r"^rank 1 was ended by SIGKILL$"):
        launch(ENDLESS, 2, 200)
    thread.join()

    assert time.monotonic() - died_at[0] < 60
    assert ranks_here() == []


@pytest.mark.usefixtures("at_root")
def test_a_rank_that_hangs_is_timed_out_and_leaves_nothing_behind() -> None:
    thread = once_both_run(lambda rank: rank.send_signal(signal.SIGSTOP))
    with pytest.raises(RankError, match=r"^timed-out: 2 ranks were not done after 30 s$"):
        launch(ENDLESS, 2, 30)
    thread.join()

    assert ranks_here() == []


@pytest.mark.usefixtures("at_root")
def test_a_rank_that_raises_tells_why_in_one_line() -> None:
    with pytest.raises(RankError, match=r"^rank \d of 2 failed: RuntimeError: the ranks' parameters differ by 0 after"):
        launch(["train", "--batch-size", "8", "--least-rounds", "1", "--budget", "0.1", "--tolerance", "-1"], 2, 200)


@pytest.mark.usefixtures("at_root")
def test_a_case_whose_rank_dies_has_failed_and_the_run_goes_on(tmp_path: Path) -> None:
    """Of two cases the first loses a rank; the other is measured, and the run is saved."""
    if places("cpu") < 2:
        pytest.skip("two ranks need two physical cores")
    thread = once_both_run(lambda rank: rank.kill())
    options = ["--case-budget", "100", "--case-timeout", "200", f"--benchmark-storage={tmp_path}", "-m", "nightly"]
    cases = ["ranks2-bytes16777216", "ranks1-bytes1024"]
    nodes = [f"benchmarks/bench_distributed.py::bench_all_reduce[cpu-{case}]" for case in cases]

    done = subprocess.run([sys.executable, "-m", "pytest", *nodes, *options], check=False, capture_output=True)
    thread.join()

    assert done.returncode == 1
    (run,) = tmp_path.glob("*/*.json")
    found = json.loads(run.read_text())["suite"]["cases"]
    assert found[nodes[0]] == {"outcome": "failed", "reason": "Failed: rank 1 was ended by SIGKILL"}
    assert found[nodes[1]]["outcome"] == "passed"
    assert ranks_here() == []


def test_two_nodes_meet_by_torchruns_own_rendezvous(tmp_path: Path) -> None:
    """Two agents on the loopback, one rank each, as on two machines."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    report = tmp_path / "report.json"
    agent = [
        *(sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1", "--rdzv-backend=c10d"),
        *(f"--rdzv-endpoint=127.0.0.1:{port}", "--rdzv-id=loopback", "--local-addr=127.0.0.1"),
        *("-m", "training.distributed", "all-reduce", "--elements", "1024", "--budget", "0.1", "--report", str(report)),
    ]
    nodes = [subprocess.Popen(agent, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"}) for _ in range(2)]
    try:
        codes = [node.wait(200) for node in nodes]
    finally:
        for node in nodes:
            node.kill()

    told: dict[str, Any] = json.loads(report.read_text())
    assert codes == [0, 0]
    assert told["world_size"] == 2
    assert told["message_bytes"] == 4096

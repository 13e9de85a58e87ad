"""Training on several devices, without starting any: what is gained, why a rank failed, and that none stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from benchmarks import axes
from fixtures import distributed
from fixtures.torchrun import TOKEN, RankError, end, launch, processes_of, why
from training.distributed import main as ranks_main
from training.told_clock import ToldClock, slowest_rank_clock


@pytest.mark.parametrize(
    ("scaling", "ranks", "alone_s", "together_s", "expected"),
    [
        ("weak", 1, 0.1, 0.1, 1.0),
        ("weak", 4, 0.1, 0.125, 0.8),
        ("strong", 2, 0.1, 0.05, 1.0),
        ("strong", 4, 0.1, 0.05, 0.5),
        ("strong", 2, 0.1, 0.2, 0.25),
        ("weak", 2, None, 0.1, None),
        ("strong", 2, 0.1, None, None),
    ],
)
def test_efficiency_is_the_share_of_the_ranks_work_that_is_not_lost(
    scaling: str, ranks: int, alone_s: float | None, together_s: float | None, expected: float | None
) -> None:
    assert distributed.efficiency(scaling, ranks, alone_s, together_s) == expected


@pytest.mark.parametrize(
    ("message_bytes", "ranks", "reduction_s", "expected"),
    [(1_000_000_000, 2, 1.0, 1.0), (1_000_000_000, 4, 0.5, 3.0), (2**20, 8, 0.001, 1.835008), (2**20, 1, 0.001, None)],
)
def test_bus_bandwidth_is_what_each_rank_must_send(
    message_bytes: int, ranks: int, reduction_s: float, expected: float | None
) -> None:
    found = distributed.bus_bandwidth_gb_s(message_bytes, ranks, reduction_s)

    assert found == (None if expected is None else pytest.approx(expected))


LOG = """rank 0 of 2 failed: RuntimeError: Connection closed by peer
rank 1 of 2 failed: ValueError: of its own
{before}
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_14:30:48
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : {exit_code}
  error_file: <N/A>
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (LOG.format(before="", exit_code="-9 (pid: 14192)  (SIGKILL)"), "rank 1 was ended by SIGKILL"),
        (LOG.format(before="", exit_code="-64 (pid: 14192)"), "rank 1 was ended by signal 64"),
        (LOG.format(before="", exit_code="1 (pid: 14192)"), "rank 1 of 2 failed: ValueError: of its own"),
        (LOG.partition("\n{before}")[2].format(exit_code="7 (pid: 14192)"), "rank 1 ended with exit code 7"),
        ("one\nlast line\n\n", "torchrun ended with exit code 1: last line"),
        ("", "torchrun ended with exit code 1: no message"),
    ],
)
def test_the_rank_that_failed_first_is_named_with_its_own_words(log: str, said: str) -> None:
    assert why(log, 1) == said


def test_every_process_of_a_launch_is_ended_orphans_and_deaf_ones_too() -> None:
    """A parent that dies at once leaves a child of its own session behind, which ignores being asked to end."""
    child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)"
    process = subprocess.Popen([sys.executable, "-S", "-c", parent], env=os.environ | {TOKEN: "of-this-test"})
    process.wait(20)
    assert len(processes_of("of-this-test")) == 1

    end(process, "of-this-test")

    assert processes_of("of-this-test") == []


def test_ending_leaves_the_processes_of_other_launches_alone() -> None:
    other = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(60)"], env=os.environ | {TOKEN: "another"}
    )
    done = subprocess.Popen([sys.executable, "-S", "-c", ""], env=os.environ | {TOKEN: "done"})

    end(done, "done")

    assert other.poll() is None
    other.kill()
    other.wait()


def test_a_told_clock_moves_by_what_it_is_told_alone() -> None:
    clock = ToldClock("a_clock")
    start_s = clock()
    time.sleep(0.001)
    assert clock() == start_s

    clock.tell(0.25)

    assert clock() - start_s == 0.25
    assert clock.__name__ == "a_clock"


def test_distributed_cases_carry_the_clock_of_the_slowest_rank() -> None:
    values = axes.over_rank_devices.args[1]

    assert [value.id for value in values] == ["cpu", "cuda"]
    assert all(value.marks[0].kwargs == {"timer": slowest_rank_clock} for value in values)


def test_one_rank_is_measured_before_those_that_are_held_against_it() -> None:
    assert [value.values[0] for value in axes.over_world_sizes.args[1]] == [1, 2, 4, 8]


def test_ranks_meet_on_this_machine_though_its_name_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left to torchrun, a machine without a network waits for its own name until the case's limit."""
    commands: list[list[str]] = []

    def start(command: list[str], **_options: object) -> object:
        commands.append(command)
        raise RankError("not started")

    monkeypatch.setattr(subprocess, "Popen", start)

    with pytest.raises(RankError, match="not started"):
        launch(["all-reduce"], 1, 10.0)

    (command,) = commands
    assert "--local-addr=127.0.0.1" in command[: command.index("training.distributed")]


def test_a_rank_that_torchrun_did_not_start_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["training.distributed", "all-reduce", "--report", "report.json"])
    monkeypatch.delenv("RANK", raising=False)

    assert ranks_main() == 2
    assert capsys.readouterr().err == "training.distributed: start it by torchrun, which tells every rank its number\n"

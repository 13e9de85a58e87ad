"""Whatever ends a run in the middle of a case, every case that was over before is kept."""

from __future__ import annotations

import signal
from dataclasses import dataclass

import pytest

from reports.cli import main
from reports.runs import load_runs
from tests.recording.tiny_suite import TinySuite, middle, outcomes, read, reasons, results


@dataclass(frozen=True)
class Interruption:
    """Something done in the second of three cases, and what the run must come to.

    `said` stands in the output, `reason` in the record of the middle case.
    """

    name: str
    deed: str
    code: int | tuple[int, ...]
    said: str
    reason: str
    saved: bool = True
    place: str = "round 1"
    options: tuple[str, ...] = ()


INTERRUPTED = (2, -signal.SIGINT)  # pytest 9 passes the signal on when all is done
KILLED = "when the run ended without saving"
INTERRUPTIONS = [
    Interruption("kill", "os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, "", KILLED, saved=False),
    Interruption("exit", "os._exit(7)", 7, "", KILLED, saved=False),
    Interruption("segfault", "ctypes.string_at(0)", -signal.SIGSEGV, "Segmentation fault", KILLED, saved=False),
    Interruption("terminate", "os.kill(os.getpid(), signal.SIGTERM)", 143, "SIGTERM", "terminated (SIGTERM)"),
    Interruption("hang-up", "os.kill(os.getpid(), signal.SIGHUP)", 129, "SIGHUP", "terminated (SIGHUP)"),
    Interruption("interrupt", "os.kill(os.getpid(), signal.SIGINT)", INTERRUPTED, "SIGINT", "interrupted (SIGINT)"),
    Interruption(
        "interrupt-first-round",
        "os.kill(os.getpid(), signal.SIGINT)",
        INTERRUPTED,
        "SIGINT",
        "interrupted",
        place="round 0",
    ),
    Interruption("interrupt-set-up", "raise KeyboardInterrupt", INTERRUPTED, "SIGINT", "interrupted", place="set-up 0"),
    Interruption("interrupt-fixture", "raise KeyboardInterrupt", INTERRUPTED, "SIGINT", "interrupted", place="fixture"),
    Interruption(
        "interrupt-teardown", "raise KeyboardInterrupt", INTERRUPTED, "SIGINT", "interrupted", place="teardown"
    ),
    Interruption("pytest-exit", "pytest.exit('enough')", 2, "enough", "in flight when the run ended: enough"),
    Interruption("pytest-exit-0", "pytest.exit('enough', 0)", 2, "enough", "in flight when the run ended: enough"),
    Interruption(
        "timeout-thread",
        "time.sleep(40)",
        1,
        "Timeout",
        KILLED,
        saved=False,
        options=("--case-timeout", "1.5", "-o", "timeout_method=thread"),
    ),
]


@pytest.mark.parametrize("one", INTERRUPTIONS, ids=lambda one: one.name)
def test_all_but_the_case_in_flight_is_kept(one: Interruption, tiny: TinySuite) -> None:
    ended = tiny.run(middle(one.place, one.deed), *one.options)

    assert ended.code in (one.code if isinstance(one.code, tuple) else (one.code,))
    assert one.said in ended.said
    assert bool(ended.run_files) == one.saved
    assert bool(ended.journals) == (not one.saved)
    assert main(["recover", str(tiny.store)]) == 0
    (path,) = tiny.ended().run_files
    assert (f"saved: {path} (incomplete: 1 of 3 cases; " in ended.said) == one.saved
    run = read(path)
    assert outcomes(run) == {"first": "passed", "middle": "not-reached", "last": "not-reached"}
    assert results(run) == ["first"]
    assert one.reason in reasons(run)["middle"]
    assert run["suite"]["complete"] is False
    assert list(load_runs(path).files["complete"]) == [False]
    assert not tiny.ended().journals
    assert not tiny.ended().left_behind


def test_stopping_at_the_first_failure_is_an_incomplete_run(tiny: TinySuite) -> None:
    ended = tiny.run(middle("round 0", "raise RuntimeError('lost')"), "-x")

    assert ended.code == 1
    assert outcomes(ended.run) == {"first": "passed", "middle": "failed", "last": "not-reached"}
    assert reasons(ended.run)["last"] == "the run ended before it: stopping after 1 failures"
    assert ended.run["suite"]["ended_by"] == "stopping after 1 failures"

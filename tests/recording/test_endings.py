"""Whatever a case does to itself, the others go on, and the record says what became of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.recording.tiny_suite import Deeds, Ended, TinySuite, outcomes, reasons, results

if TYPE_CHECKING:
    from pathlib import Path


class Ending(NamedTuple):
    """What one case does where, and what it must be recorded as."""

    place: str
    deed: str
    outcome: str
    reason: str


CUDA = (
    "CUDA out of memory. Tried to allocate 6.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 2.00 GiB is free."
)
HANG = "signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(40)"
"""Sleeps with pytest-timeout's alarm brought forward: no good case is near its limit, however slow the machine."""
TIMEOUT = "Failed: Timeout (>12.0s) from pytest-timeout."
PLACES = ("fixture", "before", "set-up 0", "set-up 1", "round 0", "round 1", "after", "teardown")
IN_EVERY_PLACE = {
    "error": ("raise RuntimeError('lost')", "failed", "RuntimeError: lost"),
    "fail": ("pytest.fail('no good')", "failed", "Failed: no good"),
    "skip": ("pytest.skip('not here')", "skipped", "not here"),
    "xfail": ("pytest.xfail('known')", "skipped", "xfail: known"),
    "leave": ("sys.exit(3)", "failed", "SystemExit: 3"),
}
ENDINGS = {
    f"{name} {place}".replace(" ", "-"): Ending(place, *what)
    for name, what in IN_EVERY_PLACE.items()
    for place in PLACES
    if name != "leave" or place not in {"fixture", "teardown"}  # pytest cannot use fixtures again that SystemExit left
} | {
    "assert": Ending("after", "assert 1 > 2, 'slow'", "failed", "AssertionError: slow"),
    "hang": Ending("round 1", HANG, "timed-out", TIMEOUT),
    "hang-first": Ending("round 0", HANG, "timed-out", TIMEOUT),
    "hang-fixture": Ending("fixture", HANG, "timed-out", TIMEOUT),
    "hang-teardown": Ending("teardown", HANG, "timed-out", TIMEOUT),
    "memory": Ending("round 1", "raise MemoryError", "failed", "out of memory on the host"),
    "device-memory": Ending(
        "round 0",
        f"raise OutOfMemoryError({CUDA!r})",
        "failed",
        "out of memory on the device: asked for 6 GiB, 2 GiB free",
    ),
    "untellable": Ending(
        "after",
        "nest = {}; nest['self'] = nest; RECORDS[case]['nest'] = nest",
        "failed",
        "its result cannot be recorded: RecursionError: ",
    ),
    "elsewhere": Ending("after", "os.mkdir('elsewhere'); os.chdir('elsewhere')", "passed", ""),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """One run of all these cases, with a good one between every two of them."""
    deeds: Deeds = {"good-0": []}
    for number, (name, ending) in enumerate(ENDINGS.items(), start=1):
        deeds |= {name: [(ending.place, ending.deed)], f"good-{number}": []}
    folder: Path = tmp_path_factory.mktemp("endings")
    return TinySuite(folder).run(deeds, "--case-timeout", "7", "--benchmark-json", "copy.json", "-q")


@pytest.mark.parametrize("name", ENDINGS)
def test_a_case_is_recorded_with_its_outcome_and_reason(ended: Ended, name: str) -> None:
    assert outcomes(ended.run)[name] == ENDINGS[name].outcome
    assert reasons(ended.run)[name].startswith(ENDINGS[name].reason)


def test_only_cases_that_passed_to_the_end_have_a_result(ended: Ended) -> None:
    passed = [name for name, outcome in outcomes(ended.run).items() if outcome == "passed"]

    assert results(ended.run) == passed
    assert [name for name in passed if not name.startswith("good")] == ["elsewhere"]
    assert len(passed) == len(ENDINGS) + 2


def test_only_results_are_shown_and_compared(ended: Ended) -> None:
    """The plug-in would also show the times of a case whose assertion failed after them."""
    shown = set(re.findall(r"^bench_tiny\[(\S+)\] ", ended.said, re.MULTILINE))

    assert shown == set(results(ended.run))


def test_a_case_that_goes_elsewhere_takes_nothing_along(ended: Ended) -> None:
    assert not list((ended.run_files[-1].parents[2] / "elsewhere").iterdir())


def test_the_run_is_complete_and_red(ended: Ended) -> None:
    assert ended.code == 1
    assert ended.run["suite"]["complete"] is True
    assert not ended.journals
    assert "INTERNALERROR" not in ended.said


def test_a_case_that_fails_early_is_not_also_blamed_for_not_measuring(ended: Ended) -> None:
    """The plug-in warns of a fixture that was not used, and warnings are errors here."""
    blamed = set(re.findall(r"^ERROR \S+\[(.+?)\]", ended.said, re.MULTILINE))

    assert blamed == {
        name
        for name, ending in ENDINGS.items()
        if (ending.place in {"fixture", "teardown"} and ending.outcome in {"failed", "timed-out"})
        or name == "untellable"
    }


def test_the_copy_that_a_user_asks_for_holds_the_same(ended: Ended) -> None:
    copy = ended.run_files[-1].parents[2] / "copy.json"

    assert copy.read_text() == ended.run_files[-1].read_text()

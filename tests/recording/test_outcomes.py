"""Outcomes are put together phase by phase."""

from __future__ import annotations

from typing import Literal

import pytest

from fixtures.outcomes import Outcome, Outcomes, one_line, outcome_of

Phase = Literal["setup", "call", "teardown"]
What = Literal["passed", "failed", "skipped"]


def report(when: Phase, outcome: What = "passed", said: str = "", name: str = "a") -> pytest.TestReport:
    longrepr = ("bench.py", 1, f"Skipped: {said}") if outcome == "skipped" else said or None
    return pytest.TestReport(name, ("bench.py", 1, name), {}, outcome, longrepr, when)


PASSED = [report("setup"), report("call"), report("teardown")]


@pytest.mark.parametrize(
    ("reports", "outcome"),
    [
        (PASSED, Outcome("passed")),
        ([report("setup", "skipped", "no GPU"), report("teardown")], Outcome("skipped", "no GPU")),
        ([report("setup", "failed", "E1"), report("teardown")], Outcome("failed", "E1")),
        ([report("setup"), report("call", "failed", "E1"), report("teardown")], Outcome("failed", "E1")),
        ([report("setup"), report("call"), report("teardown", "failed", "E2")], Outcome("failed", "E2")),
        ([report("setup"), report("call", "failed", "E1"), report("teardown", "failed", "E2")],
         Outcome("failed", "E1")),
        ([report("setup"), report("call", "skipped", "late"), report("teardown")], Outcome("skipped", "late")),
        ([report("setup"), report("call", "failed", "timed-out: 1 s"), report("teardown")],
         Outcome("timed-out", "timed-out: 1 s")),
        ([report("setup"), report("call", "failed", "Failed: Timeout (>1s) from pytest-timeout."), report("teardown")],
         Outcome("timed-out", "Failed: Timeout (>1s) from pytest-timeout.")),
        ([report("setup"), report("call")], Outcome("not-reached", "in flight when the run ended")),
        ([report("setup")], Outcome("not-reached", "in flight when the run ended")),
        ([], Outcome("not-reached", "the run ended before it")),
        ([*PASSED, report("setup"), report("call", "failed", "E1"), report("teardown")], Outcome("failed", "E1")),
        ([report("setup"), report("call", "failed", "E1"), report("teardown"), *PASSED], Outcome("passed")),
        ([*PASSED, report("setup")], Outcome("not-reached", "in flight when the run ended")),
    ],
)  # fmt: skip
def test_the_first_phase_that_did_not_pass_says_what_became_of_the_last_try(
    reports: list[pytest.TestReport], outcome: Outcome
) -> None:
    outcomes = Outcomes(selected=["a"])

    for one in reports:
        outcomes.add(one)

    assert outcomes.of("a") == outcome
    assert outcomes.all() == {"a": outcome}
    assert outcomes.complete is (outcome.outcome != "not-reached")


def test_a_run_is_complete_once_every_selected_case_is_over() -> None:
    outcomes = Outcomes(selected=["a", "b"])
    for one in PASSED:
        outcomes.add(one)

    assert (outcomes.reached, outcomes.complete) == (1, False)
    assert outcomes.all()["b"] == Outcome("not-reached", "the run ended before it")


def test_what_ended_the_run_is_the_reason_of_what_it_did_not_reach() -> None:
    outcomes = Outcomes(selected=["a", "b"], ended_by="terminated (SIGTERM)")
    outcomes.begin("a")

    assert outcomes.of("a").reason == "in flight when the run ended: terminated (SIGTERM)"
    assert outcomes.of("b").reason == "the run ended before it: terminated (SIGTERM)"


def test_an_expected_failure_is_skipped_with_its_reason() -> None:
    expected = report("call", "skipped")
    expected.wasxfail = "known"

    assert outcome_of(expected) == Outcome("skipped", "xfail: known")
    expected.wasxfail = ""
    assert outcome_of(expected) == Outcome("skipped", "xfail")


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb", "a"), ("\n  \n b ", "b"), ("", "no reason given"), ("x" * 300, "x" * 300), ("x" * 301, "x" * 299 + "…")],
)
def test_a_reason_is_one_line(text: str, line: str) -> None:
    assert one_line(text) == line

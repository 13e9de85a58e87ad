"""The main job: measure the matrix, measure again what looks slower, then judge.

`python -m benchmarks [options of its own] [pytest's options]` ends with the report's exit code; when that is 0, with 2
if what looked slower could not be measured again, and with pytest's code if cases failed. Without a result to judge
(wrong options, an interrupt) it ends with pytest's code at once.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
from datetime import UTC, datetime
from typing import NamedTuple

from benchmarks.launching import wait_for

PASSED, FAILED, INTERRUPTED, FIRST_SIGNAL = 0, 1, 2, 128
NO_VERDICT = 2
STOPPED_BY_HAND = 130
RERUNS = {"nightly": 3}
"""Fresh processes for cases that look slower, by kind of run; elsewhere none."""
ONCE = ("--require-device", "--benchmark-json", "--junitxml", "--junit-xml")
"""Options of the first launch alone: a re-run of some cases has neither that device's cases nor the whole result."""
FAIL_ON, BY = ("new", "open", "suspect", "never"), ("class", "unit")


class Again(NamedTuple):
    """How measuring again ended: the exit code of an interrupt or 0, and why nothing could be measured again if so."""

    stopped: int = PASSED
    fault: str = ""


def main(words: list[str]) -> int:
    """Measure, measure suspects again, judge; return the exit code."""
    own, for_pytest = parse(words)
    session = own.session_id or f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
    for_pytest = [*for_pytest, "--session-id", session, "--run-kind", own.run_kind]
    if own.benchmark_storage:
        for_pytest += ["--benchmark-storage", own.benchmark_storage]
    measured = run("pytest", "benchmarks", *for_pytest)
    if measured not in (PASSED, FAILED):
        say(f"NOT MEASURED: pytest ended with exit code {measured}")
        return measured
    store = [own.benchmark_storage.removeprefix("file://")] if own.benchmark_storage else []
    reruns = RERUNS.get(own.run_kind, 0) if own.reruns is None else own.reruns
    by = options_given(own, "by")
    again = measure_suspects([*store, "--session", session, *by], for_pytest, reruns) if reruns else Again()
    if again.stopped:
        return again.stopped
    judged = run("reports", "judge", *store, "--run", session, *by, *options_given(own, "output", "fail_on"))
    say(outcome(judged, measured, again.fault))
    return judged or (NO_VERDICT if again.fault else measured)


def parse(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the runner's own options and, in their order, the words meant for pytest."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure, measure again what looks slower, judge.",
        epilog="Every other option is pytest's; `pytest benchmarks --help` shows them.",
        allow_abbrev=False,
    )
    parser.add_argument("--reruns", type=_whole, metavar="N", help="fresh processes for suspects (nightly: 3, else 0)")
    parser.add_argument("--output", metavar="DIR", help="the report's folder (default: report)")
    # The report's own words, checked here: it would refuse a wrong one only after a whole night.
    parser.add_argument("--fail-on", choices=FAIL_ON, help="what makes the judgement's exit code 1 (default: new)")
    parser.add_argument("--by", choices=BY, help="what one history is of (default: class)")
    parser.add_argument("--run-kind", default="local", metavar="KIND", help="local or nightly (default: local)")
    parser.add_argument("--session-id", metavar="ID", help="runs that share an id are judged together")
    parser.add_argument("--benchmark-storage", metavar="DIR", help="the store (default: .benchmarks)")
    return parser.parse_known_args(words)


def options_given(own: argparse.Namespace, *names: str) -> list[str]:
    """Return the words of those options that were given."""
    return [word for name in names if (value := getattr(own, name)) for word in (f"--{name.replace('_', '-')}", value)]


def measure_suspects(asked: list[str], for_pytest: list[str], times: int) -> Again:
    """Measure again what `reports suspects` names; `asked` are its words."""
    command = [sys.executable, "-m", "reports", "suspects", *asked]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  our own module
    if told.returncode != PASSED:
        fault = f"`reports suspects` ended with exit code {told.returncode}"
        say(f"nothing measured again: {fault}")
        return Again(fault=fault)
    return measure_again([line for line in told.stdout.splitlines() if line.strip()], for_pytest, times)


def measure_again(node_ids: list[str], for_pytest: list[str], times: int) -> Again:
    """Measure cases in fresh processes of the same session; one that fails costs itself alone, unless all do."""
    options = without(for_pytest, ONCE)
    codes = []
    for turn in range(1, times + 1 if node_ids else 1):
        say(f"measuring again, {turn} of {times}: {len(node_ids)} of the cases look slower")
        code = run("pytest", *node_ids, *options, "--run-kind", "rerun")
        if code == INTERRUPTED or code >= FIRST_SIGNAL or code < PASSED:
            say(f"STOPPED while measuring again: exit code {code}")
            return Again(stopped=code)
        if code not in (PASSED, FAILED):
            say(f"re-run {turn} ended with exit code {code} and counts for nothing")
        codes.append(code)
    if codes and not {PASSED, FAILED} & set(codes):
        return Again(fault=f"every re-run ended with an exit code like {codes[-1]}")
    return Again()


def without(words: list[str], names: tuple[str, ...]) -> list[str]:
    """Return the words without these options, each written as `name VALUE` or `name=VALUE`."""
    kept = []
    is_value = False
    for word in words:
        if not is_value and word.partition("=")[0] not in names:
            kept.append(word)
        is_value = not is_value and word in names
    return kept


def outcome(judged: int, measured: int, fault: str = "") -> str:
    """Say how the job ended, in other words for every way that it can be red."""
    if judged == FAILED:
        return "REGRESSION: something got slower, as the report says"
    if judged != PASSED:
        return f"NO VERDICT: the report could not judge this session (exit code {judged}); its speed is unknown"
    if fault:
        return f"NOT MEASURED AGAIN: {fault}, so whether anything new got slower is unconfirmed"
    if measured != PASSED:
        return "CASES FAILED: nothing new got slower, but not every case was measured"
    return "GREEN: every selected case was measured or skipped with a reason, and nothing new got slower"


def run(module: str, *arguments: str) -> int:
    """Run a module by this interpreter and return its exit code; an interrupt is left to the module."""
    return wait_for([sys.executable, "-m", module, *arguments])


def say(words: str) -> None:
    """Tell whoever reads the log."""
    sys.stderr.write(f"benchmarks: {words}\n")
    sys.stderr.flush()


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


_whole.__name__ = "whole number"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        say("STOPPED by hand")
        sys.exit(STOPPED_BY_HAND)

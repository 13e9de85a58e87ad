"""The main job: measure the matrix, measure again what looks slower, then judge.

`python -m benchmarks [options of its own] [pytest's options]` ends with the report's exit code; when that is 0 although
cases failed, with pytest's. Without a result to judge (wrong options, an interrupt) it ends with pytest's code at once.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
from datetime import UTC, datetime

PASSED, FAILED, INTERRUPTED, FIRST_SIGNAL = 0, 1, 2, 128
RERUNS = {"nightly": 3}
"""Fresh processes for cases that look slower, by kind of run; elsewhere none."""
ONCE = ("--require-device", "--benchmark-json", "--junitxml", "--junit-xml")
"""Options of the first launch alone: a re-run of some cases has neither that device's cases nor the whole result."""


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
    stopped = measure_again(suspects(store, session), for_pytest, reruns) if reruns else PASSED
    if stopped:
        return stopped
    options = [word for name in ("output", "fail_on") if (value := getattr(own, name)) for word in (_flag(name), value)]
    judged = run("reports", "judge", *store, "--run", session, *options)
    say(outcome(judged, measured))
    return judged or measured


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
    parser.add_argument("--fail-on", metavar="WORD", help="what makes the judgement's exit code 1 (default: new)")
    parser.add_argument("--run-kind", default="local", metavar="KIND", help="local or nightly (default: local)")
    parser.add_argument("--session-id", metavar="ID", help="runs that share an id are judged together")
    parser.add_argument("--benchmark-storage", metavar="DIR", help="the store (default: .benchmarks)")
    return parser.parse_known_args(words)


def suspects(store: list[str], session: str) -> list[str]:
    """Return the node ids worth measuring again, as the report names them; none when it cannot tell."""
    asked = [sys.executable, "-m", "reports", "suspects", *store, "--session", session]
    told = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  our own module
    if told.returncode != PASSED:
        say(f"nothing measured again: `reports suspects` ended with exit code {told.returncode}")
        return []
    return [line for line in told.stdout.splitlines() if line.strip()]


def measure_again(node_ids: list[str], for_pytest: list[str], times: int) -> int:
    """Measure cases in fresh processes of the same session; return the exit code of an interrupt, else 0."""
    options = without(for_pytest, ONCE)
    for turn in range(1, times + 1 if node_ids else 1):
        say(f"measuring again, {turn} of {times}: {len(node_ids)} of the cases look slower")
        code = run("pytest", *node_ids, *options, "--run-kind", "rerun")
        if code == INTERRUPTED or code >= FIRST_SIGNAL or code < PASSED:
            say(f"STOPPED while measuring again: exit code {code}")
            return code
        if code not in (PASSED, FAILED):
            say(f"re-run {turn} ended with exit code {code} and counts for nothing")
    return PASSED


def without(words: list[str], names: tuple[str, ...]) -> list[str]:
    """Return the words without these options, each written as `name VALUE` or `name=VALUE`."""
    kept = []
    is_value = False
    for word in words:
        if not is_value and word.partition("=")[0] not in names:
            kept.append(word)
        is_value = not is_value and word in names
    return kept


def outcome(judged: int, measured: int) -> str:
    """Say how the job ended, in other words for every way that it can be red."""
    if judged == FAILED:
        return "REGRESSION: something got slower, as the report says"
    if judged != PASSED:
        return f"NO VERDICT: the report could not judge this session (exit code {judged}); its speed is unknown"
    if measured != PASSED:
        return "CASES FAILED: nothing new got slower, but not every case was measured"
    return "GREEN: every selected case was measured or skipped with a reason, and nothing new got slower"


def run(module: str, *arguments: str) -> int:
    """Run a module by this interpreter and return its exit code; an interrupt is left to the module."""
    process = subprocess.Popen([sys.executable, "-m", module, *arguments])  # noqa: S603  our own modules
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


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


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The main job: which commands it starts, in which order, and with which exit code and words it ends."""

from __future__ import annotations

import argparse
import subprocess
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from benchmarks import __main__ as runner
from reports.commands import machines
from reports.decision import FAIL_ON

SUSPECTS = "benchmarks/b.py::c[a-batch1]\nbenchmarks/b.py::c[b]\n"


@dataclass
class Job:
    """The job, with stand-ins for pytest and the reports: they note how they were started and answer as told."""

    capsys: pytest.CaptureFixture[str]
    pytest_codes: list[int] = field(default_factory=lambda: [0])
    suspects: tuple[int, str] = (0, SUSPECTS)
    judged: int = 0
    started: list[list[str]] = field(default_factory=list)

    def run(self, *words: str) -> tuple[int, list[list[str]], str]:
        """The exit code, what was started with its arguments, and the job's last line."""
        try:
            code = runner.main(list(words))
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, self.started, (self.capsys.readouterr().err.splitlines() or [""])[-1]

    def start(self, module: str, *words: str) -> int:
        """Stand for a module that is run to its end."""
        if module == "pytest":
            self.started.append(["pytest", *words])
            return self.pytest_codes.pop(0) if len(self.pytest_codes) > 1 else self.pytest_codes[0]
        self.started.append([f"{module} {words[0]}", *words[1:]])
        return self.judged

    def ask(self, command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        """Stand for a module whose output is read."""
        _python, _m, module, *words = command
        self.started.append([f"{module} {words[0]}", *words[1:]])
        return subprocess.CompletedProcess(command, *self.suspects)


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Job:
    """Stand-ins that all succeed and name two suspects."""
    job = Job(capsys)
    monkeypatch.setattr(runner, "run", job.start)
    monkeypatch.setattr(subprocess, "run", job.ask)
    return job


def programs(started: list[list[str]]) -> list[str]:
    return [words[0] for words in started]


def value(words: list[str], name: str) -> str:
    """The last value of an option, as pytest would take it."""
    return [following for word, following in pairwise(words) if word == name][-1]


def test_a_local_run_is_measured_once_and_judged(job: Job) -> None:
    code, started, _ = job.run("-k", "iris")

    assert code == 0
    assert programs(started) == ["pytest", "reports judge"]
    assert started[0][1:4] == ["benchmarks", "-k", "iris"]


def test_a_nightly_run_measures_suspects_in_three_fresh_processes_of_its_own_session(job: Job) -> None:
    _, started, _ = job.run("--run-kind", "nightly", "-m", "nightly or not nightly", "--benchmark-storage", "kept")

    assert programs(started) == ["pytest", "reports suspects", "pytest", "pytest", "pytest", "reports judge"]
    first, asked, *again, judged = started
    assert value(first, "--run-kind") == "nightly"
    assert first[1:4] == ["benchmarks", "-m", "nightly or not nightly"]
    session = value(first, "--session-id")
    assert asked[1:] == ["kept", "--session", session]
    assert judged[1:] == ["kept", "--run", session]
    for words in again:
        assert words[1:3] == SUSPECTS.splitlines()
        assert (value(words, "--run-kind"), value(words, "--session-id")) == ("rerun", session)
        assert value(words, "--benchmark-storage") == "kept"


@pytest.mark.parametrize(
    ("words", "reruns"),
    [
        (["--reruns", "1"], 1),
        (["--reruns=2"], 2),
        (["--run-kind", "nightly", "--reruns", "0"], 0),
        (["--run-kind=nightly"], 3),
        ([], 0),
    ],
)
def test_the_number_of_reruns_is_an_option_of_the_job_and_never_reaches_pytest(
    job: Job, words: list[str], reruns: int
) -> None:
    _, started, _ = job.run(*words)

    assert programs(started).count("pytest") == 1 + reruns
    assert not any(word.startswith("--reruns") for call in started for word in call)


def test_without_suspects_nothing_is_measured_again(job: Job) -> None:
    job.suspects = (0, "")

    _, started, _ = job.run("--reruns", "3")

    assert programs(started) == ["pytest", "reports suspects", "reports judge"]


@pytest.mark.parametrize(
    ("measured", "judged", "code", "said"),
    [
        (0, 0, 2, "NOT MEASURED AGAIN: `reports suspects` ended with exit code 3"),
        (1, 0, 2, "NOT MEASURED AGAIN: `reports suspects` ended with exit code 3"),
        (0, 1, 1, "REGRESSION"),
        (0, 2, 2, "NO VERDICT"),
    ],
)
def test_suspects_that_cannot_be_told_do_not_stop_the_judgement_and_are_never_green(
    job: Job, measured: int, judged: int, code: int, said: str
) -> None:
    job.suspects, job.pytest_codes, job.judged = (3, SUSPECTS), [measured], judged

    ended, started, last_line = job.run("--reruns", "3")

    assert programs(started) == ["pytest", "reports suspects", "reports judge"]
    assert ended == code
    assert last_line.startswith(f"benchmarks: {said}")


@pytest.mark.parametrize("given", [["--require-device", "cuda"], ["--require-device=cuda"], ["--junitxml", "x.xml"]])
def test_a_rerun_neither_requires_a_device_nor_overwrites_a_file_of_the_first_launch(
    job: Job, given: list[str]
) -> None:
    _, started, _ = job.run("--reruns", "1", *given, "-k", "one")

    first, _, again, _ = started
    assert first[2 : 2 + len(given)] == given
    assert not set(given) & set(again)
    assert value(again, "-k") == "one"


def test_options_of_the_report_go_to_the_report_alone(job: Job) -> None:
    _, started, _ = job.run("--output", "pages", "--fail-on=open")

    first, judged = started
    assert not {"--output", "--fail-on", "--fail-on=open"} & set(first)
    assert judged[-4:] == ["--output", "pages", "--fail-on", "open"]


def test_by_unit_is_told_to_both_reports(job: Job) -> None:
    _, (_, asked, *_, judged), _ = job.run("--reruns", "1", "--by", "unit")

    assert value(asked, "--by") == value(judged, "--by") == "unit"


@pytest.mark.parametrize("words", [["--by", "host"], ["--fail-on", "all"]])
def test_a_word_that_the_report_would_refuse_is_refused_before_anything_is_measured(job: Job, words: list[str]) -> None:
    code, started, last_line = job.run(*words)

    assert (code, started) == (2, [])
    assert "invalid choice" in last_line


def test_the_job_knows_the_words_of_the_report() -> None:
    parser = argparse.ArgumentParser()
    machines.add_arguments(parser)

    assert runner.FAIL_ON == FAIL_ON
    assert [parser.parse_args(["--by", word]).by for word in runner.BY] == list(runner.BY)


@pytest.mark.parametrize(
    ("measured", "judged", "code", "said"),
    [
        (0, 0, 0, "GREEN"),
        (1, 0, 1, "CASES FAILED"),
        (0, 1, 1, "REGRESSION"),
        (1, 1, 1, "REGRESSION"),
        (0, 2, 2, "NO VERDICT"),
        (1, 2, 2, "NO VERDICT"),
    ],
)
def test_every_way_to_be_red_has_words_of_its_own(job: Job, measured: int, judged: int, code: int, said: str) -> None:
    job.pytest_codes, job.judged = [measured], judged

    ended, _, last_line = job.run()

    assert ended == code
    assert last_line.startswith(f"benchmarks: {said}: ")


@pytest.mark.parametrize("code", [2, 3, 4, 5, 143])
def test_what_was_not_measured_is_not_judged(job: Job, code: int) -> None:
    job.pytest_codes = [code]

    ended, started, last_line = job.run("--run-kind", "nightly")

    assert ended == code
    assert programs(started) == ["pytest"]
    assert last_line.startswith("benchmarks: NOT MEASURED")


def test_an_interrupt_while_measuring_again_ends_the_job(job: Job) -> None:
    job.pytest_codes = [0, 2]

    ended, started, last_line = job.run("--reruns", "3")

    assert ended == 2
    assert programs(started) == ["pytest", "reports suspects", "pytest"]
    assert last_line.startswith("benchmarks: STOPPED")


@pytest.mark.parametrize(("code", "ended"), [(1, 0), (3, 2), (4, 2), (5, 2)])
def test_where_no_rerun_measured_anything_the_night_is_not_green(job: Job, code: int, ended: int) -> None:
    job.pytest_codes = [0, code]

    found, started, last_line = job.run("--reruns", "2")

    assert programs(started) == ["pytest", "reports suspects", "pytest", "pytest", "reports judge"]
    assert found == ended
    assert last_line.startswith("benchmarks: GREEN" if ended == 0 else "benchmarks: NOT MEASURED AGAIN: every re-run")


@pytest.mark.parametrize("code", [1, 3, 4])
def test_a_rerun_that_fails_costs_only_itself(job: Job, code: int) -> None:
    job.pytest_codes = [0, code, 0]

    ended, started, _ = job.run("--reruns", "2")

    assert ended == 0
    assert programs(started) == ["pytest", "reports suspects", "pytest", "pytest", "reports judge"]


def test_a_number_of_reruns_that_is_none_is_one_line_and_nothing_is_measured(job: Job) -> None:
    code, started, last_line = job.run("--reruns", "-1")

    assert code == 2
    assert started == []
    assert "invalid whole number value: '-1'" in last_line

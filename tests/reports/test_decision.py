import os
from datetime import timedelta
from pathlib import Path

import pytest

from reports import judge, load_runs
from reports.decision import exit_code, first_lines, headline
from reports.errors import ReportError
from reports.judging import Judgement
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname

NIGHTS = [1.0] * 6


def judged(store: Store, run: str | Path | None = None) -> Judgement:
    return judge(load_runs(store.folder), run)


def with_nights(store: Store, *medians_s: float) -> Store:
    for median_s in [*NIGHTS, *medians_s]:
        store.add({"a": median_s, "b": 1.0})
    return store


@pytest.mark.parametrize(
    ("medians_s", "codes"),
    [
        ([1.0], {"new": 0, "open": 0, "suspect": 0, "never": 0}),
        ([1.2], {"new": 0, "open": 0, "suspect": 1, "never": 0}),
        ([1.2, 1.2], {"new": 1, "open": 1, "suspect": 1, "never": 0}),
        ([1.2, 1.2, 1.2], {"new": 0, "open": 1, "suspect": 1, "never": 0}),
        ([0.8, 0.8], {"new": 0, "open": 0, "suspect": 0, "never": 0}),
    ],
)
def test_what_fails_a_job_is_chosen(store: Store, medians_s: list[float], codes: dict[str, int]) -> None:
    judgement = judged(with_nights(store, *medians_s))

    assert {word: exit_code(judgement, word) for word in codes} == codes


@pytest.mark.parametrize(
    ("medians_s", "sentence"),
    [
        ([1.0], "Nothing got slower."),
        ([1.2], "No confirmed regression; 1 suspect slower in this session only: bench_training[a] takes 1.20 times"),
        ([1.2, 1.2], "1 new regression: bench_training[a] takes 1.20 times as long as before."),
        ([1.2, 1.2, 1.2], "Nothing new got slower; 1 earlier regression still open."),
    ],
)
def test_the_verdict_is_one_sentence(store: Store, medians_s: list[float], sentence: str) -> None:
    assert headline(judged(with_nights(store, *medians_s))).startswith(sentence)


def test_the_first_lines_say_what_the_verdict_rests_on(store: Store) -> None:
    judgement = judged(with_nights(store, 1.0))

    lines = first_lines(judgement, FIRST_NIGHT + timedelta(days=6, hours=5))

    assert lines[1] == (
        "2 of 2 cases judged against 6 earlier nightly sessions of made-up-cpu-9000; "
        "the session night-06 is 5 hours old."
    )


def test_the_first_line_says_that_there_is_not_enough_history(store: Store) -> None:
    store.add({"a": 1.0})
    store.add({"a": 1.0})

    judgement = judged(store)

    assert headline(judgement) == "Not enough history yet: 1 earlier session on this machine, 5 are needed."
    assert exit_code(judgement, "suspect") == 0


def test_cases_without_enough_history_are_counted(store: Store) -> None:
    for _ in NIGHTS:
        store.add({"a": 1.0})
    for _ in range(2):
        store.add({"a": 1.0, "late": 1.0})

    lines = first_lines(judged(store))

    assert lines[1].startswith("1 of 2 cases judged")
    assert lines[2] == "1 case not judged for want of history (fewer than 5 earlier sessions)."


def test_a_first_session_on_another_machine_says_so(store: Store) -> None:
    with_nights(store).add({"a": 1.0}, machine="another")

    judgement = judged(store)

    assert headline(judgement).startswith("First session on this machine (another): not enough history")
    assert exit_code(judgement, "new") == 0


def test_an_incomplete_session_is_no_verdict(store: Store) -> None:
    left = {fullname("b"): {"outcome": "not-reached", "reason": ""}}
    with_nights(store).add({"a": 1.0}, complete=False, cases=left)

    judgement = judged(store)

    assert judgement.problem == "night-06 is incomplete: 1 of 2 cases were reached"
    assert exit_code(judgement, "never") == 2


def test_a_session_that_measured_nothing_is_no_verdict(store: Store) -> None:
    with_nights(store).write([], cases={fullname("a"): {"outcome": "skipped", "reason": "no CUDA"}})

    assert judged(store).problem == "night-06 measured nothing: 1 skipped"


def test_a_file_without_any_case_is_no_verdict(store: Store) -> None:
    with_nights(store).write([], ours=False)

    assert judged(store).problem == "0007_run.json holds no case"


def test_no_case_in_common_is_no_verdict(store: Store) -> None:
    with_nights(store).add({"renamed": 1.0})

    assert judged(store).problem == "night-06 has no case in common with the 6 earlier sessions"


def test_re_runs_without_their_session_are_no_verdict(store: Store) -> None:
    with_nights(store).add({"a": 1.0}, kind="rerun")

    assert "re-runs only" in judged(store).problem


@pytest.mark.parametrize(
    ("name", "is_newest"),
    [
        ("0008_c0ffee_20260401_020000.json", True),
        ("0001_c0ffee_20250101_020000.json", False),
        ("0008_cut.json", True),
        ("0000_cut.json", False),
    ],
)
def test_a_damaged_file_that_is_the_newest_is_no_verdict(store: Store, name: str, is_newest: bool) -> None:
    with_nights(store, 1.0).write_text(name, "{")

    judgement = judged(store)

    assert judgement.problem.startswith(f"{name} is unreadable") == is_newest


def test_without_number_or_date_in_its_name_the_file_s_own_date_counts(store: Store) -> None:
    newest = with_nights(store, 1.0).written[-1]
    damaged = store.write_text("cut.json", "{")

    for seconds, is_newest in ((10, True), (-10, False)):
        os.utime(damaged, (newest.stat().st_mtime + seconds,) * 2)
        assert bool(judged(store).problem) == is_newest


def test_a_store_of_damaged_files_is_no_verdict(store: Store) -> None:
    store.write_text("0001.json", "")

    judgement = judged(store)

    assert judgement.problem == "0001.json is unreadable: empty"
    assert first_lines(judgement) == ["No verdict: 0001.json is unreadable: empty."]


@pytest.mark.parametrize("by", ["session", "name", "path"])
def test_an_earlier_session_is_judged_against_what_came_before_it(store: Store, by: str) -> None:
    with_nights(store, 1.2, 1.2, 1.0, 1.0)
    named: dict[str, str | Path] = {"session": "night-07", "name": "0008_run.json", "path": store.written[7]}

    judgement = judged(store, named[by])

    assert (judgement.session, judgement.history) == ("night-07", 7)
    assert list(judgement.verdicts["verdict"]) == ["regression", "unchanged"]


def test_a_named_file_that_is_damaged_is_no_verdict(store: Store) -> None:
    with_nights(store).write_text("0000_cut.json", "{")

    assert judged(store, "0000_cut.json").problem.startswith("0000_cut.json is unreadable")


def test_a_name_that_nothing_has_is_refused(store: Store) -> None:
    with pytest.raises(ReportError, match="'night-99' is neither a session nor a run file of the store"):
        judged(with_nights(store), "night-99")


def test_the_newest_session_is_the_one_that_began_last(store: Store) -> None:
    with_nights(store)
    store.add({"a": 1.0}, session="night-02", launch=2)

    assert judged(store).session == "night-05"


def test_the_same_files_give_the_same_verdicts(store: Store) -> None:
    with_nights(store, 1.3, 1.2)

    assert judged(store).verdicts.equals(judged(store).verdicts)

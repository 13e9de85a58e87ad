"""Verdicts by limits, with and without a history, from the frame to the exit code and every file of the report."""

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reports import judge, load_runs
from reports.cli import main
from reports.decision import exit_code, first_lines, headline
from reports.grounds import Grounds
from reports.judging import Judgement
from reports.limits import Limit
from reports.rule.accepted import Accepted, Book, Renamed
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname, made_benchmark

AT_MOST_1_1 = Limit("bench_training[a]", "s", 1.1, "at most 1.1 s")
FILE = '[limits]\n"bench_training[a]" = { at_most = "1.1 s" }\n'


def judged(store: Store, *limits: Limit, **more: Any) -> Judgement:  # noqa: ANN401
    return judge(load_runs(store.folder), grounds=Grounds(limits=limits or (AT_MOST_1_1,), **more))


def with_nights(store: Store, *medians_s: float) -> Store:
    for median_s in medians_s:
        store.add({"a": median_s, "b": 1.0})
    return store


def row_of(judgement: Judgement, case_id: str = "a") -> dict[Any, Any]:
    return judgement.verdicts.set_index("fullname").loc[fullname(case_id)].to_dict()


def test_beyond_its_limit_is_a_regression_on_the_first_day(store: Store) -> None:
    judgement = judged(with_nights(store, 1.2))

    row = row_of(judgement)
    assert (row["verdict"], row["new"], row["limit"]) == ("regression", True, "at most 1.1 s, measured 1.20 s")
    assert (row["first_bad_run"], row["last_good_run"]) == ("0001_run.json", "")
    assert headline(judgement) == (
        "1 new regression: bench_training[a] is beyond its limit: at most 1.1 s, measured 1.20 s."
    )
    assert exit_code(judgement, "new") == 1
    assert exit_code(judgement, "never") == 0


def test_what_only_a_limit_judged_was_compared_with_no_baseline(store: Store) -> None:
    judgement = judged(with_nights(store, 1.2))

    assert (judgement.judged, judgement.short_of_history) == (0, 2)
    assert first_lines(judgement, FIRST_NIGHT)[1].startswith("0 of 2 cases judged against 0 earlier nightly sessions")
    assert first_lines(judgement, FIRST_NIGHT)[2:] == ["1 limit: 1 exceeded."]


def test_within_its_limit_a_case_is_what_its_history_says(store: Store) -> None:
    judgement = judged(with_nights(store, 1.05))

    assert (row_of(judgement)["verdict"], row_of(judgement)["limit"]) == ("insufficient-history", "")
    assert exit_code(judgement, "open") == 0
    assert "1 limit: 1 held." in first_lines(judgement)


@pytest.mark.parametrize(
    ("medians_s", "verdict", "new", "first_bad"),
    [
        ([1.2, 1.2], "regression", False, "0001_run.json"),
        ([1.0, 1.2], "regression", True, "0002_run.json"),
        ([1.0, 1.2, 1.3], "regression", False, "0002_run.json"),
        ([1.2, 1.0], "recovered", False, ""),
        ([1.2, 1.0, 1.0], "insufficient-history", False, ""),
        ([1.2, 1.0, 1.2], "regression", True, "0003_run.json"),
    ],
)
def test_it_is_new_when_the_session_before_held_the_limit(
    store: Store, medians_s: list[float], verdict: str, new: bool, first_bad: str
) -> None:
    row = row_of(judged(with_nights(store, *medians_s)))

    assert (row["verdict"], row["new"], row["first_bad_run"]) == (verdict, new, first_bad)


def test_a_session_that_did_not_measure_the_case_neither_opens_nor_closes_anything(store: Store) -> None:
    with_nights(store, 1.2).add({"b": 1.0})
    with_nights(store, 1.2)

    row = row_of(judged(store))

    assert (row["verdict"], row["new"]) == ("regression", False)


def test_an_open_one_is_said_to_be_beyond_its_limit(store: Store) -> None:
    judgement = judged(with_nights(store, 1.2, 1.2))

    assert headline(judgement) == ("Nothing new got slower; 1 earlier regression still open, 1 of them beyond a limit.")
    assert (exit_code(judgement, "new"), exit_code(judgement, "open")) == (0, 1)


def test_a_regression_of_the_history_keeps_its_runs_and_gains_the_limit(store: Store) -> None:
    judgement = judged(with_nights(store, *[1.0] * 6, 1.05, 1.2))

    row = row_of(judgement)
    assert (row["verdict"], row["new"], row["ratio"]) == ("regression", True, pytest.approx(1.2))
    assert (row["first_bad_run"], row["last_good_run"]) == ("0007_run.json", "0006_run.json")
    assert row["limit"] == "at most 1.1 s, measured 1.20 s"


def test_a_step_over_the_limit_needs_no_second_session(store: Store) -> None:
    nights = [1.0] * 6

    assert row_of(judge(load_runs(with_nights(store, *nights, 1.2).folder)))["verdict"] == "suspect"
    row = row_of(judged(store))
    assert (row["verdict"], row["first_bad_run"], row["last_good_run"]) == (
        "regression", "0007_run.json", "0006_run.json",
    )  # fmt: skip


def test_what_changed_between_the_runs_is_named(store: Store) -> None:
    store.add({"a": 1.0}, environment={"torch": "2.14.1"})
    store.add({"a": 1.2}, environment={"torch": "2.15.0"})

    assert row_of(judged(store))["suspects"] == "torch 2.14.1 -> 2.15.0"


def test_slower_ones_and_those_beyond_a_limit_share_the_sentence(store: Store) -> None:
    for a, b, c in [(1.0, 1.0, 1.0)] * 6 + [(1.0, 1.05, 1.3), (1.2, 1.2, 1.3)]:
        store.add({"a": a, "b": b, "c": c})
    at_most = [Limit(f"bench_training[{name}]", "s", 1.1, "at most 1.1 s") for name in "ab"]

    told = headline(judged(store, *at_most))

    assert told == (
        "3 new regressions: bench_training[c] takes 1.30 times as long as before; 2 beyond their limits, the first "
        "bench_training[a]: at most 1.1 s, measured 1.20 s."
    )


def test_accepting_a_level_does_not_silence_its_limit(store: Store) -> None:
    with_nights(store, *[1.0] * 6, 1.2, 1.2, 1.2)
    book = Book((Accepted("a", "meant", "night-07"),))

    row = row_of(judged(store, accepted=book))

    assert (row["verdict"], row["new"], row["first_bad_run"]) == ("regression", False, "0007_run.json")


def test_the_same_files_and_limits_give_the_same_verdicts(store: Store) -> None:
    with_nights(store, 1.0, 1.2, 1.2)

    assert judged(store).verdicts.equals(judged(store).verdicts)
    assert row_of(judge(load_runs(store.folder), "night-01", Grounds(limits=(AT_MOST_1_1,))))["new"]


def test_sessions_of_another_machine_or_kind_are_not_its_history(store: Store) -> None:
    with_nights(store, 1.2).add({"a": 1.2}, machine="another")
    store.add({"a": 1.2}, machine="another", kind="local")

    assert row_of(judged(store))["new"]


def test_re_runs_decide(store: Store) -> None:
    with_nights(store, 1.2).add({"a": 1.0}, kind="rerun", session="night-00")

    assert row_of(judged(store))["limit"] == ""


def test_a_renamed_case_goes_on_under_its_limit(store: Store) -> None:
    store.add({"old": 1.2})
    store.add({"a": 1.2})
    book = Book((), (Renamed(fullname("old"), fullname("a")),))

    assert not row_of(judged(store, accepted=book))["new"]


def test_a_rate_is_the_amount_of_the_primitive_over_its_time(store: Store) -> None:
    told = {"primitive": {"name": "memory", "amount": 1e9, "amount_unit": "B"}}
    store.write([made_benchmark("cpu-memory", 0.05, extra_info=told)])

    judgement = judged(store, Limit("cpu-memory", "B", 3e10, "at least 30 GB/s"))

    assert row_of(judgement, "cpu-memory")["limit"] == "at least 30 GB/s, measured 20.0 GB/s"


@pytest.mark.parametrize(
    "limit",
    [
        Limit("nowhere", "s", 1.0, "at most 1 s"),
        Limit("bench_training[a]", "B", 1.0, "at least 1 GB/s"),
        Limit("bench_training[gone]", "s", 1.0, "at most 1 s"),
    ],
)
def test_a_limit_of_what_was_not_measured_fails_nothing_and_is_told(store: Store, limit: Limit) -> None:
    store.add({"gone": 2.0, "b": 1.0})
    judgement = judged(with_nights(store, 1.2), limit)

    (row,) = judgement.limits.to_dict("records")
    assert (row["is_measured"], row["is_beyond"], row["measured"]) == (False, False, "")
    assert exit_code(judgement, "suspect") == 0
    assert "1 limit: 1 not measured in this session." in first_lines(judgement)


def test_a_case_that_failed_is_not_held_against_its_limit(store: Store) -> None:
    store.write([], cases={fullname("a"): {"outcome": "failed", "reason": "did not train"}})

    assert row_of(judged(store))["verdict"] == "failed"


@pytest.fixture
def folder(store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a store."""
    monkeypatch.chdir(store.folder.parent)
    return store.folder.parent


@pytest.mark.parametrize(
    ("medians_s", "words", "code"),
    [
        ([1.2], (), 1),
        ([1.2], ("--fail-on", "never"), 0),
        ([1.0], (), 0),
        ([1.2, 1.2], (), 0),
        ([1.2, 1.2], ("--fail-on", "open"), 1),
        ([1.2], ("--limits", "other.toml"), 0),
    ],
)
def test_limits_of_the_working_directory_decide_unless_others_are_named(
    store: Store, folder: Path, medians_s: list[float], words: tuple[str, ...], code: int
) -> None:
    with_nights(store, *medians_s)
    (folder / "limits.toml").write_text(FILE, encoding="utf-8")
    (folder / "other.toml").write_text("[limits]\n", encoding="utf-8")

    assert main(["judge", *words]) == code


def test_a_limits_file_that_was_named_must_be_there(
    store: Store, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_nights(store, 1.0)

    assert main(["judge", "--limits", "gone.toml"]) == 2
    assert capsys.readouterr().err == "reports: gone.toml: cannot be read: No such file or directory\n"
    assert not (folder / "report").exists()


@pytest.mark.parametrize("command", [["judge"], ["suspects"], ["accept", "a", "--reason", "meant"]])
def test_a_malformed_limits_file_is_one_line_with_the_value(
    store: Store, folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    with_nights(store, 1.0)
    (folder / "limits.toml").write_text('[limits]\n"a" = { at_most = "5 parsecs" }\n', encoding="utf-8")

    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.startswith("reports: limits.toml: limits.a: at_most = '5 parsecs' is no quantity above 0 in one of s")
    assert error.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == [".benchmarks", "limits.toml"]


def test_every_file_of_the_report_names_limit_and_measured_value(
    store: Store, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_nights(store, 1.2)
    (folder / "limits.toml").write_text(FILE + '"cuda-x" = { at_most = "1 s" }\n', encoding="utf-8")

    assert main(["judge"]) == 1

    report, told = folder / "report", "at most 1.1 s, measured 1.20 s"
    rows = list(csv.reader((report / "verdicts.csv").read_text(encoding="utf-8").splitlines()))
    assert [rows[0][-1], rows[1][-1], rows[2][-1]] == ["limit", told, ""]
    assert json.loads((report / "verdicts.json").read_bytes())["verdicts"][0]["limit"] == told
    (failure,) = ET.parse(report / "junit.xml").iter("failure")  # noqa: S314  we wrote it
    assert failure.get("message", "").startswith(f"regression: beyond its limit: {told}; accepting a level changes no")
    for text in ((report / "index.html").read_text(encoding="utf-8"), (report / "summary.md").read_text("utf-8")):
        assert f"({told})" in text.replace("\\", "")
        assert "Limits of what this session did not measure: cuda-x." in text.replace("\\", "")
    assert f"({told})" in capsys.readouterr().out.replace("\n  ", " ")


def test_accept_says_that_the_limit_stays(store: Store, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_nights(store, 1.2)
    (folder / "limits.toml").write_text(FILE, encoding="utf-8")

    assert main(["accept", "a", "--reason", "meant"]) == 0

    assert capsys.readouterr().out.splitlines()[1] == (
        "still beyond a limit: 1 of them; accepting a level changes no limit; "
        "one that is not meant is edited in limits.toml"
    )


def test_what_is_newly_beyond_its_limit_is_worth_measuring_again_once(
    store: Store, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_nights(store, 1.2)
    (folder / "limits.toml").write_text(FILE, encoding="utf-8")

    assert main(["suspects"]) == 0
    assert capsys.readouterr().out == f"{fullname('a')}\n"

    store.add({"a": 1.2}, kind="rerun", session="night-00")
    assert main(["suspects"]) == 0
    assert capsys.readouterr().out == ""

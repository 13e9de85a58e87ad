"""Left-over journals become run files that say what is missing; whatever stands is left as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fixtures.journal import Journal
from reports.cli import main
from reports.runs import load_runs

if TYPE_CHECKING:
    from pathlib import Path

HEAD: dict[str, Any] = {
    "machine_info": {"cpu": {"brand_raw": "A CPU"}, "suite": {"machine": {"class": "a-cpu", "unit": "1"}}},
    "commit_info": {"id": "abc"},
    "datetime": "2026-03-04T05:06:07+00:00",
    "version": "5.3.1",
    "suite": {"schema": 1, "kind": "nightly", "session": "night-1", "launch": "launch-1", "selected": ["a", "b", "c"]},
}
NAME = "0003_nightly_20260304_050607"


def passed(name: str, median_s: float = 0.5) -> dict[str, Any]:
    stats = {"data": [median_s] * 3, "median": median_s, "rounds": 3, "iterations": 1}
    return {"outcome": {"outcome": "passed", "reason": ""}, "benchmark": {"fullname": name, "stats": stats}}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / f"{NAME}.journal.jsonl")


def recover(journal: Journal, *, torn: str = "") -> int:
    journal.close()
    with journal.path.open("a") as file:
        file.write(torn)
    return main(["recover", str(journal.path.parent)])


def run_of(journal: Journal) -> dict[str, Any]:
    run: dict[str, Any] = json.loads((journal.path.parent / f"{NAME}.json").read_text())
    return run


def test_a_journal_becomes_the_run_file_that_its_run_never_wrote(
    journal: Journal, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.append(HEAD)
    journal.started("a")
    journal.ended("a", **passed("a"))
    journal.started("b")

    assert recover(journal, torn='{"ended": "b", "outco') == 0

    run = run_of(journal)
    assert {key: run[key] for key in ("machine_info", "commit_info", "version")} == {
        key: HEAD[key] for key in ("machine_info", "commit_info", "version")
    }
    assert run["benchmarks"] == [passed("a")["benchmark"]]
    assert (
        run["suite"].items() >= {"kind": "nightly", "session": "night-1", "complete": False, "recovered": True}.items()
    )
    assert {name: case["outcome"] for name, case in run["suite"]["cases"].items()} == {
        "a": "passed",
        "b": "not-reached",
        "c": "not-reached",
    }
    assert run["suite"]["cases"]["b"]["reason"].startswith("in flight since 20")
    assert run["suite"]["cases"]["c"]["reason"] == "the run ended without saving, before it"
    assert not journal.path.exists()
    assert capsys.readouterr().out == (
        f"{journal.path}: recovered as {NAME}.json, 1 of 3 cases; in flight when it ended: b\n"
    )
    (file,) = load_runs(journal.path.parent).files.to_dict("records")
    assert [file[key] for key in ("session", "kind", "machine", "complete")] == ["night-1", "nightly", "a-cpu", False]


def test_a_run_that_only_failed_to_save_is_complete(journal: Journal) -> None:
    journal.append(HEAD)
    for name in ("a", "b", "c"):
        journal.started(name)
        journal.ended(name, **passed(name))

    assert recover(journal) == 0
    assert run_of(journal)["suite"]["complete"] is True


def test_of_a_case_that_was_run_again_the_last_try_counts(journal: Journal) -> None:
    journal.append(HEAD)
    journal.started("a")
    journal.ended("a", {"outcome": "failed", "reason": "flaky"}, None)
    journal.ended("a", **passed("a", 0.25))
    journal.started("b")
    journal.ended("b", **passed("b"))
    journal.started("b")

    assert recover(journal) == 0

    run = run_of(journal)
    assert [(entry["fullname"], entry["stats"]["median"]) for entry in run["benchmarks"]] == [("a", 0.25)]
    assert run["suite"]["cases"]["b"]["outcome"] == "not-reached"


@pytest.mark.parametrize("damage", ["{]\n", "\0\0\0\n", "[1]\n", '{"other": 1}\n', "\xff\n"])
def test_a_damaged_line_costs_only_itself(journal: Journal, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    journal.append(HEAD)
    with journal.path.open("a", encoding="latin-1") as file:
        file.write(damage)
    journal.started("a")
    journal.ended("a", **passed("a"))

    assert recover(journal) == 0

    assert run_of(journal)["suite"]["cases"]["a"]["outcome"] == "passed"
    assert "1 of 3 cases; 1 damaged line left out" in capsys.readouterr().out


@pytest.mark.parametrize("head", ["{]", "[]", '{"suite": {}}', '{"suite": {"selected": ["a"]}}', "null"])
def test_without_a_head_nothing_can_be_recovered_and_the_journal_stays(
    journal: Journal, head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.path.write_text(f"{head}\n")
    journal.started("a")

    assert recover(journal) == 2

    assert journal.path.exists()
    said = capsys.readouterr().err
    assert said.startswith(f"{journal.path}: not recovered, ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("content", ["", '{"machine_info": {"cp', "\0\0\0"])
def test_a_journal_of_nothing_is_removed(journal: Journal, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert recover(journal, torn=content) == 0

    assert not list(journal.path.parent.iterdir())
    assert "removed, its run ended before the first case" in capsys.readouterr().out


def test_the_journal_of_a_run_in_progress_is_left_alone(journal: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    journal.append(HEAD)

    assert main(["recover", str(journal.path.parent)]) == 0

    assert [path.name for path in journal.path.parent.iterdir()] == [journal.path.name]
    assert capsys.readouterr().out == f"{journal.path}: left alone, its run still lasts\n"


@pytest.mark.parametrize(
    ("standing", "code", "said"),
    [
        ('{"suite": {"launch": "launch-1"}}', 0, f"removed, {NAME}.json is this run"),
        ('{"suite": {"launch": "launch-2"}}', 2, f"not recovered, {NAME}.json is there and is not this run"),
        ("{", 2, f"not recovered, {NAME}.json is there and is not this run"),
    ],
)
def test_a_run_file_that_stands_is_never_overwritten(
    journal: Journal, standing: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.append(HEAD)
    (journal.path.parent / f"{NAME}.json").write_text(standing)

    assert recover(journal) == code

    assert (journal.path.parent / f"{NAME}.json").read_text() == standing
    assert journal.path.exists() == (code != 0)
    said_by = capsys.readouterr()
    assert said in said_by.out + said_by.err


def test_one_journal_can_be_named(journal: Journal) -> None:
    journal.append(HEAD)
    journal.close()

    assert main(["recover", str(journal.path)]) == 0
    assert run_of(journal)["benchmarks"] == []


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("store", "code", "said"),
    [
        ("nowhere", 2, "reports: no store at nowhere"),
        ("note.txt", 2, "reports: note.txt is no journal"),
        (".", 0, "no journal left over in ."),
    ],
)
def test_nothing_to_recover_is_one_line(
    in_a_folder: Path, store: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (in_a_folder / "note.txt").write_text("")

    assert main(["recover", store]) == code
    said_by = capsys.readouterr()
    assert (said_by.out + said_by.err).startswith(said)
    assert (said_by.out + said_by.err).count("\n") == 1


def test_judge_names_the_way_out_where_a_store_holds_only_a_journal(
    journal: Journal, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.append(HEAD)
    journal.close()
    store = journal.path.parent

    assert main(["judge", str(store), "--output", str(store / "report")]) == 2
    assert capsys.readouterr().err == (
        f"reports: no run file in {store}, but 1 journal left over from launches that never saved: "
        f"python -m reports recover {store}\n"
    )


def test_judge_does_not_take_a_run_in_progress_for_lost(journal: Journal, capsys: pytest.CaptureFixture[str]) -> None:
    journal.append(HEAD)
    store = journal.path.parent

    assert main(["judge", str(store), "--output", str(store / "report")]) == 2
    assert "journal" not in capsys.readouterr().err

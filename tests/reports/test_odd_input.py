"""What people and their schedulers really hand to the commands: each ends in one line and the right code."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reports.cli import main
from reports.rule.settings import matches
from tests.reports.made_runs import Store, fullname


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with nothing in it."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "error of our own" not in said
    return said


def test_a_session_dated_far_after_now_keeps_no_watch_green(
    store: Store, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0}, started=datetime.now(UTC) + timedelta(days=400, minutes=5))

    assert main(["judge", str(store.folder), "--max-age", "36"]) == 2
    assert "dated 400 days after now" in capsys.readouterr().out.replace("\n", " ")
    assert main(["judge", str(store.folder)]) == 0
    assert "night-00 is dated 400 days after now" in capsys.readouterr().out.replace("\n", " ")


def test_cases_with_too_little_history_of_their_own_are_counted_as_such(
    store: Store, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in range(8):
        store.add({f"case-{night}": 1.0}, narrowed=True)
    store.add({"case-7": 1.0}, narrowed=True)

    assert main(["judge", str(store.folder)]) == 0
    first = capsys.readouterr().out.replace("\n", " ")
    assert first.startswith("Not enough history yet: 1 case with fewer than 5 earlier sessions on the present level.")


def test_a_session_of_re_runs_alone_has_no_verdict_and_a_report(
    store: Store, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0})
    store.add({"a": 1.0}, kind="rerun", session="alone")

    assert main(["judge", str(store.folder)]) == 2
    assert "alone holds re-runs only" in capsys.readouterr().out.replace("\n", " ")
    assert (here / "report" / "index.html").is_file()


def test_a_re_run_does_not_name_the_night_that_it_belongs_to(store: Store, here: Path) -> None:
    for _ in range(8):
        store.add({"a": 1.0})
    store.add({"a": 2.0}, session="slow")
    store.add({"a": 2.0}, session="slow", kind="rerun")

    main(["judge", str(store.folder)])

    row = json.loads((here / "report" / "verdicts.json").read_text())["verdicts"][0]
    assert (row["verdict"], row["first_bad_run"], row["run"]) == ("regression", "0009_run.json", "0009_run.json")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_utf_8_is_named_and_stops_nothing(
    store: Store, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0})
    store.write_text(os.fsdecode(b"caf\xe9.json"), "{")

    assert main(["judge", str(store.folder), "--run", "night-00"]) == 0
    assert json.loads((here / "report" / "verdicts.json").read_text())["session"] == "night-00"
    assert "left out: " in capsys.readouterr().err


@pytest.mark.parametrize("command", [["judge"], ["suspects"], ["recover"], ["compare", "x"], ["judge", "--run"]])
def test_a_name_too_long_for_a_file_is_one_line(
    command: list[str], here: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "x" * 5000]) == 2
    one_line(capsys)


@pytest.mark.parametrize(
    "command",
    [["judge", ""], ["judge", "--output", ""], ["judge", "--accepted", ""], ["compare", "a,", "b"], ["recover", " "]],
)
def test_an_empty_name_is_not_the_working_directory(
    command: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    assert "names nothing; write . for the working directory" in one_line(capsys)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content"), [("pyproject.toml", "tool = 5\n"), ("limits.toml", None), ("accepted.toml", None)]
)
def test_a_settings_file_that_is_none_is_named(
    store: Store, here: Path, capsys: pytest.CaptureFixture[str], name: str, content: str | None
) -> None:
    """What is no file is a folder here; a pipe, which would be waited for, is refused the same way."""
    store.add({"a": 1.0})
    if content is None:
        (here / name).mkdir()
    else:
        (here / name).write_text(content)

    assert main(["judge", str(store.folder)]) == 2
    assert name in one_line(capsys)


@pytest.mark.skipif(os.name == "nt", reason="links ask for rights there")
def test_limits_that_a_link_promises_and_does_not_hold_are_missed(
    store: Store, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add({"a": 1.0})
    (here / "limits.toml").symlink_to("gone.toml")

    assert main(["judge", str(store.folder)]) == 2
    assert "limits.toml: cannot be read: No such file or directory" in one_line(capsys)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders there")
def test_pipes_are_not_waited_for(store: Store, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.add({"a": 1.0})
    os.mkfifo(store.folder / "g.journal.jsonl")
    assert main(["judge", str(store.folder)]) == 0

    os.mkfifo(here / "accepted.toml")
    capsys.readouterr()
    assert main(["judge", str(store.folder)]) == 2
    assert "accepted.toml: not a file" in one_line(capsys)


@pytest.mark.parametrize("glob", ["bench_training[cpu-a]", "bench_training*", "cpu-*", fullname("cpu-a"), "*training*"])
def test_a_case_goes_by_the_name_that_the_report_shows(glob: str) -> None:
    assert matches(fullname("cpu-a"), glob)
    assert not matches("benchmarks/bench_calls.py::bench_call[cuda-b]", glob)


def test_the_reason_of_a_rename_stands_in_the_file(store: Store, here: Path) -> None:
    store.add({"old": 1.0})
    store.add({"new": 1.0})
    words = ["accept", fullname("new"), "--renamed-from", fullname("old"), "--reason", "says more"]

    assert main([*words, "--store", str(store.folder)]) == 0
    assert 'reason = "says more"' in (here / "accepted.toml").read_text()
    assert main(["judge", str(store.folder)]) == 0


@pytest.mark.parametrize("place", ["beside", "within"])
def test_a_copy_of_a_run_is_that_run(store: Store, here: Path, place: str) -> None:
    original = store.add({"a": 1.0}).read_bytes()
    store.add({"a": 1.0})
    copy = (here if place == "beside" else store.folder) / "copy.json"
    copy.write_bytes(original)

    assert main(["judge", str(store.folder), "--run", str(copy) if place == "beside" else copy.name]) == 0
    assert json.loads((here / "report" / "verdicts.json").read_text())["session"] == "night-00"

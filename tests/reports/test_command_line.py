import re
import subprocess
import sys
from pathlib import Path

import pytest

from reports.cli import main
from reports.commands import COMMANDS
from tests.reports.made_runs import Store, made_benchmark


def run(store: Store, output: Path, *words: str) -> int:
    return main(["judge", str(store.folder), "--output", str(output), *words])


def with_nights(store: Store, *medians_s: float) -> Store:
    for median_s in [*[1.0] * 6, *medians_s]:
        store.add({"a": median_s, "b": 1.0})
    return store


@pytest.mark.parametrize(
    ("medians_s", "words", "code"),
    [
        ([1.0], (), 0),
        ([1.2], (), 0),
        ([1.2], ("--fail-on", "suspect"), 1),
        ([1.2, 1.2], (), 1),
        ([1.2, 1.2], ("--fail-on", "never"), 0),
        ([1.2, 1.2], ("--floor", "0.3"), 0),
        ([1.2, 1.2, 1.2], (), 0),
        ([1.2, 1.2, 1.2], ("--fail-on", "open"), 1),
        ([1.2, 1.2, 1.0], ("--run", "night-07"), 1),
    ],
)
def test_the_exit_code_is_the_verdict(
    store: Store, tmp_path: Path, medians_s: list[float], words: tuple[str, ...], code: int
) -> None:
    assert run(with_nights(store, *medians_s), tmp_path / "report", *words) == code
    assert (tmp_path / "report" / "index.html").is_file()


def test_a_first_run_is_good(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.add({"a": 1.0})

    assert run(store, tmp_path / "report") == 0
    assert capsys.readouterr().out.startswith("Not enough history yet: 0 earlier sessions on this machine")


def test_a_damaged_newest_file_is_two_and_still_a_report(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = with_nights(store, 1.0).write_text("0099_cut.json", "{")

    assert run(store, tmp_path / "report") == 2
    said = capsys.readouterr()
    assert said.out.startswith("No verdict: 0099_cut.json is unreadable: not JSON")
    assert said.err == f"left out: {damaged}: not JSON, or cut short, at line 1 column 2\n"
    assert "No verdict" in (tmp_path / "report" / "summary.md").read_text()


def test_left_over_journals_are_mentioned(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_nights(store).write_text("0007_run.journal.jsonl", "{}\n")

    run(store, tmp_path / "report")

    assert "1 journal left over from launches that never saved" in capsys.readouterr().out.replace("\n  ", " ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["jugde"], "invalid choice: 'jugde'"),
        (["judge", "nowhere"], "no store at nowhere: measure and save a run first"),
        (["judge", "--fail-on", "everything"], "invalid choice: 'everything'"),
        (["judge", "--run"], "expected one argument"),
        (["judge", "--unknown"], "unrecognized arguments: --unknown"),
        (["judge", "a", "b"], "unrecognized arguments: b"),
    ],
)
def test_every_bad_value_is_one_line_and_code_two(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_store_is_one_line(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.folder.mkdir()

    assert run(store, tmp_path / "report") == 2
    assert capsys.readouterr().err.startswith(f"reports: no run file in {store.folder}: measure and save one first")


def test_an_output_that_cannot_be_written_is_one_line(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")

    assert run(with_nights(store), tmp_path / "file") == 2
    assert "cannot write the report" in capsys.readouterr().err


def test_an_error_of_our_own_is_one_line(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("reports.judging.replayed", broken)

    assert run(with_nights(store), tmp_path / "report") == 2
    error = capsys.readouterr().err
    assert error.startswith("reports: error of our own in judging.py:")
    assert error.endswith(": KeyError: 'x'\n")
    assert not (tmp_path / "report").exists()


def test_one_run_file_can_be_the_store(store: Store, tmp_path: Path) -> None:
    path = store.add({"a": 1.0})

    assert main(["judge", str(path), "--output", str(tmp_path / "report")]) == 0


def test_a_run_outside_the_store_is_judged_against_it(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = with_nights(store, 1.2, 1.2).written[-1]
    elsewhere = newest.rename(tmp_path / "mine.json")

    assert run(store, tmp_path / "report", "--run", str(elsewhere)) == 1
    assert "1 new regression" in capsys.readouterr().out


def test_help_describes_every_option_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as left:
            main([command.name, "--help"])
        assert left.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for default in (
        "(default: .benchmarks)",
        "(default: report)",
        "(default: new)",
        "(default: 0.025)",
        "(default: 2,3,5,7)",
    ):
        assert default in text


def test_reports_and_its_help_import_neither_torch_nor_pytest_nor_pandas() -> None:
    """Importing is cheap, and judging works where nothing is installed that trains or measures."""
    code = (
        "import sys, reports, reports.cli\n"
        "light = {'pandas', 'matplotlib', 'jinja2', 'scipy'} & set(sys.modules)\n"
        "import reports.judging, reports.report, reports.rendering.files\n"
        "foreign = {'torch', 'pytest', 'fixtures', 'training', 'benchmarks', 'matplotlib'} & set(sys.modules)\n"
        "print(sorted(light), sorted(foreign))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[] []\n"


def test_the_module_runs_as_a_command(store: Store, tmp_path: Path) -> None:
    with_nights(store, 1.2, 1.2)
    command = [sys.executable, "-m", "reports", "judge", str(store.folder), "--output", str(tmp_path / "report")]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("1 new regression")


def test_a_slowdown_beyond_two_times_is_one_however_warm_up_and_rounds_followed_it(
    store: Store, tmp_path: Path
) -> None:
    """As in the suite's own runs: nights differ in warm-up steps, and a slow or disturbed case makes fewer rounds."""
    for night, median_s in enumerate([*[1.0] * 6, 2.5, 2.5]):
        extra = {"warmup_steps": (404, 604)[night % 2], "stopped_by": "budget" if median_s == 1.0 else "least-rounds"}
        rounds = [median_s] * ((40, 60)[night % 2] if median_s == 1.0 else 10)
        store.write([made_benchmark("a", median_s, extra_info=extra, rounds=rounds), made_benchmark("b", 1.0)])

    assert run(store, tmp_path / "report") == 1
    assert "regression" in (tmp_path / "report" / "verdicts.csv").read_text()


def test_help_tells_defaults_that_are_values(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command.name, "--help"])

    told = capsys.readouterr().out
    assert "(default: 10)" in told
    assert not {"(default: None)", "(default: False)"} & set(re.findall(r"\(default: \w+\)", told))

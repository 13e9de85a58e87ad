"""How a night's end is told: green, slower, failed and no verdict in different words, with the right exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nightly.conclude import LONGEST_SUMMARY_BYTES, annotation, end_of, main
from nightly.errors import in_one_line

if TYPE_CHECKING:
    from pathlib import Path


def verdicts(exit_code: int, *words: str) -> dict[str, Any]:
    return {"verdict": "The headline.", "exit_code": exit_code, "verdicts": [{"verdict": word} for word in words]}


@pytest.mark.parametrize(
    ("code", "found", "ended", "title"),
    [
        (0, verdicts(0, "unchanged"), 0, "Nothing new got slower"),
        (1, verdicts(1, "regression"), 1, "Training got slower"),
        (1, verdicts(0, "failed"), 1, "Cases failed"),
        (2, verdicts(2), 2, "No verdict was possible"),
        (2, verdicts(0, "suspect"), 2, "The night did not end well"),
        (143, verdicts(0, "unchanged"), 2, "The night did not end well"),
        (0, verdicts(1, "regression"), 1, "Training got slower"),  # the report decides where the two disagree
        (0, verdicts(2), 2, "No verdict was possible"),
        (1, None, 2, "Nothing was judged"),
        (143, None, 2, "Nothing was judged"),
    ],
)
def test_every_end_has_its_own_words_and_code(code: int, found: dict[str, Any] | None, ended: int, title: str) -> None:
    end = end_of(code, found)

    assert (end.code, end.title) == (ended, title)


def test_failed_cases_are_counted_by_their_outcome() -> None:
    end = end_of(1, verdicts(0, "failed", "failed", "timed-out", "unchanged"))

    assert end.words == "2 failed, 1 timed-out. The headline."


def test_a_headline_cannot_give_commands_to_the_runner() -> None:
    found = verdicts(1) | {"verdict": "x\n::set-output name=a::b 100%"}

    line = annotation(end_of(1, found))

    assert "\n" not in line
    assert line.startswith("::error title=Training got slower::")
    assert line.endswith("100%25")


def test_the_summary_is_appended_and_cut_where_it_would_be_refused(tmp_path: Path) -> None:
    report, summary = tmp_path / "report", tmp_path / "step.md"
    report.mkdir()
    (report / "verdicts.json").write_text(json.dumps(verdicts(0)))
    (report / "summary.md").write_text("# line\n" * 200_000)
    summary.write_text("before\n")

    code = main(["0", "--report", str(report), "--summary", str(summary)])

    text = summary.read_text()
    assert code == 0
    assert text.startswith("before\n**Nothing new got slower**")
    assert text.endswith("# line\n\nThe rest is in the uploaded report.\n")
    assert len(text.encode()) < LONGEST_SUMMARY_BYTES + 200


def test_a_summary_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "verdicts.json").write_text('{"verdicts": []}')
    words = ["1", "--report", str(tmp_path), "--summary", str(tmp_path / "gone" / "summary.md")]

    assert in_one_line(lambda: main(words), "nightly.conclude") == 2
    assert "summary.md: cannot be written: No such file or directory" in capsys.readouterr().err

"""One issue per open regression, through a stand-in for GitHub's command line that keeps issues in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nightly.issues import Step, body, main, mark, steps, title

ROOT = Path(__file__).parents[2]
GH = """#!{python}
import json, pathlib, sys

kept = pathlib.Path({state!r})
issues = json.loads(kept.read_text())
words = sys.argv[1:]
with open({calls!r}, "a") as stream:
    stream.write(json.dumps(words) + chr(10))
if words[:2] == ["issue", "list"]:
    is_open = words[words.index("--state") + 1] == "open"
    print(json.dumps([issue for issue in issues if issue["open"] == is_open]))
elif words[:2] == ["issue", "create"]:
    title = words[words.index("--title") + 1]
    issues.append({{"number": len(issues) + 1, "body": sys.stdin.read(), "title": title, "open": True}})
elif words[:2] == ["issue", "edit"]:
    issues[int(words[2]) - 1]["body"] = sys.stdin.read()
elif words[:2] == ["issue", "close"]:
    issues[int(words[2]) - 1]["open"] = False
elif words[:2] != ["label", "create"]:
    sys.exit("unknown command")
kept.write_text(json.dumps(issues))
"""
HOSTILE = 'b.py::c[`$(touch x)`|--><script>"\n@all]'


def row(name: str, verdict: str, **more: object) -> dict[str, Any]:
    made = {"fullname": f"benchmarks/b.py::bench[{name}]", "verdict": verdict, "machine": "m-2c", "ratio": 1.25}
    return {**made, "median_s": 0.025, "baseline_s": 0.02, "first_bad_run": "0007.json", "last_good_run": None, **more}


@dataclass(frozen=True)
class Tracker:
    """Issues as the stand-in keeps them."""

    folder: Path

    def night(self, *rows: dict[str, Any], url: str = "https://ci.example/1", words: tuple[str, ...] = ()) -> str:
        """Bring the issues up to date with a night's verdicts; what was said."""
        verdicts = self.folder / "verdicts.json"
        verdicts.write_text(json.dumps({"session": "night-1", "verdicts": rows}))
        done = subprocess.run(
            [sys.executable, "-m", "nightly.issues", str(verdicts), "--run-url", url, *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}"},
        )
        return done.stdout

    def issues(self) -> list[tuple[str, bool]]:
        """Title and whether it is open, oldest first."""
        return [(issue["title"], issue["open"]) for issue in json.loads((self.folder / "issues.json").read_text())]


@pytest.fixture
def tracker(tmp_path: Path) -> Tracker:
    """A repository without issues, and `gh` on the PATH."""
    (tmp_path / "issues.json").write_text("[]")
    gh = tmp_path / "gh"
    state, calls = str(tmp_path / "issues.json"), str(tmp_path / "calls.jsonl")
    gh.write_text(GH.format(python=sys.executable, state=state, calls=calls))
    gh.chmod(0o755)
    return Tracker(tmp_path)


def test_an_issue_lives_as_long_as_its_regression(tracker: Tracker) -> None:
    """Opened once, brought up to date while it lasts, closed on recovery; never a second one for the same case."""
    tracker.night(row("a", "regression", new=True), row("b", "unchanged"))
    tracker.night(row("a", "regression"), row("b", "suspect"), url="https://ci.example/2")
    assert tracker.issues() == [("Slower: bench[a] on m-2c", True)]
    assert "https://ci.example/2" in json.loads((tracker.folder / "issues.json").read_text())[0]["body"]

    tracker.night(row("a", "recovered"), row("b", "unchanged"))
    assert tracker.issues() == [("Slower: bench[a] on m-2c", False)]


def test_a_rehearsal_reads_and_changes_nothing(tracker: Tracker) -> None:
    said = tracker.night(row("a", "regression"), words=("--dry-run",))

    assert "open: Slower: bench[a] on m-2c" in said
    assert tracker.issues() == []


def test_an_issue_that_a_person_closed_is_not_opened_again_for_the_same_regression(tracker: Tracker) -> None:
    tracker.night(row("a", "regression", new=True))
    kept = tracker.folder / "issues.json"
    kept.write_text(json.dumps([{**issue, "open": False} for issue in json.loads(kept.read_text())]))

    tracker.night(row("a", "regression"))
    assert tracker.issues() == [("Slower: bench[a] on m-2c", False)]

    tracker.night(row("a", "regression", first_bad_run="0019.json"))
    assert [is_open for _, is_open in tracker.issues()] == [False, True]


def test_writes_keep_the_distance_that_github_asks_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(json.dumps({"session": "s", "verdicts": [row("a", "regression"), row("b", "regression")]}))
    happened: list[object] = []

    def gh(step: Step) -> str:
        happened.append(" ".join(step.words[:2]))
        return "[]"

    monkeypatch.setattr("nightly.issues.gh", gh)
    monkeypatch.setattr("nightly.issues.time.sleep", happened.append)
    main([str(verdicts)])

    assert happened == [
        "issue list", "issue list", 0, "label create", 1.0, "issue create", 1.0, "issue create",
    ]  # fmt: skip


def known(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Open issues of these cases, numbered from 1."""
    return [{"number": number, "body": mark(one)} for number, one in enumerate(rows, 1)]


def verbs(found: list[dict[str, Any]], issues: list[dict[str, Any]]) -> list[str]:
    return [" ".join(step.words[:2]) for step in steps({"session": "s", "verdicts": found}, issues, [], "")]


@pytest.mark.parametrize("verdict", ["failed", "timed-out", "missing", "skipped", "suspect", "insufficient-history"])
def test_a_case_that_is_not_judged_well_again_keeps_its_issue(verdict: str) -> None:
    assert verbs([row("a", verdict)], known(row("a", "regression"))) == []


@pytest.mark.parametrize("verdict", ["recovered", "unchanged", "improvement"])
def test_a_case_no_longer_slower_has_its_issue_closed(verdict: str) -> None:
    assert verbs([row("a", verdict)], known(row("a", "regression"))) == ["issue close"]


def test_the_same_case_on_another_machine_is_another_issue() -> None:
    elsewhere = row("a", "regression", machine="n-4c")

    assert verbs([row("a", "unchanged")], known(elsewhere)) == []
    assert verbs([row("a", "regression")], known(elsewhere)) == ["label create", "issue create"]


def test_a_hostile_name_stays_text() -> None:
    hostile = row("x", "regression", fullname=HOSTILE)
    text = body(hostile, {"session": "s", "verdicts": [hostile]}, "")

    assert text.count("<!--") == text.count("-->") - HOSTILE.count("-->") == 1
    assert "`` b.py::c[`$(touch x)`\\|--><script>" not in text.splitlines()[0]
    assert "\n@all" not in text
    assert "\n" not in title(hostile)


def test_an_issue_says_how_much_since_when_and_what_to_do() -> None:
    told = body(row("a", "regression"), {"session": "night-1"}, "https://ci.example/1")

    assert told.splitlines()[0] == mark(row("a", "regression"))
    for fact in ("+25.0 %", "25.0 ms", "20.0 ms", "`0007.json`", "`night-1`", "https://ci.example/1", "reports accept"):
        assert fact in told


@pytest.mark.parametrize(("content", "said"), [("{", "cannot be read"), ("[]", "holds no verdicts"), (None, "no such")])
def test_verdicts_that_are_none_are_one_line(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "verdicts.json"
    if content is not None:
        path.write_text(content)

    done = subprocess.run(
        [sys.executable, "-m", "nightly.issues", str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said in line
    assert str(path) in line


def test_what_is_beyond_its_limit_is_told_with_the_limit_and_what_changes_it() -> None:
    beyond = row("a", "regression", limit="at most 5 µs, measured 8.00 µs", ratio=None)

    assert title(beyond) == "Beyond its limit: bench[a] on m-2c"
    text = body(beyond, {"session": "night-1"}, "")
    assert "| beyond its limit | at most 5 µs, measured 8.00 µs |" in text
    assert "edit `limits.toml`" in text
    assert "reports accept" not in text
    assert "reports accept" in body(row("a", "regression"), {"session": "night-1"}, "")

"""Keep one issue per open regression: `python -m nightly.issues report/verdicts.json [--run-url URL] [--dry-run]`.

Works through `gh`, GitHub's command line, in the repository that GH_REPO or the working directory names. An issue is
known by a label and a mark in its text, which tells machine and case; one is opened for every regression without any,
kept up to date while it lasts, and closed when the case is judged, no longer slower and within its limit. A case that
was not judged tonight leaves its issue as it is. One that a person closed stays closed while the same regression lasts.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nightly.conclude import read_verdicts
from nightly.errors import NightError, in_one_line
from reports.escaping import markdown, markdown_code, visible
from reports.quantities import percent_change, seconds

LABEL = "training-regression"
OVER = ("recovered", "unchanged", "improvement")
"""Verdicts of a case that was judged and is not slower than its accepted level."""
MOST_ISSUES = 50
"""Opened in one night: more regressions at once have one cause, and those left over are opened the next night."""


BETWEEN_WRITES_S = 1.0
"""What GitHub asks of whoever writes more than once, before it refuses for a while."""


class Step(NamedTuple):
    """One call of `gh`: its words, what it reads, and what it is for."""

    words: tuple[str, ...]
    text: str
    purpose: str


def main(words: list[str]) -> int:
    """Bring the issues up to date with the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m nightly.issues", description="One issue per open regression.")
    parser.add_argument("verdicts", type=Path, nargs="?", default=Path("report/verdicts.json"))
    parser.add_argument("--run-url", default="", metavar="URL", help="where the night's log and report are")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and only read")
    arguments = parser.parse_args(words)
    found = read_verdicts(arguments.verdicts)
    if found is None:
        raise NightError(f"{arguments.verdicts}: no such file")
    for number, step in enumerate(steps(found, issues("open"), issues("closed"), arguments.run_url)):
        sys.stdout.write(f"{step.purpose}\n")
        if not arguments.dry_run:
            time.sleep(BETWEEN_WRITES_S if number else 0)
            gh(step)
    return 0


def issues(state: str) -> list[dict[str, Any]]:
    """Return `number` and `body` of the newest issues with the label in this state."""
    asked = ("--label", LABEL, "--state", state, "--limit", "1000", "--json", "number,body")
    found: list[dict[str, Any]] = json.loads(gh(Step(("issue", "list", *asked), "", f"list the {state} issues")))
    return found


def steps(
    found: dict[str, Any], known: Sequence[dict[str, Any]], closed: Sequence[dict[str, Any]], run_url: str
) -> Iterator[Step]:
    """Yield what is to be done so that every open regression has one issue and no other case has any.

    `known` are the open issues with the label, `closed` the closed ones: `number` and `body`.
    """
    rows = [row for row in found["verdicts"] if isinstance(row, dict) and row.get("fullname")]
    of = {mark(row): [issue for issue in known if mark(row) in issue["body"]] for row in rows}
    regressions = [row for row in rows if row.get("verdict") == "regression"]
    settled = [row for row in regressions if any(is_of_the_same(row, issue["body"]) for issue in closed)]
    opened = [row for row in regressions if not of[mark(row)] and row not in settled]
    if opened:
        colour = ("--color", "B60205", "--description", "A benchmark that got slower and is not accepted", "--force")
        yield Step(("label", "create", LABEL, *colour), "", f"make sure of the label {LABEL}")
    for row in opened[:MOST_ISSUES]:
        options = ("--title", title(row), "--label", LABEL, "--body-file", "-")
        yield Step(("issue", "create", *options), body(row, found, run_url), f"open: {title(row)}")
    for row in regressions:
        for issue in of[mark(row)]:
            if issue["body"].strip() != body(row, found, run_url).strip():
                words = ("issue", "edit", str(issue["number"]), "--body-file", "-")
                yield Step(words, body(row, found, run_url), f"update {issue['number']}: {title(row)}")
    for row in rows:
        for issue in of[mark(row)] if row.get("verdict") in OVER else []:
            comment = (
                f"{markdown(str(row['verdict']))} in session {markdown_code(str(found.get('session')))}. {run_url}"
            )
            words = ("issue", "close", str(issue["number"]), "--comment", comment)
            yield Step(words, "", f"close {issue['number']}: {title(row)}")


def mark(row: dict[str, Any]) -> str:
    """Return the hidden line by which a machine's case is known in an issue, whatever its name holds."""
    told = f"{row.get('machine', '')}\n{row['fullname']}"
    return f"<!-- {LABEL}: {hashlib.sha256(told.encode()).hexdigest()[:20]} -->"


def is_of_the_same(row: dict[str, Any], text: str) -> bool:
    """Tell whether an issue's text is about this case's present regression, which began with the same run."""
    return bool(row.get("first_bad_run")) and mark(row) in text and _line("first bad run", _begun(row)) in text


def title(row: dict[str, Any]) -> str:
    """Return an issue's title: what got slower or is beyond its limit, without file and folder."""
    what = "Beyond its limit" if row.get("limit") else "Slower"
    return visible(f"{what}: {str(row['fullname']).rpartition('::')[2]} on {row.get('machine', '')}", longest=200)


def body(row: dict[str, Any], found: dict[str, Any], run_url: str) -> str:
    """Return an issue's text: how much slower, or beyond which limit, since when, and what to do about it."""
    facts = {
        "case": markdown_code(str(row["fullname"])),
        "machine": markdown_code(str(row.get("machine", ""))),
        "change": percent_change(_number(row.get("ratio"))),
        "now": seconds(_number(row.get("median_s"))),
        "before": seconds(_number(row.get("baseline_s"))),
        "last good run": markdown_code(str(row.get("last_good_run") or "-")),
        "first bad run": _begun(row),
        "seen in session": markdown_code(str(found.get("session", ""))),
    }
    if row.get("limit"):
        facts["beyond its limit"] = markdown(str(row["limit"]))
    lines = [mark(row), "", "| | |", "|---|---|", *(_line(name, fact) for name, fact in facts.items()), ""]
    if run_url:
        lines += [f"The report of this night: {run_url}", ""]
    if row.get("limit"):
        lines.append("If the limit is not meant: edit `limits.toml`; accepting a level changes no limit.")
    else:
        lines.append(
            "If the new level is meant: `python -m reports accept CASE-GLOB --reason TEXT`, and commit `accepted.toml`."
        )
    lines.append("This issue closes itself once the case is judged, no longer slower and within its limit.")
    return "\n".join(lines) + "\n"


def _begun(row: dict[str, Any]) -> str:
    return markdown_code(str(row.get("first_bad_run") or "-"))


def _line(name: str, fact: str) -> str:
    return f"| {name} | {fact} |"


def gh(step: Step) -> str:
    """Run `gh` without a shell and return what it printed.

    Raises:
        NightError: there is no `gh`, or it refused.
    """
    try:
        done = subprocess.run(["gh", *step.words], input=step.text, capture_output=True, text=True, check=False)  # noqa: S603, S607  gh as the PATH has it, no shell
    except OSError as error:
        raise NightError(f"gh cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NightError(f"could not {step.purpose}: {visible(said)}")
    return done.stdout


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")


if __name__ == "__main__":
    sys.exit(in_one_line(lambda: main(sys.argv[1:]), "nightly.issues"))

"""Tell how a night ended, and end with its exit code: `python -m nightly.conclude CODE --report report`.

Green is exit code 0. Red is 1 where something got slower or cases failed, and 2 where no verdict was possible or the
night broke off, each in words of its own, as GitHub's annotations where GitHub runs it. The report's summary is
appended to a job's summary.
"""

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from nightly.errors import CANNOT, NightError, in_one_line
from reports.escaping import visible

GREEN, RED = 0, 1
LONGEST_SUMMARY_BYTES = 1_000_000
"""GitHub refuses a step's summary above 1 MiB."""
WITHOUT_TIME = ("failed", "timed-out", "not-reached", "missing")


class End(NamedTuple):
    """How a night ended: a title and a sentence, and the exit code that stands for it."""

    code: int
    title: str
    words: str


def end_of(code: int, verdicts: dict[str, Any] | None) -> End:
    """Return how a night ended that left with an exit code and with these verdicts, or without any."""
    if verdicts is None:
        return End(CANNOT, "Nothing was judged", f"the night ended with exit code {code} and left no report")
    headline = visible(str(verdicts.get("verdict", "")))
    judged = verdicts.get("exit_code")
    if judged == RED:
        return End(RED, "Training got slower", headline)
    if judged != GREEN:
        return End(CANNOT, "No verdict was possible", headline)
    if code == GREEN:
        return End(GREEN, "Nothing new got slower", headline)
    if code != RED:
        said = f"the night ended with exit code {code}, as its log explains, though its report found nothing new"
        return End(CANNOT, "The night did not end well", f"{said}. {headline}")
    counts = Counter(str(row.get("verdict")) for row in verdicts.get("verdicts", []))
    told = ", ".join(f"{counts[word]} {word}" for word in WITHOUT_TIME if counts[word]) or f"exit code {code}"
    return End(RED, "Cases failed", f"{told}. {headline}")


def annotation(end: End) -> str:
    """Return GitHub's workflow command for it, in which line ends and percent signs are written as codes."""
    level = "notice" if end.code == GREEN else "error"
    words = end.words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title={end.title}::{words}"


def main(words: list[str]) -> int:
    """Print how the night ended and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m nightly.conclude", description="Tell how a night ended.")
    parser.add_argument("code", type=int, help="the exit code that the night ended with")
    parser.add_argument("--report", type=Path, default=Path("report"), metavar="DIR", help="the report's folder")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="append the report's summary to this file")
    arguments = parser.parse_args(words)
    end = end_of(arguments.code, read_verdicts(arguments.report / "verdicts.json"))
    on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    sys.stdout.write(f"{annotation(end) if on_github else f'{end.title}: {end.words}'}\n")
    if arguments.summary:
        append_summary(end, arguments.report / "summary.md", arguments.summary)
    return end.code


def read_verdicts(path: Path) -> dict[str, Any] | None:
    """Return the verdicts, or None where there is no such file.

    Raises:
        NightError: the file is no verdicts.json.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise NightError(f"{path}: cannot be read: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("verdicts"), list):
        raise NightError(f"{path}: holds no verdicts")
    return found


def append_summary(end: End, report: Path, summary: Path) -> None:
    """Append the night's end and the report, cut where GitHub would refuse it."""
    text = f"**{end.title}**\n\n" + (report.read_text(encoding="utf-8") if report.exists() else f"{end.words}\n")
    data = text.encode()
    if len(data) > LONGEST_SUMMARY_BYTES:
        data = data[:LONGEST_SUMMARY_BYTES].rpartition(b"\n")[0] + b"\n\nThe rest is in the uploaded report.\n"
    try:
        with summary.open("ab") as stream:
            stream.write(data)
    except OSError as error:
        raise NightError(f"{summary}: cannot be written: {error.strerror or error}") from error


if __name__ == "__main__":
    sys.exit(in_one_line(lambda: main(sys.argv[1:]), "nightly.conclude"))

"""`accepted.toml`: the levels that a person took as right, and the cases that go on under another name.

[[accepted]]
case = "cpu-iris-mlp-*"
reason = "float64 on purpose"
at = "night-0042"            # a session, or a date: the last session up to that day

[[renamed]]
from = "benchmarks/bench_training.py::bench_training[cpu-mlp-batch32-log10]"
to = "benchmarks/bench_training.py::bench_training[cpu-iris-mlp-batch32-log10]"
"""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from reports.writing import write_whole

FILE = "accepted.toml"
HEAD = "# Levels accepted as right, and cases that were renamed. Commit this file; verdicts depend on it.\n"


@dataclass(frozen=True)
class Accepted:
    """One accepted change: cases by glob (or `machine:...`), why, since which session or day, and the level in s."""

    case: str
    reason: str
    at: str
    level_s: float | None = None


@dataclass(frozen=True)
class Renamed:
    """One case under two fullnames."""

    old: str
    new: str
    reason: str = ""


@dataclass(frozen=True)
class Book:
    """Everything in the file."""

    accepted: tuple[Accepted, ...] = ()
    renamed: tuple[Renamed, ...] = field(default=())


def read(path: Path) -> Book:
    """Read the file; a file that is not there accepts nothing.

    Raises:
        ValueError: the file is not TOML or an entry lacks or misuses a key; one line that names the file and the key.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: not a file")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Book()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ValueError(f"{path}: not readable as TOML: {error}") from error
    if unknown := table.keys() - {"accepted", "renamed"}:
        raise ValueError(f"{path}: {min(unknown)}: no such key; known are accepted and renamed")
    accepted = [_accepted(f"{path}: accepted[{at}]", row) for at, row in enumerate(_rows(path, table, "accepted"), 1)]
    renamed = [_renamed(f"{path}: renamed[{at}]", row) for at, row in enumerate(_rows(path, table, "renamed"), 1)]
    return Book(tuple(accepted), tuple(renamed))


def write(path: Path, book: Book) -> None:
    """Write the file whole or not at all.

    Raises:
        OSError: the folder cannot be written to.
    """
    blocks = [_block("accepted", _row_of(entry)) for entry in book.accepted]
    blocks += map(renamed_in_toml, book.renamed)
    write_whole(path, "\n".join([HEAD, *blocks]))


def renamed_in_toml(entry: Renamed) -> str:
    """Return the lines of the file that join a case to its earlier name."""
    return _block("renamed", {"from": entry.old, "to": entry.new, **({"reason": entry.reason} if entry.reason else {})})


def _rows(path: Path, table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    rows = table.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path}: {key}: must be written as [[{key}]]")
    return rows


def _accepted(place: str, row: Mapping[str, Any]) -> Accepted:
    _known(place, row, {"case", "reason", "at", "level_s"})
    level = row.get("level_s")
    if level is not None and not _is_time(level):
        raise ValueError(f"{place}.level_s: {level!r} is not a time above 0 s")
    at = row.get("at")
    if isinstance(at, date):
        at = (at.date() if isinstance(at, datetime) else at).isoformat()
    return Accepted(
        _text(place, row, "case"), _text(place, row, "reason"), _text(place, {"at": at} if at else {}, "at"), level
    )


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _renamed(place: str, row: Mapping[str, Any]) -> Renamed:
    _known(place, row, {"from", "to", "reason"})
    reason = _text(place, row, "reason") if "reason" in row else ""
    renamed = Renamed(_text(place, row, "from"), _text(place, row, "to"), reason)
    if renamed.old == renamed.new:
        raise ValueError(f"{place}.to: {renamed.new!r} is the same name as from")
    return renamed


def _known(place: str, row: Mapping[str, Any], keys: set[str]) -> None:
    if unknown := row.keys() - keys:
        raise ValueError(f"{place}.{min(unknown)}: no such key; known are {', '.join(sorted(keys))}")


def _text(place: str, row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{place}.{key}: " + ("is missing" if value is None else f"{value!r} is not a text"))
    return value


def _row_of(entry: Accepted) -> dict[str, str | float]:
    row: dict[str, str | float] = {"case": entry.case, "reason": entry.reason, "at": entry.at}
    return row if entry.level_s is None else row | {"level_s": entry.level_s}


def _block(name: str, row: Mapping[str, str | float]) -> str:
    """Write a table; a JSON text without DEL is a TOML text too."""
    lines = [
        f"{key} = "
        + (json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else repr(value))
        for key, value in row.items()
    ]
    return f"[[{name}]]\n" + "\n".join(lines) + "\n"


def with_accepted(book: Book, entry: Accepted) -> Book:
    """Return the book with an entry added; one of the same cases and session is replaced."""
    others = tuple(known for known in book.accepted if (known.case, known.at) != (entry.case, entry.at))
    return Book((*others, entry), book.renamed)


def with_renamed(book: Book, entry: Renamed) -> Book:
    """Return the book with a rename added; another one of the same old name is replaced."""
    return Book(book.accepted, (*(known for known in book.renamed if known.old != entry.old), entry))

"""What a value read from a stranger's JSON may be taken for, and what stands for it when it is something else."""

import math
from datetime import UTC, datetime
from typing import Any

EARLIEST_YEAR, LATEST_YEAR = 1990, 2200
LARGEST_COUNT = 2**53


def mapping(value: object) -> dict[str, Any]:
    """Return the JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """Return the JSON array, or an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return the string, or an empty one."""
    return value if isinstance(value, str) else ""


def number(value: object) -> float:
    """Return a finite float, NaN for everything else (booleans, strings, infinities, integers beyond a float)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        as_float = float(value)
    except OverflowError:
        return math.nan
    return as_float if math.isfinite(as_float) else math.nan


def positive(value: object) -> float:
    """Return a finite float above 0, NaN for everything else."""
    as_float = number(value)
    return as_float if as_float > 0 else math.nan


def count(value: object) -> int:
    """Return a whole number from 0 to 2**53; 0 for everything else."""
    as_float = number(value)
    return int(as_float) if 0 <= as_float <= LARGEST_COUNT else 0


def label(value: object) -> str:
    """Return a string or a whole number as text, empty for everything else."""
    return str(count(value)) if isinstance(value, int | float) else text(value)


def words(value: object) -> tuple[str, ...]:
    """Return the strings of a JSON array, in order, each once."""
    return tuple(dict.fromkeys(word for word in sequence(value) if isinstance(word, str)))


def moment(value: object) -> datetime | None:
    """Return a time in UTC; a time without an offset is taken as UTC, as pytest-benchmark wrote it before 5.0."""
    try:
        parsed = datetime.fromisoformat(text(value))
        parsed = parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return parsed if EARLIEST_YEAR <= parsed.year <= LATEST_YEAR else None

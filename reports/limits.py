"""Acceptance limits of a machine, read from a file that is meant to be committed.

One table `[limits]`, a line per case or glob of ids, named as the report names it or in full:

    [limits]
    "bench_primitive[cpu-dispatch]" = { at_most = "5 µs" }
    "bench_primitive[cuda-copy-to-device-64mib-pinned]" = { at_least = "20 GB/s" }
    "cpu-iris-mlp-batch120-*" = { at_most = "600 µs" }
"""

import math
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.errors import ReportError
from reports.quantities import seconds, significant
from reports.rule.settings import matches
from reports.values import mapping, text

FILE = Path("limits.toml")
"""Read from the working directory unless another is named."""
ROUNDING = 1e-9
"""Relative: a session's time has been through a logarithm and back."""
HOW_TO_CHANGE = f"accepting a level changes no limit; one that is not meant is edited in {FILE}"
_UNITS = {
    "s": ("s", 1.0), "ms": ("s", 1e-3), "µs": ("s", 1e-6), "us": ("s", 1e-6), "ns": ("s", 1e-9),
    "MB/s": ("B", 1e6), "GB/s": ("B", 1e9), "TB/s": ("B", 1e12),
    "MFLOP/s": ("FLOP", 1e6), "GFLOP/s": ("FLOP", 1e9), "TFLOP/s": ("FLOP", 1e12),
}  # fmt: skip
_QUANTITY = re.compile(r"\s*(?P<number>\d+(?:\.\d*)?(?:e[-+]?\d+)?)\s*(?P<unit>\S+)\s*", re.IGNORECASE)


class LimitsError(ReportError):
    """A limits file cannot be used; `faults` holds one line each, naming file and key."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Limit:
    """One case's limit: at most so many seconds, or at least so many bytes or operations per second.

    `kind` is "s", "B" or "FLOP"; `told` is the limit in the file's own words.
    """

    case: str
    kind: str
    value: float
    told: str

    def names(self, fullname: str) -> bool:
        """Whether the limit is this case's: by its whole name, the name without folder and file, or a glob of ids."""
        return matches(fullname, self.case)

    def measure(self, time_s: float, amount: float, amount_unit: str) -> float:
        """Return what is held against the limit: the time, or amount over time; NaN where there is no such rate."""
        if self.kind == "s":
            return time_s
        return amount / time_s if amount_unit == self.kind else math.nan

    def is_beyond(self, measured: float) -> bool:
        """Whether a time is longer, or a rate lower, than the limit allows; a limit met to the digit is held."""
        beyond_by = measured / self.value if self.kind == "s" else self.value / measured
        return beyond_by > 1 + ROUNDING

    def in_words(self, measured: float) -> str:
        """Return a measured time or rate in the unit people know."""
        return seconds(measured) if self.kind == "s" else rate_in_words(measured, self.kind)


def _document(place: Path) -> dict[str, Any]:
    if place.exists() and not place.is_file():
        raise LimitsError([f"{place}: not a file"])
    try:
        return tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise LimitsError([f"{place}: cannot be read: {error.strerror or type(error).__name__}"]) from error
    except UnicodeDecodeError as error:
        raise LimitsError([f"{place}: not UTF-8 text at byte {error.start}"]) from error
    except tomllib.TOMLDecodeError as error:
        raise LimitsError([f"{place}: not TOML: {error}"]) from error
    except RecursionError as error:
        raise LimitsError([f"{place}: nested too deeply"]) from error


def read_limits(path: Path | None = None) -> list[Limit]:
    """Return the limits of the file named, or of `limits.toml` in the working directory, if there is one.

    Raises:
        LimitsError: the file named is not there, or one cannot be read, with a line per fault.
    """
    if path is None and not os.path.lexists(FILE):
        return []
    place = path or FILE
    document = _document(place)
    faults = [f"{place}: {key}: not a table of limits" for key in document if key != "limits"]
    if not isinstance(document.get("limits", {}), dict):
        faults.append(f"{place}: limits: not a table")
    limits = []
    for case, told in mapping(document.get("limits")).items():
        limit = _limit(case, told)
        if isinstance(limit, Limit):
            limits.append(limit)
        else:
            faults.append(f"{place}: limits.{case}: {limit}")
    if faults:
        raise LimitsError(faults)
    return limits


def _limit(case: str, told: object) -> Limit | str:
    """Return the limit, or what is wrong with it."""
    if not isinstance(told, dict) or len(told) != 1 or not set(told) <= {"at_most", "at_least"}:
        return f'{told!r} is neither {{ at_most = "..." }} nor {{ at_least = "..." }}'
    ((bound, quantity),) = told.items()
    found = _QUANTITY.fullmatch(text(quantity))
    kind, size = _UNITS.get(found["unit"], ("", 0.0)) if found else ("", 0.0)
    if not found or not kind or float(found["number"]) <= 0:
        return f"{bound} = {quantity!r} is no quantity above 0 in one of {', '.join(_UNITS)}"
    if (kind == "s") != (bound == "at_most"):
        return f"{bound} = {quantity!r}: a time has an at_most, a rate an at_least"
    return Limit(case, kind, float(found["number"]) * size, f"{bound.replace('_', ' ')} {quantity}")


def rate_in_words(rate: float, kind: str) -> str:
    """Return bytes or floating-point operations per second in the unit people know."""
    sizes = sorted(((size, unit) for unit, (one, size) in _UNITS.items() if one == kind), reverse=True)
    size, unit = next(((size, unit) for size, unit in sizes if rate >= size), sizes[-1])
    return f"{significant(rate / size)} {unit}"

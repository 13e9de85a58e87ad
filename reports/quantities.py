"""Numbers as people read them: three significant digits, a unit that fits, and nothing invented for what is missing."""

import math
from datetime import timedelta
from typing import Self

MISSING = "-"
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTE_UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))


class Quantity(str):
    """A formatted number that keeps the number itself, so that a table of them can be sorted."""

    __slots__ = ("value",)
    value: float

    def __new__(cls, shown: str, value: float) -> Self:
        """Show the number so."""
        quantity = super().__new__(cls, shown)
        quantity.value = value
        return quantity


def significant(value: float, digits: int = 3) -> str:
    """Return a plain decimal of so many significant digits, with commas between thousands.

    >>> significant(0.0123456), significant(27.6), significant(81347.0)
    ('0.0123', '27.6', '81,300')
    """
    if not math.isfinite(value):
        return MISSING
    if value == 0:
        return Quantity("0", 0)
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    shown = f"{rounded:,.{decimals}f}" if decimals <= 15 else f"{rounded:.{digits - 1}e}"  # noqa: PLR2004  readable
    return Quantity(shown, value)


def seconds(value_s: float) -> str:
    """Return a time in the unit that leaves one to three digits before the point."""
    if not math.isfinite(value_s):
        return MISSING
    rounded = abs(float(f"{value_s:.2e}"))
    size, unit = next((pair for pair in _TIME_UNITS if rounded >= pair[0]), _TIME_UNITS[-1])
    return Quantity(f"{significant(value_s / size)} {unit}", value_s)


def microseconds(value_s: float) -> str:
    """Return a time as a number of microseconds, without the unit."""
    return significant(value_s * 1e6)


def memory(value_bytes: float) -> str:
    """Return an amount of memory in binary units."""
    if not math.isfinite(value_bytes):
        return MISSING
    size, unit = next((pair for pair in _BYTE_UNITS if abs(value_bytes) >= pair[0]), _BYTE_UNITS[-1])
    return Quantity(f"{significant(value_bytes / size)} {unit}", value_bytes)


def percent_change(ratio: float) -> str:
    """Return a ratio as a signed change in percent, one digit after the point below 100 %."""
    if not math.isfinite(ratio):
        return MISSING
    change = (ratio - 1) * 100
    shown = f"{change:+,.0f} %" if abs(change) >= 99.95 else f"{change:+.1f} %".replace("-0.0", "+0.0")  # noqa: PLR2004
    return Quantity(shown, ratio)


def percent_between(low: float, high: float) -> str:
    """Return an interval of two ratios as signed changes in percent, the unit once.

    >>> percent_between(0.984, 1.031)
    '-1.6 to +3.1 %'
    """
    return between(percent_change(low).removesuffix(" %"), percent_change(high))


def times(factor: float) -> str:
    """Return a factor, such as a speed-up."""
    return MISSING if not math.isfinite(factor) else Quantity(f"{significant(factor)}x", factor)


def times_between(low: float, high: float) -> str:
    """Return an interval of two factors, the sign once.

    >>> times_between(1.98, 2.02)
    '1.98 to 2.02x'
    """
    return between(times(low).removesuffix("x"), times(high))


def between(low: str, high: str) -> str:
    """Return an interval of two formatted ends."""
    return MISSING if MISSING in {low, high} else f"{low} to {high}"


def age(elapsed: timedelta) -> str:
    """Return how long ago something was, in the largest whole unit; a clock that is behind counts as now."""
    minutes = max(0, int(elapsed.total_seconds() // 60))
    for size, unit in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            return counted(minutes // size, unit)
    return "less than a minute"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless there is one.

    >>> counted(1, "case"), counted(3, "case")
    ('1 case', '3 cases')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

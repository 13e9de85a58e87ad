"""What a report is made of, before it is HTML, Markdown or a terminal's text.

Every string here is text, never markup: whoever writes it out escapes it.
"""

from dataclasses import dataclass
from typing import Self


class Name(str):
    """Text that came from a file, such as a case's name or a reason: shown as code, so that it stays as it was."""

    __slots__ = ()


class CaseName(Name):
    """The short name of a case, which a page can show the history of."""

    __slots__ = ("fullname",)
    fullname: str

    def __new__(cls, shown: str, fullname: str) -> Self:
        """Show the case under this name."""
        name = super().__new__(cls, shown)
        name.fullname = fullname
        return name


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its header, with the unit where all cells share one. Numbers stand at the right."""

    header: str
    is_number: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; `rows` hold formatted text, plain or as Name. A long one may be folded away."""

    caption: str
    columns: tuple[Column, ...]
    rows: list[tuple[str, ...]]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture as inline SVG, safe to put into a page, and its content in words."""

    caption: str
    alternative: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """One question of the report and its answer: sentences first, then tables and pictures."""

    anchor: str
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()

"""What a report is made of, before it is HTML, Markdown or a terminal's text.

Every string here is text, never markup: whoever writes it out escapes it.
"""

from dataclasses import dataclass, replace
from typing import Self

from reports.quantities import MISSING

EMPTY = ("", MISSING)


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


class Stack(str):
    """A cell of several lines, the one to sort by first; as plain text the lines stand one after another."""

    __slots__ = ("lines",)
    lines: tuple[str, ...]

    def __new__(cls, *lines: str) -> Self:
        """Show these lines one below the other."""
        stack = super().__new__(cls, ", ".join(lines))
        stack.lines = lines
        return stack


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

    @property
    def is_stacked(self) -> bool:
        """Whether cells hold several lines, so that a narrow screen had better show each row as a card."""
        return any(isinstance(cell, Stack) for row in self.rows for cell in row)

    def filled(self) -> Self:
        """Return the table without the columns that hold nothing in any row; the first one stays."""
        kept = [at for at in range(len(self.columns)) if at == 0 or any(row[at] not in EMPTY for row in self.rows)]
        rows = [tuple(row[at] for at in kept) for row in self.rows]
        return replace(self, columns=tuple(self.columns[at] for at in kept), rows=rows)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture as inline SVG, safe to put into a page, and its content in words."""

    caption: str
    alternative: str
    svg: str


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines to copy into a file as they are, under a caption that says where to."""

    caption: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One question of the report and its answer: sentences first, then tables and pictures.

    `notes` say what words mean and how figures were made: they come last, and a terminal leaves them out.
    """

    anchor: str
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    notes: tuple[str, ...] = ()

"""The questions of the report, in the order in which a reader asks them; each module answers one or two."""

from collections.abc import Callable

from reports.layout import Section
from reports.sections import devices, verdicts
from reports.subject import Subject

SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    verdicts.changes,
    verdicts.cases,
    devices.section,
)
"""A section that has nothing to say of a store is left out."""

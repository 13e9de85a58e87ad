"""The questions of the report, in the order in which a reader asks them; each module answers one or two."""

from collections.abc import Callable

from reports.layout import Section
from reports.sections import (
    calls,
    crossover,
    devices,
    lessons,
    limits,
    log_cost,
    machine,
    memory,
    primitives,
    renames,
    run_time,
    scaling,
    units,
    unmeasured,
    verdicts,
    why,
)
from reports.subject import Subject

SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    verdicts.changes,
    limits.section,
    verdicts.cases,
    renames.section,
    devices.section,
    run_time.section,
    crossover.section,
    why.section,
    log_cost.section,
    memory.section,
    lessons.section,
    calls.section,
    primitives.section,
    scaling.section,
    units.section,
    unmeasured.section,
    machine.section,
    machine.skipped,
)
"""A section that has nothing to say of a store is left out."""

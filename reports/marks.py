"""What the rule said along each case's history, as a page marks it: levels, confirmed changes, accepted points."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from reports.rule.arrays import Floats
from reports.rule.course import Course


class Marks(NamedTuple):
    """One case's marks, by place in the sessions shown: levels in seconds, changes, acceptances with their reason."""

    levels: list[tuple[int, int, float]]
    changes: list[tuple[int, str]]
    accepted: list[tuple[int, str]]


def marks_of(course: Course, names: Sequence[str], order: Sequence[str]) -> dict[str, Marks]:
    """Return the marks of these cases over these sessions; `names` and `order` may leave some of the course out."""
    place = {session: number for number, session in enumerate(order)}
    shown = [place.get(session, -1) for session in course.sessions]
    case_of = {name: case for case, name in enumerate(course.fullnames)}
    changes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for change in course.changes:
        if shown[change.session] >= 0:
            changes[change.case].append((shown[change.session], change.word))
    accepted: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for one in course.accepted:
        for case in one.cases.tolist() if shown[one.session] >= 0 else ():
            accepted[case].append((shown[one.session], one.reason))
    levels = course.level[[at >= 0 for at in shown]]
    shown = [at for at in shown if at >= 0]
    return {
        name: Marks(list(_levels(levels[:, case], shown)), changes[case], accepted[case])
        for name in names
        if (case := case_of.get(name)) is not None
    }


def _levels(level: Floats, shown: list[int]) -> Iterator[tuple[int, int, float]]:
    """Yield what each session was compared with, joined where it hardly moved."""
    known = np.flatnonzero(np.isfinite(level)).tolist()
    for _, joined in groupby(known, key=np.round(level, 2).tolist().__getitem__):
        run = list(joined)
        yield shown[run[0]], shown[run[-1]], float(f"{math.exp(level[run[-1]]):.4g}")

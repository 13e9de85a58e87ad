"""What the rule said along each case's history: levels, confirmed changes, accepted points."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reports.history import earlier_sessions, of_session
from reports.judging import Judgement
from reports.rule.accepted import Book
from reports.rule.grid import grid
from reports.rule.night import Night
from reports.rule.renames import joined
from reports.rule.replay import Replay
from reports.rule.settings import Settings
from reports.rule.verdict import acceptances
from reports.verdicts import case_rows

MOST_REPLAYED = 60_000
"""Case-sessions: a larger history is not replayed again for the page, which then marks tonight's change only."""
_CHANGED = {"regression": "slower", "improvement": "faster", "recovered": "recovered"}


@dataclass(frozen=True)
class Rule:
    """What a judgement was made with."""

    settings: Settings = field(default_factory=Settings)
    accepted: Book = field(default_factory=Book)


class Marks(NamedTuple):
    """One case's marks, by place in the sessions shown: levels in seconds, changes, acceptances with their reason."""

    levels: list[tuple[int, int, float]]
    changes: list[tuple[int, str]]
    accepted: list[tuple[int, str]]


def marks_of(judgement: Judgement, rule: Rule, names: Sequence[str], order: Sequence[str]) -> dict[str, Marks]:
    """Return the marks of these cases over these sessions, the judged one last."""
    sessions = joined(judgement.sessions, rule.accepted.renamed).reset_index(drop=True)
    ours = (sessions, judgement.session, judgement.machine)
    history = pd.concat([earlier_sessions(*ours), of_session(*ours)]).reset_index(drop=True)
    if len(history) > MOST_REPLAYED:
        tonight = case_rows(judgement.verdicts).to_dict("records")
        return {row["fullname"]: _of_tonight(row, len(order) - 1) for row in tonight}
    cells = grid(history)
    accepted = [
        (taken, entry.reason)
        for entry in rule.accepted.accepted
        for taken in acceptances([entry], cells, history, judgement.machine)
    ]
    nights = list(Replay(cells, rule.settings, [taken for taken, _ in accepted]).walk())
    place = {session: number for number, session in enumerate(order)}
    shown = [place.get(session, -1) for session in cells.sessions]
    case_of = {name: case for case, name in enumerate(cells.fullnames)}
    return {
        name: Marks(
            list(_levels(nights, case_of[name], shown)),
            list(_changes(nights, case_of[name], shown)),
            [
                (shown[one.session], why)
                for one, why in accepted
                if case_of[name] in one.cases and shown[one.session] >= 0
            ],
        )
        for name in names
        if name in case_of
    }


def _levels(nights: list[Night], case: int, shown: list[int]) -> Iterator[tuple[int, int, float]]:
    """Yield what each session was compared with, joined where it hardly moved."""
    values = [(place, night.against[case] + night.shift[case]) for place, night in zip(shown, nights, strict=True)]
    known = [(place, value) for place, value in values if place >= 0 and np.isfinite(value)]
    for _, points in groupby(known, key=lambda point: round(point[1], 2)):
        run = list(points)
        yield run[0][0], run[-1][0], float(f"{math.exp(run[-1][1]):.4g}")


def _changes(nights: list[Night], case: int, shown: list[int]) -> Iterator[tuple[int, str]]:
    for place, night in zip(shown, nights, strict=True):
        word = str(night.verdict[case])
        if word in _CHANGED and (night.new[case] or word == "recovered"):
            first = night.first_bad[case]
            at = shown[first] if first >= 0 and word != "recovered" else place
            if at >= 0:
                yield at, _CHANGED[word]


def _of_tonight(row: dict[Any, Any], last: int) -> Marks:
    baseline_s = float(row["baseline_s"])
    word = _CHANGED.get(row["verdict"])
    levels = [(0, last, float(f"{baseline_s:.4g}"))] if baseline_s > 0 else []
    return Marks(levels, [(last, word)] if word and row["new"] else [], [])

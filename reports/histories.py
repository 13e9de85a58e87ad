"""The history of each case of the judged machine, as the few numbers that a page draws it from."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from reports.judging import Judgement
from reports.marks import marks_of
from reports.verdicts import case_rows

MOST_SESSIONS = 400
"""A page shows the newest ones: with 300 cases that keeps it under 5 MB."""
_SPARK_POINTS, _SPARK_WIDTH, _SPARK_HEIGHT = 60, 62, 18


@dataclass
class History:
    """One case over the sessions.

    Attributes:
        times: seconds per unit of work, four digits, None where there is none.
        halves: the interval's half as parts per 10,000 of the time, from the scatter of the rounds; None if unknown.
        levels: (first session, last session, seconds): what the case was compared with.
        changes: (session, "slower", "faster" or "recovered"): the first session after a confirmed change.
        accepted: (session, reason): where the level was accepted.
    """

    times: list[float | None]
    halves: list[int | None]
    levels: list[tuple[int, int, float]] = field(default_factory=list)
    changes: list[tuple[int, str]] = field(default_factory=list)
    accepted: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Histories:
    """All cases by fullname, over the same sessions.

    `sessions` holds (id, UTC date, commit, place in `environments`) in order of time; `environments` each different
    one once.
    """

    sessions: list[tuple[str, str, str, int]]
    environments: list[dict[str, str]]
    cases: dict[str, History]


def histories(cases: pd.DataFrame, files: pd.DataFrame, judgement: Judgement) -> Histories:
    """Return the histories up to the judged session, the earlier sessions being those of its kind and machine."""
    frame = judgement.sessions
    if judgement.started is None or judgement.course is None:
        return Histories([], [], {})
    is_ours = (frame["machine"] == judgement.machine) & (frame["kind"] == judgement.kind)
    ours = frame[is_ours & (frame["started"] <= pd.Timestamp(judgement.started))]
    order = list(ours["session"].unique())[-MOST_SESSIONS:]
    ours = ours[ours["session"].isin(order)]
    sessions, environments = _sessions(ours, files, order)
    names = list(case_rows(judgement.verdicts)["fullname"])
    times = np.exp(_grid(ours, ours["log_time"], order, names)).T.tolist()
    parts = np.minimum(np.rint(_half_widths(cases, judgement.machine, order, names) * 1e4), 10_000).T.tolist()
    drawn = {
        name: History(
            [None if value != value else float(f"{value:.4g}") for value in times[column]],  # noqa: PLR0124  NaN
            [None if value != value else int(value) for value in parts[column]],  # noqa: PLR0124  NaN
        )
        for column, name in enumerate(names)
    }
    for name, marks in marks_of(judgement.course, names, order).items():
        drawn[name].levels, drawn[name].changes, drawn[name].accepted = marks
    return Histories(sessions, environments, drawn)


def _sessions(
    ours: pd.DataFrame, files: pd.DataFrame, order: list[str]
) -> tuple[list[tuple[str, str, str, int]], list[dict[str, str]]]:
    commits = dict(zip(files["session"], files["commit"], strict=True))
    first = ours.drop_duplicates("session").set_index("session").loc[order]
    environments: dict[tuple[tuple[str, str], ...], int] = {}
    rows = []
    for row in first.reset_index().to_dict("records"):
        environment = tuple(sorted(row["environment"].items()))
        place = environments.setdefault(environment, len(environments))
        commit = str(commits.get(row["session"], ""))[:10]
        rows.append((row["session"], f"{row['started']:%Y-%m-%d %H:%M}", commit, place))
    return rows, [dict(environment) for environment in environments]


def _grid(ours: pd.DataFrame, values: pd.Series, order: list[str], names: list[str]) -> "np.ndarray[Any, Any]":
    """Return the values with a row per session and a column per case, NaN where there is none."""
    grid = np.full((len(order), len(names)), math.nan)
    rows = pd.Index(order).get_indexer(pd.Index(ours["session"]))
    columns = pd.Index(names).get_indexer(pd.Index(ours["fullname"]))
    known = (rows >= 0) & (columns >= 0)
    grid[rows[known], columns[known]] = values.to_numpy(dtype=float)[known]
    return grid


def _half_widths(cases: pd.DataFrame, machine: str, order: list[str], names: list[str]) -> "np.ndarray[Any, Any]":
    """Return twice the standard error of each session's median, IQR / sqrt(rounds), as a share of the median."""
    main = (cases["machine"] == machine) & (cases["kind"] != "rerun")
    shown = cases.loc[main.to_numpy(dtype=bool), ["session", "fullname", "iqr_s", "median_s", "rounds"]]
    error = 2 * shown["iqr_s"] / shown["median_s"] / np.sqrt(shown["rounds"].where(shown["rounds"] > 1))
    by_case = error.groupby([shown["session"], shown["fullname"]], sort=False).median().reset_index(name="half")
    return _grid(by_case, by_case["half"], order, names)


def spark(times: list[float | None]) -> str:
    """Return the newest points as the coordinates of a small polyline, the slowest at the top."""
    shown = times[-_SPARK_POINTS:]
    known = [value for value in shown if value is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    height = max(high - low, high * 0.02)
    across, middle = _SPARK_WIDTH / max(len(shown) - 1, 1), (high + low) / 2
    points = [
        f"{1 + place * across:.0f},{1 + _SPARK_HEIGHT * (0.5 - (value - middle) / height):.0f}"
        for place, value in enumerate(shown)
        if value is not None
    ]
    return " ".join(points if len(points) > 1 else [points[0], "62,10"])

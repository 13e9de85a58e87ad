"""One session on several machines: each of them judged, and all of them told together."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from reports.decision import exit_code, headline
from reports.grounds import Grounds
from reports.histories import Histories
from reports.judging import Judgement, judge
from reports.layout import Column, Name, Section, Table
from reports.newest import Chosen, machines_of
from reports.per_unit import unit_of
from reports.quantities import counted
from reports.report import Report
from reports.runs import Runs
from reports.verdicts import worst_first

_TELLING = ("regression", "suspect")
_MOST_NAMED = 20
_LONGEST_UNIT = 40
"""Letters of a unit in a folder's name; its number tells two apart."""


def judge_machines(runs: Runs, run: str | Path | None = None, grounds: Grounds | None = None) -> list[Judgement]:
    """Judge every machine of the newest session, or of the one that `run` names by its id, in order of their names.

    A file that `run` names is judged for its own machine alone. The list is never empty; it holds one judgement without
    a verdict where the session cannot be read.

    Raises:
        ReportError: nothing in the store has that name.
    """
    first = judge(runs, run, grounds)
    if not first.machine:
        return [first]
    return [
        first if machine == first.machine else judge(runs, first.session, grounds, machine=machine)
        for machine in machines_of(runs.files, run, Chosen(first.session, first.machine))
    ]


def together(judgements: Sequence[Judgement]) -> Judgement:
    """Return the judgements of one session as one: every row, and each machine's problem.

    Its exit code is the worst of all: 2 where one machine has no verdict, else 1 where one got slower.
    """
    first = judgements[0]
    if len(judgements) == 1:
        return first
    begun = [one.started for one in judgements if one.started is not None]
    return replace(
        first,
        verdicts=worst_first(pd.concat([one.verdicts for one in judgements], ignore_index=True)),
        machine=", ".join(one.machine for one in judgements),
        started=min(begun, default=None),
        history=min(one.history for one in judgements),
        expected=sum(one.expected for one in judgements),
        problem="; ".join(f"{one.machine}: {one.problem}" for one in judgements if one.problem),
    )


def folder_of(number: int, machine: str) -> str:
    """Return the folder of a machine's own report: one name without separators, whatever a file says of its machine."""
    return f"unit-{number}-{unit_of(machine)[:_LONGEST_UNIT]}"


def report_of_all(reports: Sequence[Report]) -> Report:
    """Return the common report of one session's machines, which names the folders of their own reports."""
    judgements = [report.judgement for report in reports]
    folders = [folder_of(number, one.machine) for number, one in enumerate(judgements, 1)]
    common = together(judgements)
    fail_on = reports[0].fail_on
    sections: list[Section] = [_overview(judgements, folders, fail_on)]
    for report, folder in zip(reports, folders, strict=True):
        sections += [
            replace(section, anchor=f"{section.anchor}-{folder}", title=f"{section.title}: {report.judgement.machine}")
            for section in report.sections
            if section.anchor == "changes" and section.tables
        ]
    sections += [section for section in reports[0].sections if section.anchor == "units"]  # the same in each
    return Report(_lines(judgements, common), sections, common, fail_on, Histories([], [], {}))


def _lines(judgements: Sequence[Judgement], common: Judgement) -> list[str]:
    """Return the verdict on all in one line, one for each machine that has something to tell, and what was judged."""
    machines = counted(len(judgements), "machine")
    without = sum(bool(one.problem) for one in judgements)
    told = [f"No verdict on {without} of {machines}."] if without else []
    if common.judged:
        told.append(headline(replace(common, problem="")))
    elif without < len(judgements):
        told.append(f"Not enough history yet to judge any of {machines}.")
    telling = [one for one in judgements if one.problem or one.verdicts["verdict"].isin(_TELLING).any()]
    rest = (
        f"{common.judged} of {counted(common.expected, 'case')} of the session {common.session} judged on {machines}, "
        "each against its own earlier sessions."
    )
    return [" ".join(told), *(f"{one.machine}: {headline(one)}" for one in telling[:_MOST_NAMED]), rest]


def _overview(judgements: Sequence[Judgement], folders: Sequence[str], fail_on: str) -> Section:
    columns = (
        Column("machine", is_number=False), Column("exit code"), Column("verdict of the session", is_number=False),
        Column("cases judged"), Column("earlier sessions"), Column("its own report", is_number=False),
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [
        (
            Name(one.machine), str(exit_code(one, fail_on)), headline(one), str(one.judged), str(one.history),
            Name(f"{folder}/index.html"),
        )
        for one, folder in zip(judgements, folders, strict=True)
    ]  # fmt: skip
    table = Table("Every machine of the session", columns, rows)
    return Section("machines", "The machines of the session", (), (table,))

"""The report: first lines, then sections, each made once and written out by every renderer."""

from dataclasses import dataclass

from reports.decision import first_lines
from reports.histories import Histories, histories
from reports.history import earlier_sessions, log_times
from reports.judging import Judgement
from reports.layout import Section
from reports.measured import measured
from reports.runs import Runs
from reports.sections import SECTIONS
from reports.subject import EPOCHS, Subject


@dataclass(frozen=True)
class Report:
    """What is written out: `lines` come first, the very first is the verdict in one sentence."""

    lines: list[str]
    sections: list[Section]
    judgement: Judgement
    fail_on: str
    histories: Histories


def report_of(runs: Runs, judgement: Judgement, fail_on: str, *, epochs: int = EPOCHS) -> Report:
    """Make the report of a judged session.

    `fail_on` decides which cases its JUnit file calls failures, and `epochs` how long a run it tells the duration of.
    """
    subject = subject_of(runs, judgement, epochs)
    sections = [section for make in SECTIONS if (section := make(subject)) is not None]
    drawn = histories(runs.cases, runs.files, judgement)
    return Report(first_lines(judgement), sections, judgement, fail_on, drawn)


def subject_of(runs: Runs, judgement: Judgement, epochs: int = EPOCHS) -> Subject:
    """Return what the sections of a judged session's report are made from."""
    frame = measured(runs.cases, judgement.sessions, judgement.session, judgement.machine)
    earlier = earlier_sessions(judgement.sessions, judgement.session, judgement.machine)
    return Subject(runs, judgement, frame, log_times(earlier), epochs)

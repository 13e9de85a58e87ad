"""Cases that may go on under another name, with the lines that join their histories."""

import math

import pandas as pd

from reports.identity import short_names
from reports.layout import Column, Name, Section, Snippet, Table
from reports.quantities import counted, percent_change
from reports.rule.accepted import FILE, Renamed, renamed_in_toml
from reports.rule.renames import suggested
from reports.subject import Subject

MOST_NAMED = 2
_COLUMNS = (Column("gone", is_number=False), Column("new", is_number=False), Column("time, new against gone"))


def section(subject: Subject) -> Section | None:
    """Return the likely renames, or nothing when there is none."""
    judgement = subject.judgement
    known = judgement.sessions[judgement.sessions["machine"] == judgement.machine]
    known = known[known["started"] <= pd.Timestamp(judgement.started)] if judgement.started else known
    found = suggested(judgement.verdicts, known)
    if not found:
        return None
    names = short_names([name for pair in found for name in (pair.old, pair.new)])
    sentences = [
        f"{names[pair.old]} is gone, and the new {names[pair.new]} does the same work in about the same time."
        for pair in found[:MOST_NAMED]
    ]
    if more := len(found) - len(sentences):
        sentences.append(f"So do {counted(more, 'more pair')}.")
    sentences.append(f"If they are the same under another name, lines in {FILE} join their histories.")
    snippet = Snippet(
        f"The lines for {FILE}:",
        tuple("\n".join(map(renamed_in_toml, found)).splitlines()),
    )
    table = Table("Gone and new cases of the same work and about the same time", _COLUMNS, _rows(found, known, names))
    return Section("renamed", "Renamed, perhaps", tuple(sentences), (table,), snippets=(snippet,))


def _rows(found: list[Renamed], known: pd.DataFrame, names: dict[str, str]) -> list[tuple[str, ...]]:
    last = known[known["log_time"].notna()].drop_duplicates("fullname", keep="last").set_index("fullname")["log_time"]
    times = {name: float(log_time) for name, log_time in last.items()}
    return [
        (Name(names[old]), Name(names[new]), percent_change(math.exp(times[new] - times[old])))
        for old, new in ((pair.old, pair.new) for pair in found)
    ]

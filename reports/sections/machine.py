"""The machine and its environment, and which other runs and files there are."""

import pandas as pd

from reports.layout import Column, Name, Section, Table
from reports.per_unit import NO_UNIT, class_of, unit_of
from reports.quantities import counted
from reports.subject import Subject


def section(subject: Subject) -> Section | None:
    """Return the judged machine and environment, or nothing when no session could be read."""
    launches = subject.launches
    if launches.empty:
        return None
    newest = launches.iloc[-1]
    unit = unit_of(str(newest["machine"]))
    named = f"{class_of(str(newest['machine']))}, {'a file that tells no unit' if unit == NO_UNIT else f'unit {unit}'}"
    sentences = [f"Machine class {named if unit else newest['machine']}; commit {newest['commit'] or 'not recorded'}."]
    units = sorted({unit for unit in launches["unit"] if unit})
    if len(units) > 1:
        sentences.append(f"The session ran on {len(units)} machines of this class.")
    if not newest["ours"]:
        sentences.append(
            "The file has no fields of the suite: the machine is told by CPU model, CPU count and architecture."
        )
    others = sorted(set(subject.runs.files["machine"]) - {newest["machine"]})
    if others:
        number = counted(len(others), "other machine" if unit else "other machine class").replace("classs", "classes")
        sentences.append(
            f"The store also holds runs of {number}, which this report does not judge: {', '.join(others[:5])}. Name a "
            "session or a file of theirs by --run."
        )
    columns = (Column("what", is_number=False), Column("value", is_number=False))
    rows: list[tuple[str, ...]] = [(str(name), Name(value)) for name, value in sorted(newest["environment"].items())]
    files: list[tuple[str, ...]] = [
        (Name(row["run"]), f"{row['started']:%Y-%m-%d %H:%M:%S}", row["kind"], str(row["results"]))
        for row in launches.to_dict("records")
    ]
    headers = (
        Column("file", is_number=False), Column("started (UTC)"), Column("kind", is_number=False),
        Column("cases with a time"),
    )  # fmt: skip
    tables = (Table("Environment of the newest launch", columns, rows), Table("Files of the session", headers, files))
    return Section("machine", "The machine and the environment", tuple(sentences), tables)


def skipped(subject: Subject) -> Section | None:
    """Return the files that could not be used or count only once, or nothing when all is well."""
    runs = subject.runs
    sentences = []
    if len(runs.skipped):
        sentences.append(f"{counted(len(runs.skipped), 'file')} could not be used and {_was(runs.skipped)} left out.")
    if runs.duplicates:
        number = counted(len(runs.duplicates), "file")
        sentences.append(f"{number} with the content of another one counted only once.")
    if runs.journals:
        number = counted(len(runs.journals), "journal")
        sentences.append(
            f"{number} left over from launches that never saved; python -m reports recover makes runs of them."
        )
    if not sentences:
        return None
    columns = (Column("file", is_number=False), Column("reason", is_number=False))
    rows: list[tuple[str, ...]] = [(Name(row["run"]), Name(row["reason"])) for row in runs.skipped.to_dict("records")]
    return Section("skipped", "Files left out", tuple(sentences), (Table("Files left out", columns, rows),))


def _was(rows: pd.DataFrame) -> str:
    return "was" if len(rows) == 1 else "were"

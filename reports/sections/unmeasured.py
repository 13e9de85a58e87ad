"""What was not measured, and why; cases that were kept but carry a warning."""

from reports.identity import short_names
from reports.layout import Column, Name, Section, Table
from reports.quantities import counted
from reports.subject import Subject
from reports.verdicts import WITHOUT_TIME, case_rows

MOST_REASONS = 5
_FLAGS = {
    "noisy": "its times scatter widely",
    "contended": "a neighbour was using the processor",
    "throttled": "the device lowered its clock",
    "drifting": "its times were still changing at the end",
    "too-few-rounds": "fewer rounds than asked for",
}


def section(subject: Subject) -> Section:
    """Return the cases without a result by outcome and reason, and the flagged ones."""
    verdicts = case_rows(subject.judgement.verdicts)
    absent = verdicts[verdicts["verdict"].isin(WITHOUT_TIME)]
    sentences = []
    if absent.empty:
        sentences.append("Every case was measured.")
    reasons = sorted(absent.groupby(["verdict", "reason"], sort=False), key=lambda found: -len(found[1]))
    for (verdict, reason), group in reasons[:MOST_REASONS]:
        sentences.append(f"{counted(len(group), 'case')} {verdict}{f': {reason}' if reason else ''}.")
    if rest := sum(len(group) for _, group in reasons[MOST_REASONS:]):
        sentences.append(f"{counted(rest, 'more case')}, for other reasons, in the table.")
    flagged = subject.measured[subject.measured["flags"].map(bool).astype(bool)]
    for flag in dict.fromkeys(flag for flags in flagged["flags"] for flag in flags):
        number = sum(flag in flags for flags in flagged["flags"])
        meaning = _FLAGS.get(flag)
        sentences.append(f"{counted(number, 'case')} flagged {flag}{f' ({meaning})' if meaning else ''}.")
    return Section("unmeasured", "What was not measured, and why", tuple(sentences), _tables(subject, len(absent)))


def _tables(subject: Subject, number: int) -> tuple[Table, ...]:
    if not number:
        return ()
    verdicts = case_rows(subject.judgement.verdicts)
    absent = verdicts[verdicts["verdict"].isin(WITHOUT_TIME)]
    names = short_names(list(verdicts["fullname"]))
    columns = tuple(Column(header, is_number=False) for header in ("case", "verdict", "reason"))
    rows: list[tuple[str, ...]] = [
        (Name(names[row["fullname"]]), row["verdict"], Name(row["reason"])) for row in absent.to_dict("records")
    ]
    return (Table("Cases without a time", columns, rows, folded=True),)

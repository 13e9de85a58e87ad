"""The verdicts for programs: CSV with plain numbers, and JSON with what the decision rests on."""

import csv
import io
import math
from typing import Any

import orjson
import pandas as pd

from reports.decision import exit_code
from reports.escaping import csv_cell
from reports.report import Report


def render_csv(verdicts: pd.DataFrame) -> str:
    """Return one line per row: numbers in full precision, missing ones empty, flags joined by semicolons."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(verdicts.columns)
    writer.writerows([_csv_value(value) for value in row] for row in verdicts.itertuples(index=False))
    return text.getvalue()


def _csv_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else ""
    if isinstance(value, tuple):
        return csv_cell(";".join(value))
    return csv_cell(value) if isinstance(value, str) else str(value)


def render_json(report: Report) -> str:
    """Return the verdicts and the decision's inputs; NaN is null."""
    judgement = report.judgement
    document: dict[str, Any] = {
        "schema": 1,
        "verdict": report.lines[0],
        "exit_code": exit_code(judgement, report.fail_on),
        "fail_on": report.fail_on,
        "problem": judgement.problem,
        "session": judgement.session,
        "machine": judgement.machine,
        "kind": judgement.kind,
        "started": judgement.started,
        "cases_expected": judgement.expected,
        "cases_judged": judgement.judged,
        "earlier_sessions": judgement.history,
        "rule": judgement.rule,
        "verdicts": judgement.verdicts.to_dict("records"),
    }
    return orjson.dumps(document, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY).decode() + "\n"

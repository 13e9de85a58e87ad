"""The verdicts as JUnit XML, one test per case, so that a CI system lists them; of several machines, a suite for each.

A case fails here exactly when it makes the exit code 1, so that the two never disagree.
"""

import math
from typing import Any
from xml.etree import ElementTree as ET

from reports.decision import failing
from reports.escaping import xml_text
from reports.limits import HOW_TO_CHANGE
from reports.quantities import percent_change
from reports.report import Report
from reports.values import text

_ERRORS = ("failed", "timed-out", "not-reached")
_SKIPPED = ("skipped", "missing", "new", "redefined", "insufficient-history", "new-machine", "inconclusive")


def render(report: Report) -> str:
    """Return the XML document."""
    verdicts = report.judgement.verdicts
    root = ET.Element("testsuites")
    first = ET.SubElement(root, "testsuite", name="reports.judge")
    if report.judgement.problem:
        case = ET.SubElement(first, "testcase", classname="reports", name="session")
        ET.SubElement(case, "error", message=xml_text(report.judgement.problem), type="no-verdict")
    is_one_machine = verdicts["machine"].nunique() <= 1
    for machine, rows in verdicts.groupby("machine"):
        suite = first if is_one_machine else ET.SubElement(root, "testsuite", name=xml_text(str(machine)))
        fails = failing(rows, report.fail_on)
        for row, is_failure in zip(rows.to_dict("records"), fails, strict=True):
            _add(suite, row, is_failure=bool(is_failure))
    for suite in root:
        _count(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _count(suite: ET.Element) -> None:
    counts = {
        "tests": "testcase",
        "failures": "testcase/failure",
        "errors": "testcase/error",
        "skipped": "testcase/skipped",
    }
    for name, path in counts.items():
        suite.set(name, str(len(suite.findall(path))))


def _what_else_changed(row: dict[Any, Any]) -> str:
    suspects = text(row.get("suspects"))
    return f"; what else changed: {xml_text(suspects)}" if suspects else ""


def _add(suite: ET.Element, row: dict[Any, Any], *, is_failure: bool) -> None:
    module, _, name = xml_text(row["fullname"]).rpartition("::")
    attributes = {"classname": module.removesuffix(".py").replace("/", ".") or "reports", "name": name}
    if not math.isnan(row["median_s"]):
        attributes["time"] = f"{row['median_s']:.9f}"
    case = ET.SubElement(suite, "testcase", attributes)
    told = f"{row['verdict']}: {_said(row)}"
    if is_failure:
        message = f"{told}; first seen in {xml_text(row['first_bad_run'])}{_what_else_changed(row)}"
        ET.SubElement(case, "failure", message=message, type=row["verdict"])
    elif row["verdict"] in _ERRORS:
        ET.SubElement(case, "error", message=told, type=row["verdict"])
    elif row["verdict"] in _SKIPPED:
        ET.SubElement(case, "skipped", message=told)
    elif row["verdict"] != "unchanged":
        ET.SubElement(case, "system-out").text = told


def _said(row: dict[Any, Any]) -> str:
    if row["limit"]:
        return f"beyond its limit: {xml_text(row['limit'])}; {HOW_TO_CHANGE}"
    return xml_text(row["reason"]) or percent_change(row["ratio"])

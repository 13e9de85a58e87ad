"""What is written: every file whole, every hostile text harmless."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reports import judge, load_runs
from reports.errors import ReportError
from reports.layout import Column, Table
from reports.rendering import html, junit, markdown, tables, terminal
from reports.rendering.files import write_report
from reports.report import Report, report_of
from tests.reports.made_runs import Store, made_benchmark

HOSTILE = "=1+1|`x`<script>alert('1')</script>\x1b[31m\N{RIGHT-TO-LEFT OVERRIDE}[a](javascript:1)\n# y"
CONTRACT_COLUMNS = (
    "fullname,verdict,new,ratio,ratio_low,ratio_high,median_s,baseline_s,flags,first_bad_run,last_good_run,run,machine"
)


def report_on(store: Store, fail_on: str = "new") -> Report:
    runs = load_runs(store.folder)
    return report_of(runs, judge(runs), fail_on)


@pytest.fixture
def regressed(store: Store) -> Store:
    """Eight nights, in the last two of which one case of three is 20 % slower."""
    for night in range(8):
        cases = {"benchmarks/b.py::c": {"outcome": "skipped", "reason": "no CUDA"}}
        store.add({"a": 1.2 if night > 5 else 1.0, "b": 0.5}, cases=cases)
    return store


@pytest.fixture
def hostile(store: Store) -> Store:
    """Names, reasons, flags, machines and lessons that try to be markup."""
    store.write_text("<b>.json", "{")
    lesson = {"name": HOSTILE, "start": HOSTILE, "epochs": 5, "loss_curve": [[0, 1.0]]}
    extra = {"unit": "lesson", "flags": [HOSTILE], "dataset": HOSTILE, "lesson": lesson}
    params = {"device": HOSTILE, "model": HOSTILE, "batch_size": 8, "log_interval": 1}
    store.write(
        [
            made_benchmark("", 1.0, fullname=HOSTILE, extra_info=extra, params=params),
            made_benchmark("", 1.0, fullname=HOSTILE + "2", extra_info={"unit": "step"}, params=params),
        ],
        cases={"c": {"outcome": "skipped", "reason": HOSTILE}},
        session=HOSTILE,
        environment={HOSTILE: HOSTILE},
        name="$(x)`y`|.json",
    )
    return store


class Page(HTMLParser):
    """The elements of a page, and whether they close."""

    VOID = ("meta", "br", "wbr", "use", "path", "line", "img")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_csv_has_the_promised_columns_and_plain_numbers(regressed: Store) -> None:
    text = tables.render_csv(report_on(regressed).judgement.verdicts)

    assert text.splitlines()[0].startswith(CONTRACT_COLUMNS)
    rows = {row["fullname"].rpartition("[")[2]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["a]"]["verdict"], rows["a]"]["new"]) == ("regression", "true")
    assert float(rows["a]"]["ratio"]) == pytest.approx(1.2)
    assert (rows["b]"]["verdict"], rows["b]"]["new"], rows["b]"]["first_bad_run"]) == ("unchanged", "false", "")
    assert (rows["benchmarks/b.py::c"]["verdict"], rows["benchmarks/b.py::c"]["median_s"]) == ("skipped", "")


def test_the_json_holds_the_same_rows_and_the_decision_s_inputs(regressed: Store) -> None:
    document = json.loads(tables.render_json(report_on(regressed)))

    assert (document["exit_code"], document["cases_judged"], document["cases_expected"]) == (1, 2, 3)
    assert (document["rule"]["name"], document["rule"]["floor"], document["rule"]["least_history"]) == (
        "replay",
        0.025,
        5,
    )
    assert [row["verdict"] for row in document["verdicts"]] == ["regression", "skipped", "unchanged"]
    assert document["verdicts"][1]["median_s"] is None


@pytest.mark.parametrize(("fail_on", "failures"), [("new", 1), ("never", 0)])
def test_junit_fails_exactly_what_fails_the_job(regressed: Store, fail_on: str, failures: int) -> None:
    suite = ET.fromstring(junit.render(report_on(regressed, fail_on)))[0]  # noqa: S314  we wrote it

    assert suite.attrib == {
        "name": "reports.judge",
        "tests": "3",
        "failures": str(failures),
        "errors": "0",
        "skipped": "1",
    }


def test_a_failure_in_junit_names_what_else_changed(store: Store) -> None:
    for night in range(8):
        times, torch = {"a": 1.2 if night > 5 else 1.0, "b": 0.5}, "2.15.0" if night > 5 else "2.14.1"
        store.add(times, environment={"torch": torch})

    suite = ET.fromstring(junit.render(report_on(store)))[0]  # noqa: S314  we wrote it

    messages = [failure.get("message") for failure in suite.iter("failure")]
    assert messages == ["regression: +20.0 %; first seen in 0007_run.json; what else changed: torch 2.14.1 -> 2.15.0"]


def test_junit_says_that_there_was_no_verdict(regressed: Store) -> None:
    regressed.write_text("0099_cut.json", "{")

    suite = ET.fromstring(junit.render(report_on(regressed)))[0]  # noqa: S314  we wrote it

    assert suite.get("errors") == "1"
    assert suite[0][0].get("message", "").startswith("0099_cut.json is unreadable")


def test_the_page_is_whole_and_asks_nobody_for_anything(regressed: Store) -> None:
    page = Page(html.render(report_on(regressed)))

    assert page.open == []
    assert page.words[page.words.index("✗ 1 new regression: bench_training[a] takes 1.20 times as long as before.")]
    assert not [value for name, value in page.attributes if name in {"src", "href"} and not str(value).startswith("#")]
    assert page.tags.count("th") > page.tags.count("table") > 0
    assert page.tags.count("caption") == page.tags.count("table")


def test_without_anything_judged_the_page_bears_neither_sign_nor_colour(store: Store) -> None:
    store.add({"a": 1.0})

    assert "<h1>Not enough history yet" in html.render(report_on(store))
    assert terminal.render(report_on(store), Path("report"), 80, colour=True).startswith("\x1b[1mNot enough history")


def test_columns_in_which_nothing_stands_are_left_out() -> None:
    columns = (Column("case"), Column("change"), Column("flags"), Column("time"))
    table = Table("t", columns, [("", "-", "", "1 s"), ("", "-", "", "-")])

    assert [column.header for column in table.filled().columns] == ["case", "time"]
    assert table.filled().rows == [("", "1 s"), ("", "-")]


def test_words_and_methods_are_explained_on_the_page_and_not_on_the_terminal(regressed: Store) -> None:
    report, note = report_on(regressed), "regression: slower than before, confirmed by a second session"

    assert note in html.render(report)
    assert note in markdown.render(report)
    assert note not in terminal.render(report, Path("report"), 80)


def test_long_tables_are_folded_in_markdown(store: Store) -> None:
    for _ in range(6):
        store.add({f"case{place:03}": 1.0 for place in range(40)})

    text = markdown.render(report_on(store))

    assert "<details><summary>Every case, worst first (40)</summary>" in text
    assert max(len(line) for line in text.splitlines()) < 400


def test_three_hundred_changed_cases_are_fifteen_rows_and_a_fold(store: Store) -> None:
    for night in range(7):
        store.add(
            {f"case{place:03}": 1.3 + place / 1000 if night > 4 and place % 3 == 0 else 1.0 for place in range(300)}
        )

    text = markdown.render(report_on(store))

    assert re.findall(r"<details><summary>(.*)</summary>", text) == ["85 more", "Every case, worst first (300)"]
    before_the_fold = text[: text.index("<details>")]
    assert before_the_fold.count("▲") == 15
    assert "case297" in before_the_fold
    assert len(text) < 100_000


@pytest.mark.parametrize(
    ("isatty", "environment", "welcome"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colour_is_for_terminals_that_have_it(
    monkeypatch: pytest.MonkeyPatch, isatty: bool, environment: dict[str, str], welcome: bool
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    stream.isatty = lambda: isatty  # type: ignore[method-assign]

    assert terminal.has_colour(stream) is welcome


def test_colour_changes_no_word_and_no_column(regressed: Store) -> None:
    report = report_on(regressed)

    plain, coloured = (terminal.render(report, Path("report"), 80, colour=colour) for colour in (False, True))

    assert coloured.startswith("\x1b[1m\x1b[31m1 new regression")
    assert "\x1b[31m▲ regression (new)\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


def test_hostile_text_stays_text_in_the_page(hostile: Store) -> None:
    page = Page(html.render(report_on(hostile)))

    assert page.open == []
    assert page.tags.count("script") == 4
    assert "<script>alert" not in html.render(report_on(hostile))
    assert "b" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert all(len(set(ids)) == len(ids) for ids in [[value for name, value in page.attributes if name == "id"]])


def test_hostile_text_stays_text_in_markdown(hostile: Store) -> None:
    text = markdown.render(report_on(hostile))

    table_lines = [line for line in text.splitlines() if line.startswith("|")]
    assert "\x1b" not in text
    assert "\n# y" not in text
    assert all(line.endswith(" |") for line in table_lines)
    outside_code = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", text)
    assert "<script>" not in outside_code


def test_hostile_text_cannot_steer_a_terminal(hostile: Store) -> None:
    text = terminal.render(report_on(hostile), Path("out\x1b[2J"), width=80)

    assert "\x1b" not in text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text


def test_hostile_text_is_no_formula(hostile: Store) -> None:
    rows = list(csv.reader(io.StringIO(tables.render_csv(report_on(hostile).judgement.verdicts))))

    assert {len(row) for row in rows} == {len(rows[0])}
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@", "\t"))]
    assert not [cell for row in rows for cell in row if "\x1b" in cell or "\n" in cell]


def test_hostile_text_is_legal_xml(hostile: Store) -> None:
    suite = ET.fromstring(junit.render(report_on(hostile)))[0]  # noqa: S314  we wrote it

    assert suite.get("tests") == "3"


@pytest.mark.parametrize("width", [20, 80, 400])
def test_the_terminal_s_width_is_respected(regressed: Store, width: int) -> None:
    text = terminal.render(report_on(regressed), Path("report"), width=width)

    assert max(len(line) for line in text.splitlines()) <= min(max(width, 60), 160)
    assert text.startswith("1 new regression")


def test_the_files_are_written_whole(regressed: Store, tmp_path: Path) -> None:
    write_report(report_on(regressed), tmp_path / "deep" / "report")

    assert sorted(path.name for path in (tmp_path / "deep" / "report").iterdir()) == [
        "index.html",
        "junit.xml",
        "summary.md",
        "verdicts.csv",
        "verdicts.json",
    ]


def test_a_folder_that_cannot_be_written_is_one_line(regressed: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ReportError, match="cannot write the report"):
        write_report(report_on(regressed), tmp_path / "file")


def test_a_failed_write_leaves_the_old_report_and_no_scraps(
    regressed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "verdicts.csv").write_text("old")

    def full(*_: Any) -> None:  # noqa: ANN401
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)

    with pytest.raises(ReportError, match="No space left on device"):
        write_report(report_on(regressed), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["verdicts.csv"]
    assert (tmp_path / "out" / "verdicts.csv").read_text() == "old"

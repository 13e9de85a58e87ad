"""What else changed where a case did: recorded fields, the commit, and primitives of the machine that moved too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.layout import Section, Stack
from reports.rendering import html, markdown, terminal
from reports.report import Report, report_of
from reports.rule import accepted
from reports.sections.alongside import moved
from reports.sections.verdicts import run_label
from tests.reports.made_runs import Store, made_benchmark

NIGHTS = 9
STEADY = [0.001, -0.001] * 5
"""Ten nights around 0: the median absolute deviation is 0.001, the robust sd 0.0014826."""


def primitive(time_s: float) -> dict[str, Any]:
    told = {"name": "matmul", "dtype": "float32", "amount": 1e9, "amount_unit": "FLOP"}
    name = "benchmarks/bench_primitives.py::bench_primitive[cpu-matmul]"
    return made_benchmark("", time_s, fullname=name, params={"device": "cpu"}, extra_info={"primitive": told})


def fill(store: Store, case_s: Callable[[int], float], primitive_s: Callable[[int], float], **more: Any) -> Report:  # noqa: ANN401
    """Write the nights, in the last two of which torch is newer, and report on the last one."""
    for night in range(NIGHTS):
        torch = "2.15.0" if night > NIGHTS - 3 else "2.14.1"
        steady = {f"cpu-steady{at}": 1.0 for at in range(3)}
        entries = [made_benchmark(name, time_s) for name, time_s in steady.items()]
        entries += [made_benchmark("cpu-a", case_s(night)), primitive(primitive_s(night))]
        store.write(entries, environment={"torch": torch}, **more)
    runs = load_runs(store.folder)
    return report_of(runs, judge(runs), "new")


def slower_in_the_last_two(night: int) -> float:
    return 1.2 if night > NIGHTS - 3 else 1.0


def changes_of(report: Report) -> Section:
    return next(section for section in report.sections if section.anchor == "changes")


@pytest.mark.parametrize(
    ("times", "good", "bad", "found"),
    [
        ([*STEADY, 0.05, 0.05], 9, 10, 0.05),
        ([*STEADY, -0.05], 9, 10, -0.05),
        # 3.5 x 0.0014826 x sqrt(1/10 + 1) = 0.00544, but LEAST_CHANGE asks for ln 1.02 = 0.0198
        ([*STEADY, 0.0197], 9, 10, None),
        ([*STEADY, 0.0199], 9, 10, 0.0199),
        ([*(20 * value for value in STEADY), 0.10], 9, 10, None),  # 20 times the scatter: 0.109
        ([*(20 * value for value in STEADY), 0.12], 9, 10, 0.12),
        ([*STEADY, 0.05, 0.05], 10, 11, None),  # it moved a night before
        ([*STEADY[:4], 0.05], 3, 4, None),  # four sessions before do not tell how it scatters
    ],
)
def test_a_primitive_moved_when_it_did_so_then_and_by_more_than_it_scatters(
    times: list[float], good: int, bad: int, found: float | None
) -> None:
    frame = pd.DataFrame({"p": times}, index=[str(night) for night in range(len(times))])

    assert moved(frame, str(good), str(bad)) == ({} if found is None else {"p": pytest.approx(found, abs=1e-3)})


def test_the_row_of_a_regression_lists_fields_and_primitives_that_changed_with_it(store: Store) -> None:
    report = fill(store, slower_in_the_last_two, lambda night: 0.108 if night > NIGHTS - 3 else 0.1)

    row = next(row for row in changes_of(report).tables[0].rows if row[0] == "bench_training[cpu-a]")

    assert row[1] == "▲ regression (new)"
    assert [cell.lines for cell in row[2:] if isinstance(cell, Stack)] == [
        ("+20.0 %", "+20.0 to +20.0 %"),
        ("1.20 s", "was 1.00 s"),
        ("0008_run", "after 0007"),
        ("torch 2.14.1 → 2.15.0", "cpu matrix product float32 8.0 % slower too"),
    ]


@pytest.mark.parametrize("other", [0.1, 0.092])
def test_a_primitive_that_stayed_or_got_faster_is_not_named(store: Store, other: float) -> None:
    report = fill(store, slower_in_the_last_two, lambda night: other if night > NIGHTS - 3 else 0.1)

    row = next(row for row in changes_of(report).tables[0].rows if row[0] == "bench_training[cpu-a]")

    assert row[-1] == "torch 2.14.1 → 2.15.0"


def test_what_the_new_ones_have_in_common_is_one_sentence_everywhere(store: Store) -> None:
    report = fill(store, slower_in_the_last_two, lambda _: 0.1)

    sentence = "1 case is slower since 0008_run, after 0007; what else changed: torch 2.14.1 → 2.15.0."

    assert changes_of(report).sentences == (sentence,)
    assert sentence in " ".join(terminal.render(report, Path("report"), width=80).split())
    assert sentence in html.render(report)
    assert sentence in markdown.render(report).replace("\\", "")
    assert "`torch 2.14.1 → 2.15.0`" in markdown.render(report)


def test_where_nothing_recorded_changed_that_is_said(store: Store) -> None:
    report = fill(store, lambda night: 1.2 if night == NIGHTS - 1 else 1.0, lambda _: 0.1)

    row = next(row for row in changes_of(report).tables[0].rows if row[0] == "bench_training[cpu-a]")

    assert (row[1], row[-1]) == ("△ suspect", "nothing on record")
    assert changes_of(report).sentences == (
        "1 case is slower since 0009_run, after 0008; what else changed: nothing on record.",
    )


def test_a_commit_between_the_two_runs_is_named(store: Store) -> None:
    for night in range(8):
        path = store.add({"a": 1.2 if night > 5 else 1.0, "b": 1.0})
        if night > 5:
            path.write_text(path.read_text().replace("c0ffee", "0123456789abcdef"))
    runs = load_runs(store.folder)

    assert changes_of(report_of(runs, judge(runs), "new")).tables[0].rows[0][-1] == "commit c0ffee → 0123456789"


def test_new_regressions_and_suspects_stand_before_old_regressions(store: Store) -> None:
    for night in range(12):
        store.add(
            {
                "old": 1.5 if night > 5 else 1.0,
                "fresh": 1.1 if night > 9 else 1.0,
                "tonight": 1.3 if night > 10 else 1.0,
                "faster": 0.5 if night > 9 else 1.0,
                **{f"steady{at}": 1.0 for at in range(4)},
            }
        )
    runs = load_runs(store.folder)

    rows = changes_of(report_of(runs, judge(runs), "new")).tables[0].rows

    assert [row[1] for row in rows] == [
        "▲ regression (new)", "△ suspect", "▲ regression", "▼ improvement (new)"
    ]  # fmt: skip


def test_cases_that_begin_a_new_history_tell_what_changed_once_for_all(store: Store) -> None:
    for night in range(8):
        extra = {"unit": "step", "counts": {"operators": 120 if night < 7 else 122}}
        store.write([made_benchmark(name, 1.0, extra_info=extra) for name in ("a", "b", "c")])
    runs = load_runs(store.folder)

    assert changes_of(report_of(runs, judge(runs), "new")).sentences == (
        "bench_training[a] and 2 more begin a new history, since work or method changed: counts.operators 120 → 122.",
    )


@pytest.mark.parametrize(
    ("run", "shown"),
    [
        ("0012_nightly_20260312.json", "0012_nightly_20260312"),
        (f"0003_{'0123456789abcdef' * 3}"[:45] + "_20260101_020000.json.gz", "0003_0123456789_20260101_020000"),
        ("run", "run"),
        ("", ""),
    ],
)
def test_a_run_s_name_is_shown_as_short_as_it_can_be_found_by(run: str, shown: str) -> None:
    assert run_label(run) == shown


def renamed(store: Store) -> Report:
    for night in range(7):
        store.add({"old-name" if night < 6 else "new-name": 1.0, "b": 3.0})
    runs = load_runs(store.folder)
    return report_of(runs, judge(runs), "new")


def test_a_likely_rename_comes_with_the_lines_that_join_the_two(store: Store, tmp_path: Path) -> None:
    report = renamed(store)
    section = next(section for section in report.sections if section.anchor == "renamed")

    assert section.tables[0].rows == [("bench_training[old-name]", "bench_training[new-name]", "+0.0 %")]
    (snippet,) = section.snippets
    (tmp_path / "accepted.toml").write_text("\n".join(snippet.lines))
    old, new = (f"benchmarks/bench_training.py::bench_training[{name}]" for name in ("old-name", "new-name"))
    assert accepted.read(tmp_path / "accepted.toml").renamed == (accepted.Renamed(old, new),)
    assert "```toml\n[[renamed]]\n" in markdown.render(report)
    assert "[[renamed]]\nfrom = &#34;benchmarks" in html.render(report)
    assert "bench_training[old-name] is gone, and the new bench_training[new-name]" in " ".join(
        terminal.render(report, Path("report"), width=80).split()
    )


def test_without_a_likely_rename_there_is_no_such_section(store: Store) -> None:
    for _ in range(7):
        store.add({"a": 1.0})
    runs = load_runs(store.folder)

    assert "renamed" not in {section.anchor for section in report_of(runs, judge(runs), "new").sections}

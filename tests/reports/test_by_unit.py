"""`--by unit`: each unit of a machine class has a history of its own; told on a made store of eight units."""

import csv
import io
import json
from contextlib import redirect_stdout
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from xml.etree import ElementTree as ET

import pytest

from reports import load_runs
from reports.cli import main
from reports.fleet import folder_of, judge_machines, together
from reports.judging import Judgement, judge
from reports.per_unit import by_unit
from tests.reports.made_runs import FIRST_NIGHT, Store, fullname

CLASS = "made-up-cpu-9000"
UNITS = [f"{place}0ff1ce5aa12" for place in range(8)]
SLOW = UNITS[5]
TIMES_S = {f"cpu-{word}": 0.01 * (place + 1) for place, word in enumerate(("one", "two", "three"))}
STEADY_NIGHTS = 6


def add_night(store: Store, night: int, unit: str | None, factor: float = 1.0, **suite: Any) -> Path:  # noqa: ANN401
    """A unit's run: its times differ from its siblings' by up to 4 %, and from night to night by 0.2 %."""
    place = UNITS.index(unit) if unit in UNITS else 0
    level = factor * (1 + 0.005 * place) * (1 + 0.001 * ((night * 3 + place) % 3 - 1))
    started = FIRST_NIGHT + timedelta(days=night, minutes=place)
    suite = {"session": f"night-{night}", "unit": unit, **suite}
    return store.add({name: time_s * level for name, time_s in TIMES_S.items()}, started=started, **suite)


def with_eight(store: Store, slow_nights: int, *, shared: bool) -> Store:
    """Eight units, one of them 8 % slower after six nights; all share a night's session, or each has its own."""
    for night in range(STEADY_NIGHTS + slow_nights):
        for unit in UNITS:
            factor = 1.08 if unit == SLOW and night >= STEADY_NIGHTS else 1.0
            add_night(store, night, unit, factor, session=f"night-{night}" if shared else f"{night}-{unit}")
    return store


def verdicts_of(judgement: Judgement) -> set[str]:
    return set(judgement.verdicts["verdict"])


class Command(Protocol):
    """Runs a command on the store by unit and returns its exit code."""

    def __call__(self, command: str, *words: str, store_first: bool = True) -> int: ...


@pytest.fixture
def asked(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Commands in a working directory of the test's own."""
    monkeypatch.chdir(tmp_path)

    def run(command: str, *words: str, store_first: bool = True) -> int:
        place = [str(store.folder)] if store_first else ["--store", str(store.folder)]
        return main([command, *place, "--by", "unit", *words])

    return run


@pytest.mark.parametrize("unit", [SLOW, UNITS[4]])
def test_only_the_history_of_the_unit_that_became_slow_goes_red(store: Store, asked: Command, unit: str) -> None:
    with_eight(store, 2, shared=False)

    code = asked("judge", "--run", f"7-{unit}")

    rows = list(csv.DictReader(Path("report/verdicts.csv").read_text().splitlines()))
    assert code == (1 if unit == SLOW else 0)
    assert {row["verdict"] for row in rows} == {"regression" if unit == SLOW else "unchanged"}
    assert {row["machine"] for row in rows} == {f"{CLASS}/{unit}"}


def test_by_class_all_units_are_one_history_and_the_siblings_are_side_by_side(store: Store, tmp_path: Path) -> None:
    with_eight(store, 1, shared=False)

    code = main(["judge", str(store.folder), "--run", f"6-{SLOW}", "--output", str(tmp_path / "report")])

    document = json.loads((tmp_path / "report" / "verdicts.json").read_text())
    assert code == 0
    assert (document["machine"], document["earlier_sessions"]) == (CLASS, STEADY_NIGHTS * 8 + 5)
    assert (
        f"Slower than its siblings, of 8 units: {SLOW[:8]} on cpu" in (tmp_path / "report" / "summary.md").read_text()
    )


class Judged(NamedTuple):
    """How `judge --by unit` ended, what it printed, and its report."""

    code: int
    out: str
    report: Path


@pytest.fixture(scope="module")
def shared_session(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The second slow night of one of eight units, which all share a session."""
    folder, said = tmp_path_factory.mktemp("eight"), io.StringIO()
    store = with_eight(Store(folder / "store"), 2, shared=True)
    with redirect_stdout(said):
        code = main(["judge", str(store.folder), "--by", "unit", "--output", str(folder / "report")])
    return Judged(code, said.getvalue(), folder / "report")


def test_of_a_session_on_several_units_each_is_judged_and_the_worst_code_counts(shared_session: Judged) -> None:
    document = json.loads((shared_session.report / "verdicts.json").read_text())
    first, *rest = shared_session.out.splitlines()

    assert shared_session.code == document["exit_code"] == 1
    assert len(document["verdicts"]) == 8 * 3
    assert {row["machine"] for row in document["verdicts"] if row["verdict"] == "regression"} == {f"{CLASS}/{SLOW}"}
    assert first.startswith("3 new regressions: the worst, ")
    assert next(line.partition(": ")[2] for line in rest if line.startswith(CLASS)).startswith("3 new regressions")


def test_each_unit_of_a_session_has_its_own_report_beside_the_common_one(shared_session: Judged) -> None:
    folder = shared_session.report
    own = {path.parent.name: json.loads(path.read_text()) for path in folder.glob("unit-*/verdicts.json")}
    suites = ET.fromstring((folder / "junit.xml").read_text())  # noqa: S314  our own file
    page = (folder / "index.html").read_text().replace("<wbr>", "")

    assert {name: found["exit_code"] for name, found in own.items()} == {
        f"unit-{place + 1}-{unit}": int(unit == SLOW) for place, unit in enumerate(UNITS)
    }
    assert {suite.get("name"): suite.get("failures") for suite in suites if suite.get("tests") != "0"} == {
        f"{CLASS}/{unit}": "3" if unit == SLOW else "0" for unit in UNITS
    }
    assert f"unit-6-{SLOW}/index.html" in page
    assert "Equal machines side by side" in page


def test_a_session_on_units_of_which_none_is_slower_is_green(
    store: Store, asked: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in range(STEADY_NIGHTS):
        for unit in UNITS[:2]:
            add_night(store, night, unit)

    assert asked("judge") == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "Nothing got slower.",
        "6 of 6 cases of the session night-5 judged on 2 machines, each against its own",
    ]


def test_on_units_without_history_the_first_line_says_so(
    store: Store, asked: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for unit in UNITS[:2]:
        add_night(store, 0, unit)

    assert asked("judge") == 0
    assert capsys.readouterr().out.startswith("Not enough history yet to judge any of 2 machines.")


def test_a_file_that_is_named_is_judged_for_its_unit_alone(store: Store, asked: Command) -> None:
    with_eight(store, 2, shared=True)
    other = store.written[-1]

    assert asked("judge", "--run", str(other)) == 0
    assert json.loads(Path("report/verdicts.json").read_text())["machine"] == f"{CLASS}/{UNITS[-1]}"


def test_a_unit_without_a_verdict_is_told_beside_the_others(
    store: Store, asked: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with_eight(store, 1, shared=True)
    left = {fullname("cpu-four"): {"outcome": "not-reached", "reason": ""}}
    add_night(store, 7, UNITS[0], complete=False, cases=left)
    add_night(store, 7, SLOW, 1.08)

    assert asked("judge") == 2

    out = capsys.readouterr().out
    assert out.startswith("No verdict on 1 of 2 machines. 3 new regressions: ")
    assert f"{CLASS}/{UNITS[0]}: No verdict: night-7 is incomplete" in out
    assert json.loads(Path("report/verdicts.json").read_text())["problem"] == (
        f"{CLASS}/{UNITS[0]}: night-7 is incomplete: 3 of 4 cases were reached"
    )


def test_a_unit_whose_gpu_was_swapped_is_a_new_machine(store: Store) -> None:
    for night in range(STEADY_NIGHTS):
        add_night(store, night, UNITS[0])
    add_night(store, STEADY_NIGHTS, "another0unit")

    (judgement,) = judge_machines(by_unit(load_runs(store.folder)))

    assert (judgement.machine, verdicts_of(judgement)) == (f"{CLASS}/another0unit", {"new-machine"})


@pytest.mark.parametrize("none", [None, ""])
def test_files_that_tell_no_unit_are_a_machine_of_their_own(store: Store, none: str | None) -> None:
    for night in range(STEADY_NIGHTS):
        add_night(store, night, UNITS[0])
    for night in range(STEADY_NIGHTS, STEADY_NIGHTS + 2):
        add_night(store, night, none)

    (judgement,) = judge_machines(by_unit(load_runs(store.folder)))

    assert (judgement.machine, judgement.history) == (f"{CLASS}/no-unit", 1)
    assert verdicts_of(judgement) == {"insufficient-history"}


def test_a_whole_unit_that_moved_is_one_row_named_by_class_and_unit(store: Store) -> None:
    names = [f"cpu-case{number}" for number in range(20)]
    for night in range(10):
        for unit in UNITS[:2]:
            factor = 1.08 if unit == UNITS[1] and night >= 8 else 1.0
            wobble = [1 + 0.001 * ((night * 3 + place) % 7) for place in range(20)]
            times_s = dict(zip(names, (factor * one for one in wobble), strict=True))
            store.add(times_s, session=f"night-{night}", unit=unit, started=FIRST_NIGHT + timedelta(days=night))

    judgements = judge_machines(by_unit(load_runs(store.folder)))

    assert [verdicts_of(one) - {"unchanged"} for one in judgements] == [set(), {"regression"}]
    assert judgements[1].verdicts.loc[0, "fullname"] == f"machine:{CLASS}/{UNITS[1]}:cpu"


def test_suspects_are_those_of_every_unit_each_once(
    store: Store, asked: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with_eight(store, 1, shared=True)

    assert asked("suspects") == 0
    assert sorted(capsys.readouterr().out.split()) == sorted(map(fullname, TIMES_S))
    assert asked("suspects", "--session", str(store.written[-1])) == 0
    assert capsys.readouterr().out == ""


def test_a_level_is_accepted_for_the_unit_whose_session_it_is(store: Store, asked: Command) -> None:
    with_eight(store, 2, shared=False)

    assert asked("accept", "*", "--reason", "a cooler place", "--session", f"7-{SLOW}", store_first=False) == 0

    assert 'at = "7-' in Path("accepted.toml").read_text()
    assert asked("judge", "--run", f"7-{SLOW}", "--fail-on", "open") == 0


def test_one_machine_s_session_is_judged_as_without_the_option(store: Store) -> None:
    for night in range(STEADY_NIGHTS):
        add_night(store, night, UNITS[0])
    runs = load_runs(store.folder)

    by_class, (alone,) = judge(runs), judge_machines(by_unit(runs))

    assert together([alone]) is alone
    assert alone.verdicts.drop(columns="machine").equals(by_class.verdicts.drop(columns="machine"))


@pytest.mark.parametrize("machine", ["../..", f"{'ä' * 120}/{'ö' * 120}", "m/.."])
def test_a_machine_s_report_stays_in_its_folder_whatever_its_file_calls_it(machine: str) -> None:
    name = folder_of(1, machine)

    assert Path(name).name == name
    assert len(name.encode()) < 255

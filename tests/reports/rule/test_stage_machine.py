"""Machine shift: what a device's cases have in common is taken out of each, and a line of its own when large."""

import math

import numpy as np
import pandas as pd
import pytest

from reports.rule.machine import Machine, Moved
from reports.rule.settings import Settings
from tests.reports.rule.made_histories import MACHINE, judged, made_sessions

ROW = f"machine:{MACHINE}:cpu"
NIGHTS = 12


def followed(*positions: float) -> list[Moved | None]:
    """Return what each night says of a machine whose cases all lie at one distance."""
    machine = Machine(Settings())
    said = []
    for night, position in enumerate(positions):
        machine.locate(np.full(20, position))
        said.append(machine.judge(night).moved)
    return said


def words_of(*positions: float) -> list[str]:
    return ["" if said is None else f"{said.verdict}{'!' if said.new else ''}" for said in followed(*positions)]


def test_the_shift_is_the_median_distance_of_the_cases_from_their_levels() -> None:
    # 21 cases: 0, 1, ..., 20 %, and two without a result: the median is 10 %.
    distances = np.array([*np.arange(21) / 100, np.nan, np.nan])

    assert Machine(Settings()).locate(distances) == pytest.approx(0.10)


@pytest.mark.parametrize(("cases", "shift"), [(19, 0.0), (20, 0.05)])
def test_fewer_than_twenty_cases_tell_no_shift(cases: int, shift: float) -> None:
    assert Machine(Settings()).locate(np.array([0.05] * cases + [np.nan] * 10)) == shift


def test_a_machine_s_scatter_is_its_robust_sd_taken_larger_while_nights_are_few() -> None:
    # Changes 0, 0, 0, then +-0.002 four times: the median distance is 0.002; 1.4826 x 0.002 x (1 + 3 / 7) = 0.004236.
    machine = Machine(Settings())
    for night, position in enumerate([0.0, 0.0, 0.0, 0.002, -0.002, 0.002, -0.002]):
        machine.locate(np.full(20, position))
        machine.judge(night)

    assert machine.sd == pytest.approx(0.0042360, abs=1e-7)
    # four of them are 0.016944, which is more than the floor ln 1.015 = 0.014889
    assert [machine.is_large(change) for change in (0.01694, 0.01695, -0.01694, -0.01695)] == [False, True, False, True]


@pytest.mark.parametrize(
    ("change", "is_large"), [(0.01488, False), (0.01489, True), (-0.01488, False), (-0.01489, True)]
)
def test_a_steady_machine_s_shift_is_large_from_one_and_a_half_percent(change: float, is_large: bool) -> None:
    # ln 1.015 = 0.0148886
    machine = Machine(Settings())
    for night in range(5):
        machine.locate(np.zeros(20))
        machine.judge(night)

    assert machine.is_large(change) == is_large


def test_until_its_scatter_is_known_no_shift_is_large() -> None:
    assert words_of(0.0, 0.0, 0.0, 0.0, 0.5) == ["", "", "", "", ""]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([0.05], ["suspect"]),
        ([0.05, 0.05], ["suspect", "regression!"]),
        ([0.05, 0.05, 0.05], ["suspect", "regression!", "regression"]),
        ([0.05, 0.0, 0.05], ["suspect", "", "suspect"]),
        ([-0.05, -0.05, -0.05], ["", "improvement!", ""]),
        ([0.05, -0.05, 0.05], ["suspect", "", "suspect"]),
        ([0.05, 0.05, 0.0, 0.0, 0.0], ["suspect", "regression!", "regression", "recovered", ""]),
        ([0.10, 0.10, 0.05, 0.05], ["suspect", "regression!", "regression", "regression"]),
        ([0.05, 0.05, 0.10, 0.10], ["suspect", "regression!", "regression", "regression!"]),
    ],
)
def test_two_large_shifts_of_one_sign_on_end_move_the_machine(after: list[float], words: list[str]) -> None:
    assert words_of(*[0.0] * 10, *after)[10:] == words


def test_a_regression_s_change_is_told_against_the_level_before_it() -> None:
    said = followed(*[0.0] * 10, 0.05, 0.06)[-1]

    assert said is not None
    assert (said.change, said.first_bad, said.last_good) == (0.06, 10, 9)


def test_a_large_shift_is_held_until_a_second_one_lets_it_in() -> None:
    machine = Machine(Settings())
    nights = []
    for night, position in enumerate([0.0] * 10 + [0.05, 0.05]):
        machine.locate(np.full(20, position))
        nights.append(machine.judge(night))

    assert [night.held for night in nights[9:]] == [False, True, False]
    assert nights[-1].released == 10


def test_a_machine_that_creeps_is_a_regression_of_its_own() -> None:
    # 0.1 % a night: its level, the median of the last 30 nights, lags 14.5 nights; the first level, of the nights 0
    # to 9, is 0.0045. Twice the floor, 2 ln 1.015 = 0.029777, is less than 0.001 (night - 14.5) - 0.0045 from 49 on.
    said = followed(*(night * 0.001 for night in range(55)))

    first = next(night for night, moved in enumerate(said) if moved)
    moved = said[first]
    assert moved is not None
    assert (first, moved.verdict, moved.new, moved.last_good) == (49, "regression", True, 9)
    assert said[first + 1] is not None


def test_an_accepted_machine_has_no_open_regression() -> None:
    machine = Machine(Settings())
    said = []
    for night, position in enumerate([0.0] * 10 + [0.05] * 3):
        machine.locate(np.full(20, position))
        said.append(machine.judge(night).moved)
        if night == 11:
            machine.accept()

    assert said[-2] is not None
    assert said[-1] is None


def suite_of(cases: int, *shifts: float) -> pd.DataFrame:
    """Return twelve nights of cases that scatter by 0.2 % each in its own way, then nights with a common shift."""
    scatter = {
        f"case-{case:02d}": [0.002 * math.cos(1.7 * case + 2.3 * night * (1 + case % 5)) for night in range(NIGHTS + 5)]
        for case in range(cases)
    }
    return made_sessions(
        {
            name: [*times[:NIGHTS], *(shift + times[NIGHTS + at] for at, shift in enumerate(shifts))]
            for name, times in scatter.items()
        }
    )


def test_a_machine_that_got_slower_is_one_line_and_no_flood() -> None:
    verdicts = judged(suite_of(20, 0.05, 0.05))

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 20, "regression": 1}
    row = verdicts.loc[ROW]
    assert (row["verdict"], row["new"], row["device"]) == ("regression", True, "cpu")
    assert (row["last_good_run"], row["first_bad_run"]) == ("0011_run.json", "0012_run.json")
    assert row["ratio"] == pytest.approx(math.exp(0.05), rel=0.003)


def test_its_first_night_is_a_suspect_of_the_machine_alone() -> None:
    verdicts = judged(suite_of(20, 0.05))

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 20, "suspect": 1}


def test_the_shift_is_taken_out_of_every_case_s_ratio_and_kept_in_its_times() -> None:
    row = judged(suite_of(20, 0.05)).loc["case-03"]

    assert row["ratio"] == pytest.approx(1.0, abs=0.006)
    assert row["shift"] == pytest.approx(math.expm1(0.05), abs=0.003)
    assert row["median_s"] == pytest.approx(math.exp(0.05), abs=0.006)
    assert row["median_s"] / row["baseline_s"] == pytest.approx(row["ratio"])


def test_a_night_with_a_large_shift_is_no_baseline() -> None:
    assert list(judged(suite_of(20, 0.05, 0.0))["history"].unique()) == [NIGHTS]


def test_a_case_that_got_slower_beside_a_moved_machine_is_found() -> None:
    frame = suite_of(20, 0.05, 0.05)
    slower = (frame["fullname"] == "case-00") & (frame["session"] >= f"night-{NIGHTS}")
    frame.loc[slower, "log_time"] += 0.08

    verdicts = judged(frame)

    assert verdicts.loc["case-00", "verdict"] == "regression"
    assert verdicts.loc["case-00", "ratio"] == pytest.approx(math.exp(0.08), rel=0.008)
    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 19, "regression": 2}


def test_with_fewer_than_twenty_cases_each_speaks_for_itself() -> None:
    verdicts = judged(suite_of(19, 0.05, 0.05))

    assert verdicts["verdict"].value_counts().to_dict() == {"regression": 19}


def test_every_device_of_a_machine_moves_by_itself() -> None:
    quiet = suite_of(20, 0.0, 0.0)
    quiet = quiet.assign(fullname="gpu-" + quiet["fullname"], device="cuda")

    verdicts = judged(pd.concat([suite_of(20, 0.05, 0.05), quiet], ignore_index=True))

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 40, "regression": 1}
    assert verdicts.loc[ROW, "device"] == "cpu"

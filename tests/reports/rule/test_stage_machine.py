"""Machine shift: what a device's cases have in common is taken out of each, and a line of its own when large."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from reports.rule.accepted import Accepted
from tests.reports.rule.made_histories import MACHINE, judged, made_sessions

ROW = f"machine:{MACHINE}:cpu"


def suite_of(cases: int, positions: Sequence[float]) -> pd.DataFrame:
    """Return cases that scatter by up to 0.1 % each in its own way, on a machine that is at one position each night."""
    return made_sessions(
        {
            f"case-{case:02d}": [
                position + 0.001 * math.cos(1.7 * case + 2.3 * night * (1 + case % 5))
                for night, position in enumerate(positions)
            ]
            for case in range(cases)
        }
    )


def machine_words(positions: Sequence[float], last: int, *accepted: Accepted) -> list[str]:
    """Return what is said of the machine in the last so many nights; a new change has a `!`."""
    frame, found = suite_of(20, positions), []
    for night in range(len(positions) - last, len(positions)):
        verdicts = judged(frame, None, *accepted, session=f"night-{night:02d}")
        row = verdicts.loc[ROW] if ROW in verdicts.index else {"verdict": "", "new": False}
        found.append(f"{row['verdict']}{'!' if row['new'] else ''}")
    return found


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ([0.05, 0.05, 0.05], ["suspect", "regression!", "regression"]),
        ([0.05, 0.0, 0.05], ["suspect", "", "suspect"]),
        ([0.05, -0.05, 0.05], ["suspect", "", "suspect"]),
        ([-0.05, -0.05, -0.05], ["", "improvement!", ""]),
        ([0.05, 0.05, 0.0, 0.0, 0.0], ["suspect", "regression!", "regression", "recovered", ""]),
        ([0.10, 0.10, 0.05, 0.05], ["suspect", "regression!", "regression", "regression"]),
        ([0.05, 0.05, 0.10, 0.10], ["suspect", "regression!", "regression", "regression!"]),
    ],
)
def test_two_large_shifts_of_one_sign_on_end_move_the_machine(after: list[float], expected: list[str]) -> None:
    assert machine_words([*[0.0] * 10, *after], len(after)) == expected


@pytest.mark.parametrize(("shift", "expected"), [(0.0135, ""), (0.0165, "suspect")])
def test_a_steady_machine_s_shift_is_large_from_one_and_a_half_percent(shift: float, expected: str) -> None:
    # ln 1.015 = 0.01489; the cases' own scatter leaves the median of twenty uncertain by less than 0.0015
    assert machine_words([*[0.0] * 12, shift], 1) == [expected]


@pytest.mark.parametrize(("shift", "expected"), [(0.03, ""), (0.1, "suspect")])
def test_a_restless_machine_s_shift_is_large_from_four_of_its_own_sd(shift: float, expected: str) -> None:
    # +-0.6 % every night, half of which lie 1.2 % from the level before them and half on it: an sd of at least
    # 0.012 / sqrt 2 = 0.0085, and four of them are 0.0339
    assert machine_words([*[0.006, -0.006] * 10, shift], 1) == [expected]


@pytest.mark.parametrize(("pairs", "expected"), [(6, ""), (14, "suspect")])
def test_a_scatter_known_from_few_nights_is_taken_larger(pairs: int, expected: str) -> None:
    # The same nights: four sd are about 0.037, which twelve nights raise by a quarter and twenty-eight by a tenth.
    assert machine_words([*[0.006, -0.006] * pairs, 0.044], 1) == [expected]


def test_until_its_scatter_is_known_no_shift_of_a_machine_is_large() -> None:
    assert machine_words([0.0, 0.0, 0.0, 0.0, 0.1], 1) == [""]


def test_a_machine_that_got_slower_is_one_line_and_no_flood() -> None:
    verdicts = judged(suite_of(20, [*[0.0] * 12, 0.05, 0.05]))

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 20, "regression": 1}
    row = verdicts.loc[ROW]
    assert (row["verdict"], row["new"], row["device"]) == ("regression", True, "cpu")
    assert (row["last_good_run"], row["first_bad_run"]) == ("0011_run.json", "0012_run.json")
    assert row["ratio"] == pytest.approx(math.exp(0.05), rel=0.002)


def test_its_first_night_is_a_suspect_of_the_machine_alone() -> None:
    verdicts = judged(suite_of(20, [*[0.0] * 12, 0.05]))

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 20, "suspect": 1}


def test_an_open_regression_of_a_machine_is_told_against_the_level_before_it() -> None:
    row = judged(suite_of(20, [*[0.0] * 12, *[0.05] * 12])).loc[ROW]

    assert (row["verdict"], row["new"], row["first_bad_run"]) == ("regression", False, "0012_run.json")
    assert row["ratio"] == pytest.approx(math.exp(0.05), rel=0.002)


def test_the_shift_is_taken_out_of_every_case_s_ratio_and_kept_in_its_times() -> None:
    row = judged(suite_of(20, [*[0.0] * 12, 0.05])).loc["case-03"]

    assert row["ratio"] == pytest.approx(1.0, abs=0.003)
    assert row["shift"] == pytest.approx(math.expm1(0.05), abs=0.002)
    assert row["median_s"] == pytest.approx(math.exp(0.05), abs=0.003)
    assert row["median_s"] / row["baseline_s"] == pytest.approx(row["ratio"])


def test_the_shift_is_the_median_over_the_cases() -> None:
    # Twenty-one cases, of which ten get slower by 6 % tonight: the eleven others keep the median near 0.
    frame = suite_of(21, [0.0] * 13)
    frame.loc[(frame["fullname"] < "case-10") & (frame["session"] == "night-12"), "log_time"] += 0.06

    verdicts = judged(frame)

    assert verdicts["shift"].abs().max() < 0.002
    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 11, "suspect": 10}


def test_a_night_with_a_large_shift_is_no_baseline() -> None:
    assert set(judged(suite_of(20, [*[0.0] * 12, 0.05, 0.0]))["history"]) == {12}


def test_a_case_that_got_slower_beside_a_moved_machine_is_found() -> None:
    frame = suite_of(20, [*[0.0] * 12, 0.05, 0.05])
    frame.loc[(frame["fullname"] == "case-00") & (frame["session"] >= "night-12"), "log_time"] += 0.08

    verdicts = judged(frame)

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 19, "regression": 2}
    assert verdicts.loc["case-00", "ratio"] == pytest.approx(math.exp(0.08), rel=0.004)


def test_a_case_that_did_not_follow_a_moved_machine_is_an_improvement() -> None:
    frame = suite_of(20, [*[0.0] * 12, 0.05, 0.05])
    frame.loc[(frame["fullname"] == "case-00") & (frame["session"] >= "night-12"), "log_time"] -= 0.05

    assert judged(frame).loc["case-00", "verdict"] == "improvement"


def test_with_fewer_than_twenty_cases_each_speaks_for_itself() -> None:
    verdicts = judged(suite_of(19, [*[0.0] * 12, 0.05, 0.05]))

    assert verdicts["verdict"].value_counts().to_dict() == {"regression": 19}
    assert set(verdicts["shift"]) == {0.0}


def test_every_device_of_a_machine_moves_by_itself() -> None:
    quiet = suite_of(20, [0.0] * 14)
    quiet = quiet.assign(fullname="gpu-" + quiet["fullname"], device="cuda")

    verdicts = judged(pd.concat([suite_of(20, [*[0.0] * 12, 0.05, 0.05]), quiet], ignore_index=True))

    assert verdicts["verdict"].value_counts().to_dict() == {"unchanged": 40, "regression": 1}
    assert verdicts.loc[ROW, "device"] == "cpu"


def test_an_accepted_shift_of_a_machine_is_silent() -> None:
    positions = [*[0.0] * 12, *[0.05] * 4]

    assert machine_words(positions, 3, Accepted("machine:*", "new cooler", "night-13")) == ["", "", ""]


def test_a_machine_that_creeps_is_a_line_of_its_own_at_last() -> None:
    # 0.1 % a night is never a large shift, and twice the floor of 1.5 % after some fifty nights.
    positions = list(np.arange(70) * 0.001)

    assert machine_words(positions[:40], 1) == [""]
    assert machine_words(positions, 1) == ["regression"]
    assert set(judged(suite_of(20, positions)).drop(index=ROW)["verdict"]) == {"unchanged"}

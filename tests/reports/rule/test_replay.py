"""What the rule says, case by case, on made sessions without random numbers."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.rule.accepted import Accepted, Book, Renamed
from reports.rule.settings import Settings, from_table
from reports.rule.verdict import replay
from tests.reports.rule.made_sessions import FIRST_CASE, frame, series, suite

LEVEL = [0.0] * 12


def judged(rows: list[dict[str, Any]], **more: Any) -> pd.DataFrame:  # noqa: ANN401
    return replay(frame(rows), **more).set_index("fullname")


def of_first(changes: list[float], **more: Any) -> pd.Series:  # noqa: ANN401
    return judged(series(changes, **more)).T[FIRST_CASE]


@pytest.mark.parametrize(
    ("changes", "word", "new"),
    [
        ([0.0] * 5, "insufficient-history", False),
        ([0.0] * 6, "unchanged", False),
        ([*LEVEL, 0.0], "unchanged", False),
        ([*LEVEL, 0.01], "unchanged", False),
        ([*LEVEL, 0.2], "suspect", False),
        ([*LEVEL, 0.2, 0.2], "regression", True),
        ([*LEVEL, 0.05, 0.05], "regression", True),
        ([*LEVEL, 0.02, 0.02], "unchanged", False),
        ([*LEVEL, 0.2, 0.2, 0.2], "regression", False),
        ([*LEVEL, *[0.2] * 40], "regression", False),
        ([*LEVEL, 0.2, 0.0], "unchanged", False),
        ([*LEVEL, 0.2, 0.0, 0.2], "suspect", False),
        ([*LEVEL, 0.2, 0.2, 0.0], "recovered", False),
        ([*LEVEL, 0.2, 0.2, 0.0, 0.0], "unchanged", False),
        ([*LEVEL, *[0.2] * 8, 0.4, 0.4], "regression", True),
        ([*LEVEL, *[0.2] * 8, 0.1, 0.1], "regression", False),
        ([*LEVEL, -0.2], "unchanged", False),
        ([*LEVEL, -0.2, -0.2], "improvement", True),
        ([*LEVEL, -0.2, -0.2, -0.2], "improvement", False),
        ([*LEVEL, *[-0.2] * 6], "unchanged", False),
        ([*LEVEL, *[-0.2] * 8, 0.0, 0.0], "regression", True),
        ([*LEVEL, 0.2, 0.2, -0.2, -0.2], "improvement", True),
    ],
)
def test_a_case_is_judged_night_by_night(changes: list[float], word: str, new: bool) -> None:
    row = of_first(changes)

    assert (row["verdict"], row["new"]) == (word, new)


def test_the_others_are_left_alone() -> None:
    found = judged(series([*LEVEL, 0.2, 0.2]))

    assert set(found.drop(FIRST_CASE)["verdict"]) == {"unchanged"}


def test_a_change_is_told_with_its_figures_and_runs() -> None:
    row = of_first([*LEVEL, 0.2, 0.2])

    assert row["ratio"] == pytest.approx(1.2, rel=0.01)
    assert row["ratio"] == pytest.approx(row["median_s"] / row["baseline_s"])
    assert row["ratio_low"] < row["ratio"] < row["ratio_high"]
    assert (row["last_good_run"], row["first_bad_run"], row["run"]) == (
        "0011_run.json",
        "0012_run.json",
        "0013_run.json",
    )


def test_an_open_regression_is_told_against_its_old_level() -> None:
    row = of_first([*LEVEL, *[0.2] * 20])

    assert row["ratio"] == pytest.approx(1.2, rel=0.01)
    assert row["step"] == pytest.approx(1.0, abs=0.01)
    assert row["first_bad_run"] == "0012_run.json"


def test_a_case_that_re_runs_cleared_does_not_confirm_the_next_night() -> None:
    rows = series([*LEVEL, 0.2, 0.2])
    rows[-60] |= {"rerun_log_time": 0.0, "reruns": 3}

    assert judged(rows).loc[FIRST_CASE, "verdict"] == "suspect"


def test_a_machine_that_moved_is_one_row_and_its_cases_are_unchanged() -> None:
    found = judged(suite(14, change=lambda night, _case: 0.06 if night >= 12 else 0.0))

    machine = found.loc["machine:m:cpu"]
    assert (machine["verdict"], machine["new"]) == ("regression", True)
    assert machine["ratio"] == pytest.approx(np.exp(0.06), rel=0.002)
    assert (machine["last_good_run"], machine["first_bad_run"]) == ("0011_run.json", "0012_run.json")
    cases = found.drop("machine:m:cpu")
    assert set(cases["verdict"]) == {"unchanged"}
    assert cases["shift"].iloc[0] == pytest.approx(0.0, abs=0.003)
    assert cases["median_s"].median() == pytest.approx(np.exp(0.06), rel=0.005)
    np.testing.assert_allclose(cases["median_s"] / cases["baseline_s"], cases["ratio"])


def test_the_first_night_of_a_shift_is_taken_out_of_every_case() -> None:
    found = judged(suite(13, change=lambda night, _case: 0.06 if night >= 12 else 0.0))

    assert found.loc["machine:m:cpu", "verdict"] == "suspect"
    assert found.loc[FIRST_CASE, "verdict"] == "unchanged"
    assert found.loc[FIRST_CASE, "shift"] == pytest.approx(np.expm1(0.06), abs=0.003)


def test_many_slowly_slower_cases_are_no_machine() -> None:
    """A fifth of the cases creep: the others stay where they are, however long that lasts."""
    rows = suite(90, sd=0.005, change=lambda night, case: 0.001 * night if case < 6 else 0.0)

    found = judged(rows)

    assert not [name for name in found.index if name.startswith("machine:")]
    quiet = found[[name > "b.py::b[cpu-m05]" for name in found.index]]
    assert quiet["baseline_s"].to_numpy() == pytest.approx(1.0, abs=0.006)


def test_a_case_that_moved_with_and_beyond_its_machine_is_seen() -> None:
    found = judged(suite(14, change=lambda night, case: (0.06 + (0.1 if case == 0 else 0.0)) if night >= 12 else 0.0))

    assert found.loc[FIRST_CASE, "verdict"] == "regression"
    assert found.loc[FIRST_CASE, "ratio"] == pytest.approx(np.exp(0.1), rel=0.01)


def test_a_machine_that_moved_costs_no_history() -> None:
    """Two nights after a confirmed shift a case that gets slower is a suspect the same night."""
    found = judged(
        suite(16, change=lambda night, case: (0.06 if night >= 12 else 0) + (0.1 if (night, case) == (15, 0) else 0))
    )

    assert found.loc[FIRST_CASE, "verdict"] == "suspect"


def test_two_devices_move_apart() -> None:
    rows = suite(14, change=lambda night, _case: 0.06 if night >= 12 else 0.0)
    rows += [each | {"fullname": each["fullname"].replace("cpu", "cuda"), "device": "cuda"} for each in suite(14)]

    assert [name for name in judged(rows).index if name.startswith("machine:")] == ["machine:m:cpu"]


def test_drift_of_some_cases_is_no_step() -> None:
    """0.1 % a night is 1.5 % from the mean of thirty nights, three sd of a quiet case; carried along it is nothing."""
    rows = suite(40, sd=0.005, change=lambda night, case: 0.001 * night if case < 6 else 0.0)

    assert set(judged(rows)["verdict"]) == {"unchanged"}


def test_creep_beyond_twice_the_floor_is_a_regression() -> None:
    rows = suite(70, sd=0.005, change=lambda night, case: 0.001 * night if case < 6 else 0.0)

    found = judged(rows).loc[FIRST_CASE]

    assert (found["verdict"], "crept" in found["flags"]) == ("regression", True)


def test_a_floor_of_its_own_keeps_a_case_quiet() -> None:
    settings = from_table({"overrides": {"cpu-m00": {"floor": 0.3}}})

    assert judged(series([*LEVEL, 0.2, 0.2]), settings=settings).loc[FIRST_CASE, "verdict"] == "unchanged"


def test_a_change_below_the_floor_on_time_is_none() -> None:
    assert (
        judged(series([*LEVEL, 0.2, 0.2]), settings=Settings(absolute_floor_s=0.5)).loc[FIRST_CASE, "verdict"]
        == "unchanged"
    )


def test_a_noisy_case_carries_a_flag_and_its_smallest_detectable_change() -> None:
    quiet, noisy = judged(suite(20, sd=0.005)), judged(suite(20, sd=0.05))

    assert set(quiet["flags"]) == {()}
    assert set(noisy["flags"]) == {("noisy",)}
    assert quiet["detectable"].median() == pytest.approx(3.3 * 0.005 * 0.93, rel=0.25)


def test_what_else_changed_is_named() -> None:
    rows = series([*LEVEL, 0.2, 0.2])
    for each in rows:
        if each["session"] >= "night-012":
            each["environment"] = {"torch": "2.15.0", "driver": "570"}

    assert judged(rows).loc[FIRST_CASE, "suspects"] == "torch 2.14.1 -> 2.15.0; driver nothing -> 570"


def test_an_accepted_machine_is_no_row_any_more() -> None:
    rows = suite(20, change=lambda night, _case: 0.06 if night >= 12 else 0.0)
    book = Book((Accepted("machine:m:cpu", "new driver", "night-013"),))

    assert "machine:m:cpu" in judged(rows).index
    assert "machine:m:cpu" not in judged(rows, accepted=book).index


@pytest.mark.parametrize("at", ["night-999", "2025-01-01"])
def test_an_acceptance_of_another_history_changes_nothing(at: str) -> None:
    book = Book((Accepted("cpu-m00", "meant", at),))

    assert judged(series([*LEVEL, 0.2, 0.2]), accepted=book).loc[FIRST_CASE, "verdict"] == "regression"


def test_a_renamed_case_goes_on_with_its_history() -> None:
    rows = series([*LEVEL, 0.2])
    rows[-30]["fullname"] = "b.py::b[cpu-renamed]"

    apart = judged(rows)
    joined = judged(rows, accepted=Book((), (Renamed(FIRST_CASE, "b.py::b[cpu-renamed]"),)))

    assert (apart.loc[FIRST_CASE, "verdict"], apart.loc["b.py::b[cpu-renamed]", "verdict"]) == ("missing", "new")
    assert joined.loc["b.py::b[cpu-renamed]", "verdict"] == "suspect"
    assert FIRST_CASE not in joined.index


def test_one_case_alone_is_judged_by_its_own_scatter() -> None:
    row = judged(series([*LEVEL, 0.2, 0.2], cases=1)).loc[FIRST_CASE]

    assert (row["verdict"], row["new"]) == ("regression", True)


def test_times_without_any_scatter_are_no_trouble() -> None:
    assert of_first([*LEVEL, 0.2, 0.2], sd=0.0)["verdict"] == "regression"
    assert of_first([*LEVEL, 0.0, 0.0], sd=0.0)["verdict"] == "unchanged"


def test_missing_nights_are_no_gap() -> None:
    rows = [each for each in series([*LEVEL, 0.0, 0.2, 0.2]) if each["session"] not in {"night-003", "night-012"}]

    found = judged(rows).loc[FIRST_CASE]

    assert (found["verdict"], found["last_good_run"]) == ("regression", "0011_run.json")

"""The smallest detectable change, and the flag of a case that scatters too much to see what matters."""

import pytest

from reports.rule.settings import Settings
from tests.reports.rule.made_histories import QUIET, STEADY, judged, made_sessions


def test_every_case_tells_its_smallest_detectable_change() -> None:
    # sd = sqrt(0.001 / 9) = 0.0105409: tonight 3.3 x 0.0105409 x sqrt(1 + 1 / 10) = 0.036483, exp - 1 = 0.037157;
    # after two sessions 2.1 x 0.0105409 = 0.022136, exp - 1 = 0.022383.
    row = judged(made_sessions({"a": [*QUIET, 0.0]})).loc["a"]

    assert row["detectable"] == pytest.approx(0.037157, abs=1e-6)
    assert row["detectable_in_two"] == pytest.approx(0.022383, abs=1e-6)


@pytest.mark.parametrize(("away", "flags"), [(0.0135, ()), (0.0136, ("noisy",))])
def test_a_case_is_noisy_when_twice_the_floor_is_not_seen_tonight(away: float, flags: tuple[str, ...]) -> None:
    # Ten nights of +-a: sd = a sqrt(10 / 9), so tonight's is 3.3 a sqrt(10 / 9 x 1.1) = 3.6483 a. Twice the floor is
    # 2 ln 1.025 = 0.049385, which is reached at a = 0.013536.
    row = judged(made_sessions({"a": [*([away, -away] * 5), 0.0]})).loc["a"]

    assert row["flags"] == flags


def test_what_is_noisy_depends_on_the_case_s_own_floor() -> None:
    frame = made_sessions({"a": [*QUIET, 0.0]})

    assert judged(frame, Settings(overrides={"a": {"floor": 0.01}})).loc["a", "flags"] == ("noisy",)


def test_flags_that_the_run_had_are_kept() -> None:
    frame = made_sessions({"a": [*([0.02, -0.02] * 5), 0.0]}, flags=("throttled", "noisy"))

    assert judged(frame).loc["a", "flags"] == ("throttled", "noisy")


def test_without_enough_history_nothing_is_said_to_be_detectable() -> None:
    verdicts = judged(made_sessions({"a": QUIET[:5]}))

    assert verdicts["detectable"].isna().all()
    assert verdicts.loc["a", "verdict"] == "insufficient-history"
    assert verdicts.loc["a", "flags"] == ()


def test_after_a_change_the_scatter_of_the_old_level_still_counts() -> None:
    # The old level leaves squares of 0.001 with 9 degrees of freedom, six equal nights add 5 and no square:
    # sd = sqrt(0.001 / 14) = 0.0084515, times 2.1 is 0.017748, exp - 1 = 0.017907.
    row = judged(made_sessions({"a": [*QUIET, *[0.2] * 7]})).loc["a"]

    assert row["detectable_in_two"] == pytest.approx(0.017907, abs=1e-6)


def test_other_work_starts_without_any_scatter_known() -> None:
    work = {("a", night): {"dataset": "iris" if night < 10 else "wine"} for night in range(17)}
    row = judged(made_sessions({"a": [*QUIET, *STEADY[:7]]}, work=work)).loc["a"]

    # six nights of +-0.001: sd = 0.001 sqrt(6 / 5) = 0.0010954, times 2.1 is 0.0023004
    assert row["detectable_in_two"] == pytest.approx(0.0023031, abs=1e-6)

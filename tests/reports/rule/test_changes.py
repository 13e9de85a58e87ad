import numpy as np
import pytest

from reports.rule.changes import beginning, fall, recovered, rise, step
from reports.rule.levels import NEVER, Levels
from reports.rule.settings import Settings


def made_levels(values: list[float]) -> Levels:
    """Levels of one case with these results in sessions 0, 1, 2, ..."""
    levels = Levels(1, window=10, longest=5, trim=4.0)
    for session, value in enumerate(values):
        levels.append(session, np.array([value]), np.array([False]))
    return levels


@pytest.mark.parametrize(
    ("values", "last"),
    [
        ([0.0, 0.0, 1.0, 1.0, 1.0], 3),
        ([0.0, 0.0, 0.0, 0.0, 1.0], 1),
        ([0.0, 1.0, 0.4, 1.0, 1.0], 4),
        ([0.0, 9.0, 0.0, 0.0, 1.0], 1),
        ([0.0, 0.1, -0.1, 0.9, 1.1], 2),
        ([1.0, 1.0, 1.0, 1.0, 1.0], 4),
    ],
)
def test_a_change_begins_where_the_results_leave_the_old_level(values: list[float], last: int) -> None:
    assert beginning(np.array(values), old=0.0, change=1.0, most=4) == last


def test_a_drop_is_found_the_same_way() -> None:
    assert beginning(np.array([0.0, 0.0, -1.0, -1.0]), old=0.0, change=-1.0, most=3) == 2


def test_a_rise_opens_a_regression_and_starts_a_level() -> None:
    levels = made_levels([0.0, 0.1, 0.0, 1.0, 1.0])

    opened = rise(levels, 0, step(levels, 0, before=0.03, change=1.0, most=4))

    assert (opened.level, opened.last_good, opened.first_bad) == (0.03, 2, 3)
    assert levels.values[0, np.isfinite(levels.values[0])].tolist() == [1.0, 1.0]
    assert opened.when[opened.when != NEVER].tolist() == [0, 1, 2]
    assert (levels.squares[0], levels.freedom[0]) == (pytest.approx(0.01 * 2 / 3), 2)


def test_a_second_rise_keeps_the_level_to_come_back_to() -> None:
    levels = made_levels([0.0, 0.1, 0.0, 1.0, 1.0])
    rise(levels, 0, step(levels, 0, before=0.0, change=1.0, most=4))
    levels.append(5, np.array([2.0]), np.array([False]))

    opened = rise(levels, 0, step(levels, 0, before=1.0, change=1.0, most=4))

    assert (opened.level, opened.last_good, opened.first_bad) == (0.0, 4, 5)


@pytest.mark.parametrize(
    ("now", "word", "still_open"),
    [(0.01, "recovered", False), (0.5, "", True), (-0.5, "improvement", False)],
)
def test_a_fall_ends_a_regression_only_at_its_old_level(now: float, word: str, still_open: bool) -> None:
    levels = made_levels([0.0, 0.0, 0.0, 1.0, 1.0])
    rise(levels, 0, step(levels, 0, before=0.0, change=1.0, most=4))
    for session in (5, 6):
        levels.append(session, np.array([now]), np.array([False]))

    said = fall(levels, 0, step(levels, 0, before=1.0, change=now - 1.0, most=4), floor=0.025)

    assert (said, 0 in levels.opened) == (word, still_open)


def test_a_recovered_case_goes_on_with_its_old_results() -> None:
    levels = made_levels([0.0, 0.1, 0.0, 1.0, 1.0, 0.0])
    rise(levels, 0, step(levels, 0, before=0.0, change=1.0, most=4))

    levels.resume(0, 5)

    assert levels.measured[0, np.isfinite(levels.measured[0])].tolist() == [0.0, 0.1, 0.0, 0.0]
    assert levels.opened == {}


@pytest.mark.parametrize(
    ("back", "sd", "first"),
    [
        ([0.0], 0.1, 5),  # odds of e^50 at once
        ([0.0], 0.3, None),  # e^5.6 = 260: not yet 1000
        ([0.0, 0.0], 0.3, 5),  # e^11.1
        ([0.3, 0.3], 0.1, None),  # likelier the old level, but not within its floor
        ([1.0, 1.0], 0.1, None),
    ],
)
def test_recovery_is_a_matter_of_odds(back: list[float], sd: float, first: int | None) -> None:
    """Open at 1, old level 0: a result at 0 makes the old level likelier by exp(1 / (2 sd^2))."""
    levels = made_levels([0.0, 0.0, 0.0, 1.0, 1.0])
    rise(levels, 0, step(levels, 0, before=0.0, change=1.0, most=4))
    for session, value in enumerate(back, 5):
        levels.append(session, np.array([value]), np.array([False]))

    assert recovered(levels, 0, sd**2, 0.1, Settings()) == first


def test_a_held_session_is_let_in_when_the_machine_s_shift_is_confirmed() -> None:
    levels = made_levels([0.0])
    levels.append(1, np.array([0.0]), np.array([True]))

    levels.release(1)

    assert not levels.held.any()


def test_another_work_starts_from_nothing() -> None:
    levels = made_levels([0.0, 0.1, 0.0, 1.0, 1.0])
    rise(levels, 0, step(levels, 0, before=0.0, change=1.0, most=4))

    levels.forget(0)

    assert np.isnan(levels.values).all()
    assert (levels.freedom[0], levels.opened) == (0, {})

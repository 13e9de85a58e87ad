import math

import pandas as pd
import pytest

from reports.history import spread_of_difference
from reports.uncertainty import launch_error, relative_error, sources


def case(name: str, median_s: float = 1.0, iqr_s: float = 0.04, rounds: int = 16, **more: float) -> dict[str, object]:
    return {"fullname": name, "median_s": median_s, "iqr_s": iqr_s, "rounds": rounds, **more}


def sessions_with(differences: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"a": differences, "b": [0.0] * len(differences)})


NO_HISTORY = sessions_with([])


def test_the_spread_between_sessions_is_a_robust_deviation() -> None:
    assert spread_of_difference(sessions_with([0.1, 0.2, 0.3, 0.4, 9.0]), "a", "b") == pytest.approx(1.4826 * 0.1)


@pytest.mark.parametrize("times", [sessions_with([0.1] * 4), sessions_with([0.1] * 5)[["a"]]])
def test_without_five_common_sessions_the_spread_is_unknown(times: pd.DataFrame) -> None:
    assert math.isnan(spread_of_difference(times, "a", "b"))


def test_the_rounds_of_both_cases_are_added_in_squares_and_doubled() -> None:
    # IQR / sqrt(rounds) / median: 0.04 / 4 = 0.01 and 0.03 / 4 / 1 = 0.0075, together 0.0125
    assert relative_error(case("a"), case("b", iqr_s=0.03), NO_HISTORY) == pytest.approx(0.025)


def test_the_error_is_relative_to_the_median() -> None:
    # 0.04 / 4 / 2 = 0.005 and no scatter in the other
    assert relative_error(case("a", median_s=2.0), case("b", iqr_s=0.0), NO_HISTORY) == pytest.approx(0.01)


def test_the_spread_between_sessions_is_added() -> None:
    times = sessions_with([-0.02, -0.01, 0.0, 0.01, 0.02])

    error = relative_error(case("a"), case("b", iqr_s=0.03), times)

    assert error == pytest.approx(2 * math.hypot(0.0125, 1.4826 * 0.01))


def test_one_round_has_no_scatter_to_tell_of() -> None:
    one = case("a", rounds=1)

    assert math.isnan(relative_error(one, case("b", rounds=1), NO_HISTORY))


def test_the_page_says_what_an_interval_rests_on() -> None:
    assert "knows nothing of the scatter between runs" in sources(sessions_with([0.1] * 4))
    assert "the 5 earlier sessions" in sources(sessions_with([0.1] * 5))


def test_launches_of_one_round_each_have_no_scatter_in_their_rounds() -> None:
    one, other = (case(name, iqr_s=0.0, rounds=3, launches=3) for name in "ab")

    assert math.isnan(relative_error(one, other, NO_HISTORY))


@pytest.mark.parametrize(
    ("launches", "expected"),
    [
        # pooled (1 x 0.0004 + 1 x 0) / 2 = 0.0002; 0.0002 (1/2 + 1/2); t of 2 degrees 4.3027 x 0.014142
        ((2, 2), 0.060849),
        # pooled (2 x 0.0004 + 1 x 0) / 3 = 0.00026667; x (1/3 x pi/2 + 1/2) = 0.00027296; t of 3 3.1824 x 0.016522
        ((3, 2), 0.052578),
    ],
)
def test_launches_tell_what_differs_from_process_to_process(launches: tuple[int, int], expected: float) -> None:
    one, other = (
        case(name, launches=number, launch_variance=variance)
        for name, number, variance in zip("ab", launches, (0.0004, 0.0), strict=True)
    )

    assert launch_error(one, other, NO_HISTORY) == pytest.approx(expected, rel=1e-4)


def test_one_launch_cannot_tell_and_earlier_sessions_can() -> None:
    one, other = (case(name, launches=1, launch_variance=math.nan) for name in "ab")

    assert math.isnan(launch_error(one, other, NO_HISTORY))
    times = sessions_with([-0.02, -0.01, 0.0, 0.01, 0.02])
    assert launch_error(one, other, times) == pytest.approx(2 * 1.4826 * 0.01)

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from reports.rule.evidence import Level, Past, confirmed, discovered, guarded, levels, measured_again, tonight
from reports.rule.settings import Settings, from_table

MANY = 1e6
"""Degrees of freedom at which Student's t is the normal distribution."""


def level(centre: float, variance: float, sessions: int, freedom: float = MANY) -> Level:
    return Level(
        np.array([centre]), np.array([variance]), np.array([freedom]), np.array([sessions]), np.array([1 / sessions])
    )


def rows(one: Level) -> Level:
    """The same level for one window length."""
    return Level(one.centre[None], one.variance[None], one.freedom[None], one.sessions[None], one.error[None])


def past(values: list[float], held: list[int] = []) -> Past:  # noqa: B006  never changed
    marks = np.zeros((1, len(values)), dtype=bool)
    marks[0, held] = True
    return Past(np.array([values]), marks, np.zeros(1), np.zeros(1))


def test_tonight_is_told_in_sd_of_a_session_and_of_the_level() -> None:
    """0.1 / (0.04 x sqrt(1 + 1/4)) = 2.236; Student's t with 10 degrees of freedom exceeds it with p = 0.0247."""
    t, p = tonight(np.array([1.1]), level(1.0, 0.0016, 4, freedom=10), least_history=4)

    assert t[0] == pytest.approx(2.2361, abs=1e-4)
    assert p[0] == pytest.approx(0.0247, abs=1e-4)


def test_too_little_history_tells_nothing() -> None:
    t, _ = tonight(np.array([1.1]), level(1.0, 0.0016, 4), least_history=5)

    assert np.isnan(t[0])


@pytest.mark.parametrize(("reruns", "z"), [(3, 2.5325), (1, 2.2361), (0, np.nan)])
def test_re_runs_share_half_of_the_night_s_variance(reruns: int, z: float) -> None:
    """0.1 / (0.04 x sqrt(0.5 + 0.5 x 0.449 + 1/4)) = 2.53; a single one is as good as a session."""
    got = measured_again(np.array([1.1]), np.array([reruns]), level(1.0, 0.0016, 4))

    np.testing.assert_allclose(got, [z], atol=1e-3)


def test_two_sessions_confirm_together() -> None:
    """Both 2 sd: 2 / sqrt(1/2 + 1/9) = 2.558, normal p 0.00526."""
    settings = from_table({"confirm_sessions": [2], "confirm_weights": [0.5]})

    found = confirmed(np.array([[0.0, 0.04, 0.04]]), rows(level(0.0, 0.0004, 9)), settings)

    assert found.p[0] == pytest.approx(0.00526 / 0.5, rel=1e-2)
    assert (found.estimate[0], found.before[0], found.sessions[0]) == (pytest.approx(0.04), 0.0, 2)


def test_one_outlier_is_cut_off_and_estimates_nothing() -> None:
    """3 sd of 5 count: 1.5 / sqrt(1/2 + 1/9) = 1.919, normal p 0.0275."""
    settings = from_table({"confirm_sessions": [2], "confirm_weights": [1.0]})

    found = confirmed(np.array([[0.0, 0.1]]), rows(level(0.0, 0.0004, 9)), settings)

    assert found.p[0] == pytest.approx(0.0275, rel=1e-2)
    assert found.estimate[0] == 0.0


def test_a_change_far_beyond_the_cut_counts_by_its_weakest_session() -> None:
    """20 sd twice: 20 / sqrt(1 + 1/9) = 18.97, where the cut ones would say 3.84."""
    settings = from_table({"confirm_sessions": [2], "confirm_weights": [1.0]})

    assert confirmed(np.array([[0.4, 0.4]]), rows(level(0.0, 0.0004, 9)), settings).p[0] < 1e-60


def test_the_window_that_says_most_counts() -> None:
    """Three sessions of 2 sd say 2 / sqrt(1/3 + 1/9) = 3, p 0.00135; two of them only 2.558."""
    settings = from_table({"confirm_sessions": [2, 3], "confirm_weights": [0.5, 0.5]})
    one = rows(level(0.0, 0.0004, 9))
    parts = (one.centre, one.variance, one.freedom)
    centre, variance, freedom = (np.repeat(part, 2, axis=0) for part in parts)
    both = Level(centre, variance, freedom, np.repeat(one.sessions, 2, axis=0), np.repeat(one.error, 2, axis=0))

    found = confirmed(np.array([[0.04, 0.04, 0.04]]), both, settings)

    assert found.sessions[0] == 3
    assert found.p[0] == pytest.approx(0.00135 / 0.5, rel=1e-2)


def test_what_is_not_there_confirms_nothing() -> None:
    settings = from_table({"confirm_sessions": [2], "confirm_weights": [1.0]})

    assert confirmed(np.array([[np.nan, 0.4]]), rows(level(0.0, 0.0004, 9)), settings).p[0] == 1.0
    assert confirmed(np.array([[0.4, 0.4]]), rows(level(0.0, 0.0004, 4)), settings).p[0] == 1.0


def test_a_level_ends_before_its_window() -> None:
    """Five results at 0 and two at 1, which are trimmed but there: a window of three does not see them."""
    found = levels(past([np.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]), (1, 3), from_table({"trim": 100}))

    assert found.sessions.tolist() == [[7], [5]]
    assert found.error.tolist() == [[1 / 5], [1 / 5]]
    assert levels(past([0.0, 0.1, 0.0, 0.1, 0.0, 0.1]), (1, 3), Settings()).sessions.tolist() == [[6], [4]]


def test_held_sessions_shape_no_level() -> None:
    found = levels(past([0.0, 0.1, 0.0, 0.1, 0.0, 0.05], held=[1, 3]), (1,), Settings())

    assert (found.sessions[0, 0], found.centre[0, 0]) == (4, pytest.approx(0.0125))


def test_what_earlier_levels_left_behind_is_pooled() -> None:
    """Two results with variance 0.02 and 1 degree of freedom, and 0.08 with 4: 0.1 / 5."""
    before = past([np.nan, 0.0, 0.2])._replace(squares=np.array([0.08]), freedom=np.array([4.0]))

    found = levels(before, (1,), Settings())

    assert found.variance[0, 0] == pytest.approx(0.02)
    assert found.freedom[0, 0] == 5


@pytest.mark.parametrize(("log_time", "passes"), [(0.35, True), (0.3, False), (0.2, False)])
def test_the_guard_lets_pass_what_has_not_been_there_before(log_time: float, passes: bool) -> None:
    """Ten sessions; the third-worst of them is at 0.3."""
    before = past([0.0, 0.4, 0.0, 0.1, 0.3, 0.0, 0.5, 0.1, 0.0, 0.0], held=[6])

    assert guarded(np.array([log_time]), before, np.array([3]), Settings())[0] == passes


def test_the_guard_is_off_while_there_are_few_sessions() -> None:
    assert guarded(np.array([0.0]), past([1.0] * 9), np.array([3]), Settings())[0]
    assert not guarded(np.array([0.0]), past([1.0] * 10), np.array([3]), Settings())[0]


def test_benjamini_hochberg_finds_the_first_three() -> None:
    """Limits 0.0125, 0.025, 0.0375 and 0.05; the case that is not judged counts for nothing."""
    p = np.array([0.01, 0.02, 0.03, 0.5, np.nan])
    judged = np.array([True, True, True, True, False])

    assert discovered(p, judged, 0.05).tolist() == [True, True, True, False, False]
    assert not discovered(p, np.zeros(5, dtype=bool), 0.05).any()


@pytest.mark.parametrize("cases", [1, 7, 200])
def test_benjamini_hochberg_is_scipy_s(cases: int) -> None:
    rng = np.random.default_rng(cases)
    for _ in range(50):
        p = np.where(rng.random(cases) < 0.3, rng.random(cases) * 0.01, rng.random(cases))
        judged = rng.random(cases) < 0.9

        expected = false_discovery_control(p[judged]) <= 0.05

        assert discovered(p, judged, 0.05)[judged].tolist() == expected.tolist()

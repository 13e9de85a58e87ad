import numpy as np
import pytest

from reports.rule.grid import differs, grid, remeasures
from tests.reports.rule.made_sessions import frame, row


def test_sessions_are_rows_and_cases_columns_in_order() -> None:
    cells = grid(frame([row(1, "b", 2.0), row(0, "b", 1.0), row(1, "a", 3.0, rerun_log_time=np.log(4.0), reruns=3)]))

    assert (cells.sessions, cells.fullnames) == (["night-000", "night-001"], ["a", "b"])
    np.testing.assert_allclose(np.exp(cells.log_time), [[np.nan, 1.0], [3.0, 2.0]])
    np.testing.assert_allclose(np.exp(cells.rerun_log_time[1]), [4.0, np.nan])
    assert cells.reruns.tolist() == [[0, 0], [3, 0]]
    assert cells.row.tolist() == [[-1, 1], [2, 0]]


def test_the_time_of_a_case_that_did_not_pass_is_no_result() -> None:
    cells = grid(frame([row(0, "a", 1.0, outcome="failed")]))

    assert np.isnan(cells.log_time).all()


@pytest.mark.parametrize(
    ("before", "now", "is_other"),
    [
        ({"dataset": "mnist"}, {"dataset": "digits"}, True),
        ({"dataset": "mnist"}, {"dataset": "mnist"}, False),
        ({"dataset": "mnist"}, {}, False),
        ({"counts": {"ops": 3}}, {"counts": {"ops": 4}}, True),
    ],
)
def test_another_work_is_another_value_of_a_field_that_both_have(
    before: dict[str, object], now: dict[str, object], is_other: bool
) -> None:
    assert differs(before, now) is is_other


@pytest.mark.parametrize(
    ("before", "now", "slower", "is_other"),
    [
        ({"timer": "a"}, {"timer": "b"}, 1.0, True),
        ({"rounds": 20}, {"rounds": 20}, 3.0, False),
        ({"rounds": 20}, {"rounds": 7}, 3.0, False),  # a time budget makes 20 / 3 rounds
        ({"rounds": 20}, {"rounds": 10}, 3.0, False),  # or as many as the least number allows
        ({"rounds": 20}, {"rounds": 2}, 3.0, True),
        ({"rounds": 20}, {"rounds": 40}, 3.0, True),
        ({"rounds": 20}, {"rounds": 60}, 1 / 3, False),
        ({"rounds": 20}, {"rounds": 7}, 1 / 3, True),
    ],
)
def test_rounds_that_follow_the_time_are_the_same_method(
    before: dict[str, object], now: dict[str, object], slower: float, is_other: bool
) -> None:
    assert remeasures(before, now, slower) is is_other


def test_a_change_is_seen_against_the_last_result_not_the_last_session() -> None:
    cells = grid(
        frame(
            [
                row(0, "a", 1.0, work={"dataset": "mnist"}),
                row(1, "a", np.nan, outcome="failed", work={}),
                row(2, "a", 1.0, work={"dataset": "digits"}),
                row(3, "a", 1.0, work={"dataset": "digits"}),
            ]
        )
    )

    assert cells.redefined[:, 0].tolist() == [False, False, True, False]

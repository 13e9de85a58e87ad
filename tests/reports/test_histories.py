"""What a page draws a case's history from."""

import pytest

from reports import judge, load_runs
from reports.grounds import Grounds
from reports.histories import Histories, histories, spark
from reports.rule.accepted import Accepted, Book
from tests.reports.made_runs import Store, fullname, made_benchmark

A = fullname("a")


def drawn(store: Store, book: Book | None = None) -> Histories:
    runs = load_runs(store.folder)
    return histories(runs.cases, runs.files, judge(runs, grounds=Grounds(accepted=book or Book())))


@pytest.fixture
def slower(store: Store) -> Store:
    """Fourteen nights, from the ninth on (`night-08`) 30 % slower; torch is newer from the seventh on."""
    for night in range(14):
        steady = 1 + 0.001 * (night % 3)
        store.add({"a": steady * (1.3 if night >= 8 else 1.0), "b": steady}, environment={"torch": str(night // 6)})
    return store


def test_sessions_come_with_date_commit_and_the_place_of_their_environment(slower: Store) -> None:
    found = drawn(slower)

    assert found.sessions[0] == ("night-00", "2026-03-01 02:00", "c0ffee", 0)
    assert [place for *_, place in found.sessions] == [0] * 6 + [1] * 6 + [2] * 2
    assert found.environments == [{"torch": "0"}, {"torch": "1"}, {"torch": "2"}]


def test_a_confirmed_change_is_marked_once_where_it_began(slower: Store) -> None:
    found = drawn(slower).cases

    assert found[A].changes == [(8, "slower")]
    assert found[fullname("b")].changes == []


def test_levels_say_what_each_session_was_compared_with(slower: Store) -> None:
    levels = drawn(slower).cases[A].levels

    assert levels[0][2] == pytest.approx(1.0, rel=0.02)
    assert levels[-1][1] == 13
    assert all(first <= last for first, last, _ in levels)


def test_an_accepted_point_is_marked_with_its_reason(slower: Store) -> None:
    book = Book((Accepted(A, "float64 on purpose", "night-10"),))

    found = drawn(slower, book).cases

    assert found[A].accepted == [(10, "float64 on purpose")]
    assert found[fullname("b")].accepted == []


def test_a_session_without_the_case_is_a_gap(store: Store) -> None:
    for cases in ({"a": 1.0, "b": 1.0}, {"b": 1.0}, {"a": 2.0, "b": 1.0}):
        store.add(cases)

    assert drawn(store).cases[A].times[1] is None


def test_an_interval_s_half_is_twice_the_iqr_over_the_root_of_the_rounds(store: Store) -> None:
    entry = made_benchmark("a", 1.0, rounds=[1.0] * 16)
    entry["stats"]["iqr"] = 0.02
    store.write([entry])

    assert drawn(store).cases[A].halves == [100]  # 2 x 0.02 / 4 = 1 %, in parts per 10,000


@pytest.mark.parametrize(
    ("times", "points"),
    [
        ([1.0, 2.0], "1,19 63,1"),
        ([None, 1.0, 2.0], "32,19 63,1"),
        ([1.0], "1,10 62,10"),
        ([1.0, 1.0], "1,10 63,10"),
        ([None], ""),
        ([], ""),
    ],
)
def test_a_small_curve_shows_slow_at_the_top(times: list[float | None], points: str) -> None:
    assert spark(times) == points

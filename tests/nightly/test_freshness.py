"""A nightly that stopped running is not green: how old a session may be, and how old what it is judged against is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from reports.cli import main
from reports.freshness import baseline_age, hours, stale
from tests.reports.made_runs import Store

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "store")


@pytest.mark.parametrize(
    ("old", "most", "is_stale"),
    [
        (timedelta(hours=35), timedelta(hours=36), False),
        (timedelta(hours=36), timedelta(hours=36), False),
        (timedelta(hours=36, seconds=1), timedelta(hours=36), True),
        (timedelta(days=400), timedelta(hours=36), True),
        (-timedelta(hours=23), timedelta(hours=1), False),  # a clock that is ahead, or a date without a zone
        (-timedelta(hours=25), timedelta(hours=1), True),  # would stand before all that is measured until then
    ],
)
def test_a_session_is_stale_beyond_the_age_allowed(old: timedelta, most: timedelta, is_stale: bool) -> None:
    assert bool(stale(NOW - old, NOW, most)) is is_stale


def test_a_session_without_a_time_is_not_called_stale() -> None:
    assert stale(None, NOW, timedelta(hours=1)) == ""


def test_a_stale_session_is_told_with_both_ages() -> None:
    assert stale(NOW - 3 * DAY, NOW, timedelta(hours=36)) == (
        "stale: the newest session is 3 days old, over the 36 hours allowed (--max-age), "
        "so nothing has been measured since"
    )


def made_sessions(*days_before: int, kind: str = "nightly") -> pd.DataFrame:
    rows = [
        {
            "session": f"s{days}", "machine": "m", "kind": kind, "complete": True,
            "started": pd.Timestamp(NOW - days * DAY),
        }
        for days in days_before
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_age_of_the_baseline_reaches_from_its_newest_session_to_its_oldest() -> None:
    sessions = made_sessions(9, 4, 1, 0)

    assert baseline_age(sessions, "s0", "m") == "Its baseline is 1 day to 9 days older than the session."


def test_one_earlier_session_has_one_age() -> None:
    assert baseline_age(made_sessions(4, 0), "s0", "m") == "Its baseline is 4 days older than the session."


def test_without_earlier_sessions_of_its_kind_there_is_no_baseline_to_tell_of() -> None:
    others = pd.concat([made_sessions(3, kind="local"), made_sessions(0)], ignore_index=True)

    assert baseline_age(others, "s0", "m") == ""


@pytest.mark.parametrize(
    ("minutes", "said"), [(2160, "36 hours"), (90, "1.5 hours"), (60, "1 hour"), (7, "0.12 hours")]
)
def test_hours_read_as_a_person_writes_them(minutes: int, said: str) -> None:
    assert hours(timedelta(minutes=minutes)) == said


@pytest.mark.parametrize(("hours_allowed", "code", "first"), [("1", 2, "No verdict: stale: the"), ("1e9", 0, "Not en")])
def test_judging_a_session_that_is_too_old_ends_with_no_verdict(
    store: Store, capsys: pytest.CaptureFixture[str], hours_allowed: str, code: int, first: str
) -> None:
    store.add({"a": 1.0}, started=datetime(2026, 3, 1, tzinfo=UTC))

    report = store.folder.with_name("report")
    ended = main(["judge", str(store.folder), "--output", str(report), "--max-age", hours_allowed])

    assert ended == code
    assert capsys.readouterr().out.startswith(first)


@pytest.mark.parametrize("words", ["0", "-1", "nan", "soon", "1e99"])
def test_an_age_that_is_none_is_one_line(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", f"--max-age={words}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{words!r} is not a number of hours above 0" in line

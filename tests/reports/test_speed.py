"""How fast reading and judging are, as ratios within one run, so that no machine and no neighbour decides."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reports import speed
from reports.cli import main
from reports.runs import load_runs
from reports.simulation import Situation
from reports.speed import Figure, bare_read_s, made_store, readings, replay_s, seconds_of
from reports.store import find_files


@pytest.mark.slow
def test_a_first_read_takes_little_more_than_parsing_the_files(tmp_path: Path) -> None:
    """About 1.6 times as long; what makes an object of each round, or a frame of each file, takes several times."""
    store = made_store(tmp_path / "store")

    assert seconds_of(lambda: load_runs(store)) < 2.5 * bare_read_s(find_files(store).run_files)


@pytest.mark.slow
def test_a_session_costs_the_same_however_long_the_history() -> None:
    """Ten times as many sessions take about eleven times as long, since the first ones have little to look back on."""
    assert replay_s(100, 1000) < 20 * replay_s(100, 100)


def test_the_command_prints_a_row_for_each_figure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def figures(store: Path) -> Iterator[Figure]:
        yield Figure("first read", 1.234, "1.50 x the bare read", 151.4)
        yield Figure(f"of {len(find_files(store).run_files)} files", 0.00123)

    monkeypatch.setattr(speed, "readings", figures)
    monkeypatch.setattr(speed, "SHAPES", ((3, 4),))
    monkeypatch.setattr(speed, "replay_s", lambda cases, sessions: cases * sessions * 2e-5)
    monkeypatch.setattr(speed, "MADE", Situation(cases=5, rounds=2, history=2, nights=1))

    assert main(["speed"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| replay of 3 cases x 4 sessions | 0.00024 | 20.0 µs a case and session |  |",
        "| first read | 1.23 | 1.50 x the bare read | 151 MiB |",
        "| of 3 files | 0.00123 |  |  |",
    ]


@pytest.mark.slow
def test_every_way_to_read_a_store_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "MADE", Situation(cases=5, rounds=2, history=7, nights=1))

    as_of_a_large_process = b"x" * (500 << 20)
    found = list(readings(made_store(tmp_path / "store")))
    del as_of_a_large_process

    assert [figure.what for figure in found[1:]] == [
        "first read",
        "first read that fills a cache",
        "read with everything in the cache",
        "first read, imports included",
        "judge with one new run, imports included",
    ]
    assert all(figure.seconds > 0 for figure in found)
    assert all(10 < figure.peak_mib < 400 for figure in found[-2:] if figure.peak_mib is not None)

"""The rule's error rates and power, in small: so that no change of it passes that costs either."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.cli import main
from reports.goals import GOALS, Goal, Outcome, seen, shown
from reports.rivals import mean_of_last_run, median_of_last_run, otava, ranks_of_last_run
from reports.rule.replay import Replay
from reports.rule.settings import Settings
from reports.scoring import measure, measure_rival
from reports.simulation import Situation, Suite, case_name, grid_of, made_suite, write_runs

SUITES = 12
LINES_SLACK = 0.12
"""Three sd of a count of 9, which 0.1 lines per 100 of 9000 unchanged cases and nights are expected to be."""


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.row}: {goal.words}")
def test_the_rule_reaches_its_goals(goal: Goal) -> None:
    measured = measure(goal.situation, replace(Settings(), **goal.settings), SUITES, seed=1)

    for limit in goal.limits:
        slack = -chance_of(limit.value) if limit.at_least else LINES_SLACK
        assert replace(limit, value=limit.value + slack).holds(measured), f"{limit.name}: {limit.of(measured):.3f}"


def chance_of(share: float) -> float:
    """Three sd of the share that five changed cases of each suite show."""
    return 3 * math.sqrt(share * (1 - share) / (5 * SUITES))


@pytest.mark.slow
def test_other_rules_flood_or_miss_where_this_one_does_not() -> None:
    situation = Situation(step=0.05)

    ours = measure(situation, Settings(), SUITES)
    by_ranks = measure_rival(ranks_of_last_run, situation, SUITES)
    by_percent = measure_rival(median_of_last_run, situation, SUITES)

    assert by_ranks.false_lines > 15
    assert ours.false_lines < 0.3
    assert by_percent.seen[0] < 0.75
    assert ours.seen[0] > 0.85


def small(**more: Any) -> Situation:  # noqa: ANN401  any field of it
    return replace(Situation(noise=0.005, cases=25, history=7, nights=2, stepped=2, step=0.2), **more)


def test_a_seed_makes_the_same_suite_again_and_another_seed_another() -> None:
    one, same, other = (made_suite(small(), seed) for seed in ((1, 2), (1, 2), (1, 3)))

    np.testing.assert_array_equal(one.rounds, same.rounds)
    assert not np.array_equal(one.rounds, other.rounds)


def test_a_suite_is_as_it_was_asked_for() -> None:
    suite = made_suite(replace(small(), noise=1e-6, rounds=200), (1,))

    change = suite.median[7:].mean(axis=0) - suite.median[:7].mean(axis=0)
    assert np.expm1(change[suite.stepped]) == pytest.approx(0.2, abs=0.005)
    assert change[~suite.stepped] == pytest.approx(0.0, abs=0.005)
    assert suite.rounds.shape == (9, 25, 200)


def test_a_whole_machine_shift_is_in_every_case() -> None:
    suite = made_suite(small(noise=1e-6, stepped=0, shift=0.1), (1,))

    assert np.expm1(suite.median[7:].mean(axis=0) - suite.median[:7].mean(axis=0)) == pytest.approx(0.1, abs=0.015)


def test_missing_nights_are_none_after_the_change() -> None:
    suite = made_suite(small(missing=0.9), (1,))

    assert np.isnan(suite.median[:7]).all(axis=1).any()
    assert np.isfinite(suite.median[7:]).all()


def test_files_and_the_command_line_give_the_verdicts_of_the_fast_path(tmp_path: Path) -> None:
    suite = made_suite(small(), (4,))
    replay = Replay(grid_of(suite), Settings())
    *_, night = map(replay.step, range(len(replay.grid.sessions)))

    files = list(write_runs(suite, tmp_path / "store"))
    code = main(["judge", str(tmp_path / "store"), "--output", str(tmp_path / "report"), "--no-cache"])

    lines = (tmp_path / "report" / "verdicts.csv").read_text().splitlines()
    words = {line.partition("],")[0] + "]": line.partition("],")[2].split(",")[0] for line in lines[1:]}
    assert len(files) == 9
    assert words == {case_name(case): word for case, word in enumerate(night.verdict)}
    assert code == 1
    assert sorted(set(words.values())) == ["regression", "unchanged"]


def made_rounds(*nights: list[float]) -> Suite:
    """One case; the change comes with the last night."""
    rounds = np.array(nights)[:, None, :]
    situation = Situation(cases=1, history=len(nights) - 1, nights=1)
    never = np.array([-1])
    median = np.log(np.median(rounds, axis=2))
    return Suite(situation, rounds, median, np.full_like(median, np.nan), np.array([True]), never)


def test_the_plug_in_s_rules_compare_with_the_last_run_alone() -> None:
    """Mean 1.08 and median 1.0 against 1.0; then 1.04 against 1.0."""
    spiked = made_rounds([1.0] * 5, [1.0] * 5, [1.0, 1.0, 1.0, 1.0, 1.4])
    slower = made_rounds([0.5] * 5, [1.0] * 5, [1.04] * 5)

    assert (mean_of_last_run(spiked).tolist(), median_of_last_run(spiked).tolist()) == ([[True]], [[False]])
    assert (mean_of_last_run(slower).tolist(), median_of_last_run(slower).tolist()) == ([[False]], [[False]])


def test_the_rank_test_calls_slower_whatever_lies_above() -> None:
    before = [1.0 + 0.001 * at for at in range(10)]
    slightly = [1.02 + 0.001 * at for at in range(10)]

    assert ranks_of_last_run(made_rounds(before, before, slightly)).tolist() == [[True]]
    assert ranks_of_last_run(made_rounds(before, slightly, before)).tolist() == [[False]]


def test_a_rule_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "otava", None)

    assert otava() is None
    outcome = Outcome(Goal("1", "a step", small(), (seen(0, 0.5),)), measure(small(), Settings(), 1), {})
    assert shown(outcome, ("Otava",)) == ["1", "a step", "same night ≥ 0.5", "1.000", "not installed"]


def test_a_goal_that_is_missed_is_marked() -> None:
    measured = measure(small(), Settings(), 1)

    outcome = Outcome(Goal("1", "a step", small(), (seen(0, 1.1),)), measured, {"mean:5%": measured})
    assert shown(outcome, ("mean:5%",))[3:] == ["NOT 1.000", "1.00 1.00 at 0.00"]

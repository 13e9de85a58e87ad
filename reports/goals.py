"""The goals of the verdict rule: error rates and power that it must reach on made histories, and whether it does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from reports.rivals import Rule, mean_of_last_run, median_of_last_run, otava, ranks_of_last_run
from reports.rule.settings import Settings
from reports.scoring import Measured, measure, measure_rival
from reports.simulation import Situation

DIRTY: dict[str, Any] = {"common": 0.3, "outliers": 0.01, "drift": 0.0005}
"""What "dirty" adds: noise common to the suite, outlier runs, and drift of a fifth of the cases by 0.05 % a night."""


@dataclass(frozen=True)
class Limit:
    """One number that is to be reached: `at_least` or at most `value`."""

    name: str
    of: Callable[[Measured], float]
    value: float
    at_least: bool

    def holds(self, measured: Measured) -> bool:
        """Return whether it is reached."""
        got = self.of(measured)
        return got >= self.value if self.at_least else got <= self.value


def seen(night: int, value: float) -> Limit:
    """So many of the changed cases are named by this night after the change, suspects included."""
    name = "same night" if night == 0 else f"by night {night}"
    return Limit(name, lambda measured: float(measured.seen[night]), value, at_least=True)


def confirmed(night: int, value: float) -> Limit:
    """So many of the changed cases are confirmed by this night after the change."""
    return Limit(f"confirmed by night {night}", lambda measured: float(measured.confirmed[night]), value, at_least=True)


def most(name: str, of: Callable[[Measured], float], value: float) -> Limit:
    """No more than so much."""
    return Limit(name, of, value, at_least=False)


def false_lines(value: float) -> Limit:
    """So many lines about unchanged cases per 100 of them a night, suspects included."""
    return most("false lines", lambda measured: measured.false_lines, value)


def false_confirmed(value: float) -> Limit:
    """So many of them confirmed."""
    return most("false confirmed", lambda measured: measured.false_confirmed, value)


@dataclass(frozen=True)
class Goal:
    """One row of the table."""

    row: str
    words: str
    situation: Situation
    limits: tuple[Limit, ...]
    settings: dict[str, Any] = field(default_factory=dict)


SAME_NIGHT = Situation()
NIGHTLY_DIRTY = Situation(**DIRTY)
NOISY_DIRTY = Situation(noise=0.02, **DIRTY)
GOALS = (
    Goal("1", "1 % noise: 5 % step", SAME_NIGHT, (seen(0, 0.90), false_lines(0.10))),
    Goal("2", "1 % noise: 10 % step", Situation(step=0.1), (seen(0, 0.99),)),
    Goal(
        "3",
        "1 % noise, dirty: 5 % step",
        NIGHTLY_DIRTY,
        (confirmed(1, 0.95), false_confirmed(0.05), most("red nights", lambda measured: measured.red_nights, 0.05)),
    ),
    Goal(
        "4",
        "the same with re-runs",
        replace(NIGHTLY_DIRTY, reruns=True),
        (confirmed(0, 0.97), false_lines(0.03), most("extra runs", lambda measured: measured.extra_runs, 0.10)),
    ),
    Goal("5a", "2 % noise, dirty: 10 % step", replace(NOISY_DIRTY, step=0.1), (seen(0, 0.95), false_confirmed(0.10))),
    Goal("5b", "2 % noise, dirty: 5 % step", NOISY_DIRTY, (seen(3, 0.85), seen(7, 0.98), false_confirmed(0.10))),
    Goal(
        "6",
        "2 % noise with re-runs: 5 % step",
        Situation(noise=0.02, outliers=0.01, reruns=True),
        (confirmed(0, 0.40), confirmed(1, 0.65), false_lines(0.10)),
    ),
    Goal("7a", "0.5 % noise: 5 % step", Situation(noise=0.005), (seen(0, 0.99), false_lines(0.05))),
    Goal(
        "7b",
        "0.5 % noise, floor 1 %: 2 % step",
        Situation(noise=0.005, step=0.02),
        (seen(3, 0.95), false_lines(0.15)),
        {"floor": 0.01},
    ),
    Goal(
        "8", "5 % noise: 20 % step", Situation(noise=0.05, step=0.2), (seen(0, 0.70), seen(1, 0.90), false_lines(0.10))
    ),
    Goal("9", "10 nights of history, 1 % noise", Situation(history=10), (seen(0, 0.90), false_lines(0.05))),
    Goal("9b", "fewer than 5 nights", Situation(history=4, nights=1, stepped=0), (false_lines(0.0),)),
    Goal(
        "10",
        "noise of 0.25 to 4 %, dirty: 5 % step",
        Situation(mixed=True, **DIRTY),
        (seen(1, 0.80), seen(7, 0.95), false_confirmed(0.10)),
    ),
    Goal(
        "11",
        "15 % accepted 8 to 20 nights ago: 5 % step",
        Situation(earlier=0.15, history=52),
        (seen(0, 0.85), seen(1, 0.95)),
    ),
    Goal(
        "12",
        "whole machine 5 % slower, 30 % common noise",
        Situation(common=0.3, stepped=0, shift=0.05),
        (
            Limit("machine named the same night", lambda measured: measured.machine_seen, 0.99, at_least=True),
            most("false machine lines a night", lambda measured: measured.machine_false, 0.01),
            false_lines(0.10),
        ),
    ),
    Goal(
        "13",
        "15 % of the nights missing, dirty",
        replace(NIGHTLY_DIRTY, missing=0.15),
        (seen(3, 0.95), false_confirmed(0.05)),
    ),
    Goal("14", "5 of 100 slower", SAME_NIGHT, (most("false share", lambda measured: measured.false_share, 0.06),)),
    Goal("15a", "5 rounds a run", Situation(rounds=5), (false_confirmed(0.05),)),
    Goal("15b", "100 rounds a run", Situation(rounds=100), (false_confirmed(0.05),)),
)
"""Situations with a history of 30 nights, 100 cases, 20 rounds and one run a night unless said otherwise."""


@dataclass(frozen=True)
class Outcome:
    """One row as measured: for this rule, and for others by name."""

    goal: Goal
    ours: Measured
    others: dict[str, Measured]

    @property
    def holds(self) -> bool:
        """Whether every limit of the row is reached."""
        return all(limit.holds(self.ours) for limit in self.goal.limits)


def rivals() -> dict[str, Rule | None]:
    """Return the other rules by name; None for one that is not installed."""
    return {
        "mean:5%": mean_of_last_run,
        "median:5%": median_of_last_run,
        "rank test": ranks_of_last_run,
        "Otava": otava(),
    }


def outcomes(suites: int, seed: int, others: dict[str, Rule | None]) -> Iterator[Outcome]:
    """Measure row after row; other rules on the same suites, on a quarter of them."""
    for goal in GOALS:
        ours = measure(goal.situation, replace(Settings(), **goal.settings), suites, seed)
        quarter = max(suites // 4, 1)
        told = {name: measure_rival(rule, goal.situation, quarter, seed) for name, rule in others.items() if rule}
        yield Outcome(goal, ours, told)


def shown(outcome: Outcome, names: tuple[str, ...]) -> list[str]:
    """Return the cells of one row of the table: what is asked, what is reached, and what the others reach."""
    limits = outcome.goal.limits
    asked = ", ".join(f"{limit.name} {'≥' if limit.at_least else '≤'} {limit.value:g}" for limit in limits)
    reached = ", ".join(f"{limit.of(outcome.ours):.3f}" for limit in limits)
    cells = [outcome.goal.row, outcome.goal.words, asked, f"{'' if outcome.holds else 'NOT '}{reached}"]
    return [*cells, *(_other(outcome.others.get(name)) for name in names)]


def _other(measured: Measured | None) -> str:
    if measured is None:
        return "not installed"
    nights = [night for night in (0, 1, 3, 7) if night < len(measured.seen)]
    power = " ".join(f"{measured.seen[night]:.2f}" for night in nights)
    return f"{power} at {measured.false_lines:.2f}"

"""Made histories whose truth is known: what nights of a benchmark suite look like, with every kind of noise by turns.

Between nights a case scatters log-normally, partly together with the whole suite; one run in a hundred may be off by 5
to 30 %, four times in five slower; some cases drift; rounds are skewed, autocorrelated and have spikes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import orjson

from reports.rule.arrays import Bools, Floats, Ints
from reports.rule.grid import Grid

ROUND_SD, AUTOCORRELATION, SPIKES, SPIKE = 0.01, 0.3, 0.01, 0.30
"""Of the rounds of a run: sd of log time, correlation of neighbours, share of spikes, and their mean height."""
DRIFTING, SLOWER_OUTLIERS = 0.2, 0.8
"""Share of the cases that drift, one way or the other, and share of the outlier runs that are slower."""
FIRST = datetime(2026, 1, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Situation:
    """One kind of history; changes are relative.

    Attributes:
        noise: sd of log time between nights; with `mixed` each case's is 1/4 to 4 times that.
        common: share of that variance which the whole suite has in common in a night.
        outliers: share of runs that are off.
        drift: of a fifth of the cases, a night.
        step: of `stepped` cases from night `history` on.
        shift: of every case from night `history` on.
        earlier: an accepted change of every case, 8 to 20 nights before.
        missing: share of earlier nights without a run.
        reruns: what looks slower is measured again in three fresh processes of the same night.
    """

    noise: float = 0.01
    mixed: bool = False
    common: float = 0.0
    outliers: float = 0.0
    drift: float = 0.0
    step: float = 0.05
    stepped: int = 5
    shift: float = 0.0
    earlier: float = 0.0
    missing: float = 0.0
    reruns: bool = False
    cases: int = 100
    rounds: int = 20
    history: int = 30
    nights: int = 8


@dataclass(frozen=True)
class Suite:
    """One made history: nights x cases, ln of seconds; NaN where a night is missing.

    Attributes:
        rounds: nights x cases x rounds, seconds; only the nights from one before the step on, NaN before.
        median: ln of the median round.
        again: ln of the median of three more runs of the night.
        stepped: which cases change.
        accepted: the night of each case's earlier change, -1 for none.
    """

    situation: Situation
    rounds: Floats
    median: Floats
    again: Floats
    stepped: Bools
    accepted: Ints

    @property
    def first(self) -> int:
        """The night of the step."""
        return self.situation.history


def made_suite(situation: Situation, seed: tuple[int, ...]) -> Suite:
    """Make one suite; the same seed makes the same one."""
    rng = np.random.default_rng(seed)
    nights, cases, first = situation.history + situation.nights, situation.cases, situation.history
    stepped = np.zeros(cases, dtype=bool)
    stepped[rng.choice(cases, situation.stepped, replace=False)] = True
    level, accepted = _levels(situation, rng, stepped)
    sigma = np.full(cases, situation.noise)
    if situation.mixed:
        sigma = sigma * np.exp(rng.uniform(np.log(0.25), np.log(4), cases))
    together = rng.standard_normal(nights)
    runs = [level + _between(situation, rng, sigma, together) for _ in range(4 if situation.reruns else 1)]
    rounds = np.exp(runs[0])[..., None] * _rounds(rng, (nights, cases, situation.rounds))
    again = np.full((nights, cases), np.nan)
    if situation.reruns:
        medians = [run + np.log(np.median(_rounds(rng, (nights, cases, situation.rounds)), axis=2)) for run in runs[1:]]
        again = np.median(medians, axis=0)
    gone = rng.random(nights) < situation.missing
    gone[first:] = False
    rounds[gone], again[gone] = np.nan, np.nan
    return Suite(situation, rounds, np.log(np.median(rounds, axis=2)), again, stepped, accepted)


def _levels(situation: Situation, rng: np.random.Generator, stepped: Bools) -> tuple[Floats, Ints]:
    nights, cases, first = situation.history + situation.nights, situation.cases, situation.history
    level = np.tile(rng.uniform(np.log(1e-4), np.log(0.3), cases), (nights, 1))
    drifting = (rng.random(cases) < DRIFTING) * rng.choice([-1, 1], cases)
    level += np.outer(np.arange(nights), drifting * np.log1p(situation.drift))
    accepted = np.full(cases, -1)
    if situation.earlier:
        accepted = rng.integers(first - 20, first - 7, cases)
        level += np.log1p(situation.earlier) * (np.arange(nights)[:, None] >= accepted)
    level[first:, stepped] += np.log1p(situation.step)
    level[first:] += np.log1p(situation.shift)
    return level, accepted


def _between(situation: Situation, rng: np.random.Generator, sigma: Floats, together: Floats) -> Floats:
    shape = (len(together), len(sigma))
    own = np.sqrt(1 - situation.common) * rng.standard_normal(shape)
    noise: Floats = sigma * (own + np.sqrt(situation.common) * together[:, None])
    hit = rng.random(shape) < situation.outliers
    sign = np.where(rng.random(shape) < SLOWER_OUTLIERS, 1, -1)
    return noise + hit * sign * np.log1p(rng.uniform(0.05, 0.30, shape))


def _rounds(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return relative round times around 1."""
    noise = (rng.gamma(4.0, 1.0, shape) - 4.0) / 2.0
    fresh = np.sqrt(1 - AUTOCORRELATION**2)
    for at in range(1, shape[-1]):
        noise[..., at] = AUTOCORRELATION * noise[..., at - 1] + fresh * noise[..., at]
    spikes = np.where(rng.random(shape) < SPIKES, rng.exponential(SPIKE, shape), 0.0)
    return np.asarray(np.exp(ROUND_SD * noise) * (1 + spikes))


def grid_of(suite: Suite) -> Grid:
    """Return a suite as the rule reads it; re-runs are filled in as they are asked for."""
    nights = np.flatnonzero(np.isfinite(suite.median).any(axis=1))
    shape = (len(nights), suite.situation.cases)
    no = np.zeros(shape, dtype=bool)
    return Grid(
        sessions=[f"night-{night:03d}" for night in nights],
        fullnames=[case_name(case) for case in range(shape[1])],
        devices=np.full(shape[1], "cpu", dtype=object),
        log_time=suite.median[nights],
        rerun_log_time=np.full(shape, np.nan),
        reruns=np.zeros(shape, dtype=np.int64),
        redefined=no,
        remeasured=no,
        row=np.zeros(shape, dtype=np.int64),
    )


def case_name(case: int) -> str:
    """Return a case's fullname."""
    return f"benchmarks/bench_training.py::bench_training[cpu-model{case:03d}-batch32-log10]"


def write_runs(suite: Suite, store: Path) -> Iterator[Path]:
    """Write a suite as pytest-benchmark run files of nightly sessions, one a night, with what the plug-in writes."""
    store.mkdir(parents=True, exist_ok=True)
    for night in np.flatnonzero(np.isfinite(suite.median).any(axis=1)).tolist():
        names = [case_name(case) for case in range(suite.situation.cases)]
        passed = {name: {"outcome": "passed", "reason": ""} for name in names}
        document = {
            "machine_info": {"suite": {"machine": {"class": "made-up", "unit": "u"}, "environment": {}}},
            "commit_info": {"id": f"{night:040x}"},
            "datetime": (FIRST + timedelta(days=night)).isoformat(),
            "version": "5.3.1",
            "suite": {
                "schema": 1, "kind": "nightly", "session": f"night-{night:03d}", "launch": 1, "complete": True,
                "cases": passed,
            },
            "benchmarks": [_benchmark(name, suite.rounds[night, case]) for case, name in enumerate(names)],
        }  # fmt: skip
        path = store / f"{night:04d}_made.json"
        path.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
        yield path


def _benchmark(fullname: str, rounds: Floats) -> dict[str, object]:
    first, middle, third = np.percentile(rounds, (25, 50, 75)).tolist()
    stats = {
        "min": float(rounds.min()), "max": float(rounds.max()), "mean": float(rounds.mean()),
        "stddev": float(rounds.std()), "rounds": len(rounds), "median": middle, "iqr": third - first, "q1": first,
        "q3": third, "ops": 1 / float(rounds.mean()), "total": float(rounds.sum()), "iterations": 1,
        "data": rounds.tolist(),
    }  # fmt: skip
    return {"name": fullname.partition("::")[2], "fullname": fullname, "params": {"device": "cpu"}, "stats": stats}

"""Two sets of runs against each other: before and after a change, two torch versions, two machines."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from reports.rule.arrays import Bools, Floats, Ints, Objects
from reports.rule.evidence import discovered
from reports.rule.settings import Settings
from reports.rule.spread import shrunk, suite_prior
from reports.rule.suspects import Difference, differences
from reports.sessions import WORK

LEAST_LAUNCHES, MOST_LAUNCHES = 3, 1000
"""Launches on each side that an answer is asked of, at least and at most."""
TWO_SIDED_95, NINE_IN_TEN = 1.96, 1.28
"""Quantiles of the normal distribution."""
COLUMNS = [
    "fullname", "verdict", "ratio", "ratio_low", "ratio_high", "a_s", "b_s", "launches_a", "launches_b",
    "launches_needed", "p", "device", "flags",
]  # fmt: skip


def compare(a: pd.DataFrame, b: pd.DataFrame, settings: Settings | None = None) -> pd.DataFrame:
    """Compare two sets of launches, each a frame as `reports.runs.Runs.cases`; a row per case of either.

    `ratio` is b over a (above 1: b is slower), of the geometric means `a_s` and `b_s` of the launches' medians;
    `ratio_low` to `ratio_high` is its 95 % interval, by Welch's t on ln medians with each side's variance between
    launches shrunk towards that of all cases. Verdicts: `regression` and `improvement` stand out among all cases
    (Benjamini-Hochberg) and exceed the floor; `inconclusive` needs `launches_needed` launches on each side to see a
    change of twice the floor nine times in ten; `missing` and `new` are on one side only; `redefined` did other work.
    `flags` are those of most launches of either side. A case with `contended` among them is `inconclusive` whatever it
    shows: neighbours stay for several launches, so these are no independent samples and no number of them would tell.
    """
    settings = settings or Settings()
    sides = [_launches(a), _launches(b)]
    names = sorted({*a["fullname"], *b["fullname"]})
    count, mean, variance = (
        np.array([side[name].reindex(names).to_numpy(dtype=float) for side in sides])
        for name in ("count", "mean", "variance")
    )
    count = np.nan_to_num(count)
    spread, freedom = _spread(variance, np.maximum(count - 1, 0), settings)
    error, welch = _welch(spread, count, freedom)
    change, told = mean[1] - mean[0], (count > 0).all(axis=0) & (welch > 0)
    p, reach = _significance(change, error, welch, told)
    floor = np.log1p(settings.per_case("floor", names))
    needed = launches_needed(np.sqrt(spread.mean(axis=0)), floor)
    found = discovered(p, told, settings.q)
    verdict = _verdicts(change, found, floor, told & (count.min(axis=0) >= needed))
    flags = _flags_of_most([a, b], names)
    verdict[["contended" in of_case for of_case in flags]] = "inconclusive"
    verdict[_redefined(a, b, names)] = "redefined"
    verdict[count[1] == 0] = "missing"
    verdict[count[0] == 0] = "new"
    devices = pd.concat([a, b]).drop_duplicates("fullname").set_index("fullname")["device"]
    values = {
        "fullname": names, "verdict": verdict, "ratio": np.exp(change), "ratio_low": np.exp(change - reach),
        "ratio_high": np.exp(change + reach), "a_s": np.exp(mean[0]), "b_s": np.exp(mean[1]),
        "launches_a": count[0].astype(int), "launches_b": count[1].astype(int), "launches_needed": needed,
        "p": np.where(told, p, np.nan), "device": list(devices.reindex(names)), "flags": flags,
    }  # fmt: skip
    frame = pd.DataFrame(values, columns=COLUMNS)
    measured = pd.Series((count > 0).any(axis=0))
    return frame[measured].reset_index(drop=True)


def _measured(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the launches with a result."""
    return cases[(cases["outcome"] == "passed") & cases["median_s"].notna()]


def _flags_of_most(sides: Sequence[pd.DataFrame], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return each case's flags that more than half of its launches on a side carry."""
    found: dict[str, set[str]] = {name: set() for name in names}
    for side in sides:
        for name, of_launches in _measured(side).groupby("fullname")["flags"]:
            counts = Counter(flag for flags in of_launches for flag in set(flags))
            found[str(name)] |= {flag for flag, count in counts.items() if 2 * count > len(of_launches)}
    return [tuple(sorted(found[name])) for name in names]


def _launches(cases: pd.DataFrame) -> pd.DataFrame:
    """Return count, mean and variance of the ln medians of each case's launches with a result."""
    measured = _measured(cases)
    logs = measured["median_s"].astype(float).map(math.log).groupby(measured["fullname"])
    return pd.DataFrame({"count": logs.count(), "mean": logs.mean(), "variance": logs.var(ddof=1)})


def _spread(variance: Floats, freedom: Floats, settings: Settings) -> tuple[Floats, Floats]:
    """Shrink the variances of both sides towards that of all cases and sides."""
    prior = suite_prior(variance.ravel(), freedom.ravel(), settings.prior_cap)
    return shrunk(variance, freedom, prior)


def _welch(spread: Floats, count: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Return the standard error of the difference of means, and its degrees of freedom (Welch-Satterthwaite)."""
    parts = spread / np.maximum(count, 1)
    with np.errstate(divide="ignore"):
        below = (parts**2 / np.where(freedom > 0, freedom, np.nan)).sum(axis=0)
    return np.sqrt(parts.sum(axis=0)), np.nan_to_num(parts.sum(axis=0) ** 2 / below)


def _significance(change: Floats, error: Floats, welch: Floats, told: Bools) -> tuple[Floats, Floats]:
    """Return each change's two-sided p, 1 where nothing is told, and half of its 95 % interval."""
    freedom, error = np.where(told, welch, 1.0), np.where(told, error, 1.0)
    p = np.where(told, 2 * stdtr(freedom, -np.abs(change) / error), 1.0)
    return p, np.where(told, stdtrit(freedom, 0.975) * error, np.nan)


def launches_needed(sd: Floats, floor: Floats) -> Ints:
    """Return how many launches a side see a change of twice the floor nine times in ten.

    n = 2 ((1.96 + 1.28) sd / (2 floor))^2 on each side, for an sd between launches that is known.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        launches = 2 * ((TWO_SIDED_95 + NINE_IN_TEN) * sd / (2 * floor)) ** 2
    return np.ceil(np.clip(np.nan_to_num(launches, nan=LEAST_LAUNCHES), LEAST_LAUNCHES, MOST_LAUNCHES)).astype(np.int64)


def _verdicts(change: Floats, found: Bools, floor: Floats, enough: Bools) -> Objects:
    """Return the words for cases on both sides: `found` stand out, `enough` would show what does not."""
    verdict = np.where(enough, "unchanged", "inconclusive").astype(object)
    verdict[found & (np.abs(change) < floor)] = "unchanged"
    verdict[found & (change >= floor)] = "regression"
    verdict[found & (change <= -floor)] = "improvement"
    return verdict


def _redefined(a: pd.DataFrame, b: pd.DataFrame, names: Sequence[str]) -> Bools:
    """Return which cases did other work on the two sides."""
    last = [side.drop_duplicates("fullname", keep="last").set_index("fullname")["extra"] for side in (a, b)]
    return np.array(
        [all(name in side for side in last) and differing_work(last[0][name], last[1][name]) for name in names]
    )


def differing_work(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether a field of the work that both files hold is another one."""
    return any(old[key] != new[key] for key in WORK if old.get(key) is not None and new.get(key) is not None)


def environments(a: pd.DataFrame, b: pd.DataFrame) -> list[Difference]:
    """Return what differs between the environments and machines of the newest runs of both sides."""
    rows = [
        {"environment": {"machine": side["machine"].iloc[-1], **side["environment"].iloc[-1]}, "work": {}, "method": {}}
        for side in (a, b)
    ]
    return differences(*rows)

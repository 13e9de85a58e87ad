"""How far a case scatters from session to session: its own variance, drawn towards that of the whole suite."""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, zeta

from reports.rule.arrays import Floats

LEAST_VARIANCE = 1e-12
"""Of log time: a scatter of one millionth. Equal times leave no logarithm to take otherwise."""
LEAST_CASES = 3
"""A variance of log variances needs three."""


class Prior(NamedTuple):
    """The suite's typical variance, and how many degrees of freedom it is worth."""

    variance: float
    freedom: float


def suite_prior(variance: Floats, freedom: Floats, cap: float) -> Prior:
    """Return what the scatter of all cases says about the scatter of one; nothing with fewer than three cases.

    By the moments of the log variances: Smyth, Linear models and empirical Bayes methods, Statistical Applications in
    Genetics and Molecular Biology 3(1), 2004, section 6.2. `cap` bounds its worth.
    """
    usable = np.isfinite(variance) & (freedom >= 1)
    if usable.sum() < LEAST_CASES:
        return Prior(LEAST_VARIANCE, 0.0)
    half = freedom[usable] / 2
    logs = np.log(np.maximum(variance[usable], LEAST_VARIANCE)) - digamma(half) + np.log(half)
    excess = float(logs.var(ddof=1) - zeta(2, half).mean())  # trigamma(x) = zeta(2, x)
    worth = min(cap, 2 * inverse_trigamma(excess)) if excess > 0 else cap
    if worth <= 0:
        return Prior(LEAST_VARIANCE, 0.0)
    return Prior(float(np.exp(logs.mean() + digamma(worth / 2) - np.log(worth / 2))), worth)


def inverse_trigamma(value: float) -> float:
    """Return x with trigamma(x) = value > 0, by Newton's method (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma, tetragamma = float(zeta(2, x)), -2 * float(zeta(3, x))
        change = trigamma * (1 - trigamma / value) / tetragamma
        x += change
        if abs(change) < 1e-9 * x:  # far below what a verdict could notice
            break
    return x


def shrunk(variance: Floats, freedom: Floats, prior: Prior) -> tuple[Floats, Floats]:
    """Return each case's variance drawn towards the prior, and its degrees of freedom; NaN where nothing is known."""
    total = freedom + prior.freedom
    known = np.where(np.isfinite(variance), variance, 0) * freedom + prior.variance * prior.freedom
    drawn = np.where(total > 0, known / np.where(total > 0, total, 1), np.nan)
    return np.maximum(drawn, LEAST_VARIANCE), total

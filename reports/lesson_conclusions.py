"""What the iris lesson concluded, each beside what was measured here: with an interval, or without a conclusion."""

import math
from typing import NamedTuple

import pandas as pd

from reports.identity import is_cpu
from reports.lessons import IRIS, PUBLISHED, full_run
from reports.quantities import between, seconds, significant
from reports.uncertainty import launch_error

NO_DIFFERENCE = "no detectable difference"


class Ratio(NamedTuple):
    """Two settings' times for 20000 epochs in seconds, and half of the 95 % interval of their ln ratio, NaN without."""

    one_s: float
    other_s: float
    error: float

    def interval(self) -> tuple[float, float]:
        """Return the ends of the interval of the one over the other."""
        ratio, spread = self.one_s / self.other_s, math.exp(self.error)
        return ratio / spread, ratio * spread


def conclusions(lessons: pd.DataFrame, earlier_log_times: pd.DataFrame) -> list[str]:
    """Return what the iris lesson concluded, each beside what was measured here.

    `lessons` is from `reports.lessons.lesson_runs`, `earlier_log_times` from `reports.history.log_times`.
    """
    iris = lessons[lessons["name"] == IRIS]
    if iris.empty:
        return []
    accelerators = sorted({device for device in iris["device"] if device and not is_cpu(device)})
    return [
        _gpu_is_slower(iris, earlier_log_times, accelerators),
        *_reading_costs(iris, earlier_log_times, accelerators),
    ]


def ratio_of(
    iris: pd.DataFrame, earlier_log_times: pd.DataFrame, one: tuple[str, object], other: tuple[str, object]
) -> Ratio | None:
    """Return how two settings, device and log interval, stand to each other; None when one was not run.

    The scatter is that of all that was timed. Of a cold run the loop is a part of it, which then scatters by so much
    more.
    """
    runs = [full_run(iris, *setting) for setting in (one, other)]
    if runs[0] is None or runs[1] is None:
        return None
    part = max(1.0, *(run["total_s"] / run["loop_s"] for run in runs if run is not None))
    error = launch_error(runs[0], runs[1], earlier_log_times)
    return Ratio(float(runs[0]["full_s"]), float(runs[1]["full_s"]), part * error)


def _gpu_is_slower(iris: pd.DataFrame, earlier_log_times: pd.DataFrame, accelerators: list[str]) -> str:
    published = PUBLISHED[1].total_s / PUBLISHED[0].total_s
    lesson = f"The lesson found the GPU {significant(published)} times slower than the CPU on so small a network"
    if not accelerators:
        return f"{lesson}; no GPU was measured here, so that could not be checked."
    gpu = accelerators[0]
    found = ratio_of(iris, earlier_log_times, (gpu, 1), ("cpu", 1))
    if found is None:
        return f"{lesson}; it was not run on both devices here with the loss read every epoch."
    low, high = found.interval()
    if math.isnan(found.error):
        took = f"{gpu} took {significant(found.one_s / found.other_s)} times as long as cpu"
        return f"{lesson}; here {took}, but one launch of each cannot tell how far that scatters."
    if low > 1:
        told = f"{significant(found.one_s / found.other_s)} times slower"
        return f"{lesson}; that holds here: {gpu} is {told} than cpu ({_ends(low, high)})."
    if high < 1:
        told = f"{significant(found.other_s / found.one_s)} times faster"
        return f"{lesson}; that does not hold here: {gpu} is {told} than cpu ({_ends(1 / high, 1 / low)})."
    return f"{lesson}; here {NO_DIFFERENCE} shows: {gpu} takes {_ends(low, high)} times as long as cpu."


def _ends(low: float, high: float) -> str:
    return between(significant(low), significant(high))


def _reading_costs(iris: pd.DataFrame, earlier_log_times: pd.DataFrame, accelerators: list[str]) -> list[str]:
    every, seldom, never = (published.total_s for published in PUBLISHED[1:])
    lesson = (
        f"The lesson's GPU spent {significant(every - never)} s of {every} s on reading the loss every epoch; "
        f"reading it every 200 epochs saved only {significant(every - seldom, 2)} s. It gives one time each, "
        "without an interval."
    )
    sentences = [lesson if accelerators else f"{lesson} No GPU was measured here; the processor's figures follow."]
    for device in sorted(set(iris["device"])):
        found = ratio_of(iris, earlier_log_times, (device, 1), (device, "never"))
        if found is not None:
            sentences.append(f"Here, on {device}, {_reading(found)}.")
    return sentences


def _reading(found: Ratio) -> str:
    """Return what reading every epoch costs; its interval is that of the ratio, times the time without."""
    each, never, cost_s = seconds(found.one_s), seconds(found.other_s), found.one_s - found.other_s
    if math.isnan(found.error):
        return (
            f"20,000 epochs take {each} with the loss read every epoch and {never} with it never read; "
            "one launch of each cannot tell whether that is a difference"
        )
    low_s, high_s = ((end - 1) * found.other_s for end in found.interval())
    interval = between(seconds(low_s), seconds(high_s))
    if low_s > 0:
        share = significant(cost_s / found.one_s * 100, 2)
        return (
            f"reading the loss every epoch costs {seconds(cost_s)} ({interval}) of {each} in 20,000 epochs ({share} %)"
        )
    told = f"between reading the loss every epoch, {each} in 20,000 epochs, and never, {never}"
    if high_s < 0:
        return f"no cost shows {told}: reading came out faster by more than its interval, {interval}"
    return f"{NO_DIFFERENCE} {told} ({interval})"

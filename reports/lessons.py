"""The two lessons as measured here, and the published figures of the iris lesson beside them.

The iris lesson trains a 4-10-3 network on the full batch for 20000 epochs and reads the loss every epoch, every 200
epochs, or never. Its published figures were timed cold, on its author's own machine.
"""

import math
from typing import Any, NamedTuple

import pandas as pd

from reports.identity import is_cpu
from reports.values import count, mapping, number, positive, sequence, text

IRIS, CNN = "iris", "cnn"
FULL_EPOCHS = 20_000
LESSON_COLUMNS = [
    "fullname", "name", "device", "start", "epochs", "log_interval", "total_s", "loop_s", "epoch_s", "full_s",
    "start_up_s", "first_step_s", "accuracy", "dataset", "loss_curve", "launches", "launch_variance",
]  # fmt: skip


class Published(NamedTuple):
    """One published time of the iris lesson: 20000 epochs, in seconds."""

    device: str
    log_interval: int | str
    total_s: float


PUBLISHED = (
    Published("CPU", 1, 14.13),
    Published("GPU", 1, 44.96),
    Published("GPU", 200, 44.6),
    Published("GPU", "never", 36.77),
)


def lesson_runs(measured: pd.DataFrame) -> pd.DataFrame:
    """Return one row per lesson that was run.

    Columns: `fullname`, `name` ("iris" or "cnn"), `device`, `start` ("cold" or "warm"), `epochs`, `log_interval`,
    `total_s` (all that was timed: of a cold run the whole process), `loop_s` (the training loop), `epoch_s`, `full_s`
    (20000 epochs at that pace), `start_up_s` and `first_step_s` (cold runs only), `accuracy`, `dataset`, `loss_curve`
    ([(step, loss)]), `launches` and `launch_variance` (`reports.measured`).
    """
    rows = [_run(case) for case in measured.to_dict("records") if case["lesson"] and case["median_s"] > 0]
    frame = pd.DataFrame([row for row in rows if row["epochs"]], columns=LESSON_COLUMNS)
    rank = {1: 0, "never": 2}
    frame["reading"] = [rank.get(interval, 1) for interval in frame["log_interval"]]
    order = ["name", "start", "device", "reading"]
    return frame.sort_values(order, ascending=[False, False, True, True], kind="stable")[LESSON_COLUMNS].reset_index(
        drop=True
    )


def _run(case: dict[Any, Any]) -> dict[str, Any]:
    lesson = mapping(case["lesson"])
    epochs = count(lesson.get("epochs"))
    loop_s = positive(lesson.get("loop_time_s"))
    if math.isnan(loop_s):
        loop_s = case["median_s"]
    epoch_s = loop_s / epochs if epochs else math.nan
    told = lesson.get("log_interval")
    return {
        **{name: case[name] for name in ("fullname", "launches", "launch_variance")},
        "name": text(lesson.get("name")),
        "device": case["device"],
        "start": text(lesson.get("start")),
        "epochs": epochs,
        "log_interval": "never" if told == "never" else count(told) or None,
        "total_s": case["median_s"],
        "loop_s": loop_s,
        "epoch_s": epoch_s,
        "full_s": epoch_s * FULL_EPOCHS,
        "start_up_s": positive(lesson.get("start_up_time_s")),
        "first_step_s": positive(lesson.get("first_step_time_s")),
        "accuracy": case["accuracy"],
        "dataset": case["dataset"],
        "loss_curve": _curve(lesson.get("loss_curve")),
    }


def _curve(value: object) -> list[tuple[float, float]]:
    pairs = [(number(pair[0]), number(pair[1])) for pair in sequence(value) if len(sequence(pair)) == 2]  # noqa: PLR2004
    return [pair for pair in pairs if not math.isnan(pair[0] + pair[1])]


def full_run(lessons: pd.DataFrame, device: str, log_interval: object) -> dict[Any, Any] | None:
    """Return our run of the iris lesson with this setting, warm before cold; None when it was not run so."""
    same = lessons[(lessons["name"] == IRIS) & (lessons["device"] == device)]
    same = same.loc[[interval == log_interval for interval in same["log_interval"]]]
    warm = same[same["start"] == "warm"]
    chosen = warm if len(warm) else same
    return chosen.iloc[0].to_dict() if len(chosen) else None


def full_time_s(lessons: pd.DataFrame, device: str, log_interval: object) -> float:
    """Return our time for 20000 epochs of the iris lesson with this setting; NaN when it was not run so."""
    run = full_run(lessons, device, log_interval)
    return math.nan if run is None else float(run["full_s"])


def iris_comparison(lessons: pd.DataFrame) -> pd.DataFrame:
    """Return the iris lesson's published times beside ours: the published rows first, then ours without counterpart.

    Columns: `device`, `log_interval`, `published_s` and `ours_s` (20000 epochs, NaN where there is none), `is_scaled`
    (ours ran another number of epochs). A published GPU stands beside the first accelerator measured here.
    """
    iris = lessons[lessons["name"] == IRIS]
    gpu = next((device for device in sorted(set(iris["device"])) if device and not is_cpu(device)), "GPU")
    settings = list(zip(iris["device"], iris["log_interval"], strict=True))
    scaled = dict(zip(settings, iris["epochs"] != FULL_EPOCHS, strict=True))
    published: dict[tuple[str, Any], float] = {
        ("cpu" if one.device == "CPU" else gpu, one.log_interval): one.total_s for one in PUBLISHED
    }
    rows = [
        (*key, published.get(key, math.nan), full_time_s(iris, *key), scaled.get(key, False))
        for key in dict.fromkeys([*published, *settings])
    ]
    return pd.DataFrame(rows, columns=["device", "log_interval", "published_s", "ours_s", "is_scaled"])

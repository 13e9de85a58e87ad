import math
from typing import Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.layout import Section
from reports.lessons import conclusions, full_time_s, iris_comparison, lesson_runs
from reports.measured import measured
from reports.report import report_of
from reports.sections.lesson_pictures import bars_of
from tests.reports.made_runs import Store, made_benchmark


def lesson(device: str, total_s: float, log: object = 1, epochs: int = 2000, **told: Any) -> dict[str, Any]:  # noqa: ANN401
    start = told.get("start", "warm")
    facts = {
        "name": "iris",
        "start": start,
        "epochs": epochs,
        "log_interval": log,
        "loss_curve": [[0, 1.1], [1999, 0.2]],
    }
    return made_benchmark(
        "x",
        total_s,
        fullname=f"benchmarks/bench_lessons.py::bench_iris_lesson[{device}-{start}-epochs{epochs}-{log}]",
        params={"device": device},
        extra_info={"unit": "lesson", "accuracy": 0.9667, "dataset": "iris", "lesson": facts | told},
        rounds=[total_s],
    )


def lessons_of(store: Store, *entries: dict[str, Any]) -> pd.DataFrame:
    store.write(list(entries))
    runs = load_runs(store.folder)
    judgement = judge(runs)
    return lesson_runs(measured(runs.cases, judgement.sessions, judgement.session, judgement.machine))


def section_of(store: Store) -> Section:
    runs = load_runs(store.folder)
    return next(one for one in report_of(runs, judge(runs), "new").sections if one.anchor == "lessons")


def test_a_shorter_run_is_scaled_by_seconds_per_epoch(store: Store) -> None:
    lessons = lessons_of(store, lesson("cpu", 0.8, epochs=2000))

    (row,) = lessons.to_dict("records")
    assert (row["epoch_s"], row["full_s"]) == (pytest.approx(0.0004), pytest.approx(8.0))


def test_the_loop_of_a_cold_run_is_told_from_the_whole_process(store: Store) -> None:
    (row,) = lessons_of(store, lesson("cpu", 8.0, start="cold", loop_time_s=2.0)).to_dict("records")

    assert (row["total_s"], row["loop_s"], row["epoch_s"]) == (pytest.approx(8.0), 2.0, 0.001)


def test_published_times_stand_beside_ours(store: Store) -> None:
    lessons = lessons_of(store, lesson("cpu", 8.0, epochs=20_000), lesson("cpu", 0.7, log="never"), lesson("cuda", 2.0))

    rows = iris_comparison(lessons).to_dict("records")

    told = [(row["device"], row["log_interval"], row["published_s"], row["ours_s"], row["is_scaled"]) for row in rows]
    assert told[0] == ("cpu", 1, 14.13, pytest.approx(8.0), False)
    assert told[1] == ("cuda", 1, 44.96, pytest.approx(20.0), True)
    assert told[2][:3] == ("cuda", 200, 44.6)
    assert math.isnan(told[2][3])
    assert told[3][:3] == ("cuda", "never", 36.77)
    assert told[4][:2] == ("cpu", "never")
    assert math.isnan(told[4][2])
    assert told[4][3:] == (pytest.approx(7.0), True)


def test_without_a_gpu_the_page_says_what_could_not_be_checked(store: Store) -> None:
    lessons = lessons_of(store, lesson("cpu", 0.8), lesson("cpu", 0.6, log="never"))

    slower, costs, ours = conclusions(lessons)

    assert slower == (
        "The lesson found the GPU 3.18 times slower than the CPU on so small a network; "
        "no GPU was measured here, so that could not be checked."
    )
    assert costs.startswith(
        "The lesson's GPU spent 8.19 s of 44.96 s on reading the loss every epoch; reading it every"
    )
    assert "saved only 0.36 s. No GPU was measured here" in costs
    assert ours == "Here, on cpu, reading the loss every epoch costs 2.00 s of 8.00 s in 20,000 epochs (25 %)."


@pytest.mark.parametrize(
    ("gpu_s", "told"),
    [
        (2.0, "that holds here: cuda is 2.50 times slower than cpu."),
        (0.4, "that does not hold here: cuda is 2.00 times faster than cpu."),
    ],
)
def test_with_a_gpu_the_lesson_s_conclusion_is_checked(store: Store, gpu_s: float, told: str) -> None:
    lessons = lessons_of(store, lesson("cpu", 0.8), lesson("cuda", gpu_s))

    assert conclusions(lessons)[0].endswith(told)


def test_a_warm_run_counts_before_a_cold_one(store: Store) -> None:
    lessons = lessons_of(store, lesson("cpu", 1.0, start="cold"), lesson("cpu", 0.8, start="warm"))

    assert full_time_s(lessons, "cpu", 1) == pytest.approx(8.0)
    assert math.isnan(full_time_s(lessons, "cuda", 1))


def test_a_cold_start_is_told_apart(store: Store) -> None:
    store.write([lesson("cpu", 1.0, start="cold", start_up_time_s=3.1, first_step_time_s=0.0025)])

    assert "Cold start of the iris lesson on cpu: start-up 3.10 s, first step 2.50 ms." in section_of(store).sentences


def test_bars_are_the_published_times_and_ours(store: Store) -> None:
    bars = bars_of(lessons_of(store, lesson("cpu", 0.8)))

    assert [(bar.label, round(bar.time_s, 2)) for bar in bars] == [
        ("published: CPU, every epoch", 14.13),
        ("published: GPU, every epoch", 44.96),
        ("published: GPU, every 200 epochs", 44.6),
        ("published: GPU, never", 36.77),
        ("ours: cpu, every epoch (scaled)", 8.0),
    ]


def test_the_pictures_say_in_words_what_they_show(store: Store) -> None:
    store.write([lesson("cpu", 0.8)])

    bars, curve = section_of(store).figures

    assert "ours: cpu, every epoch (scaled): 8.00 s" in bars.alternative
    assert curve.alternative == "Line chart of the loss. cpu, warm, every epoch ends at 0.200."
    assert curve.svg.startswith("<svg")
    assert "currentColor" in curve.svg


@pytest.mark.parametrize(
    "odd",
    [
        {"loss_curve": None},
        {"loss_curve": [[0, None], ["a", 1], [1], 3]},
        {"loss_curve": [[5, 0.5]]},
        {"epochs": None},
        {"epochs": -3},
        {"name": 7, "start": None, "log_interval": []},
        {"name": "$x_{", "log_interval": "often"},
    ],
)
def test_a_lesson_s_record_of_any_shape_is_no_trouble(store: Store, odd: dict[str, Any]) -> None:
    store.write([lesson("cpu", 0.8), lesson("cuda", 0.8, log="never") | {"fullname": "x"}, lesson("$y^{", 0.8, **odd)])

    assert section_of(store).title == "The lessons"

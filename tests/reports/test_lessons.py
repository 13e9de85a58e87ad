import math
from datetime import timedelta
from typing import Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.layout import Section
from reports.lesson_conclusions import conclusions
from reports.lessons import full_time_s, iris_comparison, lesson_runs
from reports.measured import measured
from reports.report import report_of
from reports.sections.lesson_pictures import bars_of
from tests.reports.made_runs import FIRST_NIGHT, Store, made_benchmark

NO_HISTORY = pd.DataFrame()
Times = dict[tuple[str, int | str], float]


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

    slower, costs, ours = conclusions(lessons, NO_HISTORY)

    assert slower == (
        "The lesson found the GPU 3.18 times slower than the CPU on so small a network; "
        "no GPU was measured here, so that could not be checked."
    )
    assert costs.startswith(
        "The lesson's GPU spent 8.19 s of 44.96 s on reading the loss every epoch; reading it every"
    )
    assert "saved only 0.36 s. It gives one time each, without an interval. No GPU was measured here" in costs
    assert ours == (
        "Here, on cpu, 20,000 epochs take 8.00 s with the loss read every epoch and 6.00 s with it never read; "
        "one launch of each cannot tell whether that is a difference."
    )


def test_one_launch_of_each_concludes_nothing_of_the_gpu(store: Store) -> None:
    lessons = lessons_of(store, lesson("cpu", 0.8), lesson("cuda", 2.0))

    assert conclusions(lessons, NO_HISTORY)[0].endswith(
        "here cuda took 2.50 times as long as cpu, but one launch of each cannot tell how far that scatters."
    )


def launched(store: Store, *times_s: Times) -> list[str]:
    """Return the conclusions of a session of so many launches, each with its times by device and log interval."""
    for number, launch in enumerate(times_s):
        entries = [lesson(device, time_s, log) for (device, log), time_s in launch.items()]
        store.write(entries, session="night", launch=number, started=FIRST_NIGHT + timedelta(minutes=number))
    runs = load_runs(store.folder)
    judgement = judge(runs)
    lessons = lesson_runs(measured(runs.cases, judgement.sessions, judgement.session, judgement.machine))
    return conclusions(lessons, NO_HISTORY)


@pytest.mark.parametrize(
    ("gpu_s", "told"),
    [
        # two launches each, cpu 0.8 x (1 ± 1 %), gpu steady: the pooled variance is half of 2 x 0.01², that of a mean
        # half of it; t with 2 degrees of freedom is 4.303: exp(4.303 x 0.01) = 1.0440
        (2.0, "that holds here: cuda is 2.50 times slower than cpu (2.39 to 2.61)."),
        (0.4, "that does not hold here: cuda is 2.00 times faster than cpu (1.92 to 2.09)."),
        (0.81, "here no detectable difference shows: cuda takes 0.970 to 1.06 times as long as cpu."),
    ],
)
def test_several_launches_check_the_lesson_s_conclusion(store: Store, gpu_s: float, told: str) -> None:
    launches: list[Times] = [{("cpu", 1): 0.8 * math.exp(off), ("cuda", 1): gpu_s} for off in (-0.01, 0.01)]

    assert launched(store, *launches)[0].endswith(told)


@pytest.mark.parametrize(
    ("never_s", "told"),
    [
        # as above, the interval is a factor of 1.0440 to both sides; 8 s read, and scaled to 20,000 epochs
        (0.6, "reading the loss every epoch costs 2.00 s (1.66 s to 2.35 s) of 8.00 s in 20,000 epochs (25 %)."),
        (
            0.784,
            (
                "no detectable difference between reading the loss every epoch, 8.00 s in 20,000 epochs, and "
                "never, 7.84 s (-177 ms to 512 ms)."
            ),
        ),
        (
            0.9,
            (
                "no cost shows between reading the loss every epoch, 8.00 s in 20,000 epochs, and never, 9.00 s: "
                "reading came out faster by more than its interval, -1.34 s to -648 ms."
            ),
        ),
    ],
)
def test_what_reading_costs_is_told_with_its_interval(store: Store, never_s: float, told: str) -> None:
    launches: list[Times] = [{("cpu", 1): 0.8 * math.exp(off), ("cpu", "never"): never_s} for off in (-0.01, 0.01)]

    assert launched(store, *launches)[-1] == f"Here, on cpu, {told}"


def test_five_earlier_sessions_tell_how_far_a_lesson_scatters(store: Store) -> None:
    # every night reads cost 25 % ± 0.5 %: the deviation is 1.4826 x 0.5 %, the interval a factor of exp(2 x 0.74 %)
    for off in (-0.005, 0.005, 0.0, -0.005, 0.005, 0.0):
        store.write([lesson("cpu", 0.8 * math.exp(off)), lesson("cpu", 0.6, log="never")])

    assert "Here, on cpu, reading the loss every epoch costs 2.00 s (1.88 s to 2.12 s) of 8.00 s" in str(
        section_of(store).sentences
    )


def test_the_loop_of_a_cold_run_scatters_by_more_than_the_whole(store: Store) -> None:
    """The whole process scatters by 0.5 %, and the loop is half of it."""
    for off in (-0.005, 0.005, 0.0, -0.005, 0.005, 0.0):
        cold = [("never", 1.2, 0.6), (1, 1.6 * math.exp(off), 0.8)]
        store.write([lesson("cpu", total_s, log, start="cold", loop_time_s=loop_s) for log, total_s, loop_s in cold])

    assert "costs 2.00 s (1.77 s to 2.24 s) of 8.00 s" in str(section_of(store).sentences)


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

"""What a run of N epochs takes: start-up once, then whole batches of the lesson's training set."""

import math
from typing import Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.measured import measured
from reports.run_time import break_even_epochs, pairs, run_times
from reports.sections.devices import section
from reports.subject import Subject
from tests.reports.made_runs import Store, made_benchmark


def training(device: str, step_s: float, log: int | str = "never") -> dict[str, Any]:
    params = {"device": device, "model": "iris-mlp", "batch_size": 16, "log_interval": log}
    extra = {"unit": "step", "samples_per_unit": 16, "dataset": "iris"}
    return made_benchmark(f"{device}-iris-mlp-batch16-log{log}", step_s, params=params, extra_info=extra)


def cold_lesson(device: str, start_up_s: float) -> dict[str, Any]:
    lesson = {"name": "iris", "start": "cold", "epochs": 100, "log_interval": "never", "loop_time_s": 1.0,
              "start_up_time_s": start_up_s, "first_step_time_s": 0.5}  # fmt: skip
    extra = {"unit": "lesson", "samples_per_unit": 12_000, "dataset": "iris", "lesson": lesson}
    return made_benchmark(f"{device}-cold", 9.0, params={"device": device}, extra_info=extra)


def subject_of(store: Store, epochs: int = 10) -> Subject:
    runs = load_runs(store.folder)
    judgement = judge(runs)
    frame = measured(runs.cases, judgement.sessions, judgement.session, judgement.machine)
    return Subject(runs, judgement, frame, pd.DataFrame(), epochs)


@pytest.fixture
def both(store: Store) -> Store:
    """120 samples an epoch: 7 whole batches of 16; the GPU's step is half, its start 7 s longer."""
    store.write(
        [training("cpu", 0.02), training("cpu", 0.03, 1), training("cuda", 0.01), cold_lesson("cpu", 1.0),
         cold_lesson("cuda", 8.0)]
    )  # fmt: skip
    return store


def test_a_run_is_start_up_and_epochs_of_whole_batches(both: Store) -> None:
    times = run_times(subject_of(both).measured, epochs=10).set_index("device")

    assert times.loc["cpu", "steps_per_epoch"] == 7
    assert times.loc["cpu", "epoch_s"] == pytest.approx(0.14)
    assert times.loc["cpu", "total_s"] == pytest.approx(1.5 + 10 * 0.14)
    assert times.loc["cuda", "total_s"] == pytest.approx(8.5 + 10 * 0.07)


def test_the_accelerator_pays_from_the_epoch_on_that_earns_its_start_back(both: Store) -> None:
    ((processor, accelerator),) = pairs(run_times(subject_of(both).measured, epochs=10))

    assert break_even_epochs(processor, accelerator) == pytest.approx(7 / 0.07)
    assert break_even_epochs(accelerator, processor) == math.inf


def test_the_section_tells_it_in_a_sentence_and_a_table(both: Store) -> None:
    told = section(subject_of(both, epochs=20))

    sentence = (
        "A run of iris-mlp at batch size 16 is shorter on cuda than on cpu from 100 epochs on (100 to 101 by the "
        "interval of a step), start-up included."
    )
    assert sentence in told.sentences
    table = told.tables[-1]
    assert table.caption == "What a run of 20 epochs takes, start-up included"
    assert table.rows[0] == ("iris-mlp", "16", "cpu", "7", "140 ms", "1.50 s", "4.30 s")


@pytest.mark.parametrize(
    ("gpu_s", "said"),
    [
        # each step is known to a factor of exp(2 x sqrt(2) x 1 % / sqrt(10)) = 1.0090
        (
            0.0199,
            (
                "Which run of iris-mlp at batch size 16 is the shorter one is open: the difference of a step on cuda "
                "and cpu is not detectable."
            ),
        ),
        (0.0202, "A run of iris-mlp at batch size 16 takes longer on cuda than on cpu, whatever its length."),
    ],
)
def test_only_a_difference_that_shows_decides_which_run_is_the_shorter_one(
    store: Store, gpu_s: float, said: str
) -> None:
    store.write([training("cpu", 0.02), training("cuda", gpu_s), cold_lesson("cpu", 1.0), cold_lesson("cuda", 1.0)])

    assert said in section(subject_of(store)).sentences


def test_steps_without_a_scatter_leave_open_which_run_is_the_shorter_one(store: Store) -> None:
    steps = [training("cpu", 0.02), training("cuda", 0.01)]
    for step in steps:
        step["stats"] |= {"rounds": 1, "iqr": 0.0, "data": step["stats"]["data"][:1]}
    store.write([*steps, cold_lesson("cpu", 1.0)])

    assert (
        "Which run of iris-mlp at batch size 16 is the shorter one is open: the difference of a step on cuda and cpu "
        "has no interval."
    ) in section(subject_of(store)).sentences


def test_without_a_cold_lesson_the_start_is_said_to_be_missing(store: Store) -> None:
    lesson = cold_lesson("cpu", 1.0)
    lesson["extra_info"]["lesson"] |= {"start": "warm", "start_up_time_s": None}
    store.write([training("cpu", 0.02), lesson])

    told = section(subject_of(store))

    assert "No lesson was run cold in this session, so what a run takes is without start-up." in told.sentences
    assert told.tables[-1].rows[0][-2:] == ("-", "1.40 s")


def test_a_model_whose_epoch_nobody_knows_is_left_out(store: Store) -> None:
    store.write([training("cpu", 0.02)])

    assert run_times(subject_of(store).measured, epochs=10).empty

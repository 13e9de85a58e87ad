"""What a run of N epochs takes: start-up once, then whole batches of the lesson's training set."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.layout import Section
from reports.measured import measured
from reports.rendering import html, markdown, terminal
from reports.report import report_of
from reports.run_time import break_even_epochs, first_shorter_epoch, pairs, run_times
from reports.sections import run_time
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


def section(subject: Subject) -> Section:
    found = run_time.section(subject)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("cpu_epoch_s", "cuda_epoch_s", "cuda_start_s", "first"),
    [
        (0.14, 0.07, 8.0, 101),  # after 100 epochs of 0.07 s each the 7 s are regained, one more is gained
        (0.14, 0.07, 8.03, 101),  # after 100.4
        (0.14, 0.07, 1.0, 1),
        (0.14, 0.07, 0.2, 1),
        (0.07, 0.07, 8.0, None),
        (0.07, 0.14, 0.2, None),
    ],
)
def test_the_first_epoch_on_which_the_accelerator_is_ahead(
    cpu_epoch_s: float, cuda_epoch_s: float, cuda_start_s: float, first: int | None
) -> None:
    processor, accelerator = (
        {"epoch_s": epoch_s, "start_up_s": start_s}
        for epoch_s, start_s in ((cpu_epoch_s, 1.0), (cuda_epoch_s, cuda_start_s))
    )

    assert first_shorter_epoch(processor, accelerator) == first


def test_the_section_tells_it_in_a_sentence_and_a_table(both: Store) -> None:
    told = section(subject_of(both, epochs=20))

    assert told.title == "How long a run of 20 epochs takes"
    (sentence,) = told.sentences
    assert sentence == (
        "iris-mlp at batch size 16: 4.30 s on cpu (start-up 1.50 s), 9.90 s on cuda (start-up 8.50 s); "
        "from epoch 101 on cuda is faster than cpu (100 to 101 by the interval of a step)."
    )
    assert told.tables[0].rows[0] == ("iris-mlp", "16", "cpu", "7", "140 ms", "1.50 s", "4.30 s")


def test_terminal_page_and_summary_all_tell_it(both: Store) -> None:
    runs = load_runs(both.folder)
    report = report_of(runs, judge(runs), "new", epochs=20)

    shown = terminal.render(report, Path("report"), width=80)

    assert max(map(len, shown.splitlines())) <= 80
    told = (
        "How long a run of 20 epochs takes: iris-mlp at batch size 16: 4.30 s on cpu (start-up 1.50 s), 9.90 s on cuda "
        "(start-up 8.50 s); from epoch 101 on cuda is faster than cpu (100 to 101 by the interval of a step)."
    )
    assert told in re.sub(r"\s+", " ", shown)
    for whole in (html.render(report), markdown.render(report).replace("\\", "")):
        assert "How long a run of 20 epochs takes" in whole
        assert "from epoch 101 on cuda is faster than cpu (100 to 101 by the interval of a step)." in whole


def test_a_step_that_is_slower_there_is_never_regained(store: Store) -> None:
    store.write([training("cpu", 0.01), training("cuda", 0.02), cold_lesson("cpu", 1.0), cold_lesson("cuda", 8.0)])

    assert section(subject_of(store)).sentences[0].endswith("; however long, cuda is never faster than cpu.")


def test_the_processor_s_two_arms_start_alike(store: Store) -> None:
    store.write([training("cpu", 0.02), training("cpu-all", 0.01), cold_lesson("cpu", 1.0)])

    times = run_times(subject_of(store).measured, epochs=10).set_index("device")

    assert times.loc["cpu-all", "start_up_s"] == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("gpu_s", "said"),
    [
        # each step is known to a factor of exp(2 x sqrt(2) x 1 % / sqrt(10)) = 1.0090
        (
            0.0199,
            "whether cuda or cpu is faster is open: the difference of their steps is not detectable",
        ),
        (0.0202, "however long, cuda is never faster than cpu"),
    ],
)
def test_only_a_difference_that_shows_decides_which_run_is_the_shorter_one(
    store: Store, gpu_s: float, said: str
) -> None:
    store.write([training("cpu", 0.02), training("cuda", gpu_s), cold_lesson("cpu", 1.0), cold_lesson("cuda", 1.0)])

    assert section(subject_of(store)).sentences[0].endswith(f"; {said}.")


def test_steps_without_a_scatter_leave_open_which_run_is_the_shorter_one(store: Store) -> None:
    steps = [training("cpu", 0.02), training("cuda", 0.01)]
    for step in steps:
        step["stats"] |= {"rounds": 1, "iqr": 0.0, "data": step["stats"]["data"][:1]}
    store.write([*steps, cold_lesson("cpu", 1.0), cold_lesson("cuda", 1.0)])

    said = "whether cuda or cpu is faster is open: the difference of their steps has no interval"
    assert section(subject_of(store)).sentences[0].endswith(f"; {said}.")


def test_without_a_cold_lesson_the_start_is_said_to_be_missing(store: Store) -> None:
    lesson = cold_lesson("cpu", 1.0)
    lesson["extra_info"]["lesson"] |= {"start": "warm", "start_up_time_s": None}
    store.write([training("cpu", 0.02), lesson])

    told = section(subject_of(store))

    assert told.sentences == (
        "iris-mlp at batch size 16: 1.40 s on cpu (without start-up).",
        "Start-up is left out for cpu: no lesson was run there from a cold start.",
    )
    assert told.tables[0].rows[0][-2:] == ("-", "1.40 s")


def test_a_start_known_on_one_side_alone_decides_nothing(store: Store) -> None:
    store.write([training("cpu", 0.02), training("cuda", 0.01), cold_lesson("cpu", 1.0)])

    assert section(subject_of(store)).sentences[0] == (
        "iris-mlp at batch size 16: 700 ms on cuda (without start-up), 2.90 s on cpu (start-up 1.50 s)."
    )


def test_a_model_whose_epoch_nobody_knows_is_left_out(store: Store) -> None:
    store.write([training("cpu", 0.02)])

    assert run_times(subject_of(store).measured, epochs=10).empty
    assert run_time.section(subject_of(store)) is None

"""The lessons' loops."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import torch

from training import callables, cold, data, lessons, mnist
from training.devices import DEVICES

if TYPE_CHECKING:
    from training.registry import LogInterval

CPU = DEVICES["cpu"]


@pytest.mark.parametrize(("interval", "epochs_read"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4]), ("never", [])])
def test_the_iris_lesson_records_the_loss_at_its_interval(interval: LogInterval, epochs_read: list[int]) -> None:
    lesson = lessons.iris_lesson(data.iris(), CPU, 5, interval)

    lesson.train()

    assert [epoch for epoch, _ in lesson.curve] == epochs_read
    assert lesson.first_step_time_s is None


def test_the_iris_lesson_learns() -> None:
    lesson = lessons.iris_lesson(data.iris(), CPU, 400, "never")
    before = lesson.mean_loss()

    lesson.train()

    assert lesson.mean_loss() < before - 0.1
    assert lesson.steps == 400


def test_the_cnn_lesson_visits_every_sample_and_keeps_the_smaller_last_batch() -> None:
    lesson = lessons.cnn_lesson(data.digits(), CPU, 1)

    lesson.train()

    assert lesson.steps == len(lesson.curve) == 12  # 1437 = 11 * 128 + 29
    assert lesson.curve[-1][1] < lesson.curve[0][1]
    assert lesson.accuracy() > 0.3


def test_the_first_step_is_timed_apart_when_asked() -> None:
    lesson = lessons.iris_lesson(data.iris(), CPU, 2, 1)
    lesson.time_first_step = True

    lesson.train()

    assert lesson.first_step_time_s is not None
    assert lesson.first_step_time_s > 0


@pytest.mark.parametrize(
    ("length", "points", "kept"),
    [(3, 5, [1, 2, 3]), (5, 5, [1, 2, 3, 4, 5]), (9, 5, [1, 3, 5, 7, 9]), (10, 4, [1, 4, 7, 10]), (0, 5, [])],
)
def test_a_curve_is_thinned_evenly_with_both_ends_kept(length: int, points: int, kept: list[int]) -> None:
    curve = [(step, 1.0 / step) for step in range(1, length + 1)]

    assert [step for step, _ in lessons.thinned(curve, points)] == kept


def test_a_curve_of_20000_epochs_is_thinned_to_500_points() -> None:
    thinned = lessons.thinned([(epoch, 0.5) for epoch in range(1, 20001)])

    assert len(thinned) == 500
    assert (thinned[0][0], thinned[-1][0]) == (1, 20000)


@pytest.mark.parametrize("lesson", ["iris", "cnn"])
def test_a_cold_launch_reports_its_parts(lesson: str, tmp_path: object) -> None:
    command = [sys.executable, "-m", "training.cold", lesson, "--epochs", "2", "--log-interval", "1"]

    done = subprocess.run([*command, "--data-dir", str(tmp_path)], capture_output=True, text=True, check=True)

    found = json.loads(done.stdout)
    assert 0 < found["first_step_time_s"] <= found["loop_time_s"]
    assert found["start_up_time_s"] > 0
    assert found["dataset"] == {"iris": "iris", "cnn": "digits"}[lesson]
    assert found["last_loss"] < found["first_loss"]
    assert len(found["loss_curve"]) == {"iris": 2, "cnn": 24}[lesson]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--epochs", "0"], "argument --epochs: invalid number above zero value: '0'"),
        (
            ["--log-interval", "0"],
            "argument --log-interval: invalid number of epochs above zero, or \"never\", value: '0'",
        ),
    ],
)
def test_a_wrong_number_is_named(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cold.arguments(["iris", *words])

    assert capsys.readouterr().err.splitlines()[-1] == f"python -m training.cold: error: {said}"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["iris", "--device", "gpu"], "--device: unknown gpu; known: cpu, cpu-all, cuda"),
        (["iris", "--device", "cuda"], "cuda: torch "),
        (["cnn"], "damaged"),
    ],
)
def test_what_a_cold_lesson_cannot_do_is_one_line(words: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_folder: object, *, download: bool) -> None:
        raise mnist.DataError("damaged")

    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available=False: None)
    monkeypatch.setattr(data, "handwriting", damaged)

    with pytest.raises(SystemExit) as ended:
        cold.measure(cold.arguments(words))

    assert str(ended.value).startswith(said)
    assert "\n" not in str(ended.value)


def test_the_counter_counts_its_calls_as_the_function_does() -> None:
    counter, function = callables.Counter(), callables.counting_function()

    assert [counter(), counter(), counter.count] == [1, 2, 2]
    assert [function(), function()] == [1, 2]


def test_the_adder_adds_as_the_function_does() -> None:
    assert callables.Adder()(3, 5) == callables.add(3, 5) == 8

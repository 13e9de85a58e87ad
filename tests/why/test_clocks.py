"""Three clocks: the order in which they are read, and what they say of a host and a device with known times."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch

from fixtures.clocks import NOT_MEASURED, Instruments, Mark, fitting, instruments, read_clocks, three_clocks
from training.devices import DEVICES
from training.registry import MODELS
from training.run import TrainingRun


@dataclass
class Machine:
    """A host and a device with a queue: a step costs the host `launch_s` and then the device `work_s`.

    A mark is passed when the device has done all before it, at the earliest when it is queued. The queue has room for
    so many steps; then the host waits.
    """

    launch_s: float
    work_s: float
    delay_s: float = 0.001
    room: int = 1_000_000
    now_s: float = 0.0
    free_s: float = 0.0
    calls: list[str] = field(default_factory=list)

    def step(self) -> None:
        self.calls.append("step")
        self.now_s = max(self.now_s, self.free_s - self.room * self.work_s) + self.launch_s
        self.free_s = max(self.free_s, self.now_s) + self.work_s

    def delay(self) -> None:
        self.calls.append("delay")
        self.free_s = max(self.free_s, self.now_s) + self.delay_s

    def host_clock(self) -> float:
        self.calls.append("host")
        return self.now_s

    def device_clock(self) -> float:
        self.calls.append("wait")
        self.now_s = max(self.now_s, self.free_s)
        return self.now_s

    def mark(self) -> Mark:
        return PassedMark(self)

    def instruments(self, *, timed: bool = True) -> Instruments:
        return Instruments(self.host_clock, self.device_clock, self.mark if timed else None, self.delay)


@dataclass
class PassedMark:
    machine: Machine
    passed_s: float = 0.0

    def record(self) -> None:
        self.machine.calls.append("mark")
        self.passed_s = max(self.machine.free_s, self.machine.now_s)

    def elapsed_time(self, end: PassedMark, /) -> float:
        return 1000 * (end.passed_s - self.passed_s)


def test_the_clocks_are_read_in_this_order() -> None:
    """Waited for before, marked, stepped, marked, the host read before anything waits, then waited for again.

    The delay is timed once, then as many of them are queued as cover twice the enqueue time: 2 * 2 * 1 ms / 1 ms = 4.
    """
    machine = Machine(launch_s=0.001, work_s=0.0005)

    read_clocks(machine.step, machine.instruments(), steps=3, queued_steps=2)

    assert machine.calls[: len(machine.calls) // 5] == [
        *("wait", "mark", "step", "step", "step", "mark", "host", "wait"),
        *("mark", "delay", "mark", "wait"),
        *("delay", "delay", "delay", "delay", "mark", "host", "step", "step", "host", "mark", "wait"),
    ]


@pytest.mark.parametrize(
    ("launch_s", "work_s", "wall_s"),
    [
        (10e-6, 2e-6, 10.02e-6),  # launch-bound: the device waits; only the last step's work comes on top
        (2e-6, 10e-6, 10.02e-6),  # the device is full; only the first step's launch comes on top
        (5e-6, 5e-6, 5.05e-6),
    ],
)
def test_each_clock_sees_its_own_part(launch_s: float, work_s: float, wall_s: float) -> None:
    machine = Machine(launch_s, work_s)

    found = read_clocks(machine.step, machine.instruments(), steps=100, queued_steps=20)

    assert found == {
        "enqueue_s": pytest.approx(launch_s),
        "busy_s": pytest.approx(work_s),
        "wall_s": pytest.approx(wall_s),
    }


def test_a_host_that_waits_for_room_in_the_queue_is_not_busy_meanwhile() -> None:
    """The device needs five times as long for a step as the host, and its queue holds 100 of 5000 steps."""
    machine = Machine(launch_s=2e-6, work_s=10e-6, delay_s=100e-6, room=100)

    found = read_clocks(machine.step, machine.instruments(), steps=5000, queued_steps=20)

    assert found["enqueue_s"] == pytest.approx(2e-6)
    assert found["busy_s"] == pytest.approx(10e-6)


def test_without_the_delay_the_gaps_between_launches_would_count_as_busy() -> None:
    """The check above can fail: a device that works 2 of every 10 microseconds spans 10 between its marks."""
    machine = Machine(launch_s=10e-6, work_s=2e-6)
    start, end = machine.mark(), machine.mark()

    start.record()
    for _ in range(100):
        machine.step()
    end.record()

    assert start.elapsed_time(end) / 1000 / 100 == pytest.approx(10.02e-6)


def test_a_device_that_cannot_time_itself_has_no_busy_time() -> None:
    machine = Machine(launch_s=2e-6, work_s=10e-6)

    found = read_clocks(machine.step, machine.instruments(timed=False), steps=10, queued_steps=2)

    assert found == {"enqueue_s": pytest.approx(2e-6), "busy_s": None, "wall_s": pytest.approx(10.2e-6)}
    assert {"mark", "delay"}.isdisjoint(machine.calls)


@pytest.mark.parametrize(("steps", "operators", "fit"), [(200, 110, 4), (2, 110, 2), (10, 900, 1), (10, 0, 10)])
def test_steps_that_fit_the_queue(steps: int, operators: int, fit: int) -> None:
    assert fitting(steps, operators) == fit


def iris_on(device: str) -> TrainingRun:
    return TrainingRun(MODELS["iris-mlp"], MODELS["iris-mlp"].data(Path("no-data-here")), 120, 1, DEVICES[device])


def test_a_cpu_has_no_three_clocks_and_takes_no_step_for_them() -> None:
    run = iris_on("cpu")

    assert three_clocks(run, 200, 110) == NOT_MEASURED == {"enqueue_s": None, "busy_s": None, "wall_s": None}
    assert run.steps == 0


def test_events_are_recorded_in_the_stream_of_the_cases_device(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Event:
        def __init__(self, device: torch.device, *, enable_timing: bool) -> None:
            calls.append(f"event {device} {enable_timing}")

        def record(self, stream: object) -> None:
            calls.append(f"record {stream}")

        def elapsed_time(self, _end: object) -> float:
            return 0.0

    zeros = torch.zeros
    monkeypatch.setattr(torch, "Event", Event)
    monkeypatch.setattr(torch, "zeros", lambda *shape, device: zeros(*(1 for _ in shape)))
    monkeypatch.setattr(torch.accelerator, "current_stream", lambda device: f"stream of {device}")
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda device: calls.append(f"synchronize {device}"))

    found = instruments(DEVICES["cuda"])

    assert calls == ["event cuda True", "record stream of cuda", "synchronize cuda"]
    assert found.mark is not None
    assert found.device_clock is DEVICES["cuda"].clock


@pytest.mark.slow
@pytest.mark.skipif(DEVICES["cuda"].missing() is not None, reason=DEVICES["cuda"].missing() or "")
def test_a_real_device_is_never_busy_for_longer_than_the_wall_time() -> None:
    run = iris_on("cuda")
    run.losses(20)

    found = three_clocks(run, 200, 110)

    assert found["busy_s"] is not None
    assert found["enqueue_s"] is not None
    assert found["wall_s"] is not None
    assert 0 < found["busy_s"] <= found["wall_s"]
    assert 0 < found["enqueue_s"] <= found["wall_s"]
    assert run.log_interval == 1

"""The model of overlap: a simulator with answers worked out by hand, and the closed form held against it."""

from dataclasses import replace

import pytest

from reports.why.pipeline import Command, Step, Timeline, commands, saving_s, simulate, step_time_s, wait_s

HOST_BOUND = Step(host_s=10.0, device_s=2.0, operators=2, read_latency_s=0.5)
DEVICE_BOUND = Step(host_s=2.0, device_s=10.0, operators=2, read_latency_s=0.5)


def test_the_device_begins_when_the_first_operator_is_enqueued() -> None:
    # host 0-1 and 1-2; device 1-4 and 4-7
    assert simulate([Command(1, 3), Command(1, 3)]) == Timeline(wall_s=7, waited_s=0, device_busy_s=6)


def test_the_host_sets_the_pace_of_a_device_that_is_faster() -> None:
    # host 0-3 and 3-6; device 3-4 and 6-7
    assert simulate([Command(3, 1), Command(3, 1)]) == Timeline(wall_s=7, waited_s=0, device_busy_s=2)


def test_a_read_waits_for_the_device_and_then_takes_its_latency() -> None:
    # host 0-1, waits 1-4, latency 4-4.5, host 4.5-5.5; device 1-4 and 5.5-8.5
    played = simulate([Command(1, 3), Command(0, latency_s=0.5), Command(1, 3)])

    assert played == Timeline(wall_s=8.5, waited_s=3, device_busy_s=6)


@pytest.mark.parametrize(
    ("step", "read_interval", "expected_s"),
    [
        (HOST_BOUND, None, 10.0),
        (DEVICE_BOUND, None, 10.0),
        (HOST_BOUND, 1, 11.5),  # host 10, the last operator's 1 on the device, latency 0.5
        (DEVICE_BOUND, 1, 11.5),  # the first operator's 1 on the host, device 10, latency 0.5
        (HOST_BOUND, 10, 10.15),  # (100 + 1 + 0.5) / 10
        (DEVICE_BOUND, 10, 10.15),
        (Step(2.0, 10.0, 2, copies_s=3.0), None, 14.0),  # drained 11, then a copy of 3
        (Step(2.0, 10.0, 2, copies_s=3.0, read_latency_s=0.5), 1, 14.5),
        (replace(DEVICE_BOUND, read_host_s=4.0), 1, 11.5),  # the host hands the read over while the device works
        (replace(HOST_BOUND, read_host_s=4.0), 1, 14.5),  # host 10 and 4, beside them the last operator's 1, then 0.5
        (replace(HOST_BOUND, copies_s=3.0, read_host_s=4.0), 2, 15.75),  # 3 + (11 + 14.5) / 2
    ],
)
def test_the_closed_form_gives_what_is_worked_out_by_hand(
    step: Step, read_interval: int | None, expected_s: float
) -> None:
    assert step_time_s(step, read_interval) == pytest.approx(expected_s)


def test_on_a_device_that_is_the_slower_one_a_long_wait_saves_almost_nothing() -> None:
    # the host stands 11 - 2 + 0.5 in the read, and would be only 1.5 faster without it
    assert wait_s(DEVICE_BOUND, 1) == pytest.approx(9.5)
    assert saving_s(DEVICE_BOUND, 1) == pytest.approx(1.5)


def test_on_a_host_that_is_the_slower_one_the_wait_is_the_saving() -> None:
    assert wait_s(HOST_BOUND, 1) == saving_s(HOST_BOUND, 1) == pytest.approx(1.5)


def test_a_read_after_a_blocking_copy_saves_its_latency_alone() -> None:
    """The wait moves to the next copy when the read goes."""
    step = Step(host_s=2.0, device_s=10.0, operators=2, copies_s=3.0, read_latency_s=0.5)

    assert saving_s(step, 1) == pytest.approx(0.5)
    assert wait_s(step, 1) == pytest.approx(9.5)


@pytest.mark.parametrize("read_interval", [None, 1, 2, 10])
@pytest.mark.parametrize("copies_s", [0.0, 0.7])
@pytest.mark.parametrize(("host_s", "device_s"), [(5.0, 1.0), (1.0, 5.0), (3.0, 3.0), (0.0, 2.0), (2.0, 0.0)])
@pytest.mark.parametrize("operators", [1, 7])
def test_the_closed_form_agrees_with_the_simulator(
    host_s: float, device_s: float, operators: int, copies_s: float, read_interval: int | None
) -> None:
    """The host's part of a read is longer than the device's last operators, or shorter."""
    step = Step(host_s, device_s, operators, copies_s, read_latency_s=0.25, read_host_s=0.6)
    few, many = 20, 220  # the difference leaves out how the pipeline fills and empties

    walls_s = [simulate(commands(step, steps, read_interval)).wall_s for steps in (few, many)]

    assert step_time_s(step, read_interval) == pytest.approx((walls_s[1] - walls_s[0]) / (many - few))

"""A host that enqueues and a device that works: what a step takes, and what removing a wait would save.

On an asynchronous device the host hands over an operator and goes on; the device works through them in order. A read of
the loss, and a copy that blocks, wait until the device has done everything before. Such a wait costs what it keeps from
overlapping, not its own length: when the device is the slower of the two, the host would have waited for it anyway.

`simulate` plays commands one by one and is the reference; `step_time_s` is the same in closed form for a step of equal
operators, and is what predictions use.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


class Command(NamedTuple):
    """One thing that the host does: it takes `host_s`, and hands `device_s` of work to the device.

    With a latency it then waits for all work handed over so far, and for the latency on top (seconds).
    """

    host_s: float
    device_s: float = 0.0
    latency_s: float | None = None


class Timeline(NamedTuple):
    """What came out: seconds until both were done, the host's waiting within (latencies aside), the device's work."""

    wall_s: float
    waited_s: float
    device_busy_s: float


def simulate(commands: Iterable[Command]) -> Timeline:
    """Play commands in order, beginning with both idle at time 0."""
    host_s = device_s = waited_s = busy_s = 0.0
    for command in commands:
        host_s += command.host_s
        if command.device_s > 0:
            device_s = max(device_s, host_s) + command.device_s
            busy_s += command.device_s
        if command.latency_s is not None:
            waited_s += max(0.0, device_s - host_s)
            host_s = max(host_s, device_s) + command.latency_s
    return Timeline(max(host_s, device_s), waited_s, busy_s)


@dataclass(frozen=True)
class Step:
    """One training step of equal operators on an asynchronous device; all times in seconds per step.

    `host_s` is what the host needs to enqueue it, `device_s` what the device needs to work it off, `copies_s` what
    copies that block take at its start, their latency included. A read takes the host `read_host_s`, beside what the
    device still has to do, and `read_latency_s` from when both are done; on an idle device it takes the two together.
    """

    host_s: float
    device_s: float
    operators: int
    copies_s: float = 0.0
    read_latency_s: float = 0.0
    read_host_s: float = 0.0


def commands(step: Step, steps: int, read_interval: int | None) -> Iterator[Command]:
    """Yield what the host does in so many steps; the loss is read after every `read_interval` steps, None for never."""
    part = Command(step.host_s / step.operators, step.device_s / step.operators)
    for number in range(1, steps + 1):
        if step.copies_s > 0:
            yield Command(0.0, step.copies_s, latency_s=0.0)
        yield from (part for _ in range(step.operators))
        if read_interval is not None and number % read_interval == 0:
            yield Command(step.read_host_s, latency_s=step.read_latency_s)


def drained_s(host_s: float, device_s: float, operators: float) -> float:
    """Return how long equal operators take from idle to idle.

    The device begins when the first is enqueued and has the last one left when the host is done: whoever is faster
    overlaps all but one operator's part of its time (the makespan of a two-machine flow shop with equal jobs).
    """
    return max(host_s + device_s / operators, host_s / operators + device_s)


def step_time_s(step: Step, read_interval: int | None) -> float:
    """Return the seconds of one step in a long run, averaged over a read interval; None stands for never.

    Without waits the slower of host and device sets the pace. Copies that block empty the device at every step, so
    that a read has nothing left to wait for and costs what it takes itself, beyond what overlaps with the device.
    """
    if read_interval is None:
        return _drained_s(step, 1) + step.copies_s if step.copies_s > 0 else max(step.host_s, step.device_s)
    if step.copies_s > 0:
        return step.copies_s + (_drained_s(step, 1) * (read_interval - 1) + _read_s(step, 1)) / read_interval
    return _read_s(step, read_interval) / read_interval


def _drained_s(step: Step, steps: int) -> float:
    return drained_s(steps * step.host_s, steps * step.device_s, steps * step.operators)


def _read_s(step: Step, steps: int) -> float:
    """Return how long so many steps and a read take from idle to idle."""
    return max(_drained_s(step, steps), steps * step.host_s + step.read_host_s) + step.read_latency_s


def wait_s(step: Step, read_interval: int) -> float:
    """Return how long the host stands in the read, in seconds per step: what a profiler shows on that line."""
    steps = 1 if step.copies_s > 0 else read_interval
    return (_read_s(step, steps) - steps * step.host_s) / read_interval


def saving_s(step: Step, read_interval: int) -> float:
    """Return what never reading would save, in seconds per step: the lost overlap and what the read takes itself."""
    return step_time_s(step, read_interval) - step_time_s(step, None)

"""Flags: what is seen beside the rounds, and what is let pass."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil
import pytest

from fixtures.noise import Evidence, drifting, flags
from fixtures.watch import CpuTimes, Watch, own_cpu_s
from tests.measuring.quiet_recording import recorded

if TYPE_CHECKING:
    from fixtures.gpu import Readings

QUIET = Evidence(
    rounds_s=[1.0, 1.01, 0.99, 1.0, 1.02, 1.0, 0.99, 1.01, 1.0, 1.0],
    threads=1,
    cores=2,
    cpu_time_ratio=0.99,
    other_cores=0.05,
    stolen_share=0.0,
    control_ratio=1.05,
)
ALL_CORES = replace(QUIET, threads=2, cpu_time_ratio=1.9)
ON_GPU = replace(QUIET, threads=2, on_accelerator=True, cpu_time_ratio=0.4)


def gpu(*reasons: str, others: int | None = 0) -> Readings:
    return {
        "sm_clock_mhz": 1980,
        "max_sm_clock_mhz": 1980,
        "temperature_c": 40,
        "throttle_reasons": reasons,
        "power_w": 200.0,
        "other_processes": others,
    }


@pytest.mark.parametrize(
    ("evidence", "flagged"),
    [
        (QUIET, []),
        (replace(QUIET, cpu_time_ratio=0.89), ["contended"]),
        (replace(QUIET, cpu_time_ratio=None, other_cores=None, stolen_share=None, control_ratio=None), []),
        (replace(QUIET, other_cores=1.2), []),  # a neighbour on the other core leaves ours alone
        (replace(QUIET, other_cores=1.3), ["contended"]),
        (replace(QUIET, stolen_share=0.06), ["contended"]),
        (replace(QUIET, control_ratio=1.4), []),
        (replace(QUIET, control_ratio=1.6), ["contended"]),
        (ALL_CORES, []),
        (replace(ALL_CORES, cpu_time_ratio=1.0), []),  # small steps need not fill all cores
        (replace(ALL_CORES, other_cores=0.3), ["contended"]),
        (ON_GPU, []),
        (replace(ON_GPU, gpu=[gpu("idle"), gpu("clocks-set-by-user")]), []),
        (replace(ON_GPU, gpu=[gpu("software-power-cap"), gpu("software-power-cap"), gpu()]), ["throttled"]),
        (replace(ON_GPU, gpu=[gpu("software-power-cap"), gpu(), gpu()]), []),
        (replace(ON_GPU, gpu=[gpu(others=1)]), ["contended"]),
        (replace(ON_GPU, gpu=[gpu(others=None)]), []),
        (replace(QUIET, enough_rounds=False), ["too-few-rounds"]),
        (replace(QUIET, rounds_s=[1 + 0.02 * i for i in range(10)]), ["drifting"]),
        (
            replace(QUIET, rounds_s=[1 + 0.02 * i for i in range(10)], cpu_time_ratio=0.5, enough_rounds=False),
            ["contended", "drifting", "too-few-rounds"],
        ),
    ],
)
def test_flags_name_what_makes_a_time_less_believable(evidence: Evidence, flagged: list[str]) -> None:
    assert flags(evidence) == flagged


@pytest.mark.parametrize(
    ("rounds_s", "drifts"),
    [
        ([1 + 0.02 * i for i in range(12)], True),  # 16 % between the medians of the outer thirds
        ([1.24 - 0.02 * i for i in range(12)], True),  # faster is a drift too
        ([1 + 0.009 * i for i in range(12)], False),  # 7 %: a trend, but a small one
        ([1.0, 1.1] * 6, False),  # scatter without a trend
        ([1.0] * 11 + [9.0], False),  # one spike
        ([1.0, 2.0], False),  # too few to say
        ([], False),
        ([0.0] * 9, False),
    ],
)
def test_a_drift_is_a_large_and_significant_trend(rounds_s: list[float], drifts: bool) -> None:
    assert drifting(rounds_s) is drifts


def test_neighbours_are_what_the_system_did_beyond_this_process() -> None:
    """Over 2 s the system was busy for 3.5 s, this process for 1.9 s: others kept 0.8 cores busy."""
    watch = Watch()
    watch.start = CpuTimes(wall_s=10.0, own_s=1.0, all_s=100.0, stolen_s=0.0)
    watch.end = CpuTimes(wall_s=12.0, own_s=2.9, all_s=103.5, stolen_s=0.0)

    assert watch.other_cores() == pytest.approx(0.8)
    assert watch.stolen_share() == 0.0


def test_what_children_used_is_the_cases_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """2 s of this process, 0.5 s and 0.25 s of children that have ended, 3 s and 1 s of one that has not."""

    class Alive:
        def cpu_times(self) -> SimpleNamespace:
            return SimpleNamespace(user=3.0, system=1.0)

    class Gone:
        def cpu_times(self) -> SimpleNamespace:
            raise psutil.NoSuchProcess(1)

    monkeypatch.setattr("time.process_time", lambda: 2.0)
    monkeypatch.setattr("os.times", lambda: SimpleNamespace(children_user=0.5, children_system=0.25))
    monkeypatch.setattr(psutil.Process, "children", lambda self, recursive: [Alive(), Gone()])

    assert own_cpu_s() == 6.75


def test_stolen_time_is_a_share_of_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    watch = Watch()
    watch.start = CpuTimes(wall_s=10.0, own_s=0.0, all_s=0.0, stolen_s=5.0)
    watch.end = CpuTimes(wall_s=12.0, own_s=0.0, all_s=0.0, stolen_s=5.8)

    assert watch.stolen_share() == pytest.approx(0.1)  # 0.8 s of 2 s on 4 cores


def test_a_window_too_short_for_the_systems_ticks_says_nothing() -> None:
    watch = Watch()
    watch.start = CpuTimes(wall_s=10.0, own_s=0.0, all_s=0.0, stolen_s=0.0)
    watch.end = CpuTimes(wall_s=10.2, own_s=0.0, all_s=9.0, stolen_s=9.0)

    assert (watch.other_cores(), watch.stolen_share()) == (None, None)


def test_a_watch_without_rounds_has_no_ratio() -> None:
    assert Watch().cpu_time_ratio() is None


def test_fresh_memory_is_told_by_the_page_faults_of_the_rounds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rounds of two calls fault 10, 30 and 20 pages of 4096 bytes; what happens between them does not count."""
    faults = iter([5, 15, 100, 130, 200, 220, 300])  # at the beginning, then after and before each round
    monkeypatch.setattr("fixtures.watch.page_faults", lambda: next(faults))
    monkeypatch.setattr("fixtures.watch.mmap.PAGESIZE", 4096)
    watch = Watch()

    watch.begin(calls=2)
    for _ in range(3):
        watch.round_over()

    assert watch.fresh_bytes() == 20 * 4096 / 2


def test_where_page_faults_are_not_counted_fresh_memory_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fixtures.watch.resource", None)
    watch = Watch()
    watch.begin()
    watch.round_over()

    assert watch.fresh_bytes() is None


def test_the_gpu_is_read_between_rounds_but_not_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = iter([1.0, 1.0, 1.01, 1.01, 1.2, 1.2, 1.3])
    monkeypatch.setattr("fixtures.watch.time.perf_counter", lambda: next(now_s))
    watch = Watch(read_gpu=gpu, start=CpuTimes(0.0, 0.0, 0.0, 0.0))

    for _ in range(3):
        watch.round_over()

    assert len(watch.gpu) == 2  # after the rounds ending at 1.0 s and 1.2 s, not at 1.01 s


def test_quiet_cases_are_rarely_flagged() -> None:
    """Recorded on a two-core virtual machine with nothing else running: at most one case in twenty is flagged."""
    cases = recorded()

    flagged = {name: found for name, evidence in cases.items() if (found := flags(evidence))}

    assert len(cases) >= 100
    assert len(flagged) <= 0.05 * len(cases), flagged

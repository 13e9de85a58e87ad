"""Timing: how many rounds, what is inside the clock, and what a way out other than success leaves behind."""

from __future__ import annotations

import gc
import math
from dataclasses import replace

import pytest

from fixtures.options import Budget
from fixtures.timing import Plan, no_garbage_collection, plan

DEFAULT = Budget(rounds_s=1.0, limit_s=300.0, smoke=False)


@pytest.mark.parametrize(
    ("round_time_s", "budget", "planned"),
    [
        (0.05, DEFAULT, Plan(20, 200, "budget")),
        (0.1, DEFAULT, Plan(10, 200, "budget")),
        (0.3, DEFAULT, Plan(10, 200, "least-rounds")),
        (1.5, DEFAULT, Plan(10, 200, "least-rounds")),  # 15 times the budget is just enough for 10
        (2.0, DEFAULT, Plan(7, 200, "hard-limit")),
        (100.0, DEFAULT, Plan(1, 200, "hard-limit")),
        (1e-6, DEFAULT, Plan(1000, 200, "most-rounds")),
        (0.0, DEFAULT, Plan(1000, 200, "most-rounds")),
        (math.ulp(0.0), DEFAULT, Plan(1000, 200, "most-rounds")),
        (2.0, Budget(rounds_s=30.0, limit_s=300.0, smoke=False), Plan(15, 200, "budget")),
        (100.0, Budget(rounds_s=1.0, limit_s=10.0, smoke=True), Plan(1, 200, "smoke")),
        # A budget beyond the limit: rounds are to end within nine tenths of it, 270 s.
        (1.0, Budget(rounds_s=400.0, limit_s=300.0, smoke=False), Plan(270, 200, "hard-limit")),
        (60.0, Budget(rounds_s=30.0, limit_s=300.0, smoke=False), Plan(4, 200, "hard-limit")),
    ],
)
def test_rounds_fit_the_budget_and_are_never_dropped(round_time_s: float, budget: Budget, planned: Plan) -> None:
    assert plan(200, round_time_s, budget) == planned


@pytest.mark.parametrize(("round_time_s", "spent_s"), [(400.0, 1.0), (200.0, 201.0)])
def test_a_round_longer_than_what_is_left_of_the_limit_is_timed_out_before_it_starts(
    round_time_s: float, spent_s: float
) -> None:
    said = rf"timed-out: one round of 200 would take {round_time_s:.0f} s, over the limit of 300 s \(--case-timeout\), "

    with pytest.raises(pytest.fail.Exception, match=f"{said}{spent_s:.0f} s of it spent"):
        plan(200, round_time_s, replace(DEFAULT, spent_s=spent_s))


def test_what_was_spent_before_the_rounds_is_not_left_for_them() -> None:
    """60 s of warming up leave 240 s, nine tenths of which hold 3 rounds of 60 s."""
    budget = Budget(rounds_s=30.0, limit_s=300.0, smoke=False, spent_s=60.0)

    assert plan(200, 60.0, budget) == Plan(3, 200, "hard-limit")


def test_garbage_is_collected_before_a_block_and_left_alone_in_it() -> None:
    assert gc.isenabled()
    with no_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


TINY = """
    import pytest
    from fixtures.timing import Plan, timed_rounds
    from fixtures.watch import Watch


    class PretendDevice:
        '''Queues work; only its synchronized clock lets it happen. Submitting costs the host 1 microsecond.'''

        def __init__(self):
            self.now_s, self.queued_s = 0.0, 0.0

        def submit(self, work_s):
            self.now_s += 1e-6
            self.queued_s += work_s

        def host_clock(self):
            return self.now_s

        def synchronized_clock(self):
            self.now_s, self.queued_s = self.now_s + self.queued_s, 0.0
            return self.now_s


    DEVICE = PretendDevice()


    def rounds_of(benchmark, leftover_s):
        DEVICE.submit(leftover_s)
        timed_rounds(benchmark, lambda: DEVICE.submit(0.002), Plan(10, 4, "budget"))
        return benchmark.stats.stats.data
"""


def run_tiny(pytester: pytest.Pytester, body: str) -> pytest.RunResult:
    pytester.makepyfile(TINY + body)
    return pytester.runpytest_inprocess("-p", "fixtures.timing", "-p", "no:cacheprovider", "--benchmark-quiet")


def test_queued_work_is_waited_for_at_both_ends_of_a_round(pytester: pytest.Pytester) -> None:
    result = run_tiny(
        pytester,
        """
    @pytest.mark.benchmark(timer=DEVICE.synchronized_clock)
    def test_case(benchmark):
        assert rounds_of(benchmark, leftover_s=5.0) == pytest.approx([0.002001] * 10)
""",
    )

    result.assert_outcomes(passed=1)


def test_a_clock_that_does_not_wait_would_miss_the_work(pytester: pytest.Pytester) -> None:
    """The check above can fail: without synchronizing, only the host's microsecond is seen."""
    result = run_tiny(
        pytester,
        """
    @pytest.mark.benchmark(timer=DEVICE.host_clock)
    def test_case(benchmark):
        assert rounds_of(benchmark, leftover_s=5.0) == pytest.approx([1e-6] * 10)
""",
    )

    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "way_out", ["pytest.skip('no')", "pytest.fail('no')", "raise KeyboardInterrupt", "raise OSError"]
)
def test_every_way_out_of_the_target_marks_the_benchmark_as_failed(pytester: pytest.Pytester, way_out: str) -> None:
    result = run_tiny(
        pytester,
        f"""
    def leave():
        {way_out}

    def test_case(benchmark):
        with pytest.raises(BaseException):
            timed_rounds(benchmark, leave, Plan(10, 4, "budget"))
        assert benchmark.has_error
""",
    )

    result.assert_outcomes(passed=1)


def test_the_cpu_time_of_every_round_is_read_but_not_of_the_extra_step(pytester: pytest.Pytester) -> None:
    result = run_tiny(
        pytester,
        """
    import itertools
    import time

    @pytest.mark.parametrize("iterations", [1, 3])
    def test_case(benchmark, iterations, monkeypatch):
        # Between two looks at its clock the process uses 3 s; the wall has gone on by 4 s.
        monkeypatch.setattr(time, "process_time", itertools.count(step=3.0).__next__)
        monkeypatch.setattr(time, "perf_counter", itertools.count(step=4.0).__next__)
        watch = Watch()
        rounds_s = timed_rounds(benchmark, list, Plan(10, iterations, "budget"), watch)
        monkeypatch.undo()
        assert rounds_s == benchmark.stats.stats.data
        assert len(rounds_s) == 10
        assert watch.cpu_time_ratios == [0.75] * 10
""",
    )

    result.assert_outcomes(passed=2)

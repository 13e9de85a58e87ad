"""What measuring costs: a step timed by this suite against the same step in a bare loop, block by block in turn.

In seconds per step; `extra_info.harness` holds the ratios, suite over bare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.axes import over_harnessed_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from fixtures.harness import MeasureHarness


@over_harnessed_work
def bench_harness(harnessed_step: Callable[[], object], measure_harness: MeasureHarness) -> None:
    """The iris step, and a step that does nothing."""
    measure_harness(harnessed_step)

"""What parts of a step cost, and what cures it: the same step with one thing changed, in seconds per step.

The table shows the plain way; `extra_info.variants` holds every other as a paired ratio to it, measured in turn in the
same process and proven to do the same work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.axes import over_overheads

if TYPE_CHECKING:
    from fixtures.ablations import MeasureAblation
    from fixtures.ways import Ablation


@over_overheads
def bench_overhead(ablation: Ablation, measure_ablation: MeasureAblation) -> None:
    """One question about one training step."""
    measure_ablation(ablation)

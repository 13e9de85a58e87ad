"""Training on several devices: device x ranks x network x scaling, and the all-reduce that it rests on.

In seconds per step and per reduction, by the slowest rank; `extra_info.distributed` holds efficiency and bandwidth.
Nightly, or by `-m nightly`: every case starts its ranks anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.axes import over_distributed_trainings, over_message_sizes, over_rank_devices, over_world_sizes

if TYPE_CHECKING:
    from fixtures.distributed import MeasureRanks, Ranks


@pytest.mark.nightly
@over_distributed_trainings
@over_world_sizes
@over_rank_devices
def bench_distributed_training(ranks: Ranks, measure_distributed_training: MeasureRanks) -> None:
    """One optimizer step with DistributedDataParallel."""
    measure_distributed_training(ranks)


@pytest.mark.nightly
@over_message_sizes
@over_world_sizes
@over_rank_devices
def bench_all_reduce(ranks: Ranks, measure_all_reduce: MeasureRanks) -> None:
    """One sum of a message over all ranks."""
    measure_all_reduce(ranks)

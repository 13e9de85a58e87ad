"""Training steps one at a time: device x model x batch size, the device waited for at every step.

What one step takes from start to end, in seconds; `bench_training` measures steps that may overlap. The two are kept
apart, since waiting costs time of its own. Nightly, or by `-m nightly`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.axes import over_devices, over_models

if TYPE_CHECKING:
    from fixtures.measuring import MeasureSteps
    from training.run import TrainingRun


@pytest.mark.nightly
@over_models
@over_devices
def bench_step_latency(training_run: TrainingRun, measure_latency: MeasureSteps) -> None:
    """One optimizer step, never reading the loss."""
    measure_latency(training_run)

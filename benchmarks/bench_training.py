"""Training steps: device x model x batch size x log interval, in seconds per step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.axes import over_devices, over_trainings

if TYPE_CHECKING:
    from fixtures.measuring import MeasureSteps
    from training.run import TrainingRun


@over_trainings
@over_devices
def bench_training(training_run: TrainingRun, measure_steps: MeasureSteps) -> None:
    """One optimizer step, the loss read back at the log interval."""
    measure_steps(training_run)

"""What calling costs: a model through `__call__` and through `forward`, callable objects and plain functions.

In seconds per call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.axes import over_callables, over_devices, over_hooks, over_ways_to_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from fixtures.calls import MeasureCalls


@over_hooks
@over_ways_to_call
@over_devices
def bench_model_call(model_call: Callable[[], object], measure_calls: MeasureCalls) -> None:
    """The iris MLP applied to its full batch, without gradients being used."""
    measure_calls(model_call, calls=500)


@over_callables
def bench_counter(counter: Callable[[], int], measure_calls: MeasureCalls) -> None:
    """Counting calls: an object without arguments against a function."""
    measure_calls(counter, calls=200_000)


@over_callables
def bench_adder(addition: Callable[[], float], measure_calls: MeasureCalls) -> None:
    """Adding two numbers: an object with two arguments against a function."""
    measure_calls(addition, calls=200_000)

"""Machine primitives: what the smallest operations cost here, in seconds per operation.

Dispatching, launching, reading, copying, memory, arithmetic and layers; `extra_info.primitive` says what one operation
moves or computes, so that its amount over the median time is a rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.axes import over_devices, over_primitives

if TYPE_CHECKING:
    from fixtures.primitives import MeasurePrimitive, Prepared


@over_primitives
def bench_primitive(prepared_primitive: Prepared, measure_primitive: MeasurePrimitive) -> None:
    """One operation on one device."""
    measure_primitive(prepared_primitive)


@pytest.mark.nightly
@over_devices
def bench_sustained(heavy_product: Prepared, measure_sustained: MeasurePrimitive) -> None:
    """One heavy product for two minutes: where clocks and speed settle. Nightly."""
    measure_sustained(heavy_product)

"""The batch size at which the GPU overtakes, on made data with a known crossing."""

import math

import pandas as pd
import pytest

from reports.why.crossover import crossovers, passing


def compared(speed_ups: dict[int, float], spread: float = 1.1) -> pd.DataFrame:
    rows = [("mlp", "never", size, one, one / spread, one * spread) for size, one in speed_ups.items()]
    return pd.DataFrame(
        rows, columns=["model", "log_interval", "batch_size", "speed_up", "speed_up_low", "speed_up_high"]
    )


@pytest.mark.parametrize(
    ("speed_ups", "expected"),
    [
        ([0.5, 2.0], 32.0),  # half way in the logarithm between 16 and 64
        ([0.25, 2.0], 16 * 4 ** (2 / 3)),
        ([1.0, 2.0], 16.0),
        ([2.0, 4.0], 0.0),
        ([0.5, 0.9], math.inf),
        ([0.5, 1.0], math.inf),
    ],
)
def test_the_crossing_lies_on_a_straight_log_log_line(speed_ups: list[float], expected: float) -> None:
    assert passing([16.0, 64.0], speed_ups) == pytest.approx(expected)


def test_a_gpu_that_falls_behind_again_has_not_overtaken_yet() -> None:
    assert passing([1, 4, 16, 64], [0.5, 2.0, 0.5, 2.0]) == pytest.approx(32.0)


def test_a_law_with_a_known_crossing_is_found_with_its_interval() -> None:
    # the speed-up is batch / 100, known to a factor of 1.25: it passes 1 at 100, its edges at 80 and 125
    found = crossovers(compared({size: size / 100 for size in (16, 32, 128, 512)}, spread=1.25))

    (row,) = found.to_dict("records")
    assert row["crossover"] == pytest.approx(100)
    assert row["low"] == pytest.approx(80)
    assert row["high"] == pytest.approx(125)
    assert (row["smallest"], row["largest"]) == (16, 512)


def test_an_edge_beyond_the_sizes_measured_leaves_the_interval_open() -> None:
    (row,) = crossovers(compared({16: 0.95, 64: 1.05})).to_dict("records")

    assert row["low"] == 0
    assert row["high"] == math.inf


def test_an_unknown_interval_stays_unknown() -> None:
    (row,) = crossovers(compared({16: 0.5, 64: 2.0}, spread=math.nan)).to_dict("records")

    assert row["crossover"] == pytest.approx(32)
    assert math.isnan(row["low"])


def test_one_batch_size_tells_no_crossing() -> None:
    assert crossovers(compared({16: 0.5})).empty


def test_sizes_may_come_in_any_order_and_without_a_gpu() -> None:
    frame = pd.concat([compared({64: 2.0, 16: 0.5}), compared({32: math.nan})])

    assert crossovers(frame)["crossover"].iloc[0] == pytest.approx(32)

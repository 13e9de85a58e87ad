"""The cost of a read per device and model, from steps with a known cost and from noise."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from reports.why.read_cost import read_cost

US = 1e-6


def steps(times_s: Mapping[tuple[int, Any], float], **fields: Any) -> pd.DataFrame:  # noqa: ANN401
    """Return cases by batch size and log interval; their rounds scatter not at all unless `iqr_s` is given."""
    cases = [{"batch_size": size, "log_interval": log, "median_s": one} for (size, log), one in times_s.items()]
    known = {"device": "cpu", "model": "mlp", "iqr_s": 0.0, "rounds": 16, **fields}
    return pd.DataFrame([known | case for case in cases])


def only_row(*frames: pd.DataFrame) -> dict[Any, Any]:
    (row,) = read_cost(pd.concat(frames)).to_dict("records")
    return row


def test_a_cost_that_is_the_same_everywhere_is_found_exactly() -> None:
    times_s = {(size, log): size * 10 * US + (0 if log == "never" else 20 * US / float(log))
               for size in (16, 32) for log in (1, 10, "never")}  # fmt: skip

    row = only_row(steps(times_s))

    assert row["cost_s"] == pytest.approx(20 * US)
    assert row["low_s"] == pytest.approx(20 * US)
    assert row["is_detected"]
    assert row["share"] == pytest.approx(20 / 160)
    assert (row["cases"], row["batch_sizes"]) == (6, 2)


def test_the_interval_is_students_t_on_what_the_fit_leaves() -> None:
    """Four cases at one batch size: reads per step 1, 1, 0, 0; times 112, 108, 102, 98 µs; t(2) = 4.3027."""
    row = only_row(steps({(1, 1): 112 * US, (1, "never"): 102 * US}), steps({(1, 1): 108 * US, (1, "never"): 98 * US}))

    # slope 10 µs; residuals 2, -2, 2, -2 µs; deviation sqrt(16 / 2) = 2.828 µs over sqrt(Σ z²) = 1
    assert row["cost_s"] == pytest.approx(10 * US)
    assert row["high_s"] - row["cost_s"] == pytest.approx(4.3027 * math.sqrt(8) * US, rel=1e-4)
    assert not row["is_detected"]


def test_noise_between_the_cases_is_no_cost_however_still_their_rounds() -> None:
    times_us = {(16, 1): 222, (16, 10): 408, (16, 200): 479, (16, "never"): 509, (32, 1): 486, (32, 10): 475,
                (32, 200): 480, (32, "never"): 450, (120, 1): 521, (120, 10): 529, (120, 200): 535,
                (120, "never"): 552}  # fmt: skip

    row = only_row(steps({case: time * US for case, time in times_us.items()}))

    assert row["cost_s"] < 0
    assert not row["is_detected"]


def test_a_negative_cost_is_never_detected_however_narrow_its_interval() -> None:
    times_s = {(size, log): size * 10 * US - (5 * US if log == 1 else 0)
               for size in (16, 32, 64) for log in (1, 1000, "never")}  # fmt: skip

    row = only_row(steps(times_s))

    assert row["high_s"] < 0
    assert not row["is_detected"]


def test_two_cases_alone_rest_on_their_rounds() -> None:
    # z = 1/2 and -1/2 reads: the rounds' errors of 4 / sqrt(16) = 1 µs each make 2 x sqrt(2) µs
    row = only_row(steps({(1, 1): 110 * US, (1, "never"): 100 * US}, iqr_s=4 * US))

    assert row["cost_s"] == pytest.approx(10 * US)
    assert row["high_s"] - row["cost_s"] == pytest.approx(2 * math.sqrt(2) * US)
    assert row["is_detected"]


def test_two_cases_whose_rounds_tell_nothing_tell_no_cost() -> None:
    row = only_row(steps({(1, 1): 110 * US, (1, "never"): 100 * US}, iqr_s=math.nan))

    assert row["high_s"] == math.inf
    assert not row["is_detected"]


def test_a_model_with_few_cases_is_judged_by_the_scatter_of_its_device() -> None:
    noisy = {(8, 1): 130 * US, (8, 2): 80 * US, (8, 4): 120 * US, (8, 8): 90 * US, (8, "never"): 100 * US}
    frame = pd.concat([steps(noisy, model="noisy"), steps({(8, 1): 110 * US, (8, "never"): 100 * US})])

    (row,) = [row for row in read_cost(frame).to_dict("records") if row["model"] == "mlp"]

    assert not row["is_detected"]
    assert row["high_s"] > 30 * US


@pytest.mark.parametrize("times_s", [{(8, 1): 1.0, (16, "never"): 1.0}, {(8, "never"): 1.0, (16, "never"): 1.0}])
def test_without_a_pair_at_one_batch_size_there_is_no_cost(times_s: dict[tuple[int, int | str], float]) -> None:
    assert read_cost(steps(times_s)).empty

"""Predictions of cases that nothing was fitted on."""

from typing import Any

import pandas as pd
import pytest

from reports.why.explanation import explain
from reports.why.facts import facts
from reports.why.prediction import accuracy, operator_scale, scales_for
from reports.why.primitives import machine_of, primitives
from tests.reports.why.made_cases import US, accelerator, frame, layers, processor, training


def predicted(*cases: dict[str, Any]) -> pd.DataFrame:
    return explain(frame(*cases)).predictions.set_index(["model", "batch_size"])


def step_s(operators: int, flops: float, *, scale: float = 1.0, slower: float = 1.0, parameters: int = 100) -> float:
    """Return a step of the made processor, whose operators and arithmetic take so many times their bare cost."""
    return operators * 2 * US * scale + flops / 1e11 * slower + parameters * 24 / 1e10


def test_counts_alone_predict_a_processor_that_does_nothing_else() -> None:
    found = predicted(*processor(), training("cpu", 1.0, operators=40, flops=1e7, parameters=10**6))

    assert found["counts alone"].iloc[0] == pytest.approx(80 * US + 100 * US + 2400 * US)


IMAGES: dict[str, Any] = {
    "operators": 40,
    "flops": 3e7,
    "flops_by_kind": {"convolution": 2e7, "matmul": 1e7},
    "bytes_by_kind": {"pooling": 300_000, "convolution_weights": 400_000, "other": 2_000_000},
    "fresh_bytes": 100_000,
}
"""80 µs of operators, 100 + 400 of arithmetic, 300 of pooling, 100 of weights, 200 of traffic, 50 of fresh memory."""


def test_counts_alone_predict_layers_at_their_own_rates() -> None:
    found = predicted(*processor(), *layers(), training("cpu", 1.0, model="cnn", **IMAGES))

    assert found["counts alone"].iloc[0] == pytest.approx((80 + 100 + 400 + 300 + 100 + 200 + 50) * US)


def test_without_primitives_of_layers_they_run_at_the_rates_there_are() -> None:
    """All arithmetic at 100 GFLOP/s, all bytes at 10 GB/s, and fresh memory for nothing."""
    found = predicted(*processor(), training("cpu", 1.0, model="cnn", **IMAGES))

    assert found["counts alone"].iloc[0] == pytest.approx((80 + 300 + 270) * US)


def test_a_file_without_counted_bytes_is_predicted_as_before_whatever_is_measured() -> None:
    """Products alone, and 24 bytes a parameter."""
    old = training("cpu", 1.0, operators=40, flops=1e7, parameters=10**6)
    newer = [*processor(), *layers()]

    assert predicted(*newer, old)["counts alone"].iloc[0] == pytest.approx(80 * US + 100 * US + 2400 * US)
    assert predicted(*processor(), old)["counts alone"].iloc[0] == pytest.approx(80 * US + 100 * US + 2400 * US)


def test_on_an_accelerator_layers_are_the_devices_work_and_fresh_memory_the_hosts() -> None:
    # 10 operators: 50 µs on the host; 10 MFLOP at 10 TFLOP/s, 20 at 50 GFLOP/s, 300 µs and 100 as above, 2 MB at 1 TB/s
    case = training("cuda", 1.0, model="cnn", **IMAGES | {"operators": 10})

    found = predicted(*accelerator(), *layers("cuda"), case)

    assert found["counts alone"].iloc[0] == pytest.approx((1 + 400 + 300 + 100 + 2) * US)


def test_arithmetic_that_is_a_small_part_of_its_step_tells_no_scale() -> None:
    """At 100 µs of 500 an error of the rest would be taken for slow arithmetic; at 200 of 500 it is told."""
    cases = [
        training("cpu", 500 * US, model="cnn", batch_size=size, operators=10, flops=flops)
        for size, flops in ((8, 1e7), (32, 2e7))
    ]
    found = facts(frame(*cases))
    machine = machine_of(primitives(frame(*processor())), "cpu")

    assert scales_for(found[1], found, machine).arithmetic == 1.0
    # 500 µs are 20 of operators, 0.24 of traffic, and 479.76 of arithmetic that would be 200
    assert scales_for(found[0], found, machine).arithmetic == pytest.approx(479.76 / 200)


def test_fresh_memory_is_the_median_over_launches_as_the_time_is() -> None:
    launches = [training("cpu", 1.0, operators=40, flops=1e7, fresh_bytes=size) for size in (0, 200_000, 100_000)]

    found = predicted(*processor(), *layers(), *launches, training("cpu", 1.0, model="other"))

    assert found.loc[("mlp", 32), "counts alone"] == pytest.approx((80 + 100 + 50 + 0.24) * US)


def test_one_reference_tells_what_an_operator_of_training_costs() -> None:
    cases = [
        training("cpu", step_s(40, 1e3, scale=5), operators=40, flops=1e3),
        training("cpu", step_s(600, 1e8, scale=5), model="vit", operators=600, flops=1e8),
    ]
    found = predicted(*processor(), *cases)

    assert found.loc[("vit", 32), "one scale"] == pytest.approx(step_s(600, 1e8, scale=5))
    assert found.loc[("vit", 32), "counts alone"] == pytest.approx(step_s(600, 1e8))


def test_another_batch_size_tells_how_far_below_the_ceiling_a_model_computes() -> None:
    cases = [
        training("cpu", step_s(40, 1e3, scale=5), operators=40, flops=1e3),
        training("cpu", step_s(100, 1e9, scale=5, slower=3), model="cnn", batch_size=8, operators=100, flops=1e9),
        training("cpu", step_s(100, 4e9, scale=5, slower=3), model="cnn", batch_size=32, operators=100, flops=4e9),
    ]

    found = predicted(*processor(), *cases)

    assert found.loc[("cnn", 32), "two scales"] == pytest.approx(cases[2]["median_s"])
    assert found.loc[("cnn", 8), "two scales"] == pytest.approx(cases[1]["median_s"])


def test_a_case_is_never_fitted_on_its_own_setting() -> None:
    """Other log intervals of the same model and batch size are the same setting."""
    own = [training("cpu", 0.001, log=log) for log in (1, 10, "never")]
    found = facts(frame(*own))

    scales = scales_for(found[0], found, machine_of(primitives(frame(*processor())), "cpu"))

    assert (scales.operators, scales.arithmetic) == (1.0, 1.0)


def test_a_reference_that_computes_more_than_it_dispatches_tells_nothing_of_operators() -> None:
    found = facts(frame(training("cpu", 0.1, flops=1e9)))

    assert operator_scale(found, machine_of(primitives(frame(*processor())), "cpu")) == 1.0


def test_an_accelerator_is_predicted_with_its_overlap() -> None:
    # 100 operators x 5 µs on the host beside 1 GFLOP / 10 TFLOP/s on the device; reading adds 1 µs of it and 20 µs
    cases = [training("cuda", 1.0, log=log, operators=100, flops=1e9, batch_size=size)
             for size, log in ((8, "never"), (16, 1))]  # fmt: skip

    found = predicted(*accelerator(), *cases)["counts alone"]

    assert found[("mlp", 8)] == pytest.approx(500 * US)
    assert found[("mlp", 16)] == pytest.approx(521 * US, rel=1e-4)


def test_accuracy_counts_what_is_within_a_quarter() -> None:
    errors = {"counts alone": [0.5, 1.25, 0.7, 1.0], "one scale": [1.0] * 4, "two scales": [1.0] * 4}
    frame_of_errors = pd.DataFrame({"device": "cpu", "step_time_s": 1.0, **errors})

    table = accuracy(frame_of_errors).set_index("method")

    assert table.loc["counts alone", "near_share"] == pytest.approx(0.5)
    assert table.loc["counts alone", "error"] == pytest.approx(0.275)
    assert table.loc["two scales", "near_share"] == 1.0


def test_cases_without_counts_are_no_part_of_the_accuracy() -> None:
    cases = frame(*processor(), training("cpu", 100 * US), training("cpu", 1.0, model="odd", counts=None))

    assert set(accuracy(explain(cases).predictions)["cases"]) == {1}

"""Shares, cause and cure of steps that were made from known costs."""

import math
from typing import Any

import pytest

from reports.why.explanation import explain
from reports.why.shares import SHARE_TITLES
from tests.reports.why.made_cases import US, ablation, accelerator, frame, layers, primitive, processor, training


def explained(*cases: dict[str, Any]) -> dict[Any, Any]:
    """Return the explanation of the first training case by name among these."""
    return explain(frame(*cases)).explanations.iloc[0].to_dict()


def test_a_processor_does_one_thing_after_the_other() -> None:
    # 40 operators x 2 µs, a read of 1 µs, 1 MFLOP at 100 GFLOP/s, 2,400 bytes at 10 GB/s, of 200 µs
    row = explained(*processor(), training("cpu", 200 * US, log=1))

    assert row["operators"] == pytest.approx(0.4)
    assert row["reads"] == pytest.approx(0.005)
    assert row["arithmetic"] == pytest.approx(0.05)
    assert row["traffic"] == pytest.approx(0.0012)
    assert (row["copies"], row["around"], row["below_ceiling"]) == (0, 0, 0)
    assert row["unexplained"] == pytest.approx(1 - 0.4 - 0.005 - 0.05 - 0.0012)


def test_what_overlaps_on_an_accelerator_is_no_share_of_the_step() -> None:
    # the host needs 40 x 5 = 200 µs, the device 1 GFLOP / 10 TFLOP/s = 100 µs beside it
    row = explained(*accelerator(), training("cuda", 250 * US, flops=1e9))

    assert row["operators"] == pytest.approx(0.8)
    assert row["arithmetic"] == row["traffic"] == 0
    assert row["unexplained"] == pytest.approx(0.2)
    assert row["cause"] == "launch-bound"


def test_the_device_is_the_step_where_it_is_the_slower_one() -> None:
    # 4 GFLOP: 400 µs on the device, 200 on the host
    row = explained(*accelerator(), training("cuda", 500 * US, flops=4e9))

    assert (row["operators"], row["arithmetic"]) == (0, pytest.approx(0.8))
    assert row["cause"] == "compute-bound"


def test_a_read_counts_as_its_latency_and_the_overlap_it_costs() -> None:
    # 400 µs on the device; the read adds its 20 µs and one operator's 5 µs on the host
    row = explained(*accelerator(), training("cuda", 500 * US, flops=4e9, log=1))

    assert row["reads"] == pytest.approx(25 / 500, rel=1e-3)


@pytest.mark.parametrize(
    ("flops", "reads_s"),
    [
        # 400 µs on the device, 200 on the host: the end of the read, 15 µs, and one launch of 5
        (4e9, 20 * US),
        # 50 µs on the device: the host's 5 µs of the read cover the last operator's 1.25 there; 15 µs more
        (5e8, 20 * US),
        # 250 and 200 µs: the last 6.25 µs of the device's work end after the host's 5 µs; the device is the slower one
        (2.5e9, 20 * US),
    ],
)
def test_what_a_read_hands_over_costs_nothing_while_the_device_is_busy(flops: float, reads_s: float) -> None:
    busy = primitive("cuda", "read-busy", 150 * US, without_read_s=130 * US)

    row = explained(*accelerator(), busy, training("cuda", 500 * US, flops=flops, log=1))

    assert row["reads"] == pytest.approx(reads_s / (500 * US), rel=1e-3)


def test_blocking_copies_cost_their_time_and_the_overlap() -> None:
    # 2 copies of 1 MB in all: 20 + 100 µs, and one operator's 2.5 µs on the device that no longer overlap
    row = explained(*accelerator(), training("cuda", 400 * US, flops=1e9, copies=2, copied_bytes=1_000_000))

    assert row["copies"] == pytest.approx(122.5 / 400, rel=1e-3)


def test_the_measured_clocks_take_the_place_of_predictions() -> None:
    clocks = {"enqueue_s": 300 * US, "busy_s": 350 * US, "wall_s": 360 * US}

    row = explained(*accelerator(), training("cuda", 400 * US, flops=1e9, clocks=clocks))

    assert row["arithmetic"] == pytest.approx(0.25)
    assert row["below_ceiling"] == pytest.approx(250 / 400, rel=1e-3)
    assert row["unexplained"] == pytest.approx(50 / 400)


@pytest.mark.parametrize(
    ("step", "cause", "because"),
    [
        ({"step_time_s": 100 * US}, "launch-bound", "40 operators at 2.00 µs each take 80.0 µs of 100 µs"),
        (
            {"step_time_s": 0.001, "flops": 8e7},
            "compute-bound",
            "80.0 MFLOP need 800 µs at the matrix-product rate, and as this model reaches it 800 µs of 1.00 ms",
        ),
        (
            {"step_time_s": 0.003, "parameters": 1_000_000},
            "memory-bound",
            "24.0 MB of memory traffic take 2.40 ms of 3.00 ms",
        ),
        (
            {"step_time_s": 0.001},
            "cannot tell",
            "91 % of the step is unexplained, more than any part that is known",
        ),
        ({"step_time_s": 40 * US}, "cannot tell", "the parts come to 230 % of the step as measured"),
    ],
)
def test_the_largest_part_is_the_cause_on_a_processor(step: dict[str, Any], cause: str, because: str) -> None:
    row = explained(*processor(), training("cpu", **step))

    assert (row["cause"], row["because"]) == (cause, because)


@pytest.mark.parametrize(
    ("device", "moved", "shares"),
    [
        # pooling 1 GB/s, weights 4 GB/s, the rest 10 GB/s, fresh memory 2 GB/s, of 1000 µs
        ("cpu", {"pooling": 300_000, "convolution_weights": 400_000, "other": 1_000_000}, (0.1, 0.1, 0.3, 0.05)),
        # 3 operators: 15 µs; all of it on the device, where other bytes move at 1 TB/s
        ("cuda", {"pooling": 300_000, "convolution_weights": 400_000, "other": 10**8}, (0.1, 0.1, 0.3, 0.0)),
    ],
)
def test_traffic_weights_pooling_and_fresh_memory_are_shares_of_their_own(
    device: str, moved: dict[str, int], shares: tuple[float, ...]
) -> None:
    machine = [*processor(), *layers("cpu"), *accelerator(), *layers("cuda")]
    case = training(device, 1000 * US, operators=3, flops=1, bytes_by_kind=moved, fresh_bytes=100_000)

    row = explained(*machine, case)

    assert tuple(row[name] for name in ("traffic", "weights", "pooling", "fresh")) == pytest.approx(shares)
    assert sum(row[name] for name in SHARE_TITLES) == pytest.approx(1)


def test_convolutions_are_at_the_ceiling_when_they_reach_the_rate_of_one() -> None:
    # 10 MFLOP of products at 100 GFLOP/s and 20 of convolutions at 50
    by_kind = {"convolution": 2e7, "matmul": 1e7}

    row = explained(*processor(), *layers(), training("cpu", 1000 * US, flops=3e7, flops_by_kind=by_kind))

    assert row["arithmetic"] == pytest.approx(0.5)
    assert row["ceiling_s"] == pytest.approx(500 * US)
    assert row["because"] == (
        "30.0 MFLOP need 500 µs at the rates of products and convolutions, and as this model reaches it 500 µs of "
        "1.00 ms"
    )


@pytest.mark.parametrize(
    ("step", "cause", "because"),
    [
        (
            {"bytes_by_kind": {"pooling": 500_000}},
            "pooling-bound",
            "0.500 MB that pooling reads and writes take 500 µs of 1.00 ms",
        ),
        (
            {"fresh_bytes": 1_000_000},
            "allocation-bound",
            "the allocator takes 1.00 MB anew from the system at every step: its page faults take 500 µs of 1.00 ms",
        ),
        (
            {"bytes_by_kind": {"convolution_weights": 1_600_000, "other": 1_000_000}},
            "memory-bound",
            "1.00 MB of memory traffic and 1.60 MB of convolutions' weights take 500 µs of 1.00 ms",
        ),
    ],
)
def test_causes_that_layers_and_the_allocator_have(step: dict[str, Any], cause: str, because: str) -> None:
    row = explained(*processor(), *layers(), training("cpu", 1000 * US, **step))

    assert (row["cause"], row["because"]) == (cause, because)


@pytest.mark.parametrize(
    ("step", "cause"),
    [
        ({"step_time_s": 340 * US, "operators": 4, "copies": 2, "copied_bytes": 3_000_000}, "copy-bound"),
        ({"step_time_s": 50 * US, "operators": 4, "log": 1}, "read-bound"),
        (
            {"step_time_s": 400 * US, "flops": 1e8, "clocks": {"enqueue_s": 100 * US, "busy_s": 380 * US}},
            "under-filled",
        ),
    ],
)
def test_causes_that_only_an_accelerator_has(step: dict[str, Any], cause: str) -> None:
    assert explained(*accelerator(), training("cuda", **step))["cause"] == cause


def test_making_the_batch_is_known_from_the_ablation_alone() -> None:
    data = ablation("cpu", "data", 100 * US, {"plain": 1.0, "resident": 0.4})

    row = explained(*processor(), training("cpu", 100 * US, operators=10), data)

    assert row["inputs"] == pytest.approx(1 - 0.4 * 1.01)
    assert row["cause"] == "input-bound"


def test_the_shares_always_add_up_to_the_whole_step() -> None:
    cases = [training(device, 300 * US, log=log, copies=2) for device in ("cpu", "cuda") for log in (1, "never")]

    rows = explain(frame(*processor(), *accelerator(), *cases[2:], training("cpu", 90 * US))).explanations

    assert list(rows[list(SHARE_TITLES)].sum(axis=1)) == pytest.approx([1, 1, 1])


def test_without_primitives_or_counts_nothing_is_told() -> None:
    without_counts = training("cpu", 1.0, model="other", counts=None)

    rows = explain(frame(*processor()[1:], training("cpu", 1.0), without_counts)).explanations

    assert list(rows["cause"]) == ["cannot tell", "cannot tell"]
    assert rows["because"][0] == "not measured here: the cost of an operator"
    assert rows["because"][1] == (
        "not measured here: the cost of an operator, the number of operators, the number of copies, "
        "the number of parameters"
    )
    assert rows["unexplained"].isna().all()


def test_the_cure_is_the_variant_that_helped_most_and_did_the_same_work() -> None:
    unproven = {"ratio": 0.1, "ratio_low": 0.1, "ratio_high": 0.1, "same_work": {}}
    differs = unproven | {"same_work": {"tolerance": 1e-5, "largest_difference": 1e-3}}
    whole = ablation("cpu", "compile", 100 * US, {"plain": 1.0, "whole": 0.25, "guess": unproven, "wrong": differs})

    row = explained(*processor(), training("cpu", 100 * US), whole, ablation("cpu", "loss", 100 * US, {"kept": 0.9}))

    assert (row["cure"], row["question"], row["cure_ratio"]) == ("whole", "compile", 0.25)
    assert row["cure_ratio_high"] == pytest.approx(0.2525)
    assert row["best_s"] == pytest.approx(25 * US)
    assert row["ceiling_s"] == pytest.approx(10 * US)
    assert row["ceiling_share"] == pytest.approx(0.4)


@pytest.mark.parametrize("variants", [{"kept": 0.995}, {"kept": {"skipped": "needs a GPU"}}, {}])
def test_what_does_not_surely_help_is_no_cure(variants: dict[str, Any]) -> None:
    row = explained(*processor(), training("cpu", 100 * US), ablation("cpu", "loss", 100 * US, variants))

    assert row["cure"] == ""
    assert math.isnan(row["cure_ratio"])
    assert row["best_s"] == pytest.approx(100 * US)


def test_a_step_synchronized_every_time_is_not_explained() -> None:
    rows = explain(frame(*processor(), training("cpu", 1.0, regime="latency"))).explanations

    assert rows.empty


def test_what_neighbours_take_of_the_core_is_a_share_of_its_own() -> None:
    """Half of the core: a step of 100 µs of its own takes 200, and a primitive of 2 µs 4."""
    contended = [one | {"median_s": 2 * one["median_s"], "extra": one["extra"] | {"cpu_time_ratio": 0.5}}
                 for one in (*processor(), training("cpu", 100 * US))]  # fmt: skip

    row = explained(*contended)

    assert row["neighbours"] == pytest.approx(0.5)
    assert row["operators"] == pytest.approx(0.4)
    assert row["predicted_s"] == pytest.approx(2 * 90.24 * US)
    assert row["ceiling_share"] == pytest.approx(0.1)
    assert (row["cause"], row["because"]) == ("launch-bound", "40 operators at 2.00 µs each take 80.0 µs of 100 µs")


@pytest.mark.parametrize(("device", "ratio"), [("cpu", None), ("cpu", 1.02), ("cpu-all", 0.5), ("cuda", 0.5)])
def test_only_a_thread_that_shared_its_core_lost_time_to_neighbours(device: str, ratio: float | None) -> None:
    arm = [one | {"params": {"device": device}, "device": device} for one in processor()]

    row = explained(*arm, *accelerator(), training(device, 100 * US, cpu_time_ratio=ratio))

    assert row["neighbours"] == 0

"""What the machine costs and allows, read from the session's primitives."""

import math

import pytest

from reports.why.primitives import machine_of, primitives
from tests.reports.why.made_cases import US, accelerator, frame, layers, primitive, processor


def test_a_rate_is_the_amount_over_the_time() -> None:
    found = primitives(frame(*processor())).set_index("name")

    assert found["rate"]["memory"] == pytest.approx(1e10)
    assert found["rate"]["matmul"] == pytest.approx(1e11)
    assert math.isnan(found["rate"]["dispatch"])


def test_primitives_stand_in_the_order_of_a_step() -> None:
    assert list(primitives(frame(*reversed(processor())))["name"]) == ["dispatch", "read-idle", "memory", "matmul"]


def test_copies_are_a_latency_and_a_bandwidth() -> None:
    # 10.4 µs for 4 kB and 110 µs for 1 MB: 99.6 µs for 996 kB, and 10 µs before the first byte
    machine = machine_of(primitives(frame(*accelerator())), "cuda")

    assert machine.copy_bandwidth_b_s == pytest.approx(1e10)
    assert machine.copy_latency_s == pytest.approx(10 * US)
    assert machine.copies_s(2, 500_000) == pytest.approx(70 * US)


def test_an_accelerator_pays_launches_and_a_processor_dispatches() -> None:
    found = primitives(frame(*processor(), *accelerator(), primitive("cuda", "dispatch", 1 * US)))

    assert machine_of(found, "cpu").operator_s == pytest.approx(2 * US)
    assert machine_of(found, "cuda").operator_s == pytest.approx(5 * US)


def test_the_second_arm_of_a_processor_shares_the_host_but_not_the_ceilings() -> None:
    arm = machine_of(primitives(frame(*processor())), "cpu-all")

    assert arm.operator_s == pytest.approx(2 * US)
    assert arm.read_s == pytest.approx(1 * US)
    assert math.isnan(arm.float32_flop_s)


def test_the_ceiling_is_of_float32_even_where_other_types_are_faster() -> None:
    faster = primitive("cpu", "matmul", 0.001, 1e9, dtype="bfloat16")

    assert machine_of(primitives(frame(*processor(), faster)), "cpu").float32_flop_s == pytest.approx(1e11)


@pytest.mark.parametrize("told", [None, 7, {}, {"name": "steam"}, {"name": ["launch"]}])
def test_what_is_no_primitive_is_left_out(told: object) -> None:
    odd = primitive("cpu", "dispatch", 1.0)
    odd["extra"] = {"primitive": told}

    assert primitives(frame(odd)).empty


def test_a_read_on_a_busy_device_costs_what_it_adds_to_the_work() -> None:
    busy = primitive("cuda", "read-busy", 150 * US, without_read_s=130 * US)

    assert primitives(frame(busy))["median_s"][0] == pytest.approx(20 * US)


def test_layers_have_rates_of_their_own() -> None:
    machine = machine_of(primitives(frame(*processor(), *layers())), "cpu")

    found = (machine.convolution_flop_s, machine.weights_b_s, machine.pooling_b_s, machine.fresh_b_s)
    assert found == pytest.approx((5e10, 4e9, 1e9, 2e9))


@pytest.mark.parametrize(("fresh_bytes", "rate"), [(1_000_000, 8e9), (4_000_000, 4e10)])
def test_page_faults_of_a_layers_own_are_no_part_of_its_rate(fresh_bytes: int, rate: float) -> None:
    """4 MB in 1 ms, of which 1 MB of fresh memory took 0.5; of faults that come to more than all, a tenth is left."""
    pooling = primitive("cpu", "pooling", 0.001, 4e6, amount_unit="B", dtype="float32")
    pooling["extra"]["fresh_bytes"] = fresh_bytes

    assert machine_of(primitives(frame(*layers()[3:], pooling)), "cpu").pooling_b_s == pytest.approx(rate)


def test_a_read_s_end_is_what_it_adds_to_the_work_less_the_launch_that_no_longer_overlaps() -> None:
    # 20 µs beyond the work, of which the next launch takes 5; an idle device takes 20 in all, so 5 overlap
    busy = primitive("cuda", "read-busy", 150 * US, without_read_s=130 * US)

    machine = machine_of(primitives(frame(*accelerator(), busy)), "cuda")

    assert machine.read_busy_s == pytest.approx(20 * US)
    assert machine.read_end_s == pytest.approx(15 * US)


def test_without_a_busy_device_read_all_of_a_read_is_its_end() -> None:
    assert machine_of(primitives(frame(*accelerator())), "cuda").read_end_s == pytest.approx(20 * US)


def test_a_read_that_adds_less_than_a_launch_has_no_end() -> None:
    busy = primitive("cuda", "read-busy", 133 * US, without_read_s=130 * US)

    assert machine_of(primitives(frame(*accelerator(), busy)), "cuda").read_end_s == 0

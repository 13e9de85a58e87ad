"""Step times that can be set against each other, worked out by hand."""

import math

import pandas as pd
import pytest

from reports.why.own_times import own_times
from reports.why.primitives import Machine, machine_of, primitives
from tests.reports.why.made_cases import accelerator, frame, layers, processor

MS = 1e-3
TRAINED = pd.DataFrame(
    {"fullname": ["logeach", "nolog"], "device": ["cpu", "cpu"], "median_s": [10 * MS, 4 * MS], "iqr_s": [MS, MS]}
)


def processor_that_touches(bytes_per_s: float) -> Machine:
    """Return a processor of which fresh memory is 2 GB/s by `layers`, or not known."""
    cases = [*processor(), *(layers() if bytes_per_s == 2e9 else [])]
    machine = machine_of(primitives(frame(*cases)), "cpu")
    assert (machine.fresh_b_s == pytest.approx(2e9)) == (bytes_per_s == 2e9)
    return machine


def launches(core_share: float, *fresh_bytes: float) -> pd.DataFrame:
    return pd.DataFrame({"fullname": TRAINED["fullname"], "core_share": core_share, "fresh_bytes": list(fresh_bytes)})


def test_page_faults_of_one_case_are_no_difference_to_the_other() -> None:
    """12 MB at 2 GB/s are the 6 ms that the first takes longer."""
    found = own_times(TRAINED, launches(1.0, 12e6, 0.0), {"cpu": processor_that_touches(2e9)})

    assert list(found["median_s"]) == [pytest.approx(4 * MS), pytest.approx(4 * MS)]


def test_what_neighbours_took_is_taken_off_first() -> None:
    """Half of the core: 5 ms are its own, of which 2 MB take 1 ms."""
    found = own_times(TRAINED, launches(0.5, 2e6, 0.0), {"cpu": processor_that_touches(2e9)})

    assert list(found["median_s"]) == [pytest.approx(4 * MS), pytest.approx(2 * MS)]
    assert list(found["iqr_s"]) == [pytest.approx(0.5 * MS)] * 2


def test_faults_that_come_to_more_than_all_leave_a_tenth() -> None:
    found = own_times(TRAINED, launches(1.0, 40e6, 0.0), {"cpu": processor_that_touches(2e9)})

    assert found["median_s"].iloc[0] == pytest.approx(1 * MS)


@pytest.mark.parametrize("fresh_bytes", [12e6, math.nan])
def test_nothing_is_taken_off_where_a_count_or_the_rate_is_unknown(fresh_bytes: float) -> None:
    known, unknown = processor_that_touches(2e9), processor_that_touches(math.nan)

    for machines in ({"cpu": known} if math.isnan(fresh_bytes) else {"cpu": unknown}, {}):
        found = own_times(TRAINED, launches(1.0, fresh_bytes, 0.0), machines)
        assert list(found["median_s"]) == [pytest.approx(10 * MS), pytest.approx(4 * MS)]


def test_an_accelerators_step_keeps_its_time() -> None:
    """The host pays for its memory while the device works."""
    machine = machine_of(primitives(frame(*processor(), *layers(), *accelerator())), "cuda")

    found = own_times(TRAINED.assign(device="cuda"), launches(1.0, 12e6, 0.0), {"cuda": machine})

    assert list(found["median_s"]) == [pytest.approx(10 * MS), pytest.approx(4 * MS)]

"""The check of a GPU: what it launches exists, and what it tells of a run that it saved."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nightly.check_gpu import steps
from nightly.gpu_findings import facts, faults, figures, knows_gpu

ROOT = Path(__file__).parents[2]
COLLECT = """
import json, sys
import pytest

class Collected:
    def pytest_collection_finish(self, session):
        found.append(len(session.items))

found = []
asked = json.loads(sys.argv[1])
codes = [int(pytest.main(["--collect-only", "-qq", *words], plugins=[Collected()])) for words in asked]
print(json.dumps([codes, found]))
"""


def run_of(*entries: dict[str, Any], **outcomes: str) -> dict[str, Any]:
    return {
        "machine_info": {
            "suite": {
                "machine": {"class": "xeon-16c-128g-1x-nvidia-h200-142g", "unit": "0123"},
                "environment": {
                    "torch": "2.11.0", "cuda": "13.0", "cudnn": 91900, "driver": "580.1", "python": "3.12.3",
                    "gpu0_name": "NVIDIA H200", "gpu0_power_limit_w": 700.0, "gpu0_pcie_width": None,
                },
            }
        },
        "suite": {
            "complete": True,
            "cases": {name: {"outcome": outcome, "reason": "why"} for name, outcome in outcomes.items()},
        },
        "benchmarks": [{"fullname": "f.py::case[a]", "stats": {"median": 0.002}, **entry} for entry in entries],
    }  # fmt: skip


@pytest.mark.slow
def test_every_step_selects_cases_of_the_matrix() -> None:
    """The smoke step leaves out what the steps after it measure: together they are the default cases, none twice."""
    asked = [list(step.words) for step in steps("cuda")]
    whole = ["benchmarks", "--devices", "cuda"]

    done = subprocess.run(
        [sys.executable, "-c", COLLECT, json.dumps([*asked, whole])],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    codes, found = json.loads(done.stdout.splitlines()[-1])
    smoke, primitives, iris, cnn, ranks, beside, default = found
    assert set(codes) == {0}
    assert smoke + primitives + iris + cnn == default
    assert (ranks, beside) == (2, 1)


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        ({"a": "passed", "b": "skipped"}, []),
        ({"a": "passed", "b": "failed"}, ["b: failed: why"]),
        ({"a": "timed-out"}, ["a: timed-out: why", "no case passed"]),
        ({"a": "skipped"}, ["no case passed"]),
    ],
)
def test_what_did_not_pass_is_told_and_a_skipped_case_may_be_meant(outcomes: dict[str, str], told: list[str]) -> None:
    assert faults(run_of(**outcomes)) == told


def test_a_step_that_saved_nothing_or_saw_no_neighbour_is_wrong() -> None:
    assert faults(None) == ["nothing saved"]
    assert faults(run_of({"extra_info": {"flags": ["drifting"]}}, a="passed"), beside_neighbour=True) == [
        "the neighbour on the device was not seen"
    ]
    assert faults(run_of({"extra_info": {"flags": ["contended"]}}, a="passed"), beside_neighbour=True) == []


@pytest.mark.parametrize(
    ("reason", "count"),
    [
        (None, 0),
        ("iris-mlp has no convolution", 0),
        ("refused here: CUDA error", 1),
        ("the step cannot be captured: x", 1),
    ],
)
def test_a_variant_that_should_work_on_any_gpu_is_wrong_when_it_does_not(reason: str | None, count: int) -> None:
    run = run_of({"extra_info": {"variants": {"captured": {"skipped": reason}}}}, a="passed")

    assert faults(run) == [f"case[a]: captured: {reason}"] * count


def test_the_driver_is_told_with_what_it_does_not_tell() -> None:
    run = run_of({"extra_info": {"gpu_clock_mhz": 1980}}, {"extra_info": {}})

    told = facts(run)

    assert knows_gpu(run)
    assert told == [
        "machine xeon-16c-128g-1x-nvidia-h200-142g unit 0123",
        "  torch=2.11.0 cuda=13.0 cudnn=91900 driver=580.1 python=3.12.3",
        "  NVML facts: name=NVIDIA H200 power_limit_w=700.0; not told: gpu0_pcie_width",
        "  NVML readings: clocks in 1 of 2 cases",
    ]


def test_figures_are_rates_times_and_ratios() -> None:
    """4 GB in 2 ms are 2000 GB/s; a step of 2 ms is 2000 us."""
    primitive = {"primitive": {"amount": 4e9, "amount_unit": "B"}, "flags": ["throttled"]}
    proof = {"largest_difference": 2e-7, "tolerance": 1e-4}
    ratio = {"ratio": 0.25, "ratio_low": 0.2, "ratio_high": 0.3, "same_work": proof, "compile_time_s": None}
    variants = {"captured": {"skipped": None, **ratio}, "fused": {"skipped": "no such option"}}

    told = figures(run_of({"extra_info": primitive}, {"extra_info": {}}, {"extra_info": {"variants": variants}}))

    assert told == [
        "  case[a]: 2000 GB/s throttled",
        "  case[a]: 2000 us",
        "  case[a]: captured 0.25 (0.2 to 0.3), off 2e-07 of 0.0001",
        "  case[a]: fused skipped: no such option",
    ]

"""The primitives and the overheads end to end: measured in a process of their own, read back from the saved file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


def measured(store: Path, *options: str) -> dict[str, dict[str, Any]]:
    """The results by the words in their brackets."""
    command = [sys.executable, "-m", "pytest", *options, "--smoke", "-p", "no:cacheprovider", "--devices", "cpu"]
    done = subprocess.run(
        [*command, f"--benchmark-storage={store}", f"--data-dir={store / 'data'}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = store.glob("*/*.json")
    results = json.loads(path.read_text(), parse_constant=lambda word: pytest.fail(f"{word} in the file"))["benchmarks"]
    return {result["name"].split("[")[1].rstrip("]"): result for result in results}


def test_primitives_say_what_one_operation_moves_or_computes(tmp_path: Path) -> None:
    results = measured(tmp_path / "store", "benchmarks/bench_primitives.py")

    assert {"cpu-dispatch", "cpu-read-idle", "cpu-memory", "cpu-matmul-float32"} <= results.keys()
    for result in results.values():
        assert result["extra_info"]["unit"] == "operation"
        assert result["params"] == {"device": "cpu", "primitive": result["param"].removeprefix("cpu-")}
    assert results["cpu-matmul-float32"]["extra_info"]["primitive"] == {
        "name": "matmul",
        "amount": 2 * 1024**3,
        "amount_unit": "FLOP",
        "dtype": "float32",
        "memory": None,
        "threads": 1,
        "without_read_s": None,
    }


def test_overheads_hold_every_variant_measured_or_with_its_reason(tmp_path: Path) -> None:
    options = ("--models", "iris-mlp", "--batch-sizes", "120", "-k", "not compile")
    results = measured(tmp_path / "store", "benchmarks/bench_overheads.py", *options)

    assert set(results) == {
        f"cpu-iris-mlp-batch120-{question}" for question in ("data", "loss", "optimizer", "zero-grad", "accumulation")
    }
    for result in results.values():
        extra = result["extra_info"]
        assert extra["plain"] not in extra["variants"]
        for variant in extra["variants"].values():
            if variant["skipped"] is None:
                assert variant["pairs"] == 1
                assert variant["ratio_low"] == variant["ratio"] == variant["ratio_high"] > 0
                assert variant["median_s"] == pytest.approx(variant["ratio"] * result["stats"]["median"])
                assert variant["same_work"]["largest_difference"] <= variant["same_work"]["tolerance"]
            else:
                assert variant["ratio"] is None
    assert results["cpu-iris-mlp-batch120-data"]["extra_info"]["variants"]["pinned"]["skipped"]

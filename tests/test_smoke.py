"""The suite end to end: measure in a process of its own, then read back every field through the reports."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reports import load_runs
from training.devices import DEVICES
from training.primitives import primitives_of

ROOT = Path(__file__).parents[1]
FIELDS = [
    "unit", "samples_per_unit", "steps_per_round", "warmup_steps", "device_name", "threads", "dataset", "first_loss",
    "last_loss", "accuracy", "counts", "flops_per_step", "flops_by_kind", "bytes_by_kind", "fresh_bytes",
    "peak_memory_bytes", "control_time_s", "cpu_time_ratio", "flags",
]  # fmt: skip


def measure(store: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "benchmarks", "--smoke", "-p", "no:cacheprovider"]
    if DEVICES["cuda"].missing() is not None:
        command.append("-Werror")  # what a GPU's libraries warn of is theirs
    return subprocess.run(
        [*command, f"--benchmark-storage={store}", f"--data-dir={store / 'data'}", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one narrow smoke run: the iris MLP and the CNN at their largest batches, on `cpu` and `cuda`."""
    store = tmp_path_factory.mktemp("smoke") / "store"
    narrowed = ["--devices=cpu,cuda", "--batch-sizes=120,512", "--log-intervals=1,2,10,200,never"]
    done = measure(store, *narrowed, "--session-id=a-smoke-session")
    assert done.returncode == 0, done.stdout + done.stderr
    return store


@pytest.fixture(scope="module")
def run(store: Path) -> dict[str, Any]:
    (path,) = store.glob("*/*.json")
    found: dict[str, Any] = json.loads(path.read_text(), parse_constant=lambda word: pytest.fail(f"{word} in the file"))
    return found


def test_one_run_file_lies_in_the_folder_of_the_machines_class(store: Path, run: dict[str, Any]) -> None:
    (path,) = store.glob("*/*")

    assert path.parent.name == run["machine_info"]["suite"]["machine"]["class"]
    assert path.name.startswith("0001_smoke_")


def test_the_file_says_which_session_it_is_and_what_became_of_every_case(run: dict[str, Any]) -> None:
    suite = run["suite"]
    outcomes = {name.split("[")[1]: case["outcome"] for name, case in suite["cases"].items()}

    assert (suite["schema"], suite["kind"], suite["session"], suite["complete"]) == (
        1,
        "smoke",
        "a-smoke-session",
        True,
    )
    assert len(outcomes) == 14
    assert {outcome for name, outcome in outcomes.items() if name.startswith("cpu-")} == {"passed"}


def test_the_environment_is_flat_and_plain_and_names_no_host(run: dict[str, Any]) -> None:
    environment = run["machine_info"]["suite"]["environment"]

    assert {"torch", "python", "driver", "cuda", "cudnn", "os"} <= environment.keys()
    assert all(isinstance(value, str | int | float | None) for value in environment.values())
    assert "node" not in run["machine_info"]
    assert "hz_actual" not in run["machine_info"]["cpu"]


def test_every_result_has_every_field_of_the_format(run: dict[str, Any]) -> None:
    assert len(run["benchmarks"]) == 7
    for result in run["benchmarks"]:
        extra = result["extra_info"]
        assert set(FIELDS) <= extra.keys()
        assert extra["last_loss"] < extra["first_loss"]
        assert extra["counts"]["loss_reads"] == int(result["params"]["log_interval"] != "never")
        assert extra["unit"] == "step"
        assert extra["samples_per_unit"] == result["params"]["batch_size"]
        assert result["stats"]["iterations"] == extra["steps_per_round"]
        assert len(result["stats"]["data"]) == 1
        assert extra["dataset"] == {"iris-mlp": "iris", "mnist-cnn": "digits"}[result["params"]["model"]]


def test_the_report_reads_back_every_field(store: Path, run: dict[str, Any]) -> None:
    runs = load_runs(store)
    cases = runs.cases.set_index("fullname")

    assert runs.skipped.empty
    assert len(cases) == 14
    for result in run["benchmarks"]:
        row = cases.loc[result["fullname"]]
        assert row["extra"] == result["extra_info"]
        assert row["median_s"] == pytest.approx(result["stats"]["median"])
        assert (row["device"], row["model"], row["batch_size"]) == (
            result["params"]["device"], result["params"]["model"], result["params"]["batch_size"],
        )  # fmt: skip
        assert (row["outcome"], row["session"], row["kind"]) == ("passed", "a-smoke-session", "smoke")
    absent = [name for name in cases.index if "[cuda-" in name and cases.loc[name, "outcome"] == "skipped"]
    assert all(math.isnan(cases.loc[name, "median_s"]) for name in absent)


def test_an_unreadable_data_folder_is_one_line_before_anything_is_measured(tmp_path: Path) -> None:
    raw = tmp_path / "data" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    (raw / "train-images-idx3-ubyte").write_bytes(b"half")

    done = measure(tmp_path, "--models", "mnist-cnn", "--devices", "cpu")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    assert "MNIST is incomplete" in line
    assert not list(tmp_path.glob("*/*.json"))


@pytest.mark.slow
def test_the_whole_matrix_runs_once_and_is_read_back(tmp_path: Path) -> None:
    done = measure(tmp_path / "store")

    assert done.returncode == 0, done.stdout + done.stderr
    cases = load_runs(tmp_path / "store").cases
    assert len(cases) >= 60
    on_cpu = cases[cases["device"] != "cuda"].set_index("fullname")
    skipped = on_cpu[on_cpu["outcome"] != "passed"]
    assert {str(name).rpartition("::")[2] for name in skipped.index} == lacking_primitives()
    assert set(skipped["outcome"]) <= {"skipped"}
    assert all(skipped["reason"])


def lacking_primitives() -> set[str]:
    """The cases that this very machine cannot run: a CPU without bfloat16, or a system that keeps pages."""
    return {
        f"bench_primitive[{device}-{name}]"
        for device in ("cpu", "cpu-all")
        for name, row in primitives_of(DEVICES[device]).items()
        if row.missing(DEVICES[device]) is not None
    }

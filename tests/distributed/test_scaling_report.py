"""The report's answer to whether several devices are worth it, from made cases with known truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.report import report_of
from reports.scaling import distributed_trainings, reductions
from tests.reports.made_runs import Store, made_benchmark

if TYPE_CHECKING:
    from pathlib import Path


def training(ranks: int, median_s: float, scaling: str, samples: int) -> dict[str, Any]:
    """A distributed case of the CNN."""
    extra = {"unit": "step", "samples_per_unit": samples, "distributed": {"scaling": scaling, "world_size": ranks}}
    params = {"device": "cuda", "world_size": ranks, "network": "mnist-cnn", "batch_size": 128, "scaling": scaling}
    name = f"b.py::bench_distributed_training[cuda-ranks{ranks}-mnist-cnn-batch128-{scaling}]"
    return made_benchmark("", median_s, fullname=name, extra_info=extra, params=params)


def reduction(ranks: int, size: int, median_s: float) -> dict[str, Any]:
    """An all-reduce."""
    extra = {"unit": "all-reduce", "distributed": {"world_size": ranks, "message_bytes": size}}
    name = f"b.py::bench_all_reduce[cuda-ranks{ranks}-bytes{size}]"
    return made_benchmark("", median_s, fullname=name, extra_info=extra, params={"device": "cuda"})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """One night: weak and strong scaling on 1 and 4 ranks, and one all-reduce."""
    store = Store(tmp_path / "store")
    store.write(
        [
            training(1, 0.010, "weak", 128),
            training(4, 0.0125, "weak", 512),
            training(1, 0.010, "strong", 128),
            training(4, 0.005, "strong", 128),
            reduction(1, 1_000_000_000, 0.001),
            reduction(4, 1_000_000_000, 0.01),
        ],
    )
    return store


def cases_of(store: Store) -> pd.DataFrame:
    return load_runs(store.folder).cases


def test_efficiency_and_throughput_are_as_worked_out_by_hand(store: Store) -> None:
    found = distributed_trainings(cases_of(store), "night-00", "made-up-cpu-9000", pd.DataFrame())

    by_case = {(row["scaling"], row["world_size"]): row for row in found.to_dict("records")}
    assert by_case["weak", 1]["efficiency"] == pytest.approx(1.0)
    assert by_case["weak", 4]["efficiency"] == pytest.approx(0.8)
    assert by_case["strong", 4]["efficiency"] == pytest.approx(0.5)
    assert by_case["weak", 4]["samples_per_s"] == pytest.approx(40_960)


def test_bandwidth_is_what_each_rank_must_send(store: Store) -> None:
    alone, four = reductions(cases_of(store), "night-00", "made-up-cpu-9000")["bus_bandwidth_gb_s"]

    assert math.isnan(alone)
    assert four == pytest.approx(150.0)


def test_without_one_rank_alone_there_is_no_efficiency(tmp_path: Path) -> None:
    store = Store(tmp_path / "other")
    store.write([training(4, 0.0125, "weak", 512)])

    (row,) = distributed_trainings(cases_of(store), "night-00", "made-up-cpu-9000", pd.DataFrame()).to_dict("records")

    assert math.isnan(row["efficiency"])


def test_the_report_shows_efficiency_with_its_picture_and_leaves_ranks_out_of_the_gpus_worth(store: Store) -> None:
    runs = load_runs(store.folder)
    sections = {section.anchor: section for section in report_of(runs, judge(runs), "new").sections}

    scaling = sections["scaling"]
    # ten rounds with an IQR of 1 %: each efficiency is known to a factor of exp(2 x sqrt(2) x 1 % / sqrt(10)) = 1.0090
    assert scaling.sentences[0] == "4 ranks on cuda: efficiency 50.0 % to 80.0 % (intervals from 49.6 % to 80.7 %)."
    assert [row[-2:] for row in scaling.tables[0].rows] == [
        ("100 %", "100 % to 100 %"),
        ("50.0 %", "49.6 % to 50.4 %"),
        ("100 %", "100 % to 100 %"),
        ("80.0 %", "79.3 % to 80.7 %"),
    ]
    assert scaling.tables[1].rows[1] == ("cuda", "4", "954 MiB", "10.0 ms", "150")
    (figure,) = scaling.figures
    assert "cuda mnist-cnn 128 weak: 1 rank 100 %, 4 ranks 80.0 %" in figure.alternative
    assert "mnist-cnn" not in str(sections["devices"])


def test_a_session_without_distributed_cases_has_no_such_section(tmp_path: Path) -> None:
    store = Store(tmp_path / "other")
    store.add({"cpu-iris-mlp-batch16-nolog": 0.001})
    runs = load_runs(store.folder)

    assert "scaling" not in [section.anchor for section in report_of(runs, judge(runs), "new").sections]

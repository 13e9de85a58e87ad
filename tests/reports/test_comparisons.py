"""The tables that compare cases of one session with one another, each figure worked out by hand."""

import math
from typing import Any

import pandas as pd
import pytest

from reports import judge, load_runs
from reports.layout import Section
from reports.measured import measured, samples_per_s
from reports.report import report_of
from reports.sections.calls import call_comparison
from reports.sections.devices import device_comparison
from reports.sections.log_cost import reading_cost
from reports.sections.memory import peak_memory
from tests.reports.made_runs import Store, made_benchmark

NO_HISTORY = pd.DataFrame()


def training(device: str, median_s: float, log: int | str = "never", **extra: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a training case at batch size 32, whose rounds scatter by IQR / sqrt(rounds) = 1 % of the median."""
    params = {"device": device, "model": "mlp", "batch_size": extra.pop("batch_size", 32), "log_interval": log}
    case_id = f"{device}-mlp-batch{params['batch_size']}-{log}"
    extra_info = {"unit": "step", "samples_per_unit": params["batch_size"], **extra}
    entry = made_benchmark(case_id, median_s, params=params, extra_info=extra_info, rounds=[median_s] * 16)
    entry["stats"]["iqr"] = median_s * 0.04
    return entry


def frame_of(store: Store, *entries: dict[str, Any], **suite: Any) -> pd.DataFrame:  # noqa: ANN401
    store.write(list(entries), **suite)
    runs = load_runs(store.folder)
    judgement = judge(runs)
    return measured(runs.cases, judgement.sessions, judgement.session, judgement.machine)


def section_of(store: Store, anchor: str) -> Section:
    runs = load_runs(store.folder)
    return next(one for one in report_of(runs, judge(runs), "new").sections if one.anchor == anchor)


def test_throughput_is_samples_over_seconds(store: Store) -> None:
    frame = frame_of(store, training("cpu", 0.004))

    assert list(samples_per_s(frame)) == [pytest.approx(8000.0)]


def test_the_gpu_is_set_against_the_better_processor_arm(store: Store) -> None:
    frame = frame_of(store, training("cpu", 0.008), training("cpu-all", 0.006), training("cuda", 0.002))

    (row,) = device_comparison(frame, NO_HISTORY).to_dict("records")

    assert (row["cpu_device"], row["gpu_device"]) == ("cpu-all", "cuda")
    assert row["speed_up"] == pytest.approx(3.0)
    spread = math.exp(2 * math.hypot(0.01, 0.01))
    assert row["speed_up_low"] == pytest.approx(3.0 / spread)
    assert row["speed_up_high"] == pytest.approx(3.0 * spread)


def test_a_contended_arm_is_not_the_better_one(store: Store) -> None:
    frame = frame_of(
        store, training("cpu", 0.008), training("cpu-all", 0.006, flags=["contended"]), training("cuda", 0.002)
    )

    (row,) = device_comparison(frame, NO_HISTORY).to_dict("records")

    assert (row["cpu_device"], row["speed_up"]) == ("cpu", pytest.approx(4.0))


def test_steps_measured_for_another_question_are_no_training_times(store: Store) -> None:
    """Overheads and latencies have a model and a batch size, but no log interval."""
    other = training("cpu", 0.001)
    other["fullname"] = "benchmarks/bench_overheads.py::bench_overhead[cpu-iris-mlp-batch32-loss]"
    del other["params"]["log_interval"]
    frame = frame_of(store, training("cpu", 0.008), training("cuda", 0.002), other)

    (row,) = device_comparison(frame, NO_HISTORY).to_dict("records")

    assert row["speed_up"] == pytest.approx(4.0)


def test_only_the_same_work_is_compared(store: Store) -> None:
    frame = frame_of(store, training("cpu", 0.008), training("cuda", 0.002, log=1))

    assert device_comparison(frame, NO_HISTORY)["speed_up"].isna().all()


def test_the_page_says_who_wins_and_from_which_batch_size_on(store: Store) -> None:
    for batch_size, gpu_s in ((16, 0.02), (32, 0.01), (64, 0.005), (128, 0.002)):
        store.written.clear()
        store.write(
            [training("cpu", 0.01, batch_size=batch_size), training("cuda", gpu_s, batch_size=batch_size)], session="s"
        )

    sentences = section_of(store, "devices").sentences

    assert sentences[0] == "The GPU is faster in 2 of 4 settings, the processor in 1; 1 show no difference."
    assert sentences[1] == "mlp: the GPU begins to win at batch size 64."


@pytest.mark.parametrize(
    ("gpu_s", "said"),
    [
        (0.02, "mlp: never worth the GPU here."),
        (0.01, "mlp: no setting in which the GPU is detectably faster here."),
        (0.005, "mlp: always worth the GPU here."),
    ],
)
def test_only_what_the_interval_decides_is_said_to_be_worth_it(store: Store, gpu_s: float, said: str) -> None:
    store.write([training("cpu", 0.01), training("cuda", gpu_s)])

    assert section_of(store, "devices").sentences[1] == said


def test_a_speed_up_without_an_interval_cannot_tell_who_wins(store: Store) -> None:
    entries = [training("cpu", 0.01), training("cuda", 0.005)]
    for entry in entries:
        entry["stats"] |= {"rounds": 1, "iqr": 0.0, "data": entry["stats"]["data"][:1]}
    store.write(entries)

    assert section_of(store, "devices").sentences[:2] == (
        "The GPU is faster in 0 of 1 setting, the processor in 0; 1 have no interval, so cannot tell.",
        "mlp: no setting in which the GPU is detectably faster here.",
    )


def test_a_comparison_without_a_scatter_names_no_cost_of_reading(store: Store) -> None:
    entries = [training("cpu", 0.001), training("cpu", 0.0015, log=1)]
    for entry in entries:
        entry["stats"] |= {"rounds": 1, "iqr": 0.0, "data": entry["stats"]["data"][:1]}
    store.write(entries)

    section = section_of(store, "logging")

    assert section.sentences[0] == "cpu: no detectable difference between reading the loss and not, with mlp."
    assert section.tables[1].rows[0][4:] == ("cannot tell", "-", "-")


def test_a_machine_without_gpu_says_so_plainly(store: Store) -> None:
    name = "benchmarks/bench_training.py::bench_training[cuda-mlp-batch32-nolog]"
    store.write([training("cpu", 0.01)], cases={name: {"outcome": "skipped", "reason": "CUDA is not available"}})

    assert section_of(store, "devices").sentences == (
        "The GPU was not measured on this machine: 1 case on cuda without a result: CUDA is not available.",
    )


def test_the_cost_of_a_read_is_the_difference_times_the_interval(store: Store) -> None:
    frame = frame_of(store, training("cpu", 0.001), training("cpu", 0.0015, log=1), training("cpu", 0.00105, log=10))

    each, tenth = reading_cost(frame, NO_HISTORY).to_dict("records")

    assert (each["log_interval"], tenth["log_interval"]) == (1, 10)
    assert each["cost_s"] == pytest.approx(0.0005)
    assert tenth["cost_s"] == pytest.approx(0.0005)
    assert each["share"] == pytest.approx(1 / 3)
    assert tenth["half_width_s"] == pytest.approx(2 * math.hypot(0.01, 0.01) * 0.001 * 10)
    assert (each["is_detected"], tenth["is_detected"]) == (True, True)


def test_a_difference_within_the_noise_is_not_detected(store: Store) -> None:
    # the interval's half is 2 x sqrt(2) % of the step, 2.83 %
    frame = frame_of(store, training("cpu", 0.001), training("cpu", 0.00102, log=1), training("cpu", 0.00104, log=2))

    assert list(reading_cost(frame, NO_HISTORY)["is_detected"]) == [False, True]


def test_the_page_says_what_a_read_costs(store: Store) -> None:
    store.write([training("cpu", 0.001), training("cpu", 0.0015, log=1), training("cpu", 0.00105, log=10)])

    section = section_of(store, "logging")

    # all three lie on one line; the rounds leave 1 % of each step, 2 x sqrt(sum (z x 1 % x time)²) / sum z² = 34.8 µs
    assert section.sentences[0] == (
        "cpu, mlp: reading the loss costs 500 µs a read (465 to 535), 50 % of the shortest step when every step reads."
    )
    assert section.tables[0].rows == [("cpu", "mlp", "1", "3", "500", "465 to 535", "50 %")]
    assert section.tables[1].rows[0][4:] == ("500", "472 to 528", "33 %")


def test_what_a_read_costs_on_average_is_no_cost_when_the_cases_scatter_more(store: Store) -> None:
    store.write([training("cpu", 0.001), training("cpu", 0.0015, log=1), training("cpu", 0.001001, log=10)])

    section = section_of(store, "logging")

    assert section.sentences[0] == "cpu: no detectable difference between reading the loss and not, with mlp."
    assert section.tables[0].rows[0][4] == "no detectable difference"
    assert section.tables[1].rows[1][4:] == ("no detectable difference", "-273 to 293", "-")


def test_a_store_without_log_intervals_has_no_such_section(store: Store) -> None:
    store.write([training("cpu", 0.001)])
    runs = load_runs(store.folder)

    assert "logging" not in {section.anchor for section in report_of(runs, judge(runs), "new").sections}


def test_peak_memory_is_the_largest_over_the_log_intervals(store: Store) -> None:
    frame = frame_of(
        store,
        training("cuda", 0.001, peak_memory_bytes=100),
        training("cuda", 0.001, log=1, peak_memory_bytes=300),
        training("cpu", 0.001, peak_memory_bytes=None),
    )

    assert peak_memory(frame).to_dict("records") == [
        {"device": "cuda", "model": "mlp", "batch_size": 32, "peak_memory_bytes": 300.0}
    ]


def test_unmeasured_memory_is_not_zero(store: Store) -> None:
    store.write([training("cpu", 0.001, peak_memory_bytes=None)])

    assert section_of(store, "memory").sentences == ("No device in this session reports its peak memory.",)


def test_what_was_not_measured_is_counted_by_reason(store: Store) -> None:
    names = [f"benchmarks/bench_training.py::bench_training[cuda-mlp-batch{size}-nolog]" for size in (8, 16)]
    cases = {name: {"outcome": "skipped", "reason": "no CUDA"} for name in names}
    store.write([training("cpu", 0.001, flags=["noisy"])], cases=cases)

    assert section_of(store, "unmeasured").sentences == (
        "2 cases skipped: no CUDA.",
        "1 case flagged noisy (its times scatter widely).",
    )


def test_of_many_reasons_the_commonest_are_told(store: Store) -> None:
    names = [f"benchmarks/bench_training.py::bench_training[cuda-mlp-batch{size}-nolog]" for size in range(1, 10)]
    cases = {name: {"outcome": "failed", "reason": f"error {max(at, 2)}"} for at, name in enumerate(names)}
    store.write([training("cpu", 0.001)], cases=cases)

    assert section_of(store, "unmeasured").sentences == (
        "3 cases failed: error 2.",
        *(f"1 case failed: error {at}." for at in range(3, 7)),
        "2 more cases, for other reasons, in the table.",
    )


def test_calls_are_set_against_the_fastest_way_on_their_device(store: Store) -> None:
    bench = "benchmarks/bench_calls.py::bench_model_call"
    calls = {"cpu-call": 3e-5, "cpu-forward": 2e-5, "cuda-call": 9e-5}
    entries = [
        made_benchmark("", time_s, fullname=f"{bench}[{way}]", rounds=[time_s], extra_info={"unit": "call"})
        for way, time_s in calls.items()
    ]

    rows = call_comparison(frame_of(store, *entries, training("cpu", 0.001)), NO_HISTORY).to_dict("records")

    assert [(row["case"], round(row["factor"], 6)) for row in rows] == [
        ("cpu-forward", 1.0),
        ("cpu-call", 1.5),
        ("cuda-call", 1.0),
    ]
    assert {row["benchmark"] for row in rows} == {"bench_model_call"}


def test_reading_that_came_out_faster_is_said_to_be_noise_and_never_a_cost(store: Store) -> None:
    sizes = {8: 0.0015, 16: 0.001, 32: 0.0009}
    entries = [
        training("cpu", time_s, log=log, batch_size=size)
        for size, read_s in sizes.items()
        for log, time_s in ((1, read_s), ("never", 0.001))
    ]
    store.write(entries)

    cost, noise = section_of(store, "logging").sentences

    assert cost == "cpu: no detectable difference between reading the loss and not, with mlp."
    assert noise == (
        "In 1 of 3 comparisons reading came out faster than never reading by more than its interval: the machine was "
        "less steady between the cases than within them."
    )


def test_a_way_of_calling_is_only_slower_where_the_interval_says_so(store: Store) -> None:
    # sixteen rounds with an IQR of 4 %: a factor is known to exp(2 x sqrt(2) x 1 %) = 1.0287
    entries = []
    for way, time_s in {"cpu-call": 1.0, "cpu-forward": 1.02, "cpu-hooks": 1.1}.items():
        entry = training("cpu", time_s, unit="call")
        entries.append(entry | {"fullname": f"benchmarks/bench_calls.py::bench_model_call[{way}]", "params": {}})
    store.write(entries)

    (table,) = section_of(store, "calls").tables

    assert [row[3:] for row in table.rows] == [
        ("1.00x", "-"),
        ("no detectable difference", "0.992x to 1.05x"),
        ("1.10x", "1.07x to 1.13x"),
    ]

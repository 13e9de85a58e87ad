import pytest

from reports.identity import Identity, identify, short_names
from reports.machine import environment_of, machine_of, slugged
from reports.measured import batch_label, log_label

BENCH = "benchmarks/bench_training.py::bench_training"


@pytest.mark.parametrize(
    ("case_id", "told"),
    [
        ("cpu-iris-mlp-batch120-logeach", Identity("cpu", "iris-mlp", 120, 1)),
        ("cpu-all-vit-tiny-batch8-nolog", Identity("cpu-all", "vit-tiny", 8, "never")),
        ("cuda-mnist-cnn-batch512-log200", Identity("cuda", "mnist-cnn", 512, 200)),
        ("cuda:1-resnet18-batch16-log2", Identity("cuda:1", "resnet18", 16, 2)),
        ("cpu-warm-epochs2000-logeach", Identity("cpu", "", None, None)),
        ("karate-1", Identity("", "", None, None)),
        ("cpuset", Identity("", "", None, None)),
    ],
)
def test_an_id_tells_what_its_case_measures(case_id: str, told: Identity) -> None:
    assert identify(f"{BENCH}[{case_id}]", {}) == told


def test_params_are_believed_before_the_id() -> None:
    params = {"device": "xpu", "model": "m", "batch_size": 4, "log_interval": "never"}

    assert identify(f"{BENCH}[cpu-iris-mlp-batch120-logeach]", params) == Identity("xpu", "m", 4, "never")


@pytest.mark.parametrize("odd", [None, True, "many", -3, 1e300, [1], {"a": 1}])
def test_params_of_any_shape_are_no_trouble(odd: object) -> None:
    params = {"device": odd, "model": odd, "batch_size": odd, "log_interval": odd}

    identity = identify("tests/t.py::test_x[1]", params)

    assert identity.batch_size is None
    assert identity.log_interval is None


def test_short_names_stay_unambiguous() -> None:
    training, other, twin = f"{BENCH}[cpu-m-batch1-nolog]", "a/t.py::test_x[1]", "b/t.py::test_x[1]"

    assert short_names([training, other]) == {training: "cpu-m-batch1-nolog", other: "test_x[1]"}
    assert short_names([other, twin]) == {other: other, twin: twin}


@pytest.mark.parametrize(
    ("machine_info", "slug"),
    [
        ({"suite": {"machine": {"class": "epyc-32-h200"}}}, "epyc-32-h200"),
        ({"cpu": {"brand_raw": "Made Up CPU 9000", "count": 16}, "machine": "x86_64"}, "made-up-cpu-9000-16-x86_64"),
        ({"cpu": {"brand": "Old CPU", "count": 2}, "machine": "i686"}, "old-cpu-2-i686"),
        ({"processor": "x86_64", "machine": "x86_64"}, "x86_64-x86_64"),
        ({"cpu": "odd", "machine": 3}, "unknown-machine"),
        ({}, "unknown-machine"),
        ({"suite": {"machine": {"class": "../../etc"}}}, "..-..-etc"),
    ],
)
def test_the_machine_is_its_hardware(machine_info: dict[str, object], slug: str) -> None:
    assert machine_of(machine_info).slug == slug


def test_the_clock_and_the_host_name_are_not_the_machine() -> None:
    one = {"node": "a", "cpu": {"brand_raw": "C", "count": 2, "hz_actual": [1, 0]}}
    other = {"node": "b", "cpu": {"brand_raw": "C", "count": 2, "hz_actual": [2, 0]}}

    assert machine_of(one) == machine_of(other)


def test_the_environment_is_flat_text() -> None:
    assert environment_of({"suite": {"environment": {"threads": 2, "tf32": False, "driver": None}}}) == {
        "threads": "2",
        "tf32": "no",
    }
    assert environment_of({"python_version": "3.11.7", "system": "Linux", "release": "6.1"}) == {
        "python": "3.11.7",
        "os": "Linux 6.1",
    }


def test_a_slug_is_letters_digits_and_hyphens() -> None:
    assert slugged("Intel(R) Core(TM) i7-9700 CPU @ 3.00GHz") == "intel-r-core-tm-i7-9700-cpu-3.00ghz"


@pytest.mark.parametrize(
    ("log_interval", "label"),
    [(1, "every step"), (10, "every 10 steps"), ("never", "never"), (None, ""), (float("nan"), "")],
)
def test_a_log_interval_in_words(log_interval: object, label: str) -> None:
    assert log_label(log_interval) == label


def test_an_unknown_batch_size_is_left_blank() -> None:
    assert batch_label(32) == "32"
    assert batch_label(None) == ""

"""NVIDIA devices, seen through a recording stand-in for the management library."""

import os

import pynvml
import pytest

from fixtures.gpu import THROTTLE_REASONS
from fixtures.nvidia import Accelerator, NvidiaDevices
from tests.machine.fake_nvml import ANSWERS, FakeGpu, FakeNvml, install, split_gpu

ME = os.getpid()


def test_facts_and_readings_of_a_healthy_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeNvml([FakeGpu(pids=(ME,))]))

    devices = NvidiaDevices({})

    assert len(devices) == 1
    assert devices.driver() == "580.65.06"
    assert devices.cuda_driver() == "13.2"
    assert devices.facts(0) == {
        "name": "NVIDIA H200",
        "memory_bytes": 143771 * 1024 * 1024,
        "uuid": "GPU-aaaa",
        "power_limit_w": 700.0,
        "pcie_generation": 5,
        "pcie_generation_max": 5,
        "pcie_width": 16,
        "pcie_width_max": 16,
        "mig": False,
        "ecc": True,
    }
    assert devices.readings(0) == {
        "sm_clock_mhz": 1755,
        "max_sm_clock_mhz": 1980,
        "temperature_c": 41,
        "throttle_reasons": (),
        "power_w": 123.456,
        "other_processes": 0,
    }


def test_without_the_library_there_are_no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, None)  # `import pynvml` raises ImportError

    devices = NvidiaDevices({})

    assert (len(devices), devices.driver(), devices.installed(), devices.serials()) == (0, None, [], [])


def test_without_a_driver_there_are_no_devices_and_nothing_more_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeNvml([FakeGpu()], driver=False)
    install(monkeypatch, library)

    devices = NvidiaDevices({})

    assert (len(devices), devices.driver(), devices.installed(), devices.serials()) == (0, None, [], [])
    assert library.calls == ["nvmlInit"]


@pytest.mark.parametrize("way", ["refused", "missing"])
def test_what_the_driver_does_not_tell_is_none_and_the_rest_stands(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    told = {"nvmlDeviceGetName", "nvmlDeviceGetTemperature"}
    untold = set(ANSWERS) - told
    install(
        monkeypatch,
        FakeNvml([FakeGpu()], refused=untold) if way == "refused" else FakeNvml([FakeGpu()], missing=untold),
    )

    devices = NvidiaDevices({})
    facts, readings = devices.facts(0), devices.readings(0)

    assert {name: value for name, value in facts.items() if value is not None} == {"name": "NVIDIA H200"}
    assert {name: value for name, value in readings.items() if value is not None} == {"temperature_c": 41}
    assert devices.driver() is None
    assert devices.cuda_driver() is None
    assert devices.installed() == [Accelerator("NVIDIA H200", None)]


@pytest.mark.parametrize("text_as_bytes", [True, False])
def test_names_are_text_whether_the_library_gives_bytes_or_str(
    monkeypatch: pytest.MonkeyPatch, text_as_bytes: bool
) -> None:
    install(monkeypatch, FakeNvml([FakeGpu()], text_as_bytes=text_as_bytes))

    devices = NvidiaDevices({})

    assert devices.facts(0)["name"] == "NVIDIA H200"
    assert devices.driver() == "580.65.06"
    assert devices.serials() == ["GPU-aaaa"]


def test_a_link_at_half_width_shows_beside_what_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeNvml([FakeGpu(link=(5, 8))]))

    facts = NvidiaDevices({}).facts(0)

    assert (facts["pcie_width"], facts["pcie_width_max"]) == (8, 16)


def test_an_idle_link_is_told_as_it_was_under_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPUs lower the link when idle; otherwise the environment would change from run to run."""
    gpu = FakeGpu(link=(1, 16))
    install(monkeypatch, FakeNvml([gpu]))
    devices = NvidiaDevices({})

    before = devices.facts(0)["pcie_generation"]
    gpu.link = (4, 16)
    devices.readings(0)
    gpu.link = (1, 16)

    assert (before, devices.facts(0)["pcie_generation"]) == (1, 4)


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0x0, ()),
        (0x1, ("idle",)),
        (0x4, ("software-power-cap",)),
        (0x60, ("software-thermal", "hardware-thermal")),
        (0x8 | 0x80, ("hardware-slowdown", "hardware-power-brake")),
        (0x2 | 0x1000, ("clocks-set-by-user", "reason-0x1000")),
    ],
)
@pytest.mark.parametrize("known_as", ["nvmlDeviceGetCurrentClocksEventReasons", "only by its old name"])
def test_throttle_bits_become_words(
    monkeypatch: pytest.MonkeyPatch, bits: int, words: tuple[str, ...], known_as: str
) -> None:
    refused = () if known_as.startswith("nvml") else ("nvmlDeviceGetCurrentClocksEventReasons",)
    install(monkeypatch, FakeNvml([FakeGpu(throttle_bits=bits)], refused=refused))

    assert NvidiaDevices({}).readings(0)["throttle_reasons"] == words


@pytest.mark.parametrize(
    ("pids", "others"),
    [
        ((), 0),
        ((ME,), 0),
        ((ME, ME + 1, ME + 2), 2),
        ((ME + 1,), None),  # perhaps ourselves, under the machine's number
    ],
)
def test_other_processes_on_the_device_are_counted(
    monkeypatch: pytest.MonkeyPatch, pids: tuple[int, ...], others: int | None
) -> None:
    """Read beside a case that computes there, so that this process is on the list where ids mean the same."""
    install(monkeypatch, FakeNvml([FakeGpu(pids=pids)]))

    assert NvidiaDevices({}).readings(0)["other_processes"] == others


def test_what_a_driver_older_than_the_library_does_not_know_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeNvml([FakeGpu()])
    library.mismatched.add("nvmlDeviceGetComputeRunningProcesses")
    install(monkeypatch, library)

    readings = NvidiaDevices({}).readings(0)

    assert (readings["other_processes"], readings["sm_clock_mhz"]) == (None, 1755)


def test_closing_lets_the_driver_go_and_leaves_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeNvml([FakeGpu()])
    install(monkeypatch, library)

    with NvidiaDevices({}) as devices:
        assert len(devices) == 1

    assert library.calls[-1] == "nvmlShutdown"
    assert (len(devices), devices.driver(), devices.installed()) == (0, None, [])
    with pytest.raises(IndexError):
        devices.readings(0)


def test_the_library_has_every_function_and_constant_that_the_suite_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeNvml([FakeGpu(), split_gpu()], refused=["nvmlDeviceGetCurrentClocksEventReasons"])
    install(monkeypatch, library)

    with NvidiaDevices({"CUDA_VISIBLE_DEVICES": "MIG-one"}) as devices:
        devices.facts(0)
        devices.readings(0)
        devices.driver()
        devices.cuda_driver()
        devices.installed()

    asked = set(library.calls)
    assert asked >= set(ANSWERS)
    assert [name for name in sorted(asked) if not callable(getattr(pynvml, name, None))] == []
    assert (pynvml.NVML_CLOCK_SM, pynvml.NVML_TEMPERATURE_GPU) == (library.NVML_CLOCK_SM, library.NVML_TEMPERATURE_GPU)


def test_every_single_reason_of_the_library_has_a_word() -> None:
    prefixes = ("nvmlClocksEventReason", "nvmlClocksThrottleReason")
    values = {getattr(pynvml, name) for name in dir(pynvml) if name.startswith(prefixes)}
    single_bits = {value for value in values if value.bit_count() == 1}

    assert single_bits == set(THROTTLE_REASONS)

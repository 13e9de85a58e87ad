"""NVIDIA devices, seen through a recording stand-in for the management library."""

import os
import sys
from pathlib import Path

import pynvml
import pytest
from fake_nvml import ANSWERS, FakeGpu, FakeNvml, FakeSlice
from fake_system import write_system

from fixtures.gpu import THROTTLE_REASONS
from fixtures.nvidia import Accelerator, NvidiaDevices

ME = os.getpid()


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> "Installer":
    return Installer(monkeypatch)


class Installer:
    """Puts a stand-in where `import pynvml` finds it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def __call__(self, library: FakeNvml | None) -> None:
        self._monkeypatch.setitem(sys.modules, "pynvml", library)


def test_facts_and_readings_of_a_healthy_gpu(install: Installer) -> None:
    install(FakeNvml([FakeGpu(pids=(ME,))]))

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


def test_without_the_library_there_are_no_devices(install: Installer) -> None:
    install(None)  # `import pynvml` raises ImportError

    devices = NvidiaDevices({})

    assert (len(devices), devices.driver(), devices.installed(), devices.serials()) == (0, None, [], [])


def test_without_a_driver_there_are_no_devices_and_nothing_more_is_asked(install: Installer) -> None:
    library = FakeNvml([FakeGpu()], driver=False)
    install(library)

    devices = NvidiaDevices({})

    assert (len(devices), devices.driver(), devices.installed(), devices.serials()) == (0, None, [], [])
    assert library.calls == ["nvmlInit"]


@pytest.mark.parametrize("way", ["refused", "missing"])
def test_what_the_driver_does_not_tell_is_none_and_the_rest_stands(install: Installer, way: str) -> None:
    told = {"nvmlDeviceGetName", "nvmlDeviceGetTemperature"}
    untold = set(ANSWERS) - told
    install(FakeNvml([FakeGpu()], refused=untold) if way == "refused" else FakeNvml([FakeGpu()], missing=untold))

    devices = NvidiaDevices({})
    facts, readings = devices.facts(0), devices.readings(0)

    assert {name: value for name, value in facts.items() if value is not None} == {"name": "NVIDIA H200"}
    assert {name: value for name, value in readings.items() if value is not None} == {"temperature_c": 41}
    assert devices.driver() is None
    assert devices.cuda_driver() is None
    assert devices.installed() == [Accelerator("NVIDIA H200", None)]


@pytest.mark.parametrize("text_as_bytes", [True, False])
def test_names_are_text_whether_the_library_gives_bytes_or_str(install: Installer, text_as_bytes: bool) -> None:
    install(FakeNvml([FakeGpu()], text_as_bytes=text_as_bytes))

    devices = NvidiaDevices({})

    assert devices.facts(0)["name"] == "NVIDIA H200"
    assert devices.driver() == "580.65.06"
    assert devices.serials() == ["GPU-aaaa"]


def test_a_link_at_half_width_shows_beside_what_is_possible(install: Installer) -> None:
    install(FakeNvml([FakeGpu(link=(5, 8))]))

    facts = NvidiaDevices({}).facts(0)

    assert (facts["pcie_width"], facts["pcie_width_max"]) == (8, 16)


def test_an_idle_link_is_told_as_it_was_under_work(install: Installer) -> None:
    """GPUs lower the link when idle; otherwise the environment would change from run to run."""
    gpu = FakeGpu(link=(1, 16))
    install(FakeNvml([gpu]))
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
def test_throttle_bits_become_words(install: Installer, bits: int, words: tuple[str, ...], known_as: str) -> None:
    refused = () if known_as.startswith("nvml") else ("nvmlDeviceGetCurrentClocksEventReasons",)
    install(FakeNvml([FakeGpu(throttle_bits=bits)], refused=refused))

    assert NvidiaDevices({}).readings(0)["throttle_reasons"] == words


@pytest.mark.parametrize(
    ("pids", "namespace", "others"),
    [
        ((), "pid:[4026531836]", 0),
        ((ME,), "pid:[4026531836]", 0),
        ((ME, ME + 1, ME + 2), "pid:[4026531836]", 2),
        ((ME + 1,), "pid:[4026531836]", 1),
        ((), "pid:[4026532999]", 0),
        ((ME, ME + 1), "pid:[4026532999]", 1),
        ((ME + 1,), "pid:[4026532999]", None),  # perhaps ourselves, under the machine's number
    ],
)
def test_other_processes_on_the_device_are_counted(
    install: Installer, tmp_path: Path, pids: tuple[int, ...], namespace: str, others: int | None
) -> None:
    root = write_system(tmp_path, {}, {"proc/self/ns/pid": namespace})
    install(FakeNvml([FakeGpu(pids=pids)]))

    assert NvidiaDevices({}, root).readings(0)["other_processes"] == others


THREE = [FakeGpu("GPU-aaaa"), FakeGpu("GPU-abbb"), FakeGpu("GPU-cccc")]


@pytest.mark.parametrize(
    ("setting", "uuids"),
    [
        (None, ["GPU-aaaa", "GPU-abbb", "GPU-cccc"]),
        ("2,0", ["GPU-cccc", "GPU-aaaa"]),
        (" 1 ", ["GPU-abbb"]),
        ("", []),
        ("-1", []),
        ("1,-1,0", ["GPU-abbb"]),
        ("1,7,0", ["GPU-abbb"]),
        ("0,0", []),
        ("GPU-cccc,GPU-aaaa", ["GPU-cccc", "GPU-aaaa"]),
        ("GPU-c", ["GPU-cccc"]),
        ("GPU-a", []),  # names two
        ("GPU-abbb,0", ["GPU-abbb"]),  # ids and ordinals do not mix
    ],
)
def test_visible_devices_are_numbered_as_cuda_numbers_them(
    install: Installer, setting: str | None, uuids: list[str]
) -> None:
    install(FakeNvml(THREE))

    devices = NvidiaDevices({} if setting is None else {"CUDA_VISIBLE_DEVICES": setting})

    assert [devices.facts(i)["uuid"] for i in range(len(devices))] == uuids
    assert len(devices.installed()) == 3
    assert devices.serials() == ["GPU-aaaa", "GPU-abbb", "GPU-cccc"]


@pytest.mark.parametrize(("uuid", "index"), [("GPU-aaaa", 1), ("aaaa", 1), ("cccc", 0), ("abbb", None), ("", None)])
def test_a_device_is_found_by_its_id(install: Installer, uuid: str, index: int | None) -> None:
    install(FakeNvml(THREE))

    assert NvidiaDevices({"CUDA_VISIBLE_DEVICES": "2,0"}).index_of(uuid) == index


def split_gpu() -> FakeGpu:
    return FakeGpu("GPU-aaaa", slices=[FakeSlice("MIG-one", pids=(ME + 1,)), FakeSlice("MIG-two", memory=32 << 30)])


@pytest.mark.parametrize(
    ("setting", "uuids"),
    [(None, ["MIG-one"]), ("0", ["MIG-one"]), ("MIG-two", ["MIG-two"]), ("MIG-no", []), ("MIG-two,0", ["MIG-two"])],
)
def test_a_gpu_split_by_mig_stands_for_the_slice_that_cuda_uses(
    install: Installer, setting: str | None, uuids: list[str]
) -> None:
    install(FakeNvml([split_gpu()]))

    devices = NvidiaDevices({} if setting is None else {"CUDA_VISIBLE_DEVICES": setting})

    assert [devices.facts(i)["uuid"] for i in range(len(devices))] == uuids


def test_a_slice_has_its_own_name_memory_and_company_and_the_clocks_of_the_whole(
    install: Installer, tmp_path: Path
) -> None:
    install(FakeNvml([split_gpu()]))
    devices = NvidiaDevices({}, tmp_path)

    facts, readings = devices.facts(0), devices.readings(0)

    assert (facts["name"], facts["memory_bytes"], facts["mig"]) == ("NVIDIA H200 MIG 1g.18gb", 16 << 30, True)
    assert (readings["sm_clock_mhz"], readings["other_processes"]) == (1755, 1)
    assert devices.serials() == ["GPU-aaaa"]
    assert devices.installed() == [
        Accelerator("NVIDIA H200 MIG 1g.18gb", 16 << 30),
        Accelerator("NVIDIA H200 MIG 1g.18gb", 32 << 30),
    ]


def test_closing_lets_the_driver_go_and_leaves_no_device(install: Installer) -> None:
    library = FakeNvml([FakeGpu()])
    install(library)

    with NvidiaDevices({}) as devices:
        assert len(devices) == 1

    assert library.calls[-1] == "nvmlShutdown"
    assert (len(devices), devices.driver(), devices.installed()) == (0, None, [])
    with pytest.raises(IndexError):
        devices.readings(0)


def test_the_library_has_every_function_and_constant_that_the_suite_asks_for(install: Installer) -> None:
    library = FakeNvml([FakeGpu(), split_gpu()], refused=["nvmlDeviceGetCurrentClocksEventReasons"])
    install(library)

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

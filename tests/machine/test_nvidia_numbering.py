"""Which GPU, or slice of one, stands behind which number of torch's."""

import pytest

from fixtures.nvidia import Accelerator, NvidiaDevices
from tests.machine.fake_nvml import FakeGpu, FakeNvml, install, split_gpu

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
    monkeypatch: pytest.MonkeyPatch, setting: str | None, uuids: list[str]
) -> None:
    install(monkeypatch, FakeNvml(THREE))

    devices = NvidiaDevices({} if setting is None else {"CUDA_VISIBLE_DEVICES": setting})

    assert [devices.facts(i)["uuid"] for i in range(len(devices))] == uuids
    assert len(devices.installed()) == 3
    assert devices.serials() == ["GPU-aaaa", "GPU-abbb", "GPU-cccc"]


@pytest.mark.parametrize(("uuid", "index"), [("GPU-aaaa", 1), ("aaaa", 1), ("cccc", 0), ("abbb", None), ("", None)])
def test_a_device_is_found_by_its_id(monkeypatch: pytest.MonkeyPatch, uuid: str, index: int | None) -> None:
    install(monkeypatch, FakeNvml(THREE))

    assert NvidiaDevices({"CUDA_VISIBLE_DEVICES": "2,0"}).index_of(uuid) == index


@pytest.mark.parametrize(
    ("setting", "uuids"),
    [(None, ["MIG-one"]), ("0", ["MIG-one"]), ("MIG-two", ["MIG-two"]), ("MIG-no", []), ("MIG-two,0", ["MIG-two"])],
)
def test_a_gpu_split_by_mig_stands_for_the_slice_that_cuda_uses(
    monkeypatch: pytest.MonkeyPatch, setting: str | None, uuids: list[str]
) -> None:
    install(monkeypatch, FakeNvml([split_gpu()]))

    devices = NvidiaDevices({} if setting is None else {"CUDA_VISIBLE_DEVICES": setting})

    assert [devices.facts(i)["uuid"] for i in range(len(devices))] == uuids


def test_a_slice_has_its_own_name_memory_and_company_and_the_clocks_of_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, FakeNvml([split_gpu()]))
    devices = NvidiaDevices({})

    facts, readings = devices.facts(0), devices.readings(0)

    assert (facts["name"], facts["memory_bytes"], facts["mig"]) == ("NVIDIA H200 MIG 1g.18gb", 16 << 30, True)
    assert (readings["sm_clock_mhz"], readings["other_processes"]) == (1755, 1)
    assert devices.serials() == ["GPU-aaaa"]
    assert devices.installed() == [
        Accelerator("NVIDIA H200 MIG 1g.18gb", 16 << 30),
        Accelerator("NVIDIA H200 MIG 1g.18gb", 32 << 30),
    ]

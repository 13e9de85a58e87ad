"""Which machines are the same class."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.machine import accelerator_memory_gib, nominal_memory_gib
from tests.machine.fake_machine import BASE, H200, WITH_GPU, Made, identity
from tests.machine.fake_nvml import FakeGpu
from tests.machine.fake_system import MEMORY_24_GIB, PLAIN_EPYC


@pytest.mark.parametrize(
    ("made", "slug"),
    [
        (BASE, "amd-epyc-7b13-2c-24g"),
        (replace(BASE, cores=None), "amd-epyc-7b13-4t-24g"),
        (WITH_GPU, "amd-epyc-7b13-2c-24g-1x-nvidia-h200-142g"),
        (
            replace(BASE, gpus=(H200, FakeGpu("GPU-2", "Tesla T4", 15360 << 20), FakeGpu("GPU-3"))),
            "amd-epyc-7b13-2c-24g-2x-nvidia-h200-142g-1x-tesla-t4-16g",
        ),
        (replace(BASE, cpuinfo=""), None),
    ],
)
def test_the_class_is_a_short_readable_slug(
    made: Made, slug: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "")

    assert identity(made, tmp_path, monkeypatch)["class"] == (slug or "unknown-cpu-2c-24g")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            replace(BASE, cpuinfo=PLAIN_EPYC + "cpu MHz\t: 2449.998\nmicrocode\t: 0xa0011d5\n"),
            id="clock-and-microcode",
        ),
        pytest.param(replace(BASE, files={"etc/hostname": "other\n"}), id="host-name"),
        pytest.param(replace(BASE, files={"proc/sys/kernel/random/boot_id": "b\n"}), id="boot"),
        pytest.param(replace(BASE, files={"proc/self/cgroup": "0::/docker/0123abcd\n"}), id="container"),
        pytest.param(replace(BASE, memory=MEMORY_24_GIB - 200 * 2**20), id="firmware-keeps-200-mib-more"),
        pytest.param(replace(BASE, memory=MEMORY_24_GIB + 5 * 2**20), id="firmware-keeps-5-mib-less"),
    ],
)
def test_the_same_machine_after_a_change_that_is_not_hardware(
    other: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine_id = {"etc/machine-id": "0123456789abcdef\n"}
    before = identity(replace(BASE, files=machine_id), tmp_path / "before", monkeypatch)
    after = identity(replace(other, files=machine_id | other.files), tmp_path / "after", monkeypatch)

    assert before == after


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(BASE, replace(BASE, cpuinfo=PLAIN_EPYC.replace("7B13", "7R13")), id="cpu-model"),
        pytest.param(
            replace(BASE, cpuinfo=PLAIN_EPYC.replace("7B13 64-Core ", "")),
            replace(BASE, cpuinfo=PLAIN_EPYC.replace("7B13 64-Core ", "").replace("model\t\t: 1\n", "model\t\t: 17\n")),
            id="generation-behind-a-hidden-name",
        ),
        pytest.param(BASE, replace(BASE, cores=4), id="cores"),
        pytest.param(BASE, replace(BASE, memory=MEMORY_24_GIB * 4 // 3), id="memory"),
        pytest.param(BASE, WITH_GPU, id="a-gpu-or-none"),
        pytest.param(WITH_GPU, replace(BASE, gpus=(FakeGpu("GPU-1", "NVIDIA H100"),)), id="gpu-model"),
        pytest.param(WITH_GPU, replace(BASE, gpus=(H200, FakeGpu("GPU-2"))), id="gpu-count"),
        pytest.param(WITH_GPU, replace(BASE, gpus=(FakeGpu("GPU-1", memory=96 << 30),)), id="gpu-memory"),
    ],
)
def test_other_hardware_is_another_class(
    one: Made, other: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = identity(one, tmp_path / "1", monkeypatch), identity(other, tmp_path / "2", monkeypatch)

    assert first["class"] != second["class"]


def test_the_order_of_the_gpus_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    t4 = FakeGpu("GPU-2", "Tesla T4", 15360 << 20)

    assert identity(replace(BASE, gpus=(H200, t4)), tmp_path / "1", monkeypatch) == identity(
        replace(BASE, gpus=(t4, H200)), tmp_path / "2", monkeypatch
    )


def test_hiding_a_gpu_does_not_make_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = replace(BASE, gpus=(H200, FakeGpu("GPU-2")))
    seen = identity(two, tmp_path / "1", monkeypatch)

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")

    assert identity(two, tmp_path / "2", monkeypatch) == seen


@pytest.mark.parametrize(
    ("reported_gib", "nominal_gib"),
    [
        (3.6, 3.75),
        (7.3, 7.5),
        (7.63, 8),
        (15.2, 16),
        (15.6, 16),
        (16, 16),
        (23.54, 24),
        (31.1, 32),
        (60.0, 60),
        (125.6, 128),
        (188.4, 192),
        (503.5, 512),
        (1007.4, 1024),
    ],
)
def test_memory_is_told_as_it_was_bought(reported_gib: float, nominal_gib: float) -> None:
    assert nominal_memory_gib(int(reported_gib * 2**30)) == nominal_gib


@pytest.mark.parametrize(
    ("reported_mib", "gib"),
    [(15109, 16), (15360, 16), (22731, 24), (23028, 24), (24564, 24), (40960, 40), (81559, 80), (143771, 142)],
)
def test_gpu_memory_is_told_the_same_by_every_driver(reported_mib: int, gib: int) -> None:
    assert accelerator_memory_gib(reported_mib * 2**20) == gib


def test_machine_and_environment_do_not_import_torch() -> None:
    program = (
        "import sys; from fixtures.machine import machine; from fixtures.environment import environment, "
        "torch_environment; machine(); environment(); torch_environment(); sys.exit('torch' in sys.modules)"
    )
    root = Path(__file__).parents[2]

    assert subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode == 0

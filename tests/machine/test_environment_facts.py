"""What is recorded to explain a change: flat, plain, and the same from run to run."""

import getpass
import json
import platform
import socket
import sys
import warnings
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures.environment import environment, torch_environment
from fixtures.nvidia import NvidiaDevices
from fixtures.variables import variables
from tests.machine.fake_nvml import FakeGpu, FakeNvml
from tests.machine.fake_system import write_system
from training.devices import fix_precision


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = [FakeGpu("GPU-aaaa"), FakeGpu("GPU-bbbb", "Tesla T4", 15360 << 20, link=(3, 8))]
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml(gpus))


@pytest.mark.usefixtures("two_gpus")
def test_every_value_is_plain_and_json_keeps_it() -> None:
    facts = environment()

    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert {type(value) for value in facts.values()} <= {str, int, float, bool, type(None)}


@pytest.mark.usefixtures("two_gpus")
def test_two_calls_agree() -> None:
    assert environment() == environment()


@pytest.mark.usefixtures("two_gpus")
def test_nothing_names_a_host_a_user_a_folder_or_a_unit() -> None:
    facts = environment(environ={"LD_PRELOAD": "/home/someone/lib/libjemalloc.so", "CUDA_VISIBLE_DEVICES": "GPU-aaaa"})
    values = [value for value in facts.values() if isinstance(value, str)]

    assert {socket.gethostname(), getpass.getuser(), str(Path.home())}.isdisjoint(values)
    assert [value for value in values if "someone" in value or "GPU-" in value] == []


def test_versions_are_those_that_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"})
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-31-amd64")
    facts = environment()

    assert facts["python"] == platform.python_version()
    assert facts["os"] == "Debian GNU/Linux 12 (bookworm)"
    assert facts["kernel"] == "6.1.0-31-amd64"
    for package in ("torch", "torchvision", "numpy", "scikit-learn", "pytest", "pytest-benchmark"):
        assert facts[package] == metadata.version(package)


def test_a_package_that_is_not_installed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", absent)

    assert environment()["torchvision"] is None


@pytest.mark.parametrize(
    ("mac_release", "system", "version", "name"),
    [("15.1", "Darwin", "Darwin Kernel 24.1.0", "macOS 15.1"), ("", "Windows", "10.0.22631", "Windows 10.0.22631")],
)
def test_macos_and_windows_tell_their_release(
    mac_release: str, system: str, version: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_such_file() -> dict[str, str]:
        raise OSError

    monkeypatch.setattr(platform, "freedesktop_os_release", no_such_file)
    monkeypatch.setattr(platform, "mac_ver", lambda: (mac_release, ("", "", ""), ""))
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "version", lambda: version)

    assert environment()["os"] == name


@pytest.mark.usefixtures("two_gpus")
def test_each_visible_gpu_is_described_under_torchs_number() -> None:
    facts = environment(environ={"CUDA_VISIBLE_DEVICES": "1"})

    assert facts["driver"] == "580.65.06"
    assert {name: value for name, value in facts.items() if name.startswith("gpu")} == {
        "gpu0_name": "Tesla T4",
        "gpu0_memory_bytes": 15360 * 1024 * 1024,
        "gpu0_power_limit_w": 700.0,
        "gpu0_pcie_generation": 3,
        "gpu0_pcie_generation_max": 5,
        "gpu0_pcie_width": 8,
        "gpu0_pcie_width_max": 16,
        "gpu0_mig": False,
        "gpu0_ecc": True,
    }


def test_devices_passed_in_are_used_and_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeNvml([FakeGpu()])
    monkeypatch.setitem(sys.modules, "pynvml", library)
    devices = NvidiaDevices({})

    assert environment(devices)["gpu0_name"] == "NVIDIA H200"
    assert "nvmlShutdown" not in library.calls
    assert library.calls.count("nvmlInit") == 1


def test_limits_and_settings_are_part_of_it(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/cpu.max": "100000 100000\n",
        "sys/devices/system/cpu/smt/active": "1\n",
    }

    facts = environment(root=write_system(tmp_path, files), environ={"OMP_WAIT_POLICY": "PASSIVE"})

    assert (facts["cpu_quota"], facts["cpu_smt"], facts["OMP_WAIT_POLICY"]) == (1.0, True, "PASSIVE")


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"OMP_NUM_THREADS": "4"}, "OMP_NUM_THREADS", "4"),
        ({}, "OMP_NUM_THREADS", None),
        ({"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}, "CUBLAS_WORKSPACE_CONFIG", ":4096:8"),
        ({}, "CUDA_VISIBLE_DEVICES", None),
        ({"CUDA_VISIBLE_DEVICES": ""}, "CUDA_VISIBLE_DEVICES", 0),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, "CUDA_VISIBLE_DEVICES", 0),
        ({"CUDA_VISIBLE_DEVICES": "3,1"}, "CUDA_VISIBLE_DEVICES", 2),
        ({"CUDA_VISIBLE_DEVICES": "GPU-aaaa"}, "CUDA_VISIBLE_DEVICES", 1),
        ({"CUDA_VISIBLE_DEVICES": "MIG-one,MIG-two"}, "CUDA_VISIBLE_DEVICES", 2),
        ({"LD_PRELOAD": "/usr/lib/libtcmalloc.so.4:/opt/x/libiomp5.so"}, "LD_PRELOAD", "libtcmalloc.so.4,libiomp5.so"),
        ({"LD_PRELOAD": "liba.so /opt/libb.so"}, "LD_PRELOAD", "liba.so,libb.so"),
        ({"LD_PRELOAD": ""}, "LD_PRELOAD", None),
    ],
)
def test_variables_that_change_the_speed(environ: dict[str, str], name: str, value: object) -> None:
    assert variables(environ)[name] == value


def fake_torch(**flags: object) -> SimpleNamespace:
    cudnn = SimpleNamespace(version=lambda: 92400, benchmark=False, deterministic=True)
    cuda = SimpleNamespace(matmul=SimpleNamespace(fp32_precision="ieee"))
    return SimpleNamespace(
        version=SimpleNamespace(cuda="13.0", hip=None),
        backends=SimpleNamespace(cudnn=cudnn, cuda=cuda, cpu=SimpleNamespace(get_cpu_capability=lambda: "AVX512")),
        **flags,
    )


def test_torch_tells_its_libraries_and_flags_once_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", fake_torch(are_deterministic_algorithms_enabled=lambda: False))

    assert torch_environment() == {
        "cuda": "13.0",
        "rocm": None,
        "cudnn": 92400,
        "cudnn_benchmark": False,
        "cudnn_deterministic": True,
        "matmul_fp32_precision": "ieee",
        "conv_fp32_precision": None,  # this torch has no such flag
        "deterministic_algorithms": False,
        "cpu_capability": "AVX512",
    }


def test_a_torch_that_refuses_an_answer_leaves_it_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> bool:
        raise RuntimeError

    monkeypatch.setitem(sys.modules, "torch", fake_torch(are_deterministic_algorithms_enabled=refuse))

    assert torch_environment()["deterministic_algorithms"] is None


def test_torchs_warnings_about_an_answer_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def warn() -> bool:
        warnings.warn("this name will change", FutureWarning, stacklevel=2)
        return True

    monkeypatch.setitem(sys.modules, "torch", fake_torch(are_deterministic_algorithms_enabled=warn))

    assert torch_environment()["deterministic_algorithms"] is True


def test_the_precision_that_the_suite_fixes_is_told_by_the_real_torch() -> None:
    fix_precision()

    facts = torch_environment()

    assert (facts["matmul_fp32_precision"], facts["conv_fp32_precision"]) == ("ieee", "ieee")


def test_without_torch_its_facts_are_named_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)

    facts = torch_environment()

    assert set(facts) > {"cuda", "cudnn"}
    assert set(facts.values()) == {None}

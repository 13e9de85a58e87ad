"""What the processor is called, and how it is set, on every system the suite runs on."""

import platform
import sys
from pathlib import Path
from typing import Self

import pytest

from fixtures import cpu, serials
from fixtures.cpu import cpu_model, cpu_settings, hypervisor
from fixtures.serials import system_serial
from fixtures.sources import program_text
from tests.machine.fake_system import PLAIN_EPYC, write_system


def x86(name: str, model: int = 85, flags: str = "fpu sse") -> str:
    return f"processor\t: 0\ncpu family\t: 6\nmodel\t\t: {model}\nmodel name\t: {name}\nflags\t\t: {flags}\n\n"


def arm(*parts: str) -> str:
    return "\n".join(f"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: {part}\n" for part in parts)


@pytest.mark.parametrize(
    ("cpuinfo", "model"),
    [
        (PLAIN_EPYC, "AMD EPYC 7B13"),
        (x86("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"), "Intel Xeon Platinum 8375C"),
        (x86("Intel(R) Core(TM) i7-9700K CPU @ 3.60GHz"), "Intel Core i7-9700K"),
        (x86("AMD Ryzen 7 7840U w/ Radeon 780M Graphics"), "AMD Ryzen 7 7840U"),
        (x86("AMD Ryzen 5 5600G with Radeon Graphics"), "AMD Ryzen 5 5600G"),
        (x86("Intel(R) Xeon(R) CPU @ 2.20GHz", model=79), "Intel Xeon f6m79"),
        (x86("Intel(R) Xeon(R) CPU @ 2.00GHz", model=85), "Intel Xeon f6m85"),
        (x86("QEMU Virtual CPU version 2.5+", model=6), "QEMU Virtual version 2.5+ f6m6"),
        (arm("0xd0c", "0xd0c"), "arm 41 d0c"),
        (arm("0xd46", "0xd05"), "arm 41 d05 41 d46"),
        ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported"),
    ],
)
def test_linux_processors_by_their_own_description(cpuinfo: str, model: str, tmp_path: Path) -> None:
    assert cpu_model(write_system(tmp_path, {"proc/cpuinfo": cpuinfo})) == model


def test_macos_names_its_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"): "Apple M2 Pro"}
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(cpu, "program_text", lambda *command: answers[command])

    assert cpu_model(tmp_path) == "Apple M2 Pro"


class FakeRegistry:
    """Stands for `winreg` with two values."""

    HKEY_LOCAL_MACHINE = object()
    values = {  # noqa: RUF012 - never changed
        (r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString"): "Intel(R) Core(TM) i7-9700K CPU  ",
        (r"SOFTWARE\Microsoft\Cryptography", "MachineGuid"): "guid-1",
    }

    def __init__(self, key: str = "") -> None:
        self.key = key

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def OpenKey(self, root: object, key: str) -> "FakeRegistry":  # noqa: N802 - the library's name
        assert root is self.HKEY_LOCAL_MACHINE
        return FakeRegistry(key)

    def QueryValueEx(self, opened: "FakeRegistry", name: str) -> tuple[str, int]:  # noqa: N802 - the library's name
        try:
            return self.values[opened.key, name], 1
        except KeyError:
            raise FileNotFoundError(name) from None


def test_windows_names_its_processor_and_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "winreg", FakeRegistry())

    assert cpu_model(tmp_path) == "Intel Core i7-9700K"
    assert system_serial(tmp_path) == "guid-1"


def test_without_any_description_the_architecture_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    assert cpu_model(tmp_path) == "riscv64"


@pytest.mark.parametrize(
    ("printed", "serial"),
    [('+-o J413\n    "IOPlatformUUID" = "8A2F-11"\n    "IOPlatformSerialNumber" = "C02"', "8A2F-11"), (None, None)],
)
def test_macos_tells_its_platform_id(
    printed: str | None, serial: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(serials, "program_text", lambda *command: printed)

    assert system_serial(tmp_path) == serial


def test_a_board_without_dmi_tells_its_serial_number(tmp_path: Path) -> None:
    root = write_system(tmp_path, {"proc/device-tree/serial-number": "10000000abcdef01\0", "etc/machine-id": "m" * 32})

    assert system_serial(root) == "10000000abcdef01"


CPU = "sys/devices/system/cpu"


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        pytest.param(
            {
                f"{CPU}/cpufreq/policy0/scaling_governor": "powersave\n",
                f"{CPU}/cpufreq/policy1/scaling_governor": "powersave\n",
                f"{CPU}/cpufreq/policy0/energy_performance_preference": "balance_performance\n",
                f"{CPU}/intel_pstate/no_turbo": "0\n",
                f"{CPU}/smt/active": "1\n",
                "proc/cpuinfo": PLAIN_EPYC + "microcode\t: 0xa0011d5\nflags\t: fpu sse\n",
                "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
            },
            {
                "cpu_governor": "powersave",
                "cpu_energy_preference": "balance_performance",
                "cpu_turbo": True,
                "cpu_smt": True,
                "cpu_microcode": "0xa0011d5",
                "transparent_hugepages": "madvise",
                "hypervisor": "none",
            },
            id="intel_pstate",
        ),
        pytest.param(
            {
                f"{CPU}/cpufreq/policy0/scaling_governor": "performance\n",
                f"{CPU}/cpufreq/policy4/scaling_governor": "ondemand\n",
                f"{CPU}/cpufreq/boost": "0\n",
                f"{CPU}/smt/active": "0\n",
            },
            {
                "cpu_governor": "ondemand,performance",
                "cpu_energy_preference": None,
                "cpu_turbo": False,
                "cpu_smt": False,
                "cpu_microcode": None,
                "transparent_hugepages": None,
                "hypervisor": None,
            },
            id="acpi-and-mixed-governors",
        ),
        pytest.param(
            {f"{CPU}/intel_pstate/no_turbo": "1\n", f"{CPU}/smt/active": "unreadable\n"},
            {
                "cpu_governor": None,
                "cpu_energy_preference": None,
                "cpu_turbo": False,
                "cpu_smt": None,
                "cpu_microcode": None,
                "transparent_hugepages": None,
                "hypervisor": None,
            },
            id="turbo-off",
        ),
    ],
)
def test_how_the_processor_is_set(files: dict[str, str], facts: dict[str, object], tmp_path: Path) -> None:
    assert cpu_settings(write_system(tmp_path, files)) == facts


GUEST = x86("AMD EPYC", flags="fpu hypervisor sse")


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"proc/cpuinfo": x86("AMD EPYC"), "sys/class/dmi/id/sys_vendor": "Dell Inc.\n"}, "none"),
        ({"proc/cpuinfo": GUEST, "sys/class/dmi/id/sys_vendor": "QEMU\n"}, "QEMU"),
        ({"proc/cpuinfo": GUEST}, "unnamed"),
        ({"proc/cpuinfo": GUEST, "sys/hypervisor/type": "xen\n"}, "xen"),
        ({"proc/cpuinfo": arm("0xd0c")}, None),
        ({}, None),
    ],
)
def test_the_hypervisor_is_named_if_it_can_be(files: dict[str, str], name: str | None, tmp_path: Path) -> None:
    assert hypervisor(write_system(tmp_path, files)) == name


def test_a_program_that_is_absent_fails_or_says_nothing_tells_nothing() -> None:
    assert program_text("/no/such/program") is None
    assert program_text(sys.executable, "-c", "raise SystemExit(1)") is None
    assert program_text(sys.executable, "-c", "") is None
    assert program_text(sys.executable, "-c", "print('told')") == "told"

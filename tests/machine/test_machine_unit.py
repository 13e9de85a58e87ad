"""Which machines are the same unit, and which only equal."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.machine.fake_machine import BASE, CONTAINER, WITH_GPU, Made, identity
from tests.machine.fake_nvml import FakeGpu

DMI_UUID = "4c4c4544-0042-3510-8054-b7c04f4a5931"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(WITH_GPU, replace(BASE, gpus=(FakeGpu("GPU-2"),)), id="gpu-ids"),
        pytest.param(
            replace(BASE, files={"etc/machine-id": "a" * 32}),
            replace(BASE, files={"etc/machine-id": "b" * 32}),
            id="os",
        ),
        pytest.param(
            replace(BASE, files={"sys/class/dmi/id/product_uuid": DMI_UUID}),
            replace(BASE, files={"sys/class/dmi/id/product_uuid": DMI_UUID[:-1] + "2"}),
            id="firmware",
        ),
    ],
)
def test_two_equal_machines_are_one_class_and_two_units(
    one: Made, other: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = identity(one, tmp_path / "1", monkeypatch), identity(other, tmp_path / "2", monkeypatch)

    assert first["class"] == second["class"]
    assert first["unit"] != second["unit"]


MACHINE_ID = {"etc/machine-id": "a" * 32}
OTHER_MACHINE_ID = {"etc/machine-id": "b" * 32}
DMI = {"sys/class/dmi/id/product_uuid": DMI_UUID + "\n"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            replace(WITH_GPU, files=MACHINE_ID, links=CONTAINER),
            replace(WITH_GPU, files=OTHER_MACHINE_ID, links=CONTAINER),
            id="two-containers-with-the-gpu",
        ),
        pytest.param(
            replace(WITH_GPU, files=MACHINE_ID), replace(WITH_GPU, files=DMI, links=CONTAINER), id="in-and-out-with-gpu"
        ),
        pytest.param(
            replace(BASE, files=DMI | MACHINE_ID),
            replace(BASE, files=DMI | OTHER_MACHINE_ID, links=CONTAINER),
            id="in-and-out-with-firmware-serial",
        ),
        pytest.param(
            replace(BASE, files=MACHINE_ID, links=CONTAINER),
            replace(BASE, files=OTHER_MACHINE_ID, links=CONTAINER),
            id="two-containers-that-tell-nothing",
        ),
        pytest.param(
            replace(BASE, files=MACHINE_ID | {"sys/class/dmi/id/product_uuid": "03000200-0400-0500-0006-000700080009"}),
            replace(BASE, files=MACHINE_ID | {"sys/class/dmi/id/product_uuid": "Not Settable"}),
            id="firmware-serials-that-are-none",
        ),
    ],
)
def test_a_container_does_not_make_another_unit(
    one: Made, other: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert identity(one, tmp_path / "1", monkeypatch) == identity(other, tmp_path / "2", monkeypatch)


def test_a_container_that_tells_nothing_lasting_has_no_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = replace(BASE, files=MACHINE_ID, links=CONTAINER)

    assert identity(made, tmp_path, monkeypatch)["unit"] is None


@pytest.mark.parametrize(
    "made",
    [replace(BASE, files=MACHINE_ID), replace(BASE, files=DMI), replace(BASE, gpus=(FakeGpu("GPU-0123456789ab"),))],
)
def test_the_unit_is_a_short_hash_that_holds_no_serial(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = identity(made, tmp_path, monkeypatch)["unit"] or ""

    assert len(unit) == 12
    assert set(unit) <= set("0123456789abcdef")
    assert unit not in "".join(["a" * 32, DMI_UUID, "GPU-0123456789ab"])


def test_the_salt_is_fixed_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """sha256("training-benchmarks machine unit:GPU-1"), first 12 digits: another salt would orphan every history."""
    assert identity(WITH_GPU, tmp_path, monkeypatch)["unit"] == "3460ba2c05e3"

"""Disks that fill up, refuse or vanish: what was over is kept, and one line names the place and the trouble."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from reports.cli import main
from tests.recording.tiny_suite import TinySuite, middle, outcomes, results

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="file modes, limits and mounts are Linux's")

NO_BIGGER_JOURNAL = """
(journal,) = STORE.rglob("*.journal.jsonl")
size = journal.stat().st_size + {more}
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
"""
FILL = """
RECORDS[case]["more_than_a_page"] = "x" * 8192
with open(STORE.resolve() / "filler", "wb", buffering=0) as filler:
    for size in (4096, 1):
        while True:
            try:
                filler.write(b"x" * size)
            except OSError:
                break
"""
READ_ONLY = "next(path for path in STORE.iterdir() if path.is_dir()).chmod(0o555)"


class Refusal(NamedTuple):
    """What befalls the disk in the middle case; what is said; which results `recover` then brings back."""

    deed: str
    said: str
    code: int
    recovered: list[str]


REFUSALS = {
    "no-room-for-the-result": Refusal(
        NO_BIGGER_JOURNAL.format(more=10), ".journal.jsonl cannot be written: File too large", 2, ["first"]
    ),
    "no-room-for-the-next-case": Refusal(
        NO_BIGGER_JOURNAL.format(more=1800), ".journal.jsonl cannot be written: File too large", 2, ["first", "middle"]
    ),
    "no-room-for-the-run-file": Refusal(
        # A list takes three times as much room in a run file, where every item has a line of its own.
        f"RECORDS[case]['many'] = [0] * 5000\n{NO_BIGGER_JOURNAL.format(more=20000)}",
        "not saved: File too large; `python -m reports recover` makes a run of ",
        1,
        ["first", "middle", "last"],
    ),
    "read-only-folder": Refusal(
        READ_ONLY,
        ".tmp: Permission denied; `python -m reports recover` makes a run of ",
        1,
        ["first", "middle", "last"],
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_disk_that_refuses_costs_at_most_the_case_in_flight(name: str, tiny: TinySuite) -> None:
    refusal = REFUSALS[name]

    ended = tiny.run(middle("round 1", refusal.deed), mode_counts=True)

    assert refusal.said in ended.said
    assert ended.code == refusal.code
    assert not ended.run_files
    assert not ended.left_behind
    ended.journals[0].parent.chmod(0o755)
    assert main(["recover", str(tiny.store)]) == 0
    assert results(tiny.ended().run) == refusal.recovered
    assert tiny.ended().run["suite"]["complete"] is (len(refusal.recovered) == 3)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(["mount", *options], check=False, capture_output=True).returncode:  # noqa: S607  where it is found
        pytest.skip("no right to mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)  # noqa: S607  as above


def test_a_full_disk_costs_at_most_the_case_in_flight(tiny: TinySuite, small_disk: Path) -> None:
    deed = FILL.replace("STORE", f"Path({str(small_disk)!r})")

    ended = tiny.run(middle("round 1", deed), "--benchmark-storage", str(small_disk))

    assert "cannot be written: No space left on device" in ended.said
    assert ended.code == 2
    (small_disk / "filler").unlink()
    assert main(["recover", str(small_disk)]) == 0
    left = tiny.ended(store=small_disk)
    assert outcomes(left.run)["first"] == "passed"
    assert results(left.run) == ["first"]


@pytest.mark.parametrize("deed", ["shutil.rmtree(STORE)", "next(STORE.rglob('*.journal.jsonl')).unlink()"])
def test_a_store_that_vanishes_is_made_again_with_all_that_was_in_it(tiny: TinySuite, deed: str) -> None:
    then_killed = tiny.run({"first": [], "middle": [("round 1", deed)], "last": [("round 1", "os._exit(7)")]})

    assert then_killed.code == 7
    assert main(["recover", str(tiny.store)]) == 0
    assert results(tiny.ended().run) == ["first", "middle"]


@pytest.mark.parametrize(
    ("storage", "mode", "said"),
    [
        ("closed/store", 0o555, "cannot be used to store runs, "),
        ("file/store", 0o755, "Not a directory"),
    ],
)
def test_a_storage_that_cannot_be_used_is_one_line_before_anything_is_measured(
    tiny: TinySuite, storage: str, mode: int, said: str
) -> None:
    (tiny.folder / "file").write_text("")
    (tiny.folder / "closed").mkdir(mode=mode)

    ended = tiny.run({"only": []}, "--benchmark-storage", storage, mode_counts=True)

    assert ended.code == 4
    (line,) = [line for line in ended.said.splitlines() if line.startswith("ERROR")]
    assert str(tiny.folder / storage) in line
    assert said in line
    assert "Traceback" not in ended.said

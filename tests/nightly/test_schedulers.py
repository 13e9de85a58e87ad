"""What `docs/nightly.md` tells people to copy is sound, as far as each scheduler's own tools can tell."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "nightly.md").read_text(encoding="utf-8")
NAMED_UNIT = re.compile(r"`/etc/systemd/system/(training-nightly\.\w+)`:\n\n```ini\n(.*?)```", re.DOTALL)
CRON_FIELD = r"(?:\*|\d+(?:-\d+)?)(?:/\d+)?"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    units = NAMED_UNIT.findall(PAGE)
    assert [name for name, _ in units] == ["training-nightly.service", "training-nightly.timer"]
    for name, text in units:
        # What the page installs is not there on the machine that checks the page.
        here = text.replace("/opt/training-benchmarks", str(ROOT)).replace("User=benchmarks\n", "")
        (tmp_path / name).write_text(here)

    done = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", *(str(tmp_path / name) for name, _ in units)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if "training-nightly" in line] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
def test_the_timers_hour_is_one(tmp_path: Path) -> None:
    (hour,) = re.findall(r"OnCalendar=(.*)", PAGE)

    subprocess.run(["systemd-analyze", "calendar", hour], check=True, capture_output=True)  # noqa: S607


@pytest.mark.parametrize("number", range(len(blocks("bash"))))
def test_every_script_on_the_page_can_be_read_by_its_shell(number: int) -> None:
    subprocess.run(["bash", "-n"], input=blocks("bash")[number], text=True, check=True)  # noqa: S607


def test_the_slurm_job_states_its_demands_before_its_first_command() -> None:
    (job,) = [block for block in blocks("bash") if "#SBATCH" in block]
    lines = job.splitlines()
    demands = [place for place, line in enumerate(lines) if line.startswith("#SBATCH --")]

    assert lines[0] == "#!/usr/bin/env bash"
    assert demands == list(range(1, 1 + len(demands)))
    assert any(line.startswith("#SBATCH --array=") for line in lines)
    assert all(re.fullmatch(r"#SBATCH --[a-z-]+(=\S+)?", lines[place]) for place in demands)


def test_every_cron_line_has_five_fields_and_a_command_that_its_shell_can_read() -> None:
    (table,) = blocks("cron")
    for line in table.splitlines():
        fields = re.fullmatch(rf"((?:{CRON_FIELD} ){{5}})(.+)", line)
        assert fields is not None, line
        assert "%" not in fields[2], "cron takes a percent sign for the end of a line"
        subprocess.run(["bash", "-n"], input=fields[2], text=True, check=True)  # noqa: S607


def test_every_schedule_runs_the_scripts_that_are_there() -> None:
    scripts = set(re.findall(r"nightly/\w+\.sh", PAGE))

    assert scripts == {"nightly/run.sh", "nightly/watch.sh"}
    assert all((ROOT / script).exists() for script in scripts)

"""How much of the machine a process may use, under both versions of control groups."""

from pathlib import Path

import psutil
import pytest

from fixtures.quota import quota
from tests.machine.fake_system import write_system

V1_OWN = "4:memory:/job\n3:cpu,cpuacct:/job\n"
V1 = "sys/fs/cgroup"


@pytest.mark.parametrize(
    ("files", "cpus", "memory"),
    [
        pytest.param({}, None, None, id="no-control-groups"),
        pytest.param({"proc/self/cgroup": "0::/\n"}, None, None, id="v2-without-limits"),
        pytest.param(
            {
                "proc/self/cgroup": "0::/job\n",
                "sys/fs/cgroup/job/cpu.max": "150000 100000\n",
                "sys/fs/cgroup/job/memory.max": "8589934592\n",
            },
            1.5,
            8589934592,
            id="v2",
        ),
        pytest.param(
            {
                "proc/self/cgroup": "0::/job\n",
                "sys/fs/cgroup/job/cpu.max": "max 100000\n",
                "sys/fs/cgroup/job/memory.max": "max\n",
            },
            None,
            None,
            id="v2-unlimited",
        ),
        pytest.param(
            {
                "proc/self/cgroup": "0::/slice/job\n",
                "sys/fs/cgroup/slice/job/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/slice/cpu.max": "200000 100000\n",
                "sys/fs/cgroup/slice/memory.max": "4096\n",
            },
            2.0,
            4096,
            id="v2-the-tightest-limit-above",
        ),
        pytest.param(
            {
                "proc/self/cgroup": "0::/docker/0123abcd\n",
                "sys/fs/cgroup/cpu.max": "50000 100000\n",
                "sys/fs/cgroup/memory.max": "1048576\n",
            },
            0.5,
            1048576,
            id="v2-inside-a-container",
        ),
        pytest.param(
            {
                "proc/self/cgroup": V1_OWN,
                f"{V1}/cpu,cpuacct/job/cpu.cfs_quota_us": "250000\n",
                f"{V1}/cpu,cpuacct/job/cpu.cfs_period_us": "100000\n",
                f"{V1}/memory/job/memory.limit_in_bytes": "2147483648\n",
            },
            2.5,
            2147483648,
            id="v1",
        ),
        pytest.param(
            {
                "proc/self/cgroup": V1_OWN,
                f"{V1}/cpu/cpu.cfs_quota_us": "100000\n",
                f"{V1}/cpu/cpu.cfs_period_us": "100000\n",
            },
            1.0,
            None,
            id="v1-inside-a-container",
        ),
        pytest.param(
            {
                "proc/self/cgroup": V1_OWN,
                f"{V1}/cpu/job/cpu.cfs_quota_us": "-1\n",
                f"{V1}/cpu/job/cpu.cfs_period_us": "100000\n",
                f"{V1}/memory/job/memory.limit_in_bytes": "9223372036854771712\n",
            },
            None,
            None,
            id="v1-unlimited",
        ),
        pytest.param(
            {
                "proc/self/cgroup": "1:cpu:/\n0::/job\n",
                f"{V1}/unified/job/memory.max": "65536\n",
                f"{V1}/cpu/cpu.cfs_quota_us": "-1\n",
            },
            None,
            65536,
            id="both-versions-at-once",
        ),
    ],
)
def test_the_limits_of_the_control_group(
    files: dict[str, str], cpus: float | None, memory: int | None, tmp_path: Path
) -> None:
    limits = quota(write_system(tmp_path, files))

    assert (limits["cpu_quota"], limits["memory_limit_bytes"]) == (cpus, memory)


def test_limits_of_other_groups_do_not_count(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/other/cpu.max": "1000 100000\n", "sys/fs/cpu.max": "1 1\n"}

    assert quota(write_system(tmp_path, files))["cpu_quota"] is None


def test_affinity_is_a_number_of_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil.Process, "cpu_affinity", lambda self: [0, 2, 4])

    assert quota(tmp_path)["cpu_affinity"] == 3


def test_affinity_is_unknown_where_the_system_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(psutil.Process, "cpu_affinity")

    assert quota(tmp_path)["cpu_affinity"] is None

"""How fast the reports are: reading beside a bare read of the same files, and the replay as histories grow.

Times are the processor's, of all that this process and its children did, so that neighbours disturb them little.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import orjson

from reports.errors import ReportError
from reports.rule.replay import Replay
from reports.rule.settings import Settings
from reports.run_cache import RunCache
from reports.runs import load_runs
from reports.simulation import Situation, grid_of, made_suite, write_runs
from reports.store import find_files

SHAPES = ((10, 100), (100, 100), (100, 120), (100, 1000), (1000, 1000))
"""Cases and sessions of the histories that are replayed."""
MADE = Situation(cases=200, rounds=100, history=35, nights=5)
"""The store that is read where none is named."""
_PEAK = "import sys; from reports.runs import load_runs; load_runs(sys.argv[1])"
_USED = """
import os, sys
silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent), 0)[2]
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""Run by a process of its own: on Linux a child's peak is never below that of the process that started it."""
MIB = 1024 * 1024


class Figure(NamedTuple):
    """One thing that was measured: processor seconds, what they come to in words, and the most memory in MiB."""

    what: str
    seconds: float
    compared: str = ""
    peak_mib: float | None = None


def made_store(folder: Path) -> Path:
    """Write a store of made runs and return it."""
    for _ in write_runs(made_suite(MADE, (0,)), folder):
        pass
    return folder


def seconds_of(work: Callable[[], object], times: int = 3) -> float:
    """Return the least of the processor seconds that something takes in several turns."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def bare_read_s(paths: list[Path]) -> float:
    """Return what opening and parsing takes alone, in seconds."""

    def read() -> None:
        for path in paths:
            orjson.loads(path.read_bytes())

    return seconds_of(read)


def replay_s(cases: int, sessions: int) -> float:
    """Return what judging every session of a made history takes, in seconds."""
    situation = Situation(cases=cases, rounds=1, history=sessions - 1, nights=1, outliers=0.01, common=0.3)
    cells = grid_of(made_suite(situation, (0,)))

    def judge() -> None:
        replay = Replay(cells, Settings())
        for session in range(sessions):
            replay.step(session)

    return seconds_of(judge, times=1 if cases * sessions > 20_000 else 3)  # noqa: PLR2004  of the long ones one will do


def replays() -> Iterator[Figure]:
    """Yield the replay of ever larger histories."""
    for cases, sessions in SHAPES:
        taken_s = replay_s(cases, sessions)
        each = f"{taken_s / (cases * sessions) * 1e6:.1f} µs a case and session"
        yield Figure(f"replay of {cases:,} cases x {sessions:,} sessions", taken_s, each)


def readings(store: Path) -> Iterator[Figure]:
    """Yield a bare read of a store's files, and what the reports make of it.

    Raises:
        ReportError: there is no such store, or no run file in it.
    """
    paths = find_files(store).run_files
    if not paths:
        raise ReportError(f"no run file in {store}: measure and save one first, or name the store")
    size = sum(path.stat().st_size for path in paths) / MIB
    bare_s = bare_read_s(paths)
    yield Figure(f"bare read of {len(paths):,} files, {size:,.0f} MiB", bare_s)
    with TemporaryDirectory() as folder:
        numbered = (Path(folder, f"{number}.sqlite3") for number in range(sys.maxsize))
        ways: dict[str, Callable[[], object]] = {
            "first read": lambda: load_runs(store),
            "first read that fills a cache": lambda: load_runs(store, cache=RunCache(next(numbered))),
            "read with everything in the cache": lambda: load_runs(store, cache=RunCache(Path(folder, "0.sqlite3"))),
        }
        for what, work in ways.items():
            taken_s = seconds_of(work)
            yield Figure(what, taken_s, f"{taken_s / bare_s:.2f} x the bare read")
    if os.name == "posix":
        yield Figure("first read, imports included", *_child([sys.executable, "-c", _PEAK, str(store)]))
        yield from _judged(paths)


def _judged(paths: list[Path]) -> Iterator[Figure]:
    """Yield a whole `judge` with all of these files but the newest known."""
    with TemporaryDirectory() as folder:
        store = Path(folder, "store")
        store.mkdir()
        words = [sys.executable, "-m", "reports", "judge", str(store), "--output", str(Path(folder, "report"))]
        for number, path in enumerate(paths):
            if number == len(paths) - 1:
                _child(words, XDG_CACHE_HOME=folder)
            (store / f"{number:06}_{path.name}").symlink_to(path.resolve())
        yield Figure("judge with one new run, imports included", *_child(words, XDG_CACHE_HOME=folder))


def _child(words: list[str], **environment: str) -> tuple[float, str, float]:
    """Return the processor seconds and the peak memory in MiB of another process, whatever its exit code."""
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-c", _USED, *words], capture_output=True, check=True, env={**os.environ, **environment}
    )
    seconds, peak = done.stdout.split()
    unit = 1 if sys.platform == "darwin" else 1024
    return float(seconds), "", int(peak) * unit / MIB

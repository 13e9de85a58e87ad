"""All runs of a store, as tidy frames: what was measured, by which files, and which files could not be used."""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from reports.case_frame import case_frame
from reports.errors import DamagedFileError, ReportError
from reports.escaping import sound
from reports.journal import is_left_over
from reports.quantities import counted
from reports.reading import Reader
from reports.run_cache import RunCache
from reports.run_file import RunFile
from reports.sessions import sessions
from reports.store import find_files

FILE_COLUMNS = [
    "run", "path", "session", "kind", "launch", "started", "complete", "narrowed", "machine", "unit", "commit",
    "version", "ours", "environment", "results",
]  # fmt: skip
SKIPPED_COLUMNS = ["run", "path", "reason"]


@dataclass(frozen=True)
class Runs:
    """What a store holds.

    Attributes:
        cases: one row per run file and fullname. `median_s` and `iqr_s` are seconds per unit of work, over the rounds;
            `median_s` is NaN without a result. `started` is UTC. `extra`, `options`, `params` and `environment` are
            the file's own objects, shared by all rows that hold equal ones.
        files: one row per readable run file, also for a run without any case; `results` counts its cases with a time.
        skipped: one row per file that could not be used, with the reason.
        duplicates: files that tell the same as one read before, with the path of that one, which alone counts.
        journals: paths of left-over journals: launches that did not end by saving. Those in progress are left out.
    """

    cases: pd.DataFrame
    files: pd.DataFrame
    skipped: pd.DataFrame
    duplicates: dict[Path, Path] = field(default_factory=dict)
    journals: list[Path] = field(default_factory=list)

    def counting(self, run: str | Path | None) -> str | Path | None:
        """Return the file that counts in place of a duplicate, named by its path or name; all else as it is."""
        return next((kept for path, kept in self.duplicates.items() if run in (path, str(path), path.name)), run)

    @cached_property
    def sessions(self) -> pd.DataFrame:
        """The launches folded into sessions (`reports.sessions`), made once however many machines are judged."""
        return sessions(self.cases)


def load_runs(store: str | Path = ".benchmarks", also: Iterable[Path] = (), *, cache: RunCache | None = None) -> Runs:
    """Read every run file of a store (a folder, or one file), and the files named besides.

    A damaged file is named in `skipped`, never an error. With a cache, only files that it has not seen are parsed.

    Raises:
        ReportError: there is no such store, or no run file in it.
    """
    found = find_files(Path(store))
    paths = list(dict.fromkeys([*found.run_files, *also]))
    journals = [path for path in found.journals if is_left_over(path)]
    if not paths and journals:
        raise ReportError(
            f"no run file in {store}, but {counted(len(journals), 'journal')} left over from launches that never "
            f"saved: python -m reports recover {store}"
        )
    if not paths:
        raise ReportError(f"no run file in {store}: measure and save one first, or name the store")
    read: dict[bytes, RunFile] = {}
    skipped: list[dict[str, Any]] = []
    duplicates: dict[Path, Path] = {}
    with _without_garbage_collection():
        for path, run in Reader(cache).read(paths):
            if isinstance(run, DamagedFileError):
                skipped.append({"run": sound(path.name), "path": path, "reason": str(run)})
            elif (first := read.setdefault(run.fingerprint, run)) is not run:
                duplicates[path] = first.path
    files = list(_in_order(read.values()))
    return Runs(
        cases=case_frame(files),
        files=pd.DataFrame([_file_row(*file) for file in files], columns=FILE_COLUMNS),
        skipped=pd.DataFrame(skipped, columns=SKIPPED_COLUMNS),
        duplicates=duplicates,
        journals=journals,
    )


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Look for no cycles while documents are parsed: they have none, and looking takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _in_order(runs: Iterable[RunFile]) -> Iterator[tuple[RunFile, str]]:
    """Yield the runs by time, each with its session: the named one, else the file itself."""
    ordered = sorted(runs, key=lambda run: (run.head.started, run.head.launch, run.run, str(run.path)))
    names = Counter(run.run for run in ordered)
    for run in ordered:
        own = run.run if names[run.run] == 1 else sound(str(run.path))
        yield run, run.head.session or own


def _file_row(run: RunFile, session: str) -> dict[str, Any]:
    row = {name: getattr(run.head, name) for name in FILE_COLUMNS if hasattr(run.head, name)}
    results = int((run.cases.median_s > 0).sum())
    return row | {"run": run.run, "path": run.path, "session": session, "results": results}

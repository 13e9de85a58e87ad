"""Which files of a folder are runs. No file is opened here, and no path that stands in a file is ever followed."""

import os
from dataclasses import dataclass
from pathlib import Path

from reports.errors import ReportError

JOURNAL_ENDING = ".journal.jsonl"
RUN_ENDINGS = (".json", ".json.gz")
DEFAULT_STORE = ".benchmarks"


@dataclass(frozen=True)
class Found:
    """The files of a store, in order of their names."""

    run_files: list[Path]
    journals: list[Path]


def find_files(store: Path) -> Found:
    """Return the run files and left-over journals below a folder, or the one file that was named.

    Names that begin with a dot are temporary and left out, folders as well, except a store within the folder.

    Raises:
        ReportError: there is nothing of that name.
    """
    if store.is_file():
        return Found([store], [])
    if not store.is_dir():
        raise ReportError(f"no store at {store}: measure and save a run first, or name the folder that holds the runs")
    names = sorted(_files_below(store))
    return Found(
        run_files=[path for path in names if path.name.endswith(RUN_ENDINGS)],
        # A pipe of such a name would be waited for without end.
        journals=[path for path in names if path.name.endswith(JOURNAL_ENDING) and path.is_file()],
    )


def find_journals(store: Path) -> list[Path]:
    """Return the journals below a folder, those of runs in progress among them, or the one that was named.

    Raises:
        ReportError: there is nothing of that name, or it is no journal.
    """
    if not store.is_file():
        return find_files(store).journals
    if not store.name.endswith(JOURNAL_ENDING):
        raise ReportError(f"{store} is no journal: name one, or the folder that holds the runs")
    return [store]


def _files_below(store: Path) -> list[Path]:
    found: list[Path] = []
    entered: set[str] = set()
    for folder, subfolders, names in os.walk(store, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered:  # a link back into the store
            subfolders.clear()
            continue
        entered.add(real)
        subfolders[:] = [name for name in subfolders if not name.startswith(".") or name == DEFAULT_STORE]
        found.extend(Path(folder, name) for name in names if not name.startswith("."))
    return found

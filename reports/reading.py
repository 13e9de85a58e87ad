"""Read the files of a store: what was seen before from the cache, the rest one after the other.

A second process and a thread that reads ahead were tried on two busy cores: they took a half and a seventh more of the
processor, and no less time, since a file's bytes are parsed fastest where they were just read.
"""

from collections.abc import Iterator
from pathlib import Path

from reports.decoding import read_content
from reports.definition import Definitions
from reports.errors import DamagedFileError
from reports.run_cache import RunCache, Seen, digest
from reports.run_file import RunFile, run_in


class Reader:
    """Reads the files of one store; equal definitions in them are one object."""

    def __init__(self, cache: RunCache | None) -> None:
        self._cache = cache
        self._definitions = Definitions()
        self._new: list[tuple[Seen, RunFile]] = []

    def read(self, paths: list[Path]) -> Iterator[tuple[Path, RunFile | DamagedFileError]]:
        """Yield the run in each file, or why there is none; what was parsed is in the cache afterwards."""
        for path in paths:
            try:
                yield path, self._run(path)
            except DamagedFileError as error:
                yield path, error
        if self._cache is not None and self._new:
            self._cache.add(self._new)

    def _run(self, path: Path) -> RunFile:
        if self._cache is None:
            return run_in(path, read_content(path), self._definitions)
        known = self._cache.digest_of(path)
        run = self._cache.run(known, path, self._definitions) if known else None
        if run is not None:
            return run
        content = read_content(path)
        seen = Seen(digest(content), content.stat)
        run = self._cache.run(seen.digest, path, self._definitions) or run_in(path, content, self._definitions)
        self._new.append((seen, run))
        return run

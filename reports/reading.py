"""Read files through the cache: parse what was never seen, and take the rest from there."""

import hashlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from reports.decoding import Content, read_content
from reports.definition import Definitions
from reports.errors import DamagedFileError
from reports.run_cache import RunCache, Seen
from reports.run_file import RunFile, run_in

_AHEAD = 3
"""Files that are read and hashed while an earlier one is parsed; each waits in memory."""


class Fetched(NamedTuple):
    """A file on its way: known by its digest alone, or with its content."""

    path: Path
    digest: bytes
    content: Content | None


class Reader:
    """Reads the files of one store; equal definitions in them are one object."""

    def __init__(self, cache: RunCache | None) -> None:
        self._cache = cache
        self._definitions = Definitions()
        self._new: list[tuple[Seen, RunFile]] = []

    def read(self, paths: list[Path]) -> Iterator[tuple[Path, RunFile | DamagedFileError]]:
        """Yield the run in each file, or why there is none; what was parsed is in the cache afterwards."""
        with ThreadPoolExecutor(1, thread_name_prefix="reading") as ahead:
            waiting: deque[tuple[Path, Future[Fetched]]] = deque()
            for path in paths:
                waiting.append((path, ahead.submit(self._fetch, path)))
                if len(waiting) > _AHEAD:
                    yield self._next(waiting)
            while waiting:
                yield self._next(waiting)
        if self._cache is not None and self._new:
            self._cache.add(self._new)

    def _next(self, waiting: "deque[tuple[Path, Future[Fetched]]]") -> tuple[Path, RunFile | DamagedFileError]:
        path, fetched = waiting.popleft()
        try:
            return path, self._run(fetched.result())
        except DamagedFileError as error:
            return path, error

    def _fetch(self, path: Path) -> Fetched:
        """Look a file up, and read it if need be; hashing leaves the interpreter free to parse another."""
        if self._cache is None:
            return Fetched(path, b"", read_content(path))
        digest = self._cache.digest_of(path)
        if digest and self._cache.holds(digest):
            return Fetched(path, digest, None)
        content = read_content(path)
        return Fetched(path, hashlib.sha256(content.stored).digest() + bytes([content.is_compressed]), content)

    def _run(self, fetched: Fetched) -> RunFile:
        path, digest, content = fetched
        run = self._cache.run(digest, path, self._definitions) if self._cache else None
        if run is None:
            content = content or read_content(path)
            run = run_in(path, content, self._definitions)
        if self._cache and content:
            self._new.append((Seen(digest, content.stat), run))
        return run

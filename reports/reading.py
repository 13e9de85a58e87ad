"""Read the files of a store: what was seen before from the cache, of the rest every other one in a second process."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from reports.decoding import Content, read_content
from reports.definition import Definitions
from reports.errors import DamagedFileError
from reports.run_cache import RunCache, Seen, digest
from reports.run_file import RunFile, run_in
from reports.second_reader import SecondReader, is_worth_it

_AHEAD = 3
"""Files that are read and hashed while an earlier one is parsed; each waits in memory."""


class Fetched(NamedTuple):
    """A file on its way: known by its digest alone, or with its content."""

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
        unseen = [path for path in paths if not self._known(path)]
        others = unseen[1::2] if is_worth_it(len(unseen)) else []
        second = SecondReader(others, self._definitions) if others else None
        try:
            yield from self._read(paths, set(others), second)
        finally:
            if second:
                second.close()
        if self._cache is not None and self._new:
            self._cache.add(self._new)

    def _read(
        self, paths: list[Path], others: set[Path], second: SecondReader | None
    ) -> Iterator[tuple[Path, RunFile | DamagedFileError]]:
        with ThreadPoolExecutor(1, thread_name_prefix="reading") as ahead:
            waiting: deque[tuple[Path, Future[Fetched] | None]] = deque()
            for path in paths:
                waiting.append((path, None if path in others else ahead.submit(self._fetch, path)))
                if len(waiting) > _AHEAD:
                    yield self._next(waiting, second)
            while waiting:
                yield self._next(waiting, second)

    def _next(
        self, waiting: "deque[tuple[Path, Future[Fetched] | None]]", second: SecondReader | None
    ) -> tuple[Path, RunFile | DamagedFileError]:
        path, fetched = waiting.popleft()
        try:
            received = second.receive(path) if second and fetched is None else None
            if received is None:
                return path, self._run(path, fetched.result() if fetched else self._fetch(path))
        except DamagedFileError as error:
            return path, error
        self._new.append(received)
        return path, received[1]

    def _known(self, path: Path) -> bytes | None:
        """Return the digest of a file that the cache holds and that nobody touched since."""
        found = self._cache.digest_of(path) if self._cache else None
        return found if found and self._cache and self._cache.holds(found) else None

    def _fetch(self, path: Path) -> Fetched:
        """Look a file up, and read it if need be; hashing leaves the interpreter free to parse another."""
        if known := self._known(path):
            return Fetched(known, None)
        content = read_content(path)
        return Fetched(digest(content) if self._cache else b"", content)

    def _run(self, path: Path, fetched: Fetched) -> RunFile:
        run = self._cache.run(fetched.digest, path, self._definitions) if self._cache else None
        content = fetched.content
        if run is None:
            content = content or read_content(path)
            run = run_in(path, content, self._definitions)
        if self._cache and content:
            self._new.append((Seen(fetched.digest, content.stat), run))
        return run

"""What was read and replayed before: one SQLite file in the user's cache folder, which may be deleted at any time.

A run is kept under the SHA-256 of its file's bytes, so a moved, renamed or copied store still hits, and a changed file
never does. The bytes of a file need not be hashed again while the file system says that it is the same file, untouched:
same device, inode, size, time of change of the content and time of change of the inode. A program can set back the
former time, not the latter. A file touched less than `SETTLED_S` seconds before it was read is hashed the next time as
well, since a second change might fall on the same tick of the file system's clock.

SQLite is in the standard library, adds one new run without writing the others again, and locks: two reports at once
wait for each other or go without. A cache that is damaged, of another version or too large is begun anew.
"""

import hashlib
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from reports.decoding import Content
from reports.definition import Definition, Definitions
from reports.run_file import Cases, Head, RunFile

if TYPE_CHECKING:
    from reports.rule.checkpoints import Checkpoint

VERSION = 2
SETTLED_S = 3.0
LARGEST_CACHE_BYTES = 512 * 1024 * 1024
MOST_CHECKPOINTS = 8
"""Each holds a number per case and session; two belong to a history."""
_WAIT_S = 10.0
_TABLES = f"""
create table if not exists runs (digest blob primary key, fingerprint blob, head blob, cases blob) without rowid;
create table if not exists definitions (place integer primary key, content blob unique);
create table if not exists files (
    device integer, inode integer, size integer, changed_ns integer, touched_ns integer, digest blob,
    primary key (device, inode)) without rowid;
create table if not exists checkpoints (digest blob primary key, suite blob, sessions integer, state blob);
pragma user_version = {VERSION};
"""


class Seen(NamedTuple):
    """A file as it was read: the digest of its bytes, and what the file system said of it."""

    digest: bytes
    stat: os.stat_result


def digest(content: Content) -> bytes:
    """Return the key of a file's content; the same bytes mean something else under a compressed name."""
    return hashlib.sha256(content.stored).digest() + bytes([content.is_compressed])


def default_place() -> Path:
    """Return where the cache lies: the user's cache folder, as each system has it."""
    if told := os.environ.get("XDG_CACHE_HOME"):
        folder = Path(told)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        folder = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return folder / "training-reports" / "runs.sqlite3"


class RunCache:
    """The runs of earlier reports. Every trouble with the cache itself is silent: a report works without."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._digests: dict[tuple[int, ...], bytes] = {}
        self._runs: dict[bytes, tuple[bytes, bytes, bytes]] = {}
        self._contents: dict[int, bytes] = {}
        self._definitions = Definitions()
        self._defined: dict[int, Definition] = {}
        with suppress(sqlite3.Error, OSError):
            self._load()

    def _load(self) -> None:
        if not self.place.exists():
            return
        if self.place.stat().st_size > LARGEST_CACHE_BYTES:
            self.place.unlink()
            return
        with closing(sqlite3.connect(self.place, timeout=_WAIT_S)) as connection:
            if connection.execute("pragma user_version").fetchone() != (VERSION,):
                return
            for *key, digest in connection.execute("select * from files"):
                self._digests[tuple(key)] = digest
            self._contents = dict(connection.execute("select place, content from definitions"))
            self._runs = {row[0]: row[1:] for row in connection.execute("select * from runs")}

    def digest_of(self, path: Path) -> bytes | None:
        """Return the digest of a file that is the very one read before, untouched since; None when in doubt."""
        if os.name != "posix" or not self._digests:  # elsewhere the second time is that of the creation
            return None
        try:
            return self._digests.get(_key(path.stat()))
        except OSError:
            return None

    def run(self, digest: bytes, path: Path, definitions: Definitions) -> RunFile | None:
        """Return the run kept under a digest, as the run in this file."""
        stored = self._runs.get(digest)
        if stored is None:
            return None
        if definitions is not self._definitions:
            self._definitions, self._defined = definitions, {}
        fingerprint, head, cases = stored
        defined = self._defined
        try:
            fields = orjson.loads(head)
            places, *columns = orjson.loads(cases)
            known = [defined.get(place) or self._define(place) for place in places]
            started = datetime.fromisoformat(fields["started"])
            return RunFile(path, Head(**fields | {"started": started}), Cases.from_columns(known, columns), fingerprint)
        except (TypeError, KeyError, ValueError):
            return None

    def _define(self, place: int) -> Definition:
        return self._defined.setdefault(place, self._definitions.read(self._contents[place]))

    def add(self, read: Iterable[tuple[Seen, RunFile]]) -> None:
        """Keep runs that were read from their files."""
        with suppress(sqlite3.Error, OSError):
            try:
                self._write(read)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):  # locked, read-only or full: not for us to mend
                    return
                self.place.unlink()
                self._write(read)

    def checkpoints(self, suite: bytes) -> list[tuple[int, bytes]]:
        """Return how many sessions each checkpoint of a suite holds, and its digest."""
        return self._rows("select sessions, digest from checkpoints where suite = ?", suite)

    def state(self, digest: bytes) -> bytes | None:
        """Return the state under a digest."""
        return next((state for (state,) in self._rows("select state from checkpoints where digest = ?", digest)), None)

    def _rows(self, query: str, value: bytes) -> list[Any]:
        if not self.place.exists():
            return []
        try:
            with closing(sqlite3.connect(self.place, timeout=_WAIT_S)) as connection:
                return connection.execute(query, (value,)).fetchall()
        except sqlite3.Error:
            return []

    def keep(self, checkpoints: "Sequence[Checkpoint]") -> None:
        """Keep these; of all checkpoints the newest few stay."""
        suites = {checkpoint.suite for checkpoint in checkpoints}
        known = {digest for suite in suites for _, digest in self.checkpoints(suite)}
        if known.issuperset(checkpoint.digest for checkpoint in checkpoints):
            return
        rows = [(one.digest, one.suite, one.sessions, one.state) for one in checkpoints]
        with suppress(sqlite3.Error, OSError), closing(self._writable()) as connection, connection:
            connection.executemany("insert or replace into checkpoints values (?, ?, ?, ?)", rows)
            connection.execute(
                "delete from checkpoints where rowid not in "
                "(select rowid from checkpoints order by rowid desc limit ?)",
                (MOST_CHECKPOINTS,),
            )

    def _writable(self) -> sqlite3.Connection:
        """Open the cache to add to it.

        Raises:
            sqlite3.DatabaseError: it is damaged or of another version.
        """
        self.place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self.place, timeout=_WAIT_S)
        try:
            version = connection.execute("pragma user_version").fetchone()[0]
            if version not in {0, VERSION}:
                raise sqlite3.DatabaseError("another version")
            connection.executescript(_TABLES)
            connection.execute("begin immediate")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _write(self, read: Iterable[tuple[Seen, RunFile]]) -> None:
        with closing(self._writable()) as connection, connection:
            places = {content: place for place, content in connection.execute("select * from definitions")}
            settled_ns = time.time_ns() - int(SETTLED_S * 1e9)
            for seen, run in read:
                kept = [places.setdefault(one.content, len(places) + 1) for one in run.cases.definition]
                cases = orjson.dumps([kept, *run.cases[1:]], option=orjson.OPT_SERIALIZE_NUMPY)
                row = (seen.digest, run.fingerprint, orjson.dumps(run.head), cases)
                connection.execute("insert or replace into runs values (?, ?, ?, ?)", row)
                if seen.stat.st_ctime_ns < settled_ns:
                    connection.execute("insert or replace into files values (?, ?, ?, ?, ?, ?)",
                                       (*_key(seen.stat), seen.digest))  # fmt: skip
            rows = ((place, content) for content, place in places.items())
            connection.executemany("insert or ignore into definitions values (?, ?)", rows)


def _key(stat: os.stat_result) -> tuple[int, ...]:
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns

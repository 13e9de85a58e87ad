"""A second process that parses every other file of a large store, since one interpreter parses on one core only.

`python -m reports.second_reader` is that process: it takes paths on its input and gives what their files hold, in
their order, on its output. Both ends are our own, so they speak in pickles.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from reports.decoding import read_content
from reports.definition import Definitions
from reports.errors import DamagedFileError
from reports.run_cache import Seen, digest
from reports.run_file import Cases, Head, RunFile, run_in

LEAST_FILES = 100
"""Below, starting a process takes longer than it saves."""


class Message(NamedTuple):
    """One file: why it is no run, or what it holds. A definition is sent once, and then told by its number."""

    reason: str
    seen: Seen | None = None
    fingerprint: bytes = b""
    head: Head | None = None
    places: tuple[int, ...] = ()
    columns: tuple[Any, ...] = ()
    new_contents: tuple[bytes, ...] = ()


class SecondReader:
    """The other process as seen from this one."""

    def __init__(self, paths: list[Path], definitions: Definitions) -> None:
        self._definitions, self._contents = definitions, list[bytes]()
        places = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "reports.second_reader"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what it cannot do is done here, where errors are told
            env={**os.environ, "PYTHONPATH": places},
        )
        with suppress(OSError), self._to_it() as stream:
            pickle.dump([str(path) for path in paths], stream)

    def _to_it(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _from_it(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def receive(self, path: Path) -> tuple[Seen, RunFile] | None:
        """Return the next file's run; None when the other process is gone, and somebody else has to read.

        Raises:
            DamagedFileError: it is no readable run.
        """
        try:
            message: Message = pickle.load(self._from_it())  # noqa: S301  written by our own process
        except (EOFError, pickle.UnpicklingError, OSError):
            return None
        if message.reason or message.seen is None or message.head is None:
            raise DamagedFileError(message.reason)
        self._contents += message.new_contents
        defined = [self._definitions.read(self._contents[place]) for place in message.places]
        cases = Cases(defined, *message.columns)
        return message.seen, RunFile(path, message.head, cases, message.fingerprint)

    def close(self) -> None:
        """End the other process."""
        self._from_it().close()
        self._process.terminate()
        self._process.wait()


def is_worth_it(files: int) -> bool:
    """Return whether a second process would finish sooner."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return files >= LEAST_FILES and cores > 1


def _messages(paths: list[str]) -> Iterator[Message]:
    definitions, places = Definitions(), dict[bytes, int]()
    for path in map(Path, paths):
        try:
            content = read_content(path)
            run = run_in(path, content, definitions)
        except DamagedFileError as error:
            yield Message(str(error))
            continue
        known = len(places)
        at = tuple(places.setdefault(one.content, len(places)) for one in run.cases.definition)
        new = tuple(places)[known:] if len(places) > known else ()
        yield Message("", Seen(digest(content), content.stat), run.fingerprint, run.head, at, tuple(run.cases[1:]), new)


def main(its_input: BinaryIO, its_output: BinaryIO) -> None:
    """Parse the files that are asked for."""
    for message in _messages(pickle.load(its_input)):  # noqa: S301  written by our own process
        pickle.dump(message, its_output, protocol=pickle.HIGHEST_PROTOCOL)
        its_output.flush()


if __name__ == "__main__":
    import gc

    gc.disable()  # documents have no cycles
    from reports.second_reader import main as run  # so that what is pickled has this module's name, not __main__'s

    try:
        run(sys.stdin.buffer, sys.stdout.buffer)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)

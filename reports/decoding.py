"""From a file to a JSON document that is safe to walk, sort and write again, whoever wrote the file."""

import gzip
import io
import json
import math
import os
import stat
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from reports.errors import DamagedFileError

LARGEST_FILE_BYTES = 256 * 1024 * 1024
DEEPEST_NESTING = 100
_BLANKS = b" \t\r\n\x00"


class Content(NamedTuple):
    """A file's bytes, and what the file system said of the file as they were read."""

    stored: bytes
    is_compressed: bool
    stat: os.stat_result


def read_content(path: Path) -> Content:
    """Return a file's bytes as they lie there, which must not change while they are read.

    Raises:
        DamagedFileError: the file cannot be read, is no file, is too large, or is being written.
    """
    try:
        with open(path, "rb", opener=_open_without_waiting) as stream:
            before = os.fstat(stream.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise DamagedFileError("not a regular file")
            _refuse_endless(before.st_size)
            stored = stream.read(before.st_size + 1)
            after = os.fstat(stream.fileno())
    except OSError as error:
        raise DamagedFileError(f"cannot be read: {error.strerror or type(error).__name__}") from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(stored) != after.st_size:
        raise DamagedFileError("changed while it was read: it is still being written")
    return Content(stored, path.suffix == ".gz", after)


def _open_without_waiting(path: str, flags: int) -> int:
    """Open so that a pipe nobody writes to is no trap."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_endless(size: int) -> None:
    if size > LARGEST_FILE_BYTES:
        raise DamagedFileError(f"too large: more than {LARGEST_FILE_BYTES // 1024 // 1024} MiB")


def decode(path: Path) -> dict[str, Any]:
    """Return the JSON object in a `.json` or `.json.gz` file, as `document_in` does.

    Raises:
        DamagedFileError: it cannot be read or holds no JSON object.
    """
    return document_in(read_content(path))


def document_in(content: Content) -> dict[str, Any]:
    """Return the JSON object in a file's content.

    NaN, Infinity and numbers beyond a float come back as None, since pytest-benchmark writes the first two.

    Raises:
        DamagedFileError: damaged compression, too large, not UTF-8, not JSON, or not an object.
    """
    written = _decompressed(content.stored) if content.is_compressed else content.stored
    if not written[:64].strip(_BLANKS) and not written.strip(_BLANKS):
        raise DamagedFileError("empty")
    document = parse(written)
    if not isinstance(document, dict):
        raise DamagedFileError(f"wrong shape: the file holds {_kind(document)}, not an object")
    return document


def _decompressed(stored: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(stored)) as stream:
            written = stream.read(LARGEST_FILE_BYTES + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise DamagedFileError("damaged gzip data") from error
    _refuse_endless(len(written))
    return written


def parse(content: bytes) -> Any:  # noqa: ANN401  a JSON value is anything
    """Return the JSON value in these bytes; orjson first, since it is several times faster.

    Raises:
        DamagedFileError: not UTF-8, not JSON, or nested too deeply.
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return _parse_leniently(content)


def _parse_leniently(content: bytes) -> Any:  # noqa: ANN401  a JSON value is anything
    try:
        decoded = content.decode("utf-8-sig")
        return _cleaned(json.loads(decoded, parse_constant=lambda _name: None))
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"not UTF-8 text at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise DamagedFileError(f"not JSON, or cut short, at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise DamagedFileError("nested too deeply") from error
    except ValueError as error:  # Python refuses to convert integers of thousands of digits
        raise DamagedFileError("holds a number of too many digits") from error


def _cleaned(value: Any, depth: int = 0) -> Any:  # noqa: ANN401  a JSON value is anything
    """Return the value as orjson would have given it: no infinities, no lone surrogates, no endless integers."""
    if depth > DEEPEST_NESTING:
        raise DamagedFileError("nested too deeply")
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, depth + 1) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int) and value.bit_length() > 63:  # noqa: PLR2004  what fits a machine's integer
        return float(value) if value.bit_length() < 1000 else None  # noqa: PLR2004  what fits a float
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return {list: "an array", str: "a string", bool: "a truth value"}.get(type(value), "a number")

"""From a file to a JSON document that is safe to walk, sort and write again, whoever wrote the file."""

import gzip
import hashlib
import json
import math
import zlib
from pathlib import Path
from typing import Any

import orjson

from reports.errors import DamagedFileError

LARGEST_FILE_BYTES = 256 * 1024 * 1024
DEEPEST_NESTING = 100


def decode(path: Path) -> dict[str, Any]:
    """Return the JSON object in a `.json` or `.json.gz` file.

    NaN, Infinity and numbers beyond a float come back as None, since pytest-benchmark writes the first two.

    Raises:
        DamagedFileError: the file cannot be read, is too large, is not UTF-8, not JSON, or not an object.
    """
    document = parse(_content(path))
    if not isinstance(document, dict):
        raise DamagedFileError(f"wrong shape: the file holds {_kind(document)}, not an object")
    return document


def _content(path: Path) -> bytes:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            content = stream.read(LARGEST_FILE_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DamagedFileError("damaged gzip data") from error
    except OSError as error:
        raise DamagedFileError(f"cannot be read: {error.strerror or type(error).__name__}") from error
    if len(content) > LARGEST_FILE_BYTES:
        raise DamagedFileError(f"too large: more than {LARGEST_FILE_BYTES // 1024 // 1024} MiB")
    if not content.strip(b" \t\r\n\x00"):
        raise DamagedFileError("empty")
    return content


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


def fingerprint(document: dict[str, Any]) -> bytes:
    """Return a digest of the content, the same for any order of keys and any layout.

    Raises:
        DamagedFileError: the document is nested too deeply to be written again.
    """
    try:
        canonical = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise DamagedFileError("nested too deeply") from error
    return hashlib.blake2b(canonical, digest_size=16).digest()


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return {list: "an array", str: "a string", bool: "a truth value"}.get(type(value), "a number")

import gzip
import json
from pathlib import Path

import pytest

from reports.decoding import decode
from reports.errors import DamagedFileError

DEEP = 5000


def written(folder: Path, content: bytes, name: str = "run.json") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b" \n\x00\x00", "empty"),
        (b'{"benchmarks": [', "not JSON, or cut short, at line 1 column 17"),
        (b"<html>", "not JSON, or cut short, at line 1 column 1"),
        (b"[]", "wrong shape: the file holds an array, not an object"),
        (b"null", "wrong shape: the file holds null, not an object"),
        (b'"text"', "wrong shape: the file holds a string, not an object"),
        (b"NaN", "wrong shape: the file holds null, not an object"),
        (b"12", "wrong shape: the file holds a number, not an object"),
        (b'{"name": "\xff\xfe"}', "not UTF-8 text at byte 10"),
        (b"[" * DEEP + b"]" * DEEP, "nested too deeply"),
        (b'{"a":' * DEEP + b"1" + b"}" * DEEP, "nested too deeply"),
        (b'{"n": NaN, "huge": ' + b"9" * 5000 + b"}", "holds a number of too many digits"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(DamagedFileError) as damage:
        decode(written(tmp_path, content))

    assert str(damage.value) == why


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="cannot be read: No such file"):
        decode(tmp_path / "gone.json")


def test_damaged_compression_says_so(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"benchmarks": []}')

    for content in (b"not gzip", whole[:-6], whole[:12]):
        with pytest.raises(DamagedFileError, match="damaged gzip data"):
            decode(written(tmp_path, content, "run.json.gz"))


def test_a_file_beyond_the_limit_is_refused_without_reading_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.decoding.LARGEST_FILE_BYTES", 2**20)
    bomb = gzip.compress(b'{"a": "' + b"x" * 2**21 + b'"}')

    with pytest.raises(DamagedFileError, match="too large: more than 1 MiB"):
        decode(written(tmp_path, bomb, "run.json.gz"))


def test_numbers_that_json_does_not_know_are_missing_values(tmp_path: Path) -> None:
    document = decode(
        written(tmp_path, b'{"a": NaN, "b": [Infinity, -Infinity, 1e999, 2.5], "c": 99999999999999999999}')
    )

    assert document == {"a": None, "b": [None, None, None, 2.5], "c": 1e20}


def test_compressed_marked_and_half_encoded_text_is_read(tmp_path: Path) -> None:
    content = json.dumps({"name": "日本"}).encode()

    assert decode(written(tmp_path, gzip.compress(content), "run.json.gz")) == {"name": "日本"}
    assert decode(written(tmp_path, b"\xef\xbb\xbf" + content)) == {"name": "日本"}
    assert decode(written(tmp_path, b'{"name": "\\ud800"}')) == {"name": "?"}

"""What stays the same about a case from run to run, kept once however many runs hold it."""

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from reports.errors import DamagedFileError
from reports.identity import Identity, identify
from reports.values import mapping, text, words


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A case as one entry of a file defines it: all but its figures. `content` is its JSON."""

    fullname: str
    identity: Identity
    params: dict[str, Any]
    extra: dict[str, Any]
    options: dict[str, Any]
    flags: tuple[str, ...]
    content: bytes
    digest: bytes
    """Of the content, the same for any order of keys."""


class Definitions:
    """The different definitions of a store; equal ones become one object, so that a large store stays small."""

    def __init__(self) -> None:
        self._known: dict[bytes, Definition] = {}

    def of(self, fullname: str, params: object = None, extra: object = None, options: object = None) -> Definition:
        """Return the definition with this content.

        Raises:
            DamagedFileError: it is nested too deeply to be written again.
        """
        try:
            content = orjson.dumps([fullname, params, extra, options])
        except orjson.JSONEncodeError as error:
            raise DamagedFileError("nested too deeply") from error
        return self._known.get(content) or self.read(content)

    def read(self, content: bytes) -> Definition:
        """Return the definition in this JSON."""
        known = self._known.get(content)
        if known is None:
            known = self._known[content] = _defined(content)
        return known


def _defined(content: bytes) -> Definition:
    value = orjson.loads(content)
    params, extra, options = map(mapping, value[1:])
    canonical = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return Definition(
        fullname=text(value[0]),
        identity=identify(value[0], params),
        params=params,
        extra=extra,
        options=options,
        flags=words(extra.get("flags")),
        content=content,
        digest=hashlib.blake2b(canonical, digest_size=16).digest(),
    )

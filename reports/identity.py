"""What a case is, told by its parameters, or by the words of its id where there are none.

A case that was skipped has left no parameters in the file; its id still says what it would have measured.
"""

import re
from typing import Any, NamedTuple

from reports.values import count, text

KNOWN_DEVICES = ("cpu-all", "cpu", "cuda", "mps", "xpu", "hip", "mtia", "hpu", "npu", "privateuseone")
_ID = re.compile(r"\[(?P<id>.*)\]$", re.DOTALL)
_DEVICE = re.compile(rf"(?P<device>(?:{'|'.join(KNOWN_DEVICES)})(?::?\d+)?)(?=-|$)")
_TRAINING_WORDS = re.compile(r"-(?P<model>.+)-batch(?P<batch_size>\d{1,9})-(?P<log>logeach|nolog|log\d{1,9})$")


class Identity(NamedTuple):
    """What one case measures; empty or None where neither parameters nor id say it."""

    device: str
    model: str
    batch_size: int | None
    log_interval: int | str | None
    """The loss is read every that many steps, or "never"."""


def identify(fullname: str, params: dict[str, Any]) -> Identity:
    """Return what the case measures, from its params where they say it, else from its id."""
    told = _identity_in_id(fullname)
    batch_size, log_interval = params.get("batch_size"), params.get("log_interval")
    return Identity(
        device=text(params.get("device")) or told.device,
        model=text(params.get("model")) or told.model,
        batch_size=count(batch_size) or told.batch_size,
        log_interval=_log_interval(log_interval) if log_interval is not None else told.log_interval,
    )


def _identity_in_id(fullname: str) -> Identity:
    inside = _ID.search(fullname)
    words = inside["id"] if inside else ""
    device = _DEVICE.match(words)
    if not device:
        return Identity("", "", None, None)
    rest = _TRAINING_WORDS.match(words, device.end())
    if not rest:
        return Identity(device["device"], "", None, None)
    return Identity(device["device"], rest["model"], int(rest["batch_size"]), _log_word(rest["log"]))


def _log_word(word: str) -> int | str:
    if word == "nolog":
        return "never"
    return 1 if word == "logeach" else int(word.removeprefix("log"))


def _log_interval(value: object) -> int | str | None:
    if value == "never":
        return "never"
    return count(value) or None


def _short_name(fullname: str) -> str:
    inside = _ID.search(fullname)
    is_training = inside is not None and _identity_in_id(fullname).batch_size is not None
    return inside["id"] if inside and is_training else fullname.rpartition("::")[2] or fullname


def is_cpu(device: str) -> bool:
    """Return whether the device is one of the processor's arms, `cpu` or `cpu-all`."""
    return device.startswith("cpu")


def short_names(fullnames: list[str]) -> dict[str, str]:
    """Return a name for each fullname: a training's id alone, others without folder and file, unless two would meet."""
    names = {fullname: _short_name(fullname) for fullname in fullnames}
    taken: dict[str, int] = {}
    for name in names.values():
        taken[name] = taken.get(name, 0) + 1
    return {fullname: name if taken[name] == 1 else fullname for fullname, name in names.items()}

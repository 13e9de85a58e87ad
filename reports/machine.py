"""Which machine a run was made on, and in which environment, as far as its file tells.

The machine is hardware only. What a reboot, a clock or a new host name changes (`hz_actual`, `node`, `release`)
never enters it; otherwise no two runs would share a history.
"""

import re
from typing import Any, NamedTuple

from reports.values import count, mapping, text

UNKNOWN = "unknown-machine"


class Machine(NamedTuple):
    """The hardware: `slug` names its class, `unit` tells two equal machines apart (empty when not recorded)."""

    slug: str
    unit: str


def machine_of(machine_info: dict[str, Any]) -> Machine:
    """Return the machine that the suite recorded, else a class made of CPU model, CPU count and architecture."""
    recorded = mapping(mapping(machine_info.get("suite")).get("machine"))
    if slug := slugged(text(recorded.get("class"))):
        return Machine(slug, text(recorded.get("unit")))
    cpu = mapping(machine_info.get("cpu"))
    model = text(cpu.get("brand_raw")) or text(cpu.get("brand")) or text(machine_info.get("processor"))
    cores = count(cpu.get("count"))
    parts = (model, str(cores) if cores else "", text(machine_info.get("machine")))
    return Machine(slugged(" ".join(part for part in parts if part)) or UNKNOWN, "")


def environment_of(machine_info: dict[str, Any]) -> dict[str, str]:
    """Return what may explain a change, as flat strings: what the suite recorded, else Python and operating system."""
    recorded = mapping(mapping(machine_info.get("suite")).get("environment"))
    if recorded:
        return {name: _plain(value) for name, value in recorded.items() if value is not None}
    facts = {
        "python": text(machine_info.get("python_version")),
        "implementation": text(machine_info.get("python_implementation")),
        "os": f"{text(machine_info.get('system'))} {text(machine_info.get('release'))}".strip(),
    }
    return {name: fact for name, fact in facts.items() if fact}


def slugged(words: str) -> str:
    """Return the words in lower case, joined by hyphens, with nothing but letters, digits, dots and underscores.

    >>> slugged("Intel(R) Core(TM) i7-9700 CPU @ 3.00GHz")
    'intel-r-core-tm-i7-9700-cpu-3.00ghz'
    """
    return re.sub(r"[^\w.]+", "-", words.lower()).strip("-")[:120]


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else str(value)

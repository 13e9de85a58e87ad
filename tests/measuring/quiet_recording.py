"""Rounds recorded on a quiet machine, to see how often the flags are raised without a cause.

`python -m tests.measuring.quiet_recording RUN_FILE ...` makes the recording anew from run files of this suite.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

from fixtures.noise import Evidence

RECORDING = Path(__file__).with_name("quiet_rounds.json")
READ = ("cpu_time_ratio", "other_cores", "stolen_share")


def recorded() -> dict[str, Evidence]:
    """The evidence of every recorded case, by its run and id."""
    found: dict[str, dict[str, Any]] = json.loads(RECORDING.read_text(encoding="utf-8"))
    return {name: Evidence(**fields) for name, fields in found.items()}


def record(run_files: list[Path], cores: int) -> dict[str, dict[str, Any]]:
    """What the flags are made from, of every training case of the run files; times to four figures."""
    found = {}
    for number, path in enumerate(run_files, start=1):
        entries = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
        usual_s = statistics.median(entry["extra_info"]["control_time_s"] for entry in entries)
        for entry in entries:
            extra = entry["extra_info"]
            if extra["unit"] != "step" or not entry["params"].get("model"):
                continue
            found[f"run{number} {entry['param']}"] = {
                "rounds_s": [float(f"{time_s:.4g}") for time_s in entry["stats"]["data"]],
                "threads": extra["threads"],
                "cores": cores,
                **{key: None if extra[key] is None else round(extra[key], 3) for key in READ},
                "control_ratio": round(extra["control_time_s"] / usual_s, 3),
            }
    return found


def main(arguments: list[str]) -> None:
    """Write the recording from the run files named; the machine is taken to have two cores."""
    found = record([Path(argument) for argument in arguments], cores=2)
    lines = (f"{json.dumps(name)}: {json.dumps(fields)}" for name, fields in found.items())
    RECORDING.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

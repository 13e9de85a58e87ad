"""The settings that may differ from case to case, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.rule.arrays import Floats, Ints
from reports.rule.settings import Settings


@dataclass(frozen=True)
class Thresholds:
    """An entry a case; `floor` is in ln time, `floor_s` in seconds, the others as in the settings."""

    floor: Floats
    floor_s: Floats
    suspect_p: Floats
    guard_rank: Ints
    rerun_decide: Floats

    @classmethod
    def of(cls, settings: Settings, fullnames: Sequence[str]) -> "Thresholds":
        """Read them for these cases."""
        return cls(
            np.log1p(settings.per_case("floor", fullnames)),
            np.array(settings.per_case("absolute_floor_s", fullnames)),
            np.array(settings.per_case("suspect_p", fullnames)),
            np.array(settings.per_case("guard_rank", fullnames)).astype(np.int64),
            np.array(settings.per_case("rerun_decide", fullnames)),
        )

"""The rule itself: a history is walked from its first session, and what is confirmed on the way shapes the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.rule.arrays import Ints
from reports.rule.grid import Grid
from reports.rule.levels import Levels
from reports.rule.machine import Machine
from reports.rule.night import Night, Results
from reports.rule.settings import Settings
from reports.rule.thresholds import Thresholds


@dataclass(frozen=True)
class Acceptance:
    """What a person accepted: from this session on the present level of these cases, or of these devices' machines.

    `level` is ln of seconds without the machine's shift, NaN for whatever the level is; `reason` is the person's.
    """

    session: int
    cases: Ints
    devices: tuple[str, ...]
    level: float
    reason: str = ""


class Replay:
    """One machine's history, judged session by session, each from those before it alone."""

    def __init__(self, grid: Grid, settings: Settings, accepted: Sequence[Acceptance] = ()) -> None:
        self.grid, self.settings, self.accepted = grid, settings, accepted
        self.own = Thresholds.of(settings, grid.fullnames)
        self.levels = Levels(len(grid.fullnames), settings.window, max(settings.confirm_sessions), settings.trim)
        self.machines = {device: Machine(settings) for device in sorted(set(grid.devices))}

    def step(self, session: int) -> Night:
        """Judge the next session, and take what was accepted in it."""
        grid = self.grid
        results = Results(
            session,
            grid.log_time[session],
            grid.rerun_log_time[session],
            grid.reruns[session],
            grid.redefined[session],
            grid.remeasured[session],
            grid.devices,
        )
        night = Night(results, self.levels, self.machines, self.settings, self.own)
        for acceptance in self.accepted:
            if acceptance.session == session:
                self._accept(night, acceptance)
        return night

    def _accept(self, night: Night, acceptance: Acceptance) -> None:
        night.accept(acceptance.cases, acceptance.level)
        for device in acceptance.devices:
            self.machines[device].accept()
            self.levels.anchor[self.grid.devices == device] = np.nan
            night.machines.pop(device, None)

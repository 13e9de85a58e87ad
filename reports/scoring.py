"""How often a rule is right: its lines on made histories, counted against their truth."""

import copy
from dataclasses import dataclass, field

import numpy as np

from reports.rivals import Rule
from reports.rule.arrays import Bools, Floats
from reports.rule.replay import Replay
from reports.rule.settings import Settings
from reports.simulation import Situation, Suite, grid_of, made_suite


@dataclass
class Measured:
    """What one rule did on many suites of one situation.

    Attributes:
        seen: share of the changed cases that were named by night 0, 1, ... after the change, suspects included.
        confirmed: the same for confirmed regressions.
        false_lines: lines about unchanged cases per 100 of them a night, suspects included, each change once.
        false_confirmed: confirmed ones.
        red_nights: share of nights with a false confirmed regression.
        false_share: share of the named cases that had not changed.
        extra_runs: benchmark runs measured again, over those of the night.
        machine_seen: share of the suites whose machine was named in the night of its shift.
        machine_false: machine lines a night before.
    """

    seen: Floats
    confirmed: Floats
    false_lines: float
    false_confirmed: float
    red_nights: float
    false_share: float
    extra_runs: float = 0.0
    machine_seen: float = 0.0
    machine_false: float = 0.0


@dataclass
class _Tally:
    """Lines of one rule, suite by suite: nights from the change on x cases."""

    named: list[Bools] = field(default_factory=list)
    confirmed: list[Bools] = field(default_factory=list)
    stepped: list[Bools] = field(default_factory=list)
    extra: list[float] = field(default_factory=list)
    machine_first: list[bool] = field(default_factory=list)
    machine_before: list[float] = field(default_factory=list)

    def measured(self) -> Measured:
        named, confirmed, stepped = np.array(self.named), np.array(self.confirmed), np.array(self.stepped)
        nights = named.shape[1]
        changed = np.broadcast_to(stepped[:, None], named.shape)
        unchanged = max(int((~changed).sum()), 1)
        false = confirmed & ~changed
        return Measured(
            seen=_by_night(named, stepped),
            confirmed=_by_night(confirmed, stepped),
            false_lines=100 * float((named & ~changed).sum()) / unchanged,
            false_confirmed=100 * float(false.sum()) / unchanged,
            red_nights=float(false.any(axis=2).mean()),
            false_share=float((named & ~changed)[:, 0].sum()) / max(int(named[:, 0].sum()), 1),
            extra_runs=float(np.mean(self.extra)) / nights if self.extra else 0.0,
            machine_seen=float(np.mean(self.machine_first)) if self.machine_first else 0.0,
            machine_false=float(np.mean(self.machine_before)) if self.machine_before else 0.0,
        )


def _by_night(lines: Bools, stepped: Bools) -> Floats:
    if not stepped.any():
        return np.full(lines.shape[1], np.nan)
    so_far = np.logical_or.accumulate(lines, axis=1)
    return np.array([so_far[:, night][stepped].mean() for night in range(lines.shape[1])])


def measure(situation: Situation, settings: Settings, suites: int, seed: int = 0) -> Measured:
    """Replay made suites and count what the rule says of them."""
    tally = _Tally()
    for number in range(suites):
        _replayed(made_suite(situation, (seed, number)), settings, tally)
    return tally.measured()


def measure_rival(rule: Rule, situation: Situation, suites: int, seed: int = 0) -> Measured:
    """Count what another rule says of the same suites; it confirms nothing, so every line is one."""
    tally = _Tally()
    for number in range(suites):
        suite = made_suite(situation, (seed, number))
        lines = rule(suite)
        tally.named.append(lines)
        tally.confirmed.append(lines)
        tally.stepped.append(suite.stepped | bool(situation.shift))
    return tally.measured()


def _replayed(suite: Suite, settings: Settings, tally: _Tally) -> None:
    cells = grid_of(suite)
    replay = Replay(cells, settings)
    named, confirmed, extra, before = [], [], 0.0, 0
    nights = [int(name.removeprefix("night-")) for name in cells.sessions]
    for session, night in enumerate(nights):
        if suite.situation.reruns:
            extra += _measure_again(replay, session, suite.again[night], settings) * (night >= suite.first)
        told = replay.step(session)
        _accept(replay, suite, night)
        if night < suite.first:
            before += len(told.machines)
            continue
        new = (told.verdict == "regression") & told.new
        named.append(new | (told.verdict == "suspect"))
        confirmed.append(new)
        if night == suite.first:
            tally.machine_first.append(bool(told.machines))
    tally.named.append(np.array(named))
    tally.confirmed.append(np.array(confirmed))
    tally.stepped.append(suite.stepped)
    tally.extra.append(extra)
    tally.machine_before.append(before / max(len(nights) - len(named), 1))


def _measure_again(replay: Replay, session: int, again: Floats, settings: Settings) -> float:
    """Fill in the re-runs of what `suspects` would name; return what they cost, over the runs of a night."""
    ahead = copy.copy(replay)
    ahead.levels, ahead.machines = copy.deepcopy((replay.levels, replay.machines))
    look = ahead.step(session)
    slow = (look.t > settings.rerun_z) & (look.log_time - look.level.centre >= look.own.floor)
    replay.grid.rerun_log_time[session, slow] = again[slow]
    replay.grid.reruns[session, slow] = 3
    return 3 * float(slow.mean())


def _accept(replay: Replay, suite: Suite, night: int) -> None:
    """Accept the earlier change of each case three nights after it came."""
    for case in np.flatnonzero((suite.accepted >= 0) & (night >= suite.accepted + 3) & (night < suite.first)).tolist():
        if case in replay.levels.opened:
            replay.levels.accept(case, np.nan)

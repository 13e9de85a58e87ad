"""One session on its way through the rule: its evidence, what that confirms, and the words for it."""

from dataclasses import dataclass

import numpy as np

from reports.rule import changes
from reports.rule import evidence as ev
from reports.rule.arrays import Bools, Floats, Ints, Objects
from reports.rule.levels import NEVER, Levels, Opened
from reports.rule.machine import Followed, Machine, Moved, common
from reports.rule.settings import Settings
from reports.rule.thresholds import Thresholds

REDEFINING_JUMP = float(np.log(2))


@dataclass(frozen=True)
class Results:
    """What a session measured, an entry a case: ln of seconds, NaN for nothing."""

    session: int
    log_time: Floats
    again: Floats
    reruns: Ints
    redefined: Bools
    remeasured: Bools
    devices: Objects


class Night:
    """A session judged; what it confirms changes `levels` and `machines`.

    Attributes, an entry a case:
        log_time: ln of seconds, with the machine's shift taken out, and
        shift: that shift.
        level: what the cases are compared with.
        t: the change in sd of one session; NaN with too little history.
        verdict: the word; empty for a case without a result.
        new: what is confirmed in this session.
        against: the level that the change is told against: an open regression's old one.
        last_good: the last session before a change, and
        first_bad: the first after it; -1 for none.
        crept: regressions that came without a step.
        machines: what is said of each device's machine.
    """

    def __init__(
        self, results: Results, levels: Levels, machines: dict[str, Machine], settings: Settings, own: Thresholds
    ) -> None:
        self.results, self.levels, self.settings, self.own = results, levels, settings, own
        cases = len(results.log_time)
        self.shift, self.held = np.zeros(cases), np.zeros(cases, dtype=bool)
        self.machines: dict[str, Moved] = {}
        self.level, self.windows = self._locate(machines)
        self.log_time, self.again = results.log_time - self.shift, results.again - self.shift
        jump = np.abs(self.log_time - self.level.centre) > REDEFINING_JUMP
        self.redefined = results.redefined | (results.remeasured & jump)
        compared = np.where(self.redefined, np.nan, self.log_time)
        self.t, self.slower_p = ev.tonight(compared, self.level, settings.least_history)
        self.judged = np.isfinite(self.t)
        self.rerun = self.judged & np.isfinite(self.again)
        self.verdict, self.new = np.full(cases, "", dtype=object), np.zeros(cases, dtype=bool)
        self.against, self.crept = self.level.centre.copy(), np.zeros(cases, dtype=bool)
        self.last_good, self.first_bad = np.full(cases, NEVER), np.full(cases, NEVER)
        self._judge(machines)

    def _locate(self, machines: dict[str, Machine]) -> tuple[ev.Level, ev.Level]:
        """Take each machine's earlier shifts out of the results, find tonight's, and return the levels."""
        levels, settings, session = self.levels, self.settings, self.results.session
        earlier = {}
        for device in machines:
            ours = self.results.devices == device
            held, when = levels.held[ours], levels.when[ours]
            earlier[device] = common(levels.measured[ours], when, held, session, settings.shift_cases)
            levels.values[ours] = levels.measured[ours] - earlier[device].at(when)
        every = ev.levels(levels.past, (1, *settings.confirm_sessions), settings)
        distance, here = self.results.log_time - every.centre[0], np.zeros(len(self.shift))
        for device, machine in machines.items():
            ours = self.results.devices == device
            if np.isfinite(self.results.log_time[ours]).any():
                here[ours] = self._follow(device, ours, machine.judge(session, distance[ours], earlier[device]))
        levels.values += here[:, None]
        every = every._replace(centre=every.centre + here)
        return every.row(0), every.row(slice(1, None))

    def _follow(self, device: str, ours: Bools, said: Followed) -> float:
        self.shift[ours], self.held[ours] = said.shift, said.held
        if said.moved:
            self.machines[device] = said.moved
        if said.released is not None:
            self.levels.release(said.released)
            self.levels.move(ours, said.moved_by)
        return said.level

    def _judge(self, machines: dict[str, Machine]) -> None:
        changes.anchored(self.levels, self.level, self.settings.guard_least)
        suspect, odd = self._suspects()
        value = np.where(self.rerun, self.again, self.log_time)
        slower, faster = self._confirmed(value)
        for case in np.flatnonzero(self.redefined).tolist():
            self.levels.forget(case)
        last = self.levels.when[:, -1].copy()
        self.levels.append(self.results.session, value, odd | self.held, self.shift)
        self._name(suspect, last)
        told = np.isfinite(slower.estimate) | np.isfinite(faster.estimate)
        told[list(self.levels.opened)] = True
        for case in np.flatnonzero(told & np.isfinite(value) & ~self.redefined).tolist():
            if case in self.levels.opened and self._back(case):
                continue
            if np.isfinite(slower.estimate[case]):
                self._slower(case, slower)
            elif np.isfinite(faster.estimate[case]):
                self._faster(case, faster)
        self._creep(machines)
        for case, opened in self.levels.opened.items():
            if np.isfinite(value[case]) and not self.new[case]:
                self._tell(case, "regression", opened)

    def _suspects(self) -> tuple[Bools, Bools]:
        """Return which cases are slower tonight, and which are so unlikely that they are kept out of baselines."""
        past, own = self.levels.past, self.own
        change = self.log_time - self.level.centre
        slow = (self.slower_p < own.suspect_p) & self._over_floor(change)
        slow = self._unseen(slow, self.log_time, past)
        fast = (1 - self.slower_p < own.suspect_p) & self._over_floor(-change)
        fast = self._unseen(fast, -self.log_time, past.mirrored())
        alone = np.where(self.rerun, 1.0, self.slower_p)
        found = ev.discovered(alone, self.judged, self.settings.q)
        return slow & found & ~self.rerun, (slow | fast) & ~self.rerun

    def _confirmed(self, value: Floats) -> tuple[ev.Evidence, ev.Evidence]:
        """Return what is confirmed slower and faster; an estimate is NaN where nothing is."""
        past, settings = self.levels.past, self.settings
        recent = self.levels.recent(np.where(self.judged, value, np.nan), max(settings.confirm_sessions))
        up = self._standing_out(ev.confirmed(recent, self.windows, settings), recent, past, self.rerun)
        down = ev.confirmed(-recent, self.windows.mirrored(), settings)
        down = self._standing_out(down, -recent, past.mirrored(), np.zeros_like(self.rerun))
        z = ev.measured_again(self.again, self.results.reruns, self.level)
        change = self.again - self.level.centre
        decided = self.rerun & (z > self.own.rerun_decide) & self._over_floor(change)
        up = up._replace(
            estimate=np.where(decided, change, up.estimate), before=np.where(decided, self.level.centre, up.before)
        )
        return up, down._replace(estimate=-down.estimate, before=-down.before)

    def _standing_out(self, found: ev.Evidence, recent: Floats, past: ev.Past, decided: Bools) -> ev.Evidence:
        """Blank the estimates of what does not stand out among all cases, or is too small, or has been there before."""
        p = np.where(decided, 1.0, found.p)
        out = ev.discovered(p, self.judged, self.settings.q) & self._over_floor(found.estimate)
        pair = found.sessions == 2  # noqa: PLR2004  two sessions are few enough to be two outliers
        earlier = past._replace(values=past.values[:, :-1], held=past.held[:, :-1])
        out = (out & ~pair) | self._unseen(out & pair, recent[:, -2:].min(axis=1), earlier)
        return found._replace(estimate=np.where(out & ~decided, found.estimate, np.nan))

    def _unseen(self, asked: Bools, log_time: Floats, past: ev.Past) -> Bools:
        """Return which of the cases that are asked for have not been as slow before."""
        unseen, cases = np.zeros_like(asked), np.flatnonzero(asked)
        if len(cases):
            unseen[cases] = ev.guarded(log_time[cases], past.of(cases), self.own.guard_rank[cases], self.settings)
        return unseen

    def _over_floor(self, change: Floats) -> Bools:
        seconds = np.exp(self.level.centre + self.shift) * np.abs(np.expm1(change))
        return np.asarray((change >= self.own.floor) & (seconds >= self.own.floor_s))

    def _name(self, suspect: Bools, last: Ints) -> None:
        """Give the words that need no change of a level."""
        measured = np.isfinite(self.log_time)
        self.verdict[measured] = "insufficient-history"
        self.verdict[self.judged] = "unchanged"
        self.verdict[measured & ~self.judged & self.levels.faster] = "improvement"
        self.verdict[measured & self.redefined] = "redefined"
        self.verdict[suspect] = "suspect"
        self.first_bad[suspect], self.last_good[suspect] = self.results.session, last[suspect]

    def _tell(self, case: int, word: str, opened: Opened) -> None:
        self.verdict[case], self.against[case], self.crept[case] = word, opened.level, opened.crept
        self.last_good[case], self.first_bad[case] = opened.last_good, opened.first_bad

    def _back(self, case: int) -> bool:
        """Close an open regression that is back on its old level."""
        opened = self.levels.opened[case]
        floor, variance = float(self.own.floor[case]), float(self.level.variance[case])
        first = changes.recovered(self.levels, case, variance, floor, self.settings)
        if first is None:
            return False
        self.levels.resume(case, first)
        self._tell(case, "recovered", opened)
        return True

    def _step(self, case: int, found: ev.Evidence) -> changes.Step:
        before, change = float(found.before[case]), float(found.estimate[case])
        return changes.step(self.levels, case, before, change, 2 * max(self.settings.confirm_sessions))

    def _slower(self, case: int, found: ev.Evidence) -> None:
        """Open a regression, or a further step of one."""
        self._tell(case, "regression", changes.rise(self.levels, case, self._step(case, found)))
        self.new[case] = True

    def _faster(self, case: int, found: ev.Evidence) -> None:
        """Start the level of an improvement, or end an open regression with it."""
        step, opened = self._step(case, found), self.levels.opened.get(case)
        word = changes.fall(self.levels, case, step, float(self.own.floor[case]))
        if word == "recovered" and opened:
            self._tell(case, word, opened)
        elif word == "improvement":
            self.verdict[case], self.new[case] = word, True
            self.against[case] = opened.level if opened else step.before
            self.last_good[case], self.first_bad[case] = step.last_good, step.first_bad

    def _creep(self, machines: dict[str, Machine]) -> None:
        """Open regressions that came slowly, of machines and of cases against their machine."""
        levels, settings = self.levels, self.settings
        far = np.where(self.level.sessions >= settings.guard_least, self.level.centre - levels.anchor, np.nan)
        for device, machine in machines.items():
            ours = (self.results.devices == device) & np.isfinite(far) & self.judged
            if ours.sum() < settings.shift_cases:
                continue
            shared = float(np.median(far[ours]))
            far[ours] -= shared
            moved = machine.crept(self.results.session, shared, int(levels.anchor_when[ours].max()))
            if moved:
                self.machines[device] = moved
        crept = changes.crept(levels, self.level, far, settings.creep_floors * self.own.floor)
        for case in np.flatnonzero(crept & self.judged & (self.verdict == "unchanged")).tolist():
            if case not in levels.opened:
                changes.open_crept(levels, case, self.results.session)
                self.new[case] = True
                self._tell(case, "regression", levels.opened[case])

    def accept(self, cases: Ints, level: float) -> None:
        """Take the present level of these cases as right; a suspect's begins tonight."""
        for case in cases:
            if self.verdict[case] == "suspect":
                self.levels.begin(case, self.results.session)
            self.levels.accept(case, level)
            if self.verdict[case] in {"regression", "suspect"}:
                self.verdict[case] = "unchanged" if self.judged[case] else "insufficient-history"
                self.new[case], self.crept[case] = False, False

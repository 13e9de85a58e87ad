"""Verdict rows: what a night says, in seconds and ratios, with the runs between which it changed."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from reports.rule.grid import Grid
from reports.rule.levels import NEVER
from reports.rule.machine import Moved
from reports.rule.night import Night
from reports.rule.suspects import differences
from reports.rule.thresholds import Thresholds
from reports.verdicts import MACHINE_PREFIX, NOT_SELECTED

DETECTABLE, DETECTABLE_IN_TWO = 3.3, 2.1
"""Changes found nine times in ten, in sd between sessions: in one session, and after two."""
TWO_SIDED_95 = 0.975
EXTRA_COLUMNS = ["suspects", "t", "step", "shift", "detectable", "detectable_in_two", "reruns"]
"""What `reports.rule.verdict.replay` adds to the columns of `reports.verdicts.verdict_frame`."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Rows:
    """The rows of one session.

    Attributes:
        cells: the history as arrays, and
        sessions: as a frame, which `cells.row` points into.
        night: what the rule says of the last session.
        own: each case's thresholds.
        unknown: the word for a case without any earlier result.
        machine: the machine class.
    """

    cells: Grid
    sessions: pd.DataFrame
    night: Night
    own: Thresholds
    unknown: str
    machine: str

    def of_case(self, case: int) -> Row:
        """Return what is said of a case of the session or of its history."""
        row = {"fullname": self.cells.fullnames[case], "machine": self.machine, "device": self.cells.devices[case]}
        at = self.cells.row[-1, case]
        if at < 0:
            return row | self._absent(case)
        now = self.sessions.loc[at]
        row |= {"flags": now["flags"], "run": now["run"], "history": int(self.night.level.sessions[case])}
        row |= {"reruns": int(now["reruns"])}
        if not self.night.verdict[case]:
            outcome = now["outcome"] if now["outcome"] != "passed" else "failed"
            return row | {"verdict": outcome, "reason": now["reason"]}
        return row | self._compared(case, now)

    def _absent(self, case: int) -> Row:
        seen = np.flatnonzero(self.cells.row[:, case] >= 0)
        last = self.sessions.loc[self.cells.row[seen[-1], case]]
        if bool(self.sessions.loc[self.cells.row[-1].max(), "narrowed"]):
            told = {"verdict": "skipped", "reason": NOT_SELECTED}
        else:
            told = {"verdict": "missing", "reason": f"last seen in {last['session']}"}
        return told | {"last_good_run": last["run"], "history": len(seen)}

    def _compared(self, case: int, now: "pd.Series[Any]") -> Row:
        night = self.night
        log_time = night.again[case] if night.rerun[case] else night.log_time[case]
        row: Row = {"median_s": math.exp(log_time + night.shift[case]), "verdict": night.verdict[case]}
        if night.verdict[case] == "insufficient-history" and not self._known_before(case):
            return row | {"verdict": self.unknown}
        if night.verdict[case] == "redefined":
            return row | {"reason": self._redefinition(case)}
        row |= self._history(case) | {"shift": math.expm1(night.shift[case])}
        if not math.isfinite(night.against[case]) or not night.level.sessions[case]:
            return row
        return row | self._change(case, log_time) | self._noise(case, now["flags"])

    def _known_before(self, case: int) -> bool:
        return bool(np.isfinite(self.cells.log_time[:-1, case]).any())

    def _change(self, case: int, log_time: float) -> Row:
        night = self.night
        change = log_time - night.against[case]
        row: Row = {"ratio": math.exp(change), "baseline_s": math.exp(night.against[case] + night.shift[case])}
        reach = self._reach(case)
        if math.isfinite(reach):
            row |= {"ratio_low": math.exp(change - reach), "ratio_high": math.exp(change + reach)}
        return row | {"t": night.t[case], "step": math.exp(night.log_time[case] - night.level.centre[case])}

    def _reach(self, case: int) -> float:
        """Return half of the 95 % interval of tonight's change, in ln time; NaN with too little history."""
        night = self.night
        if not night.judged[case]:
            return math.nan
        sd = math.sqrt(night.level.variance[case] * (1 + night.level.error[case]))
        return float(stdtrit(night.level.freedom[case], TWO_SIDED_95)) * sd

    def _noise(self, case: int, flags: tuple[str, ...]) -> Row:
        """Return the smallest detectable change, and the flags with `noisy` where that is over twice the floor."""
        night = self.night
        if not night.judged[case]:
            return {}
        sd = math.sqrt(night.level.variance[case])
        tonight = DETECTABLE * sd * math.sqrt(1 + night.level.error[case])
        more = (["noisy"] if tonight > 2 * self.own.floor[case] else []) + (["crept"] if night.crept[case] else [])
        return {
            "detectable": math.expm1(tonight),
            "detectable_in_two": math.expm1(DETECTABLE_IN_TWO * sd),
            "flags": (*flags, *(flag for flag in more if flag not in flags)),
        }

    def _history(self, case: int) -> Row:
        night = self.night
        row: Row = {"new": bool(night.new[case])}
        for name, session in (("last_good_run", night.last_good[case]), ("first_bad_run", night.first_bad[case])):
            if session != NEVER:
                row[name] = self.sessions.loc[self.cells.row[session, case], "run"]
        if "last_good_run" in row and "first_bad_run" in row:
            row["suspects"] = self._suspects(night.last_good[case], night.first_bad[case], case)
        return row

    def _suspects(self, last_good: int, first_bad: int, case: int) -> str:
        rows = (self.sessions.loc[self.cells.row[session, case]].to_dict() for session in (last_good, first_bad))
        return "; ".join(str(difference) for difference in differences(*rows))

    def _redefinition(self, case: int) -> str:
        """Return which fields of the work, or of the method, are others than in the last result."""
        before = np.flatnonzero(np.isfinite(self.cells.log_time[:-1, case]))[-1]
        old, new = (self.sessions.loc[self.cells.row[at, case]] for at in (before, -1))
        names = [
            name
            for part in ("work", "method")
            for name in old[part]
            if new[part].get(name, old[part][name]) != old[part][name]
        ]
        return f"changed: {', '.join(names)}"

    def of_machine(self, device: str, moved: Moved) -> Row:
        """Return the row of a whole machine that moved; its times are relative, so only the ratio is told."""
        ours = self.cells.devices == device
        row = {
            "fullname": f"{MACHINE_PREFIX}{self.machine}:{device}",
            "machine": self.machine,
            "device": device,
            "verdict": moved.verdict,
            "new": moved.new,
            "ratio": math.exp(moved.change),
            "run": self._run_of(len(self.cells.sessions) - 1, ours),
            "first_bad_run": self._run_of(moved.first_bad, ours),
            "last_good_run": self._run_of(moved.last_good, ours),
        }
        case = int(np.argmax(ours & (self.cells.row[[moved.first_bad, moved.last_good]] >= 0).all(axis=0)))
        if (self.cells.row[[moved.first_bad, moved.last_good], case] >= 0).all():
            row["suspects"] = self._suspects(moved.last_good, moved.first_bad, case)
        if math.isfinite(moved.sd):
            reach = 2 * moved.sd
            row |= {"ratio_low": math.exp(moved.change - reach), "ratio_high": math.exp(moved.change + reach)}
        return row

    def _run_of(self, session: int, cases: "np.ndarray[Any, np.dtype[np.bool_]]") -> str:
        at = self.cells.row[session, cases].max(initial=-1) if session != NEVER else -1
        return str(self.sessions.loc[at, "run"]) if at >= 0 else ""

"""Cases that go on under another name: joining their histories, and suggesting which they are."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reports.rule.accepted import Renamed

LIKE = float(np.log1p(0.05))
"""Two times this close may be one case under two names."""


def joined(sessions: pd.DataFrame, renamed: Sequence[Renamed]) -> pd.DataFrame:
    """Give the results of a renamed case its new name, chains of names too; a session that has both keeps both."""
    names = {entry.old: entry.new for entry in renamed}
    if not names:
        return sessions
    latest = sessions["fullname"].map({old: _last_name(old, names) for old in names})
    moved = sessions["fullname"].where(latest.isna(), latest)
    taken = pd.MultiIndex.from_frame(sessions[["machine", "session", "fullname"]])
    wanted = pd.MultiIndex.from_arrays([sessions["machine"], sessions["session"], moved])
    return sessions.assign(fullname=moved.where(~wanted.isin(taken), sessions["fullname"]))


def _last_name(name: str, names: dict[str, str]) -> str:
    seen = {name}
    while (following := names.get(name)) and following not in seen:
        seen.add(name := following)
    return name


def suggested(verdicts: pd.DataFrame, sessions: pd.DataFrame) -> list[Renamed]:
    """Return the likely renames: one case missing and one new with the same work and about the same time.

    Only pairs without a rival on either side are offered.
    """
    gone = verdicts.loc[verdicts["verdict"] == "missing", "fullname"]
    came = verdicts.loc[verdicts["verdict"] == "new", "fullname"]
    measured = sessions[sessions["log_time"].notna()].sort_values("started", kind="stable")
    last = {str(name): rows.iloc[-1] for name, rows in measured.groupby("fullname")}
    pairs = [(old, new) for old in gone for new in came if _alike(last.get(old), last.get(new))]
    olds, news = [old for old, _ in pairs], [new for _, new in pairs]
    return [Renamed(old, new) for old, new in pairs if olds.count(old) == 1 and news.count(new) == 1]


def _alike(old: "pd.Series | None", new: "pd.Series | None") -> bool:
    if old is None or new is None:
        return False
    same = all(old["work"][key] == new["work"][key] for key in old["work"].keys() & new["work"].keys())
    return bool(same and old["device"] == new["device"] and abs(old["log_time"] - new["log_time"]) < LIKE)

"""What a report is about: the judged session, what it measured, and the store around it."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from reports.judging import Judgement
from reports.runs import Runs
from reports.why.explanation import Why, cases_to_explain, explain

EPOCHS = 10
"""How long a training run is told the duration of, unless asked otherwise."""


@dataclass(frozen=True)
class Subject:
    """What every section is made from.

    `measured` has one row per case of the judged session, `earlier_log_times` one per earlier session (`log_times`).
    `epochs` is the length of the run whose duration is told.
    """

    runs: Runs
    judgement: Judgement
    measured: pd.DataFrame
    earlier_log_times: pd.DataFrame
    epochs: int = EPOCHS

    @cached_property
    def why(self) -> Why:
        """What explains the judged session's steps, for the several sections that ask."""
        judgement = self.judgement
        return explain(cases_to_explain(self.runs.cases, judgement.session, judgement.machine))

    @property
    def launches(self) -> pd.DataFrame:
        """Return the files of the judged session on the judged machine, in order of time."""
        files = self.runs.files
        ours = (files["session"] == self.judgement.session) & (files["machine"] == self.judgement.machine)
        return files.loc[ours.to_numpy(dtype=bool)]

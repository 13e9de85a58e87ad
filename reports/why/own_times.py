"""Step times that can be set against each other: without what neighbours took, and without page faults.

Both differ from case to case by chance: a neighbour comes and goes, and an allocator gives memory back to the system in
one case and keeps it in the next. Neither has to do with what two cases of one step are compared for.
"""

from collections.abc import Mapping

import pandas as pd

from reports.why.primitives import LEAST_OWN_PART, Machine


def own_times(trained: pd.DataFrame, launches: pd.DataFrame, machines: Mapping[str, Machine]) -> pd.DataFrame:
    """Return the cases with `median_s` and `iqr_s` in the core's own time, and `median_s` without page faults.

    `trained` has `fullname`, `device`, `median_s` and `iqr_s` per case; `launches` is `reports.why.primitives.results`
    of the same session. Page faults cost the bytes that a step touches for the first time over the machine's rate of
    touching them (`Machine.fresh_s`), and leave at least a tenth of a time; on an accelerator the host pays them beside
    the device's work, and nothing is taken off.
    """
    known = launches.set_index("fullname")
    shares = trained["fullname"].map(known["core_share"]).astype(float)
    fresh = trained["fullname"].map(known["fresh_bytes"]).astype(float).fillna(0.0)
    faults_s = [
        0.0 if (machine := machines.get(device)) is None or machine.is_asynchronous else machine.fresh_s(fresh_bytes)
        for device, fresh_bytes in zip(trained["device"], fresh, strict=True)
    ]
    own_s = trained["median_s"] * shares
    kept_s = (own_s - faults_s).clip(lower=LEAST_OWN_PART * own_s)
    return trained.assign(median_s=kept_s, iqr_s=trained["iqr_s"] * shares)

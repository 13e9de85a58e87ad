"""Which files a command could not use, a line each, for every command that reads a store."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

MOST_NAMED = 20


def name_left_out(skipped: "pd.DataFrame", rest: str = "") -> None:
    """Write the files of `reports.runs.Runs.skipped` to standard error; `rest` tells where those beyond 20 stand."""
    from reports.escaping import visible  # noqa: PLC0415  imported when a command runs, so that --help answers at once

    rows: list[dict[Hashable, Any]] = skipped.to_dict("records")
    for row in rows[:MOST_NAMED]:
        sys.stderr.write(f"left out: {visible(str(row['path']))}: {visible(row['reason'])}\n")
    if len(rows) > MOST_NAMED:
        sys.stderr.write(f"left out: {len(rows) - MOST_NAMED} more{rest}\n")

"""`compare`: two sets of runs, ratio and interval for each case."""

# ruff: noqa: PLC0415  what `run` works with is imported when it runs, so that --help answers at once

import argparse
import glob
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reports.commands import cached, paths, rule
from reports.commands.left_out import name_left_out

if TYPE_CHECKING:
    import pandas as pd

    from reports.run_cache import RunCache

HELP = "compare two sets of runs, with an interval for each ratio"
CONTENDED = "contended"
DECIDED = ("regression", "improvement", "unchanged")
WORST_FIRST = ("regression", "redefined", "missing", "improvement", "new", "inconclusive", "unchanged")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    for side, words in (("a", "before"), ("b", "after")):
        parser.add_argument(
            side,
            metavar=side.upper(),
            type=_several,
            help=f"the runs {words}: a folder, a file, or a glob in quotes; commas between several",
        )
    cached.add_arguments(parser)
    rule.add_arguments(parser)


def _several(words: str) -> str:
    for word in words.split(","):
        paths.named(word)
    return words


_several.__name__ = "path"


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; 0 when nothing is slower, 1 when something is, 2 when no case could be decided.

    Between two machine classes nothing fails: that is a comparison of hardware.
    """
    from reports.rule.pairs import compare, environments

    cache = cached.cache_of(arguments)
    a, b = (_cases(word, cache) for word in (arguments.a, arguments.b))
    table = compare(a, b, rule.settings_of(arguments))
    machines = [sorted(set(side["machine"])) for side in (a, b)]
    hardware = machines[0] != machines[1]
    lines = [_headline(table, hardware=hardware)]
    if hardware:
        lines.append(f"hardware comparison: A on {', '.join(machines[0])}; B on {', '.join(machines[1])}")
    lines += _neighbours(table)
    lines += [f"differs: {difference}" for difference in environments(a, b)]
    _print([*lines, "", *_rows(table)])
    if not table["verdict"].isin(DECIDED).any():
        return 2
    return int(not hardware and bool((table["verdict"] == "regression").any()))


def _cases(words: str, cache: "RunCache | None") -> "pd.DataFrame":
    """Read one side; a file that two of its words name counts once."""
    from reports.errors import ReportError
    from reports.runs import load_runs
    from reports.store import find_files

    found = [Path(path) for word in words.split(",") for path in (sorted(glob.glob(word)) or [word])]  # noqa: PTH207  any path
    files = [file for path in found for file in find_files(path).run_files]
    if not files:
        raise ReportError(f"{words}: no run file")
    runs = load_runs(files[0], also=files[1:], cache=cache)
    name_left_out(runs.skipped)
    if runs.cases["median_s"].notna().sum() == 0:
        raise ReportError(f"{words}: no case was measured")
    return runs.cases


def _headline(table: "pd.DataFrame", *, hardware: bool) -> str:
    from reports.quantities import counted

    counts = table["verdict"].value_counts()
    slower, faster = int(counts.get("regression", 0)), int(counts.get("improvement", 0))
    undecided = int(counts.get("inconclusive", 0))
    if not table["verdict"].isin(DECIDED).any():
        return f"No case could be decided: {counted(undecided, 'case')} with too few or too noisy launches."
    words = (
        f"B against A: {counted(slower, 'case')} slower, {faster} faster, {int(counts.get('unchanged', 0))} unchanged"
    )
    return f"{words}, {undecided} undecided{' (two machines)' if hardware else ''}."


def _neighbours(table: "pd.DataFrame") -> list[str]:
    from reports.quantities import counted

    contended = sum(CONTENDED in flags for flags in table["flags"])
    if not contended:
        return []
    return [f"contended: {counted(contended, 'case')} measured beside busy neighbours; measure on a quiet machine"]


def _rows(table: "pd.DataFrame") -> list[str]:
    """Return a line a case, worst first."""
    from reports.identity import short_names
    from reports.quantities import between, percent_change, seconds

    names = short_names(list(table["fullname"]))
    order = table.assign(rank=table["verdict"].map({word: at for at, word in enumerate(WORST_FIRST)}))
    lines = []
    for row in order.sort_values(["rank", "ratio", "fullname"], ascending=[True, False, True]).to_dict("records"):
        interval = between(percent_change(row["ratio_low"]), percent_change(row["ratio_high"]))
        undecided = row["verdict"] == "inconclusive" and CONTENDED not in row["flags"]
        more = f", {row['launches_needed']} launches a side would tell" if undecided else ""
        flags = f" [{', '.join(row['flags'])}]" if row["flags"] else ""
        lines.append(
            f"{row['verdict']:12} {percent_change(row['ratio']):>8} ({interval}) "
            f"{seconds(row['a_s'])} -> {seconds(row['b_s'])}, "
            f"{row['launches_a']} and {row['launches_b']} launches{more}: {names[row['fullname']]}{flags}"
        )
    return lines


def _print(lines: list[str]) -> None:
    from reports.escaping import visible

    sys.stdout.writelines(f"{visible(line, longest=1000)}\n" for line in lines)

"""What was changed about a step, one thing at a time, and which change helped most."""

import math
from typing import Any

import pandas as pd

from reports.values import mapping, positive, text
from reports.why.primitives import results

VARIANT_COLUMNS = [
    "device", "model", "batch_size", "question", "variant", "plain", "plain_s", "ratio", "ratio_low", "ratio_high",
    "median_s", "is_same_work", "compile_time_s", "pays_off_after_steps", "skipped",
]  # fmt: skip


def variants(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per variant of the ablations among one session's cases.

    `ratio` is the variant's time over the plain step's, paired; below 1 is faster. `plain_s` is the plain step in
    seconds. `is_same_work` says that its losses stayed within the stated tolerance of the plain step's. Figures are NaN
    where the file does not tell, as for a skipped one.
    """
    rows = [row for case in results(cases).to_dict("records") for row in _variants(case)]
    return pd.DataFrame(rows, columns=VARIANT_COLUMNS)


def _variants(case: dict[Any, Any]) -> list[dict[str, Any]]:
    extra, params = mapping(case["extra"]), mapping(case["params"])
    question = text(params.get("question"))
    if not question:
        return []
    shared = {name: case[name] for name in ("device", "model", "batch_size")} | {
        "question": question,
        "plain": text(extra.get("plain")),
        "plain_s": case["median_s"],
    }
    return [shared | _variant(name, mapping(told)) for name, told in mapping(extra.get("variants")).items()]


def _variant(name: str, told: dict[str, Any]) -> dict[str, Any]:
    figures = ("ratio", "ratio_low", "ratio_high", "median_s", "compile_time_s", "pays_off_after_steps")
    return {
        "variant": name,
        **{figure: positive(told.get(figure)) for figure in figures},
        "is_same_work": _is_same_work(mapping(told.get("same_work"))),
        "skipped": text(told.get("skipped")),
    }


def _is_same_work(proof: dict[str, Any]) -> bool:
    difference = proof.get("largest_difference")
    tolerance = proof.get("tolerance")
    if isinstance(difference, bool) or not isinstance(difference, int | float):
        return False
    return isinstance(tolerance, int | float) and abs(difference) <= tolerance


def of_setting(found: pd.DataFrame, device: str, model: str, batch_size: int | None) -> pd.DataFrame:
    """Return the usable variants of one setting, fastest first: measured, of the same work, and not the plain one."""
    if found.empty:
        return found
    is_setting = (found["device"] == device) & (found["model"] == model) & (found["batch_size"] == batch_size)
    is_usable = found["is_same_work"].astype(bool) & found["ratio"].notna() & (found["variant"] != found["plain"])
    return found[is_setting & is_usable].sort_values("ratio", kind="stable")


def best(usable: pd.DataFrame) -> dict[Any, Any] | None:
    """Return the variant that helped most, or None when the interval of none lies below 1."""
    if usable.empty:
        return None
    helping = usable[usable["ratio_high"] < 1]
    return None if helping.empty else helping.iloc[0].to_dict()


def input_share(usable: pd.DataFrame) -> float:
    """Return the share of a step that making and moving its batch takes, by ablation; NaN when that was not asked."""
    if usable.empty:
        return math.nan
    data = usable[usable["question"] == "data"]
    return math.nan if data.empty else max(0.0, 1 - float(data["ratio_high"].min()))

"""One explanation per training case: shares, cause, the cure that helped most, and the distance to the ceiling."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from reports.why.ablations import best, input_share, of_setting, variants
from reports.why.causes import cause_of
from reports.why.facts import Facts, facts
from reports.why.prediction import Parts, Scales, parts_of, predicted_s, predictions, scales_for
from reports.why.primitives import Machine, machine_of, primitives
from reports.why.shares import SHARE_TITLES, shares_of

EXPLANATION_COLUMNS = [
    "fullname", "device", "model", "batch_size", "log_interval", "step_time_s", "predicted_s", *SHARE_TITLES, "cause",
    "because", "cure", "question", "cure_ratio", "cure_ratio_low", "cure_ratio_high", "pays_off_after_steps", "best_s",
    "ceiling_s", "ceiling_share", "flops", "traffic_bytes",
]  # fmt: skip


@dataclass(frozen=True)
class Why:
    """What one session's cases explain.

    Attributes:
        explanations: one row per training case. `step_time_s`, `predicted_s` (two scales), `best_s` and `ceiling_s`
            are seconds per step; the shares are parts of the step; `cure` is the variant that helped most, empty where
            none did, with its paired ratio to the plain step; `ceiling_s` is the time at the machine's own ceilings,
            arithmetic and traffic overlapped, and `ceiling_share` that over `best_s` (1 is reached).
        primitives: `reports.why.primitives.primitives`.
        predictions: `reports.why.prediction.predictions`.
        variants: `reports.why.ablations.variants`.
        machines: the devices that trained, by name.
    """

    explanations: pd.DataFrame
    primitives: pd.DataFrame
    predictions: pd.DataFrame
    variants: pd.DataFrame
    machines: dict[str, Machine]


def explain(cases: pd.DataFrame) -> Why:
    """Explain one session's cases: the rows of `reports.load_runs(...).cases` of one session on one machine."""
    found, measured, tried = facts(cases), primitives(cases), variants(cases)
    machines = {device: machine_of(measured, device) for device in sorted({case.device for case in found})}
    one_each = {case.setting: case for case in found}
    fitted = {setting: scales_for(case, found, machines[case.device]) for setting, case in one_each.items()}
    rows = [_explained(case, machines[case.device], fitted[case.setting], tried) for case in found]
    return Why(
        explanations=pd.DataFrame(rows, columns=EXPLANATION_COLUMNS),
        primitives=measured,
        predictions=predictions(found, machines, fitted),
        variants=tried,
        machines=machines,
    )


def cases_to_explain(cases: pd.DataFrame, session: str, machine: str) -> pd.DataFrame:
    """Return the cases of one machine's session, re-runs aside, and primitives to explain them by.

    Where the session measured none, they are those of the machine's newest session that did: a machine changes less
    often than what runs on it.
    """
    on_machine = cases[(cases["machine"] == machine) & (cases["kind"] != "rerun")]
    own = on_machine[on_machine["session"] == session]
    if _are_primitives(own).any():
        return own
    others = on_machine[_are_primitives(on_machine)]
    newest = others[others["session"] == others["session"].iloc[-1]] if len(others) else others
    return pd.concat([own, newest]) if len(newest) else own


def _are_primitives(cases: pd.DataFrame) -> "pd.Series[bool]":
    return pd.Series(["primitive" in extra for extra in cases["extra"].tolist()], index=cases.index, dtype=bool)


def _explained(case: Facts, machine: Machine, scales: Scales, tried: pd.DataFrame) -> dict[str, Any]:
    parts = parts_of(case, machine)
    usable = of_setting(tried, *case.setting)
    shares = shares_of(case, parts, machine, scales, input_share(usable))
    cause = cause_of(case, parts, machine, shares)
    return {
        **{name: getattr(case, name) for name in (*EXPLANATION_COLUMNS[:6], "flops", "traffic_bytes")},
        "predicted_s": predicted_s(case, machine, scales) / case.core_share,
        **vars(shares),
        "cause": cause.name,
        "because": cause.because,
        **_cured(case, parts, machine, best(usable)),
    }


def _cured(case: Facts, parts: Parts, machine: Machine, cure: dict[Any, Any] | None) -> dict[str, Any]:
    ceiling_s = max(parts.arithmetic_s, case.traffic_bytes / machine.memory_b_s) / case.core_share
    best_s = case.step_time_s if cure is None else case.step_time_s * cure["ratio"]
    told = {"cure": "", "question": "", "best_s": best_s, "ceiling_s": ceiling_s, "ceiling_share": ceiling_s / best_s}
    if cure is None:
        return told
    ratios = {f"cure_{name}": cure[name] for name in ("ratio", "ratio_low", "ratio_high")}
    named = {"cure": cure["variant"], "question": cure["question"]}
    return told | named | ratios | {"pays_off_after_steps": cure["pays_off_after_steps"]}

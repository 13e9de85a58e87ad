"""What a run of the check of a GPU found: faults, facts and figures, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

UNMEANT = ("refused", "cannot be", "cannot compile")
"""Of the reasons why a variant was not measured, what no GPU that the suite knows should say."""


def faults(run: dict[str, Any] | None, *, beside_neighbour: bool = False) -> list[str]:
    """What is wrong with a run, a line each; None is a run that saved nothing."""
    if run is None:
        return ["nothing saved"]
    cases: dict[str, dict[str, Any]] = run["suite"]["cases"]
    bad = [(name, case) for name, case in cases.items() if case["outcome"] != "passed"]
    # A skipped case may be meant, as TF32 on an old GPU; that all are is not.
    found = [
        f"{_short(name)}: {case['outcome']}: {case['reason']}" for name, case in bad if case["outcome"] != "skipped"
    ]
    if all(case["outcome"] != "passed" for case in cases.values()):
        found.append("no case passed")
    if not run["suite"]["complete"]:
        found.append(f"incomplete: {run['suite'].get('ended_by')}")
    flags = [flag for entry in run["benchmarks"] for flag in entry["extra_info"].get("flags") or []]
    found += [
        f"{_short(entry['fullname'])}: {variant}: {told['skipped']}"
        for entry in run["benchmarks"]
        for variant, told in (entry["extra_info"].get("variants") or {}).items()
        if any(word in (told["skipped"] or "") for word in UNMEANT)
    ]
    if beside_neighbour and "contended" not in flags:
        found.append("the neighbour on the device was not seen")
    return found


def facts(run: dict[str, Any]) -> list[str]:
    """The machine and what its driver tells, with the names of what it does not."""
    machine, environment = run["machine_info"]["suite"]["machine"], run["machine_info"]["suite"]["environment"]
    gpu = {name: value for name, value in environment.items() if name.startswith("gpu0_")}
    unknown = [name for name, value in gpu.items() if value is None]
    if not gpu:
        unknown = ["anything"]
    known = " ".join(f"{name.removeprefix('gpu0_')}={value}" for name, value in gpu.items() if value is not None)
    software = " ".join(f"{name}={environment.get(name)}" for name in ("torch", "cuda", "cudnn", "driver", "python"))
    read = [entry["extra_info"].get("gpu_clock_mhz") for entry in run["benchmarks"]]
    return [
        f"machine {machine['class']} unit {machine['unit']}",
        f"  {software}",
        f"  NVML facts: {known or 'none'}; not told: {', '.join(unknown) or 'nothing'}",
        f"  NVML readings: clocks in {sum(clock is not None for clock in read)} of {len(read)} cases",
    ]


def knows_gpu(run: dict[str, Any]) -> bool:
    """Whether the driver told of the GPU at all."""
    return run["machine_info"]["suite"]["environment"].get("gpu0_name") is not None


def figures(run: dict[str, Any]) -> list[str]:
    """One line a case that has a rate, variants, ranks or flags."""
    return [line for entry in run["benchmarks"] for line in _figures_of(entry)]


def _figures_of(entry: dict[str, Any]) -> Iterator[str]:
    info, median_s = entry["extra_info"], entry["stats"]["median"]
    name = _short(entry["fullname"])
    flags = f" {','.join(info['flags'])}" if info.get("flags") else ""
    primitive = info.get("primitive") or {}
    if primitive.get("amount"):
        unit = "GB" if primitive["amount_unit"] == "B" else "GFLOP"
        yield f"  {name}: {primitive['amount'] / median_s / 1e9:.5g} {unit}/s{flags}"
    elif not info.get("variants"):
        yield f"  {name}: {1e6 * median_s:.5g} us{flags}"
    for variant, found in (info.get("variants") or {}).items():
        if found["skipped"]:
            yield f"  {name}: {variant} skipped: {found['skipped']}"
        elif found["ratio"] is not None:
            spread = f"{found['ratio_low']:.3g} to {found['ratio_high']:.3g}"
            off, allowed = found["same_work"]["largest_difference"], found["same_work"]["tolerance"]
            compiled = "" if found["compile_time_s"] is None else f", compiled in {found['compile_time_s']:.0f} s"
            yield f"  {name}: {variant} {found['ratio']:.3g} ({spread}), off {off:.1g} of {allowed:g}{compiled}{flags}"


def _short(name: str) -> str:
    return name.rpartition("::")[2]

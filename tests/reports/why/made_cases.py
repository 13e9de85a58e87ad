"""One session's cases whose truth is known: a machine with round costs, and steps that follow from them."""

from typing import Any

import pandas as pd

CASE_COLUMNS = (
    "fullname", "device", "model", "batch_size", "log_interval", "params", "median_s", "iqr_s", "rounds", "extra",
)  # fmt: skip
"""Those of `reports.load_runs(...).cases` that an explanation reads."""
US = 1e-6


def case(fullname: str, median_s: float, params: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """Return one row of a cases frame."""
    row: dict[str, Any] = dict.fromkeys(CASE_COLUMNS)
    told = {name: params.get(name) for name in ("batch_size", "log_interval")}
    told |= {name: params.get(name, "") for name in ("device", "model")}
    measured = {"median_s": median_s, "iqr_s": 0.01 * median_s, "rounds": 16, "params": params, "extra": extra}
    return row | told | measured | {"fullname": fullname}


def primitive(device: str, name: str, median_s: float, amount: float | None = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    told = {"name": name, "amount": amount, "dtype": None, "memory": None, "threads": 1, **more}
    words = "-".join(filter(None, (device, name, told["dtype"], told["memory"], str(amount or ""))))
    return case(f"bench_primitive[{words}]", median_s, {"device": device}, {"unit": "operation", "primitive": told})


def training(  # noqa: PLR0913  what a step consists of
    device: str,
    step_time_s: float,
    *,
    model: str = "mlp",
    batch_size: int = 32,
    log: int | str = "never",
    operators: int = 40,
    flops: float = 1e6,
    parameters: int = 100,
    copies: int = 0,
    copied_bytes: int = 0,
    **extra: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """Return a training case whose counts were taken over two steps."""
    params = {"device": device, "model": model, "batch_size": batch_size, "log_interval": log}
    counts = {
        "steps": 2,
        "operators": 2 * operators,
        "loss_reads": 2 if log == 1 else 0,
        "host_to_device_copies": 2 * copies,
        "host_to_device_bytes": 2 * copied_bytes,
        "parameters": parameters,
    }
    told = {"unit": "step", "samples_per_unit": batch_size, "flops_per_step": flops, "counts": counts, **extra}
    return case(f"bench_training[{device}-{model}-batch{batch_size}-{log}]", step_time_s, params, told)


def ablation(device: str, question: str, plain_s: float, variants: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return an ablation of `mlp` at batch size 32; each variant is its ratio, known to ±1 %, or its own fields."""
    params = {"device": device, "model": "mlp", "batch_size": 32, "question": question, **more}
    proof = {"steps": 5, "tolerance": 1e-5, "largest_difference": 0.0}
    told = {
        name: {"ratio_low": one * 0.99, "ratio_high": one * 1.01, "ratio": one, "same_work": proof, "skipped": None}
        if isinstance(one, float)
        else {"same_work": proof, **one}
        for name, one in variants.items()
    }
    extra = {"unit": "step", "plain": "plain", "variants": told}
    name = f"bench_overheads[{device}-{params['model']}-batch{params['batch_size']}-{question}]"
    return case(name, plain_s, params, extra)


def processor() -> list[dict[str, Any]]:
    """Return the primitives of a CPU: 2 µs an operator, 1 µs a read, 10 GB/s, 100 GFLOP/s."""
    return [
        primitive("cpu", "dispatch", 2 * US),
        primitive("cpu", "read-idle", 1 * US),
        primitive("cpu", "memory", 0.01, 1e8, amount_unit="B", dtype="float32"),
        primitive("cpu", "matmul", 0.01, 1e9, amount_unit="FLOP", dtype="float32"),
    ]


def layers(device: str = "cpu") -> list[dict[str, Any]]:
    """Return primitives of layers: convolutions at 50 GFLOP/s and their weights at 4 GB/s, pooling at 1 GB/s.

    Memory touched for the first time comes at 2 GB/s.
    """
    return [
        primitive(device, "convolution", 0.01, 5e8, amount_unit="FLOP", dtype="float32"),
        primitive(device, "convolution-weights", 0.001, 4e6, amount_unit="B", dtype="float32"),
        primitive(device, "pooling", 0.001, 1e6, amount_unit="B", dtype="float32"),
        primitive(device, "fresh-memory", 0.01, 2e7, amount_unit="B"),
    ]


def accelerator() -> list[dict[str, Any]]:
    """Return a GPU's: 5 µs a launch, 20 µs a read, copies of 10 µs and 10 GB/s, 1 TB/s, 10 TFLOP/s."""
    return [
        primitive("cuda", "launch", 5 * US),
        primitive("cuda", "read-idle", 20 * US),
        primitive("cuda", "copy-to-device", 10.4 * US, 4000, amount_unit="B", memory="pageable"),
        primitive("cuda", "copy-to-device", 110 * US, 1_000_000, amount_unit="B", memory="pageable"),
        primitive("cuda", "memory", 0.001, 1e9, amount_unit="B", dtype="float32"),
        primitive("cuda", "matmul", 0.001, 1e10, amount_unit="FLOP", dtype="float32"),
    ]


def frame(*cases: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(list(cases), columns=CASE_COLUMNS)

"""What only a GPU can show, in under eight minutes: `python -m nightly.check_gpu [--device cuda] [--store DIR]`.

Launches the suite step by step, each into a store of its own, and tells in few lines what it saved: machine and driver,
every default case of the device once, its primitives, the variants of two small steps, one rank, and whether a
neighbour on the device is seen. Installs nothing. Exit code 1 if anything was found to be wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nightly.gpu_findings import facts, faults, figures, knows_gpu

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_S = 470.0
MOST_NAMED = 12
"""Failed cases told by name, a step."""
VARIANTS = "benchmarks/bench_overheads.py"
NEIGHBOUR = """
import sys, torch
factor = torch.randn(4096, 4096, device=sys.argv[1])
torch.mm(factor, factor).cpu()
print("computing", flush=True)
while True:
    torch.mm(factor, factor)[0, 0].item()
"""


@dataclass(frozen=True)
class Step:
    """A launch of the suite: pytest's words, the seconds it may take, and whether something else computes beside it."""

    name: str
    words: tuple[str, ...]
    limit_s: float
    beside_neighbour: bool = False


def steps(device: str) -> list[Step]:
    """The launches, most telling first: together they run every default case of the device."""
    on = ("--devices", device, "--require-device", device)
    measured_below = "not bench_primitive and not (bench_overhead and (iris-mlp or mnist-cnn))"
    ranks = "ranks1-mnist-cnn-batch128-weak or ranks1-bytes16777216"
    one_case = f"benchmarks/bench_training.py::bench_training[{device}-iris-mlp-batch120-nolog]"
    return [
        Step("smoke", ("benchmarks", "--smoke", *on, "-k", measured_below), 200),
        Step("primitives", ("benchmarks/bench_primitives.py", *on), 100),
        Step("variants of iris-mlp", (VARIANTS, *on, "--models", "iris-mlp", "--batch-sizes", "120"), 200),
        Step("variants of mnist-cnn", (VARIANTS, *on, "--models", "mnist-cnn", "--batch-sizes", "128"), 100),
        Step("one rank", ("benchmarks/bench_distributed.py", *on, "-m", "nightly", "-k", ranks), 100),
        Step("beside a neighbour", (one_case, *on), 60, beside_neighbour=True),
    ]


def launch(step: Step, store: Path, device: str, left_s: float) -> dict[str, Any] | None:
    """Run a step and return what it saved; None, and said why, if it saved nothing in time."""
    limit_s = min(step.limit_s, left_s)
    command = [sys.executable, "-m", "pytest", *step.words, f"--benchmark-storage={store}", "-q", "--benchmark-quiet"]
    started = time.monotonic()
    ending = "ended"
    with (store.parent / f"{store.name}.log").open("w") as log, _neighbour(device, wanted=step.beside_neighbour):
        # The suite ends in order, with what it has so far, when it is asked to; killed, it leaves only its journal.
        process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603  our own suite, by this interpreter
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            ending = f"was ended after {limit_s:.0f} s"
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    saved = sorted(path for path in store.glob("*/*.json") if not path.name.startswith("."))
    say(f"{step.name}: {ending} with exit code {process.returncode} in {time.monotonic() - started:.0f} s")
    if not saved:
        said = [line for line in Path(log.name).read_text(errors="replace").splitlines() if line.strip()]
        say("  nothing was saved; the last lines of its log:", *(f"  {line}" for line in said[-3:]))
        return None
    run: dict[str, Any] = json.loads(saved[-1].read_text())
    return run


@contextmanager
def _neighbour(device: str, *, wanted: bool) -> Iterator[None]:
    """Another process that computes on the device meanwhile."""
    if not wanted:
        yield
        return
    command = [sys.executable, "-c", NEIGHBOUR, device]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603  as above
        try:
            assert process.stdout is not None
            process.stdout.readline()  # it computes, or has ended with an error on the terminal
            yield
        finally:
            process.kill()


def main(words: list[str] | None = None) -> int:
    """Launch the steps, tell what they saved, and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m nightly.check_gpu", description="What only a GPU can show, in under eight minutes."
    )
    parser.add_argument("--device", default="cuda", help="the device (default: %(default)s)")
    parser.add_argument("--store", type=Path, help="folder for runs and logs (default: a new temporary one)")
    options = parser.parse_args(words)
    store = options.store or Path(tempfile.mkdtemp(prefix="check-gpu-"))
    store.mkdir(parents=True, exist_ok=True)
    end_s, wrong = time.monotonic() + LIMIT_S, 0
    for number, step in enumerate(steps(options.device), start=1):
        left_s = end_s - time.monotonic()
        if left_s < 1:
            say(f"{step.name}: NOT RUN, {LIMIT_S:.0f} s are over")
            wrong += 1
            continue
        run = launch(step, store / f"{number}-{step.name.replace(' ', '-')}", options.device, left_s)
        found = faults(run, beside_neighbour=step.beside_neighbour)
        if number == 1 and run is not None and options.device.startswith("cuda") and not knows_gpu(run):
            found.append("NVML tells nothing of the GPU")
        if run is not None:
            say(*(facts(run) if number == 1 else ()), *(figures(run) if number > 1 else ()))
        say(*(f"  WRONG {line}" for line in found[:MOST_NAMED]))
        wrong += len(found)
    say(f"{'WRONG' if wrong else 'ALL RIGHT'}: {wrong} faults; runs and logs are in {store}")
    return 1 if wrong else 0


def say(*lines: str) -> None:
    """Tell lines at once."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

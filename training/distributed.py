"""One training on several devices: every rank a process of its own, started by torchrun.

`torchrun --standalone --nproc-per-node=2 -m training.distributed train --model mnist-cnn --batch-size 64 --report FILE`
trains with DistributedDataParallel: gloo on CPUs, one thread per rank; NCCL on CUDA, one device per rank. More nodes
are torchrun's own matter (`--nnodes`, `--rdzv-endpoint`). `all-reduce --elements N` times the reduction alone.
One rank writes the report: a round counts by its slowest rank.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from training import batches, data, networks
from training.devices import fix_precision, hardware_name
from training.mnist import default_folder
from training.registry import MODELS
from training.run import SEED

if TYPE_CHECKING:
    from collections.abc import Callable

BACKENDS = {"cpu": "gloo", "cuda": "nccl"}
FLOAT_BYTES = 4
LET_LAUNCHER_SEE_S = 1.0
"""Seconds; torchrun looks at its ranks ten times a second."""


@dataclass(frozen=True)
class Rank:
    """This process among the others; `clock` reads seconds once its device has finished its queued work."""

    number: int
    count: int
    device: torch.device

    def clock(self) -> float:
        """Seconds, the device waited for."""
        if self.device.type != "cpu":
            torch.accelerator.synchronize(self.device)
        return time.perf_counter()

    def slowest(self, value: float) -> float:
        """The largest of all ranks' values; every rank gets the same."""
        held = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.all_reduce(held, dist.ReduceOp.MAX)
        return float(held)

    def wait_for_all(self) -> None:
        """Return once every rank has come here."""
        self.slowest(0.0)


def timed_rounds(rank: Rank, call: Callable[[], object], calls: int, budget_s: float, rounds: range) -> list[float]:
    """Time rounds of `calls` calls on every rank at once; seconds per call of each round's slowest rank.

    As many rounds as fit into the budget by a first, uncounted one, within the limits of `rounds`; the ranks agree on
    the number, since each waits for all.
    """

    def one_round() -> float:
        rank.wait_for_all()
        start = rank.clock()
        for _ in range(calls):
            call()
        return rank.slowest(rank.clock() - start)

    one_round()
    pilot_s = one_round()
    fitting = math.floor(budget_s / pilot_s)
    return [one_round() / calls for _ in range(min(max(fitting, rounds.start), rounds.stop))]


def train(rank: Rank, options: argparse.Namespace) -> dict[str, Any]:
    """Train on this rank's share of the samples and time steps; what is to be reported.

    Raises:
        RuntimeError: the ranks' parameters differ after training.
    """
    model = MODELS[options.model]
    # Never downloaded here, by all ranks at once: what the folder lacks, they do without.
    is_handwriting = model.data is data.handwriting
    dataset = data.handwriting(options.data_dir, download=False) if is_handwriting else model.data(options.data_dir)
    share = data.Dataset(
        dataset.name,
        dataset.train_inputs[rank.number :: rank.count],
        dataset.train_targets[rank.number :: rank.count],
        dataset.test_inputs,
        dataset.test_targets,
    )
    network = networks.seeded(model.build, SEED).to(rank.device)
    wrapped = DistributedDataParallel(network)
    criterion, optimizer = model.loss(), model.optimizer(network.parameters())
    mine = batches.resident(share, min(options.batch_size, share.train_samples), rank.device)
    fixed = next(batches.resident(share, min(options.batch_size, share.train_samples), rank.device))

    def step() -> None:
        inputs, targets = next(mine)
        loss = criterion(wrapped(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def loss_now() -> float:
        with torch.no_grad():
            return rank.slowest(float(criterion(network(fixed[0]), fixed[1])))

    first_loss = loss_now()
    rounds_s = timed_rounds(rank, step, options.calls, options.budget, range(options.least_rounds, options.most_rounds))
    difference = largest_difference(rank, network)
    if not difference <= options.tolerance:
        raise RuntimeError(f"the ranks' parameters differ by {difference:g} after training")
    return {
        "rounds_s": rounds_s,
        "samples_per_rank": len(fixed[1]),
        "dataset": dataset.name,
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "first_loss": first_loss,
        "last_loss": loss_now(),
        "largest_parameter_difference": difference,
    }


def largest_difference(rank: Rank, network: torch.nn.Module) -> float:
    """The largest difference of any parameter on any rank from the first rank's."""
    largest = 0.0
    for parameter in network.parameters():
        of_first = parameter.detach().clone()
        dist.broadcast(of_first, src=0)
        largest = max(largest, float((parameter.detach() - of_first).abs().max()))
    return rank.slowest(largest)


def all_reduce(rank: Rank, options: argparse.Namespace) -> dict[str, Any]:
    """Time the sum of `elements` float32 numbers over all ranks; what is to be reported.

    Raises:
        RuntimeError: the sum is wrong.
    """
    values = torch.ones(options.elements, device=rank.device)
    dist.all_reduce(values)
    if float(values.min()) != rank.count or float(values.max()) != rank.count:
        raise RuntimeError(f"all-reduce over {rank.count} ranks summed ones to {float(values.max()):g}")
    values.zero_()  # zeros stay zeros however often they are summed
    limits = range(options.least_rounds, options.most_rounds)
    rounds_s = timed_rounds(rank, lambda: dist.all_reduce(values), options.calls, options.budget, limits)
    return {"rounds_s": rounds_s, "message_bytes": options.elements * FLOAT_BYTES}


WORK = {"train": train, "all-reduce": all_reduce}


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line; times are in seconds."""
    parser = argparse.ArgumentParser(prog="torchrun -m training.distributed", description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=WORK)
    parser.add_argument("--device", choices=BACKENDS, default="cpu", help="kind of device (default: %(default)s)")
    parser.add_argument("--model", choices=MODELS, default="mnist-cnn")
    parser.add_argument("--batch-size", type=int, default=64, help="samples per rank and step (default: %(default)s)")
    parser.add_argument("--elements", type=int, default=1 << 18, help="float32 numbers reduced (default: %(default)s)")
    parser.add_argument("--calls", type=int, default=10, help="steps or reductions in a round (default: %(default)s)")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of timed rounds (default: %(default)s)")
    parser.add_argument("--least-rounds", type=int, default=10)
    parser.add_argument("--most-rounds", type=int, default=1000)
    parser.add_argument("--tolerance", type=float, default=1e-5, help="largest difference of parameters between ranks")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that a rank waits for the others")
    parser.add_argument("--data-dir", type=Path, default=default_folder())
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="written by the first rank")
    return parser.parse_args(argv)


def main() -> int:
    """Join the other ranks, do the work, and let the first rank report; what fails is one line that names the rank."""
    options = arguments()
    if "RANK" not in os.environ:
        sys.stderr.write("training.distributed: start it by torchrun, which tells every rank its number\n")
        return 2
    number, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    try:
        report = _joined(Rank(number, count, _device(options.device)), options)
    except Exception as error:  # noqa: BLE001  whatever it is, the other ranks' messages are about the loss of this one
        sys.stderr.write(f"rank {number} of {count} failed: {type(error).__name__}: {str(error).splitlines()[0]}\n")
        sys.stderr.flush()
        # The error may only be that another rank died: torchrun names the rank that it finds ended first.
        time.sleep(LET_LAUNCHER_SEE_S)
        # The error's traceback keeps the wrapped network past its process group; taken down in that order, gloo's
        # threads abort the process (torch 2.14), and torchrun would tell of a signal and not of the error.
        os._exit(1)
    if number == 0:
        temporary = options.report.with_name(f".{options.report.name}.{os.getpid()}")
        temporary.write_text(json.dumps(report), encoding="utf-8")
        temporary.replace(options.report)
    return 0


def _joined(rank: Rank, options: argparse.Namespace) -> dict[str, Any]:
    fix_precision()
    torch.set_num_threads(1)
    bound = rank.device if rank.device.type == "cuda" else None
    dist.init_process_group(BACKENDS[options.device], timeout=timedelta(seconds=options.limit), device_id=bound)
    found = WORK[options.work](rank, options)
    rank.wait_for_all()
    joined = {
        **found,
        "backend": dist.get_backend(),
        "world_size": rank.count,
        "device_name": hardware_name(rank.device),
    }
    dist.destroy_process_group()
    return joined


def _device(kind: str) -> torch.device:
    if kind == "cpu":
        return torch.device("cpu")
    device = torch.device(kind, int(os.environ["LOCAL_RANK"]))
    torch.accelerator.set_device_index(device.index)
    return device


if __name__ == "__main__":
    sys.exit(main())

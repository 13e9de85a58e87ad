"""Variants that only an accelerator has, on a stand-in: a CPU that is taken for one, whose copies are never awaited."""

from __future__ import annotations

import gc
import time
import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import optim

from training import data
from training.batches import copied
from training.devices import Device
from training.registry import MODELS
from training.run import SEED
from training.variants import captured, feeding, reading
from training.variants.run import Setting, UnavailableError, VariantRun


class Pretended(Device):
    """A CPU taken for an accelerator."""

    @property
    def is_accelerator(self) -> bool:
        return True


DEVICE = Pretended("pretended", "cpu", 1, time.perf_counter)
IRIS = Setting(MODELS["iris-mlp"], data.iris(), 32, DEVICE, 3)
CNN = Setting(MODELS["mnist-cnn"], data.digits(), 32, DEVICE, 3)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of the driver, in order: page-locked memory, events, streams."""
    found: list[str] = []

    class Event:
        def __init__(self, _device: torch.device) -> None:
            found.append("event")

        def record(self, _stream: object) -> None:
            found.append("record")

        def synchronize(self) -> None:
            found.append("wait")

    class Stream:
        def __init__(self, _device: torch.device) -> None:
            self.name = "side"

        def wait_stream(self, _other: object) -> None:
            found.append(f"{self.name} waits")

        def __enter__(self) -> None:
            found.append("in side stream")

        def __exit__(self, *_exception: object) -> None:
            found.append("out of it")

    def unpinned(make: Any, *shape: Any, pin_memory: bool = False, **options: Any) -> torch.Tensor:  # noqa: ANN401
        found.extend(["pinned"] * pin_memory)
        return make(*shape, **options)  # type: ignore[no-any-return]

    def pinned(tensor: torch.Tensor) -> torch.Tensor:
        found.append("pinned")
        return tensor

    current = Stream(DEVICE.torch_device)
    current.name = "current"
    monkeypatch.setattr(torch, "zeros", partial(unpinned, torch.zeros))
    monkeypatch.setattr(torch, "empty", partial(unpinned, torch.empty))
    monkeypatch.setattr(torch.Tensor, "pin_memory", pinned)
    monkeypatch.setattr(torch, "Event", Event)
    monkeypatch.setattr(torch, "Stream", Stream)
    monkeypatch.setattr(torch.accelerator, "current_stream", lambda _device: current)
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda _device: found.append("wait"))
    return found


@pytest.mark.parametrize("setting", [IRIS, CNN], ids=["resident", "shuffled"])
@pytest.mark.parametrize("build", [feeding.resident, feeding.pageable, feeding.pinned])
@pytest.mark.usefixtures("calls")
def test_every_way_of_feeding_an_accelerator_trains_the_same(setting: Setting, build: Any) -> None:  # noqa: ANN401
    assert build(setting).losses(4) == VariantRun(setting).losses(4)


def test_page_locked_data_are_locked_once_where_batches_are_slices(calls: list[str]) -> None:
    feeding.pinned(IRIS).losses(4)

    assert calls == ["pinned", "pinned"]  # inputs and targets


def test_shuffled_batches_are_gathered_in_page_locked_memory_every_time(calls: list[str]) -> None:
    batches, expected = feeding.from_pinned(CNN), copied(CNN.dataset, 32, DEVICE.torch_device, SEED)

    for _ in range(3):
        for mine, theirs in zip(next(batches), next(expected), strict=True):
            assert torch.equal(mine, theirs)

    assert calls == ["pinned"] * 6


def test_losses_copied_without_waiting_are_read_one_block_later(calls: list[str]) -> None:
    """Blocks of three: the first is read when the second is full, after the event that followed its copies."""
    run = reading.CopiedAsync(IRIS)

    first = run.losses(3)
    assert (run.reads, calls) == (0, ["pinned", "event", "record"])
    run.losses(3)

    assert calls == ["pinned", "event", "record", "event", "record", "wait"]
    assert (run.reads, run.fetched) == (1, first)


@dataclass
class Graph:
    """A graph that does over what was captured: a step on the batch that it reads from."""

    calls: list[str]
    run: captured.CapturedStep | None = None
    loss: torch.Tensor | None = None

    def capture_begin(self) -> None:
        self.calls.append("begin")

    def capture_end(self) -> None:
        self.calls.append("end")

    def replay(self) -> None:
        assert self.run is not None
        assert self.loss is not None
        self.loss.copy_(VariantRun.advance(self.run, *self.run.batch).detach())


def captured_run(setting: Setting, calls: list[str], monkeypatch: pytest.MonkeyPatch) -> captured.CapturedStep:
    graph = Graph(calls)
    monkeypatch.setattr(captured, "graph_class", lambda _setting: lambda: graph)
    run = captured.CapturedStep(setting)
    graph.run, graph.loss = run, run.captured_loss
    return run


def test_a_step_is_captured_after_a_warm_up_on_a_stream_of_its_own(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    captured_run(IRIS, calls, monkeypatch)

    assert calls == [
        *("side waits", "in side stream", "out of it", "current waits", "wait"),
        *("in side stream", "begin", "end", "out of it", "current waits"),
    ]


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_a_replayed_step_trains_as_if_nothing_had_been_tried_before(
    calls: list[str], monkeypatch: pytest.MonkeyPatch, momentum: float
) -> None:
    """Weights and the optimizer's state are put back after the warm-up."""
    setting = replace(IRIS, model=replace(IRIS.model, optimizer=partial(optim.SGD, lr=0.1, momentum=momentum)))

    run = captured_run(setting, calls, monkeypatch)

    assert run.losses(5) == pytest.approx(VariantRun(setting).losses(5), rel=1e-6)


def test_a_step_that_cannot_be_captured_is_unavailable(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_graph: Graph) -> None:
        raise RuntimeError("operation not permitted when stream is capturing\nCUDA kernel errors ...")

    monkeypatch.setattr(Graph, "capture_begin", refuse)

    with pytest.raises(UnavailableError, match="the step cannot be captured: operation not permitted"):
        captured_run(IRIS, calls, monkeypatch)


def test_a_capture_that_fails_half_way_is_ended(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Left open, every later operation of the process would be recorded, or refused, in its place."""

    class Refusing(optim.SGD):
        def step(self, closure: Any = None) -> Any:  # noqa: ANN401
            if "begin" in calls:
                raise RuntimeError("CUDA error: operation not permitted when stream is capturing\n...")

    def invalid(graph: Graph) -> None:
        graph.calls.append("end")
        raise RuntimeError("CUDA error: operation failed due to a previous error during capture")

    monkeypatch.setattr(Graph, "capture_end", invalid)
    setting = replace(IRIS, model=replace(IRIS.model, optimizer=partial(Refusing, lr=0.1)))

    with pytest.raises(UnavailableError, match="cannot be captured: CUDA error: operation not permitted"):
        captured_run(setting, calls, monkeypatch)

    assert calls[-3:] == ["begin", "end", "out of it"]


def test_nothing_is_collected_while_a_step_is_captured(calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    collecting: list[bool] = []

    class Watched(optim.SGD):
        def step(self, closure: Any = None) -> Any:  # noqa: ANN401
            collecting.append(gc.isenabled())
            return super().step(closure)

    captured_run(replace(IRIS, model=replace(IRIS.model, optimizer=partial(Watched, lr=0.1))), calls, monkeypatch)

    assert collecting == [True] * captured.WARM_UP_STEPS + [False]
    assert gc.isenabled()


def test_an_optimizer_made_for_captures_may_warm_up_outside_of_one(
    calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch's Adam warns of it once, at its first step on a GPU; here as wherever, a warning is an error."""

    class Capturable(optim.SGD):
        def step(self, closure: Any = None) -> Any:  # noqa: ANN401
            if "begin" not in calls:
                warnings.warn(
                    "This instance was constructed with capturable=True or some of all the param_groups came with "
                    "capturable=True, but step() is running without CUDA graph capture.",
                    stacklevel=2,
                )
            return super().step(closure)

    captured_run(replace(IRIS, model=replace(IRIS.model, optimizer=partial(Capturable, lr=0.1))), calls, monkeypatch)

    assert "end" in calls


def test_graphs_are_cudas_own_or_those_of_torch_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    def on(name: str) -> Setting:
        return replace(IRIS, device=Device(name, name, 1, time.perf_counter))

    general = object()
    monkeypatch.setattr(torch.accelerator, "Graph", general, raising=False)  # torch 2.11 has none

    assert captured.graph_class(on("cuda")) is torch.cuda.CUDAGraph
    assert captured.graph_class(on("xpu")) is general
    with pytest.raises(UnavailableError, match="cpu has no graphs"):
        captured.graph_class(on("cpu"))
    monkeypatch.delattr(torch.accelerator, "Graph")
    with pytest.raises(UnavailableError, match="xpu has no graphs"):
        captured.graph_class(on("xpu"))

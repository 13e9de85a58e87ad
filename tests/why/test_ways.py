"""How ways are compared: proof first, then block by block in turn, then the record of every variant."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING

import pytest
from torch import optim

from fixtures.ablations import in_turn
from fixtures.ratios import PairedRatio
from fixtures.warmup import blocks
from fixtures.ways import (
    Ablation,
    Way,
    described,
    largest_difference,
    pays_off_after,
    prove_same_work,
    require_same_work,
)
from training.devices import DEVICES, Device
from training.registry import MODELS
from training.variants import compiled
from training.variants.questions import REORDERED, Variant
from training.variants.run import Setting, UnavailableError, VariantRun

if TYPE_CHECKING:
    from collections.abc import Callable

IRIS = Setting(MODELS["iris-mlp"], MODELS["iris-mlp"].data(Path("no-data-here")), 120, DEVICES["cpu"], 2)


def ablation_of(**builds: Callable[[Setting], VariantRun]) -> Ablation:
    """Ways by name, after the plain one; all have to agree to the bit."""
    ways = {"plain": VariantRun, **builds}
    return Ablation(IRIS, "plain", {name: Way(Variant(build), build(IRIS)) for name, build in ways.items()})


class Pretended(Device):
    """A CPU taken for an accelerator."""

    @property
    def is_accelerator(self) -> bool:
        return True


def faster_learner(setting: Setting) -> VariantRun:
    return VariantRun(replace(setting, model=replace(setting.model, optimizer=partial(optim.SGD, lr=0.02))))


def test_a_variant_that_does_the_same_work_is_proven_over_the_first_steps() -> None:
    ablation = ablation_of(other=VariantRun)

    prove_same_work(ablation)
    require_same_work(ablation)

    assert ablation.ways["other"].same_work == {"steps": 5, "tolerance": 0.0, "largest_difference": 0.0}
    assert ablation.ways["plain"].same_work is None


def test_a_variant_that_does_other_work_fails_the_case_and_its_difference_is_recorded_first() -> None:
    ablation = ablation_of(other=faster_learner)

    prove_same_work(ablation)

    recorded = described(ablation, [])["other"]["same_work"]
    assert recorded["largest_difference"] > 1e-4
    with pytest.raises(pytest.fail.Exception, match=r"other did other work than plain: losses of the first 5 steps"):
        require_same_work(ablation)


def test_a_model_that_rounding_takes_apart_is_compared_over_fewer_steps() -> None:
    ablation = ablation_of(other=VariantRun)
    ablation.setting = replace(IRIS, model=replace(IRIS.model, agreeing_steps=2))

    prove_same_work(ablation)

    assert ablation.ways["other"].same_work is not None
    assert ablation.ways["other"].same_work["steps"] == 2


def test_a_variant_that_cannot_be_compiled_is_skipped_with_the_compilers_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "start_compiler", lambda _setting: None)

    class Uncompilable(VariantRun):
        compiles = True

        def losses(self, steps: int) -> list[float]:
            raise UnavailableError("torch.compile cannot compile it: no way")

    ablation = ablation_of(bad=Uncompilable, other=VariantRun)

    prove_same_work(ablation)

    assert ablation.ways["bad"].skipped == "torch.compile cannot compile it: no way"
    assert ablation.others() == [ablation.ways["other"]]


class Refused(VariantRun):
    def losses(self, steps: int) -> list[float]:
        raise RuntimeError("CUDA error: an operation that nobody foresaw\nCompile with TORCH_USE_CUDA_DSA ...")


def test_what_an_accelerator_refuses_costs_the_case_that_variant_alone() -> None:
    ablation = ablation_of(bad=Refused, other=VariantRun)
    ablation.setting = replace(IRIS, device=Pretended("pretended", "cpu", 1, time.perf_counter))

    prove_same_work(ablation)

    assert ablation.ways["bad"].skipped == "refused here: CUDA error: an operation that nobody foresaw"
    assert ablation.others() == [ablation.ways["other"]]


def test_what_fails_on_a_cpu_is_a_fault() -> None:
    with pytest.raises(RuntimeError, match="nobody foresaw"):
        prove_same_work(ablation_of(bad=Refused))


def test_a_compiler_that_cannot_be_started_leaves_out_what_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    class Compiling(VariantRun):
        compiles = True

    def broken(_setting: Setting) -> None:
        raise UnavailableError("torch.compile cannot compile it: Failed to find C compiler")

    monkeypatch.setattr(compiled, "start_compiler", broken)
    ablation = ablation_of(one=Compiling, two=Compiling, other=VariantRun)

    prove_same_work(ablation)

    assert [ablation.ways[name].skipped for name in ("one", "two", "other")] == [
        "torch.compile cannot compile it: Failed to find C compiler"
    ] * 2 + [None]


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "No such file or directory: 'gcc'"), ImportError("libcuda.so"), SubprocessError("x")]
)
def test_what_a_compiler_starts_and_loads_may_be_missing(error: Exception) -> None:
    with pytest.raises(UnavailableError, match=r"torch\.compile cannot compile it: "), compiled.cold_cache():
        raise error


@pytest.mark.parametrize(
    ("expected", "found", "difference"),
    [
        ([2.0, 1.0], [2.0, 1.0], 0.0),
        ([2.0, 1.0], [2.1, 1.0], 0.05),
        ([2.0, 1.0], [2.0, 0.9], 0.1),
        ([0.0], [0.25], 0.25),
        ([1.0], [math.nan], math.inf),
        ([1.0], [math.inf], math.inf),
    ],
)
def test_the_largest_difference_is_relative_to_the_plain_loss(
    expected: list[float], found: list[float], difference: float
) -> None:
    assert largest_difference(expected, found) == pytest.approx(difference)


def test_every_variant_takes_a_block_a_turn_and_none_always_follows_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    ablation = ablation_of(a=VariantRun, b=VariantRun, c=VariantRun)
    for name, way in ablation.ways.items():
        monkeypatch.setattr(way.run, "step", partial(order.append, name))

    take_turns = in_turn(ablation)
    for _ in range(3):
        take_turns()

    assert "".join(order) == "aabbcc" + "bbccaa" + "ccaabb"
    assert {len(way.blocks_s) for way in ablation.others()} == {3}


def test_blocks_are_compared_with_the_round_before_them_and_the_last_one_is_dropped() -> None:
    """The plug-in's extra call is no round, so the block after it has none to be compared with."""
    ablation = ablation_of(other=VariantRun)
    ablation.ways["other"].blocks_s = [0.5, 2.0, 0.25, 99.0]

    found = described(ablation, [1.0, 4.0, 0.5])["other"]

    assert (found["ratio"], found["ratio_low"], found["ratio_high"]) == (0.5, 0.5, 0.5)
    assert (found["median_s"], found["pairs"]) == (0.5, 3)
    assert (found["compile_time_s"], found["pays_off_after_steps"], found["skipped"]) == (None, None, None)


def test_a_skipped_variant_has_its_reason_and_nothing_measured() -> None:
    ablation = ablation_of()
    ablation.ways["absent"] = Way(Variant(VariantRun), skipped="no such unit")

    found = described(ablation, [1.0])

    assert found == {
        "absent": {
            **dict.fromkeys(("ratio", "ratio_low", "ratio_high", "median_s", "pairs", "same_work")),
            "compile_time_s": None,
            "pays_off_after_steps": None,
            "skipped": "no such unit",
        }
    }


@pytest.mark.slow
def test_a_variant_that_takes_every_step_twice_is_found_to_take_twice_as_long() -> None:
    class Doubled(VariantRun):
        def step(self) -> None:
            super().step()
            super().step()

    ablation = ablation_of(doubled=Doubled)
    ablation.setting = replace(IRIS, block_steps=20)
    take_turns, plain_s = in_turn(ablation), []
    for _ in range(40):
        (block_s,) = blocks(ablation.plain_run.step, ablation.setting.device.clock, block_steps=20, count=1)
        plain_s.append(block_s / 20)
        take_turns()

    found = described(ablation, plain_s)["doubled"]

    assert found["ratio"] == pytest.approx(2.0, rel=0.1)
    assert found["ratio_low"] < 2.05
    assert found["ratio_high"] > 1.95


@pytest.mark.parametrize(
    ("compile_time_s", "found", "steps"),
    [
        (6.0, PairedRatio(0.25, 0.2, 0.3, 10), 8000),  # 0.75 of a millisecond saved a step
        (0.0, PairedRatio(0.25, 0.2, 0.3, 10), 0),
        (6.0, PairedRatio(0.9, 0.8, 1.01, 10), None),  # perhaps no gain at all
        (6.0, PairedRatio(1.2, 1.1, 1.3, 10), None),
        (None, PairedRatio(0.25, 0.2, 0.3, 10), None),
    ],
)
def test_compiling_pays_off_after_what_it_took_over_what_a_step_saves(
    compile_time_s: float | None, found: PairedRatio, steps: int | None
) -> None:
    assert pays_off_after(compile_time_s, 0.001, found) == steps


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", [partial(optim.SGD, lr=0.1), partial(optim.Adam, lr=0.001)], ids=["sgd", "adam"])
def test_compiled_ways_do_the_same_work_and_know_what_compiling_took(optimizer: partial[optim.Optimizer]) -> None:
    setting = replace(IRIS, model=replace(IRIS.model, optimizer=optimizer))
    builds = {"plain": VariantRun, "forward": compiled.CompiledForward, "step": compiled.CompiledStep}
    ways = {name: Way(Variant(build, REORDERED), build(setting)) for name, build in builds.items()}
    ablation = Ablation(setting, "plain", ways)

    prove_same_work(ablation)
    require_same_work(ablation)

    for way in ablation.others():
        assert way.compile_time_s is not None
        assert way.compile_time_s > 0.1

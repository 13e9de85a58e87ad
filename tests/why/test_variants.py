"""Variants of a step: the same losses as the plain one, by the way that their name says."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn, optim

from fixtures.counts import OperatorCounter
from fixtures.ways import largest_difference
from training import data, networks
from training.batches import copied
from training.devices import DEVICES
from training.registry import MODELS, Workload
from training.run import SEED
from training.variants import compiled, feeding, reading, stepping
from training.variants.questions import QUESTIONS, REORDERED
from training.variants.run import Setting, UnavailableError, VariantRun, with_optimizer
from training.variants.updating import functional_update

CPU = DEVICES["cpu"]


def setting_of(model: str, batch_size: int, block_steps: int = 4) -> Setting:
    row = MODELS[model]
    dataset = data.digits() if model == "mnist-cnn" else row.data(Path("no-data-here"))
    return Setting(row, dataset, batch_size, CPU, block_steps)


IRIS, CNN = setting_of("iris-mlp", 32), setting_of("mnist-cnn", 32)
EVERYWHERE = [
    ("data", "dataloader"),
    ("loss", "every-step"),
    ("loss", "fetched-once"),
    ("loss", "never"),
    ("optimizer", "foreach"),
    ("optimizer", "fused"),
    ("zero-grad", "to-zero"),
    ("accumulation", "4-parts"),
]
ON_CPU = [
    *((model, *asked) for model in ("iris-mlp", "mnist-cnn") for asked in EVERYWHERE),
    ("mnist-cnn", "layout", "channels-last"),
]


@pytest.mark.parametrize(("model", "question", "name"), ON_CPU, ids=lambda word: word)
def test_a_variant_trains_as_the_plain_way_does(model: str, question: str, name: str) -> None:
    setting = setting_of(model, 32)
    variant = QUESTIONS[question].variants[name]
    expected = VariantRun(setting).losses(4)

    run = variant.build(setting)
    with run.switched():
        found = run.losses(4)
    run.close()

    assert found == pytest.approx(expected, rel=variant.tolerance(setting), abs=0)


@pytest.mark.parametrize(
    ("model", "question", "name", "says"),
    [
        ("iris-mlp", "data", "pageable", "lie in its memory already"),
        ("mnist-cnn", "data", "resident", "lie in its memory already"),
        ("iris-mlp", "data", "pinned", "nothing is copied to a CPU"),
        ("iris-mlp", "loss", "copied-async", "in host memory already"),
        ("iris-mlp", "layout", "channels-last", "no images"),
        ("iris-mlp", "precision", "tf32", "NVIDIA"),
        ("iris-mlp", "graph", "captured", "cpu has no graphs"),
    ],
)
def test_what_a_cpu_or_a_model_lacks_is_said_in_one_line(model: str, question: str, name: str, says: str) -> None:
    with pytest.raises(UnavailableError, match=says) as caught:
        QUESTIONS[question].variants[name].build(setting_of(model, 32))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", ["iris-mlp", "mnist-cnn"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_model_has_a_plain_way_that_any_device_can_do(model: str, question: str) -> None:
    asked = QUESTIONS[question]

    run = asked.variants[asked.plain(MODELS[model])].build(setting_of(model, 32))

    assert run.losses(1) == VariantRun(setting_of(model, 32)).losses(1)


def test_a_step_that_skips_its_update_is_out_of_every_tolerance_of_float32() -> None:
    """The proof can fail: one lost update of the iris MLP changes the next loss by 8e-4 of it."""
    idle = replace(IRIS, model=replace(IRIS.model, optimizer=partial(optim.SGD, lr=0.0)))

    found = largest_difference(VariantRun(IRIS).losses(2), VariantRun(idle).losses(2))

    assert found > 5 * REORDERED


@pytest.mark.parametrize(
    ("model", "question", "name", "on_cpu", "on_cuda"),
    [
        ("iris-mlp", "loss", "never", (5, 0.0), (5, 1e-4)),
        ("mnist-cnn", "layout", "channels-last", (5, 1e-4), (5, 1e-2)),
        ("resnet18", "loss", "never", (5, 0.0), (1, 1e-3)),
        ("resnet18", "graph", "captured", (1, 1e-4), (1, 1e-3)),
        ("resnet18", "precision", "bfloat16-autocast", (1, 0.15), (1, 0.15)),
        ("vit-tiny", "precision", "tf32", (5, 1e-2), (5, 1e-2)),
    ],
)
def test_losses_are_compared_as_long_and_as_closely_as_training_allows(
    model: str, question: str, name: str, on_cpu: tuple[int, float], on_cuda: tuple[int, float]
) -> None:
    """An update of a ResNet takes apart what rounding did not: where sums may differ, only its first loss counts."""
    variant = QUESTIONS[question].variants[name]
    here = replace(IRIS, model=MODELS[model])
    there = replace(here, device=DEVICES["cuda"])

    assert (variant.proven_steps(here, 5), variant.tolerance(here)) == on_cpu
    assert (variant.proven_steps(there, 5), variant.tolerance(there)) == on_cuda


def test_the_order_of_an_epoch_is_the_registered_runs_and_the_next_epoch_has_another() -> None:
    order = feeding.EpochOrder(CNN)
    expected = copied(CNN.dataset, 32, CPU.torch_device, SEED)

    for chosen in (*order, *order):
        assert torch.equal(CNN.dataset.train_targets[chosen], next(expected)[1])


def test_resident_rows_are_taken_in_their_own_order_and_the_last_batch_is_dropped() -> None:
    assert list(feeding.EpochOrder(IRIS)) == [slice(0, 32), slice(32, 64), slice(64, 96)]


def test_gathering_on_the_device_or_the_host_gives_the_registered_batches() -> None:
    expected = copied(CNN.dataset, 32, CPU.torch_device, SEED)
    on_device, on_host = feeding.from_device(CNN), feeding.from_host(CNN)

    for _ in range(50):  # more than an epoch
        inputs, targets = next(expected)
        for batches in (on_device, on_host):
            theirs = next(batches)
            assert torch.equal(theirs[0], inputs)
            assert torch.equal(theirs[1], targets)


def test_worker_processes_end_with_their_run() -> None:
    run = feeding.loaded(IRIS, workers=1)
    run.losses(4)
    assert len(multiprocessing.active_children()) == 1

    run.close()

    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("kind", "reads"), [(reading.ReadEveryStep, 8), (reading.FetchedOnce, 2), (VariantRun, 0)])
def test_the_loss_is_read_as_often_as_the_variant_says(kind: type[VariantRun], reads: int) -> None:
    run = kind(IRIS)
    for _ in range(8):  # two blocks of four
        run.step()

    assert run.reads == reads


def test_losses_fetched_at_the_end_of_a_block_are_those_of_its_steps() -> None:
    run = reading.FetchedOnce(IRIS)

    assert run.losses(4) == run.fetched


def test_gradients_are_zeroed_in_place() -> None:
    run = stepping.ZeroedInPlace(IRIS)
    run.step()
    before = [parameter.grad for parameter in run.network.parameters()]

    run.clear()

    for parameter, gradient in zip(run.network.parameters(), before, strict=True):
        assert parameter.grad is gradient
        assert gradient is not None
        assert not gradient.any()


def test_channels_come_last_in_the_images_and_the_weights() -> None:
    run = stepping.ChannelsLast(CNN)
    inputs, _ = run.take()

    assert inputs.is_contiguous(memory_format=torch.channels_last)
    assert run.network[3].weight.is_contiguous(memory_format=torch.channels_last)  # type: ignore[index]
    assert not run.network[3].weight.is_contiguous()  # type: ignore[index]


def test_a_model_without_images_or_convolutions_has_no_layout_to_change() -> None:
    with pytest.raises(UnavailableError, match="no images"):
        stepping.ChannelsLast(IRIS)
    flat = replace(CNN, model=replace(CNN.model, build=lambda: nn.Sequential(nn.Flatten(), nn.Linear(784, 10))))
    with pytest.raises(UnavailableError, match="no convolution"):
        stepping.ChannelsLast(flat)


def test_a_batch_is_accumulated_in_equal_parts_with_one_update() -> None:
    run = stepping.Accumulating(IRIS, parts=4)
    sizes: list[int] = []
    run.network.register_forward_pre_hook(lambda _network, given: sizes.append(len(given[0])))

    run.step()

    assert sizes == [8, 8, 8, 8]


def test_accumulation_is_refused_where_it_would_be_other_work() -> None:
    with pytest.raises(UnavailableError, match="batch of 30"):
        stepping.Accumulating(replace(IRIS, batch_size=30), parts=4)
    normalized = replace(IRIS, model=replace(IRIS.model, build=_with_batch_statistics))
    with pytest.raises(UnavailableError, match="batch statistics"):
        stepping.Accumulating(normalized, parts=4)


def _with_batch_statistics() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 10), nn.BatchNorm1d(10), nn.Linear(10, 3))


def test_bfloat16_products_are_bfloat16_and_the_weights_stay_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.precision.lacks_bfloat16", lambda _device: None)
    run = stepping.InBfloat16(IRIS)
    found: list[torch.dtype] = []
    run.network.register_forward_hook(lambda _network, _given, output: found.append(output.dtype))

    run.step()

    assert found == [torch.bfloat16]
    assert {parameter.dtype for parameter in run.network.parameters()} == {torch.float32}


def test_an_optimizer_gets_the_option_it_is_asked_for_or_the_variant_is_unavailable() -> None:
    asked = with_optimizer(CNN, fused=True).model.optimizer([nn.Parameter(torch.zeros(1))])

    assert asked.defaults["fused"] is True
    with pytest.raises(UnavailableError, match="no optimizer with sparse=True"):
        with_optimizer(IRIS, sparse=True)


def test_a_fused_update_dispatches_fewer_operators() -> None:
    found = {}
    for name in ("default", "fused"):
        run = QUESTIONS["optimizer"].variants[name].build(CNN)
        run.step()
        with OperatorCounter() as counter:
            run.step()
        found[name] = counter.operators

    assert found["fused"] < found["default"]


@pytest.mark.parametrize("setting", [IRIS, CNN], ids=["sgd", "adam"])
def test_an_update_written_as_a_function_is_the_optimizers(setting: Setting) -> None:
    mine = networks.seeded(setting.model.build, SEED)
    theirs = networks.seeded(setting.model.build, SEED)
    optimizer = setting.model.optimizer(theirs.parameters())
    update = functional_update(setting.model.optimizer(mine.parameters()))
    generator = torch.Generator().manual_seed(3)

    for _ in range(5):
        gradients = [torch.randn(parameter.shape, generator=generator) for parameter in mine.parameters()]
        for parameter, gradient in zip(theirs.parameters(), gradients, strict=True):
            parameter.grad = gradient.clone()
        optimizer.step()
        with torch.no_grad():
            update(gradients)

    for one, other in zip(mine.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("optimizer", "says"),
    [
        (partial(optim.SGD, lr=0.1, momentum=0.9), "SGD with momentum"),
        (partial(optim.Adam, lr=0.1, amsgrad=True), "Adam with amsgrad"),
        (partial(optim.Adagrad, lr=0.1), "Adagrad"),
    ],
)
def test_other_updates_are_not_pretended_to_be_known(optimizer: partial[optim.Optimizer], says: str) -> None:
    with pytest.raises(UnavailableError, match=says):
        functional_update(optimizer(nn.Linear(2, 2).parameters()))


def test_a_compiled_step_takes_gradients_and_updates_in_one_function() -> None:
    """The function that is compiled, run as it is: no autograd graph, no gradient left on the parameters."""
    run = compiled.CompiledStep(IRIS)
    expected = VariantRun(IRIS).losses(4)

    assert [float(run.whole_step(*run.take())) for _ in range(4)] == pytest.approx(expected, rel=1e-6)
    assert all(parameter.grad is None for parameter in run.network.parameters())


def test_without_a_compiler_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)

    with pytest.raises(UnavailableError, match=r"needs a C\+\+ compiler"):
        compiled.CompiledForward(IRIS)


def test_without_a_c_compiler_nothing_is_compiled_for_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton builds the launchers of its kernels in C."""
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr(compiled, "find_spec", lambda _name: object())

    with pytest.raises(UnavailableError, match="Triton needs a C compiler"):
        compiled.require_compiler(replace(IRIS, device=DEVICES["cuda"]))


def test_a_new_row_of_the_registry_has_every_question() -> None:
    """Variants are derived from rows: a model that nobody has seen is trained in all ways that a CPU has."""
    row = replace(MODELS["iris-mlp"], name="unseen", workloads=(Workload(40, 10, 10),), log_intervals=("never",))
    setting = Setting(row, data.iris(), 40, CPU, 5)

    for question, asked in QUESTIONS.items():
        if question not in {"compile", "graph"}:
            assert asked.variants[asked.plain(row)].build(setting).losses(2)

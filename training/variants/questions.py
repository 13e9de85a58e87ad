"""The questions: which ways of doing one part of a step are compared, against which plain way, and how exactly.

Every variant trains on the same batches from the same weights, so its losses must be the plain one's: to the bit where
the arithmetic is the same, within a tolerance where it is done in another order or with fewer digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from training.variants import captured, compiled, feeding, reading, stepping
from training.variants.run import VariantRun, with_optimizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from training.registry import Model
    from training.variants.run import Setting

SAME_ARITHMETIC = 0.0
REORDERED = 1e-4
"""Float32 sums in another order differ by some units of 6e-8, which a few steps of training multiply."""
TF32 = 1e-2
"""TF32 keeps 10 bits of every factor: 5e-4 each, over tens of layers."""
FORWARD = 1e-3
"""Of a forward pass alone on an accelerator, whose kernels may add in another order and by Winograd's algorithm."""
BFLOAT16 = 0.15
"""bfloat16 keeps 7 bits: 4e-3 each, over tens of layers; a step through batch normalization multiplies it tenfold."""


@dataclass(frozen=True)
class Variant:
    """One way: how it is built, and how far its losses may be from the plain ones, relative to them."""

    build: Callable[[Setting], VariantRun]
    float_tolerance: float = SAME_ARITHMETIC

    def tolerance(self, setting: Setting) -> float:
        """The tolerance on the setting's device.

        Kernels of an accelerator may add in any order and be chosen anew, so that not even the same run twice gives the
        same bits, and training amplifies the difference.
        """
        if not setting.device.is_accelerator:
            return self.float_tolerance
        amplified = FORWARD if setting.model.loses_itself else setting.model.amplified_rounding
        return max(self.float_tolerance, amplified)

    def proven_steps(self, setting: Setting, steps: int) -> int:
        """Over how many of the first steps losses can be compared: one where an update would take them apart."""
        differs = self.float_tolerance > 0 or setting.device.is_accelerator
        return 1 if differs and setting.model.loses_itself else steps


@dataclass(frozen=True)
class Question:
    """Variants by name, and which of them is plain for a model; some questions make sense on an accelerator alone."""

    variants: dict[str, Variant]
    plain: Callable[[Model], str]
    on_cpu: bool = True


def _optimizer(setting: Setting, option: str) -> VariantRun:
    return VariantRun(with_optimizer(setting, **{option: True}))


def _always(name: str) -> Callable[[Model], str]:
    return lambda _model: name


def _as_registered(name: str, build: Callable[[Setting], VariantRun]) -> Variant:
    """A way of feeding; the one that the model's row asks for is built as the row says."""

    def built(setting: Setting) -> VariantRun:
        return feeding.as_registered(setting) if name == _data_plain(setting.model) else build(setting)

    return Variant(built)


def _data_plain(model: Model) -> str:
    return "resident" if model.resident else "pageable"


QUESTIONS: dict[str, Question] = {
    "data": Question(
        {
            "resident": _as_registered("resident", feeding.resident),
            "pageable": _as_registered("pageable", feeding.pageable),
            "pinned": Variant(feeding.pinned),
            "dataloader": Variant(partial(feeding.loaded, workers=0)),
            "dataloader-2-workers": Variant(partial(feeding.loaded, workers=2)),
        },
        _data_plain,
    ),
    "loss": Question(
        {
            "every-step": Variant(reading.ReadEveryStep),
            "fetched-once": Variant(reading.FetchedOnce),
            "copied-async": Variant(reading.CopiedAsync),
            "never": Variant(VariantRun),
        },
        _always("every-step"),
    ),
    "optimizer": Question(
        {
            "default": Variant(VariantRun),
            "foreach": Variant(partial(_optimizer, option="foreach"), REORDERED),
            "fused": Variant(partial(_optimizer, option="fused"), REORDERED),
        },
        _always("default"),
    ),
    "zero-grad": Question(
        {"to-none": Variant(VariantRun), "to-zero": Variant(stepping.ZeroedInPlace)}, _always("to-none")
    ),
    "layout": Question(
        {"contiguous": Variant(VariantRun), "channels-last": Variant(stepping.ChannelsLast, REORDERED)},
        _always("contiguous"),
    ),
    "accumulation": Question(
        {"1-part": Variant(VariantRun), "4-parts": Variant(partial(stepping.Accumulating, parts=4), REORDERED)},
        _always("1-part"),
    ),
    "compile": Question(
        {
            "eager": Variant(VariantRun),
            "compiled-forward": Variant(compiled.CompiledForward, REORDERED),
            "compiled-step": Variant(compiled.CompiledStep, REORDERED),
        },
        _always("eager"),
    ),
    "graph": Question(
        {"eager": Variant(VariantRun), "captured": Variant(captured.CapturedStep, REORDERED)},
        _always("eager"),
        on_cpu=False,
    ),
    "precision": Question(
        {
            "float32": Variant(VariantRun),
            "tf32": Variant(stepping.InTf32, TF32),
            "bfloat16-autocast": Variant(stepping.InBfloat16, BFLOAT16),
        },
        _always("float32"),
    ),
}

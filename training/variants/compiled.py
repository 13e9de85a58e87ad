"""Steps through torch.compile: forward and loss alone, or the whole step in one compiled function."""

from __future__ import annotations

import os
import shutil
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from subprocess import SubprocessError
from typing import TYPE_CHECKING, Any, cast

import torch

from training.variants.run import UnavailableError, VariantRun
from training.variants.updating import functional_update

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from training.variants.run import Setting

COMPILERS = ("g++", "clang++", "c++", "cl")
C_COMPILERS = ("gcc", "clang", "cc", "cl")
"""What Triton builds the launcher of its kernels with, CC aside."""


class CompiledForward(VariantRun):
    """Forward and loss compiled, and with them their backward; the optimizer stays as it is.

    Raises:
        UnavailableError: what torch.compile needs is missing.
    """

    compiles = True

    def __init__(self, setting: Setting) -> None:
        require_compiler(setting)
        super().__init__(setting)
        self._compiled: Callable[..., torch.Tensor] = torch.compile(super().forward, dynamic=False)

    def forward(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The loss of a batch, by the compiled function."""
        return self._compiled(inputs, targets)


class CompiledStep(VariantRun):
    """Forward, gradients and update in one compiled function, without the autograd engine or an optimizer object.

    Raises:
        UnavailableError: what torch.compile needs is missing, or the optimizer's update is not written as a function.
    """

    compiles = True

    def __init__(self, setting: Setting) -> None:
        require_compiler(setting)
        self._settings = _gradients_traced()
        super().__init__(setting)
        self._update = functional_update(self._optimizer)
        self._parameters = list(self.network.parameters())
        self._compiled: Callable[..., torch.Tensor] = torch.compile(self.whole_step, dynamic=False, fullgraph=True)

    def advance(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The whole step by the compiled function; returns the loss."""
        return self._compiled(inputs, targets)

    def switched(self) -> AbstractContextManager[object]:
        """Gradients taken inside compiled functions."""
        return self._settings()

    def whole_step(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """What is compiled: the loss of a batch, its gradients and the update by them; returns the loss."""
        loss = self.forward(inputs, targets)
        gradients = torch.autograd.grad(loss, self._parameters)
        with torch.no_grad():
            self._update(gradients)
        return loss.detach()


def require_compiler(setting: Setting) -> None:
    """Raise UnavailableError where what torch.compile generates code for is missing."""
    if setting.device.is_accelerator:
        if find_spec("triton") is None:
            raise UnavailableError("torch.compile needs Triton for an accelerator, which is not installed")
        if not _has_any("CC", C_COMPILERS):
            raise UnavailableError("Triton needs a C compiler, and there is none")
    elif not _has_any("CXX", COMPILERS):
        raise UnavailableError("torch.compile needs a C++ compiler for a CPU, and there is none")


def _has_any(variable: str, names: tuple[str, ...]) -> bool:
    named = os.environ.get(variable)
    return any(shutil.which(name) for name in ((named,) if named else names))


def start_compiler(setting: Setting) -> None:
    """Forget what this process compiled, and compile something trivial.

    So that importing the compiler is not counted as compiling what comes after, and no case meets the limit on how
    often one function is compiled anew. Functions compiled before would be compiled again at their next call.
    """
    torch.compiler.reset()
    with cold_cache():
        torch.compile(torch.neg)(torch.ones(2, device=setting.device.torch_device))


@contextmanager
def cold_cache() -> Iterator[None]:
    """An empty compile cache in a temporary folder, and no library of earlier compilations at hand in this process.

    Raises:
        UnavailableError: what is called inside the block cannot be compiled.
    """
    from torch._dynamo.exc import TorchDynamoException  # noqa: PLC0415  slow to import

    # torch has no public way to forget the libraries that this process has loaded.
    from torch._inductor.utils import fresh_cache  # noqa: PLC0415  as above

    try:
        with fresh_cache():
            yield
    except (TorchDynamoException, ImportError, OSError, SubprocessError) as error:
        # The latter are of what a compiler loads and starts, and reach the first call where code is built only there.
        reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise UnavailableError(f"torch.compile cannot compile it: {reason}") from error


def _gradients_traced() -> Callable[[], AbstractContextManager[object]]:
    """What lets torch.compile trace `torch.autograd.grad`: a setting in some releases, the default in others.

    Raises:
        UnavailableError: this torch cannot.
    """
    from torch._dynamo import config  # noqa: PLC0415  where torch documents its compiler's settings

    settings = cast("Any", config)
    if not hasattr(settings, "trace_autograd_ops"):
        raise UnavailableError(f"torch {torch.__version__} does not compile a step together with its gradients")
    return nullcontext if settings.trace_autograd_ops else lambda: settings.patch(trace_autograd_ops=True)

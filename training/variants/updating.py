"""The optimizers' updates as functions of gradients, so that a whole step fits into one compiled function.

In place on the parameters, with the hyperparameters of the optimizer that the model's row builds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import optim

from training.variants.run import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def functional_update(optimizer: optim.Optimizer) -> Callable[[Sequence[torch.Tensor]], None]:
    """The update of an optimizer's only parameter group by gradients in its order.

    Raises:
        UnavailableError: only plain SGD and plain Adam are written as functions.
    """
    if len(optimizer.param_groups) != 1:
        raise UnavailableError("an update of several parameter groups is not written as a function")
    group = optimizer.param_groups[0]
    extra = [name for name in ("momentum", "weight_decay", "nesterov", "maximize", "amsgrad") if group.get(name)]
    kind = type(optimizer)
    if extra or kind not in _UPDATES:
        what = f"{kind.__name__} with {', '.join(extra)}" if extra else kind.__name__
        raise UnavailableError(f"the update of {what} is not written as a function; plain SGD and Adam are")
    return _UPDATES[kind](group)


def _sgd(group: dict[str, Any]) -> Callable[[Sequence[torch.Tensor]], None]:
    parameters, learning_rate = list(group["params"]), group["lr"]

    def update(gradients: Sequence[torch.Tensor]) -> None:
        for parameter, gradient in zip(parameters, gradients, strict=True):
            # Not `add_(gradient, alpha=...)`: where the gradient is a matrix product, the compiler of torch 2.14.1
            # makes one fused product and sum of it and loses alpha.
            parameter.sub_(learning_rate * gradient)

    return update


def _adam(group: dict[str, Any]) -> Callable[[Sequence[torch.Tensor]], None]:
    """Algorithm 1 of Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015), as torch orders its terms."""
    parameters, learning_rate, epsilon = list(group["params"]), group["lr"], group["eps"]
    decay, square_decay = group["betas"]
    means = [torch.zeros_like(parameter) for parameter in parameters]
    squares = [torch.zeros_like(parameter) for parameter in parameters]
    # A tensor, since a number would have to be compiled anew at every step.
    steps = torch.zeros((), device=parameters[0].device)

    def update(gradients: Sequence[torch.Tensor]) -> None:
        steps.add_(1)
        correction, square_correction = 1 - decay**steps, 1 - square_decay**steps
        for parameter, gradient, mean, square in zip(parameters, gradients, means, squares, strict=True):
            mean.lerp_(gradient, 1 - decay)
            square.mul_(square_decay).addcmul_(gradient, gradient, value=1 - square_decay)
            divisor = (square.sqrt() / square_correction.sqrt()).add_(epsilon)
            parameter.sub_(learning_rate * mean / correction / divisor)

    return update


_UPDATES: dict[type, Callable[[dict[str, Any]], Callable[[Sequence[torch.Tensor]], None]]] = {
    optim.SGD: _sgd,
    optim.Adam: _adam,
}

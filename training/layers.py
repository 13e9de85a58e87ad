"""Two layers on their own, forward and backward, without autograd around them: a convolution and a max pooling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL = 3
WINDOW = 2


def convolution(
    batch_size: int, channels: int, side: int, device: torch.device
) -> Callable[[], tuple[torch.Tensor, ...]]:
    """A 3x3 convolution from channels to as many, padded by 1, with the gradients of its input and its weights.

    The input is float32 (batch_size, channels, side, side), and so is the output.
    """
    shape = (batch_size, channels, side, side)
    inputs, gradient = _normal(shape, device), _normal(shape, device)
    weights = _normal((channels, channels, KERNEL, KERNEL), device)
    one, same = [1, 1], [KERNEL // 2, KERNEL // 2]

    def both_ways() -> tuple[torch.Tensor, ...]:
        output = torch.ops.aten.convolution(inputs, weights, None, one, same, one, False, [0, 0], 1)
        of_inputs, of_weights, _ = torch.ops.aten.convolution_backward(
            gradient, inputs, weights, None, one, same, one, False, [0, 0], 1, [True, True, False]
        )
        return output, of_inputs, of_weights

    return both_ways


def convolution_flops(batch_size: int, channels: int, side: int) -> int:
    """Floating-point operations of `convolution`: each of its three parts multiplies and adds as often as the forward.

    As in `torch.utils.flop_counter`, the padding counts as if it were multiplied as well.
    """
    return 3 * 2 * batch_size * side * side * channels * channels * KERNEL * KERNEL


def convolution_weight_bytes(_batch_size: int, channels: int, _side: int) -> int:
    """Bytes of weights that `convolution` reads, forward and backward, and of their gradients that it writes."""
    return 3 * 4 * channels * channels * KERNEL * KERNEL


def pooling(batch_size: int, channels: int, side: int, device: torch.device) -> Callable[[], tuple[torch.Tensor, ...]]:
    """The largest of every 2x2 places, and the gradient of the input; float32 (batch_size, channels, side, side)."""
    inputs = _normal((batch_size, channels, side, side), device)
    gradient = _normal((batch_size, channels, side // WINDOW, side // WINDOW), device)
    window, none, one = [WINDOW, WINDOW], [0, 0], [1, 1]

    def both_ways() -> tuple[torch.Tensor, ...]:
        output, places = torch.ops.aten.max_pool2d_with_indices(inputs, window, window, none, one, False)
        back = torch.ops.aten.max_pool2d_with_indices_backward(
            gradient, inputs, window, window, none, one, False, places
        )  # fmt: skip
        return output, places, back

    return both_ways


def pooling_bytes(batch_size: int, channels: int, side: int) -> int:
    """Bytes that `pooling` reads and writes, every tensor once in each direction.

    Forward: inputs, a quarter as many outputs, and as many places of 8 bytes. Backward: gradient, inputs and places
    read, as many gradients written as there are inputs.
    """
    inputs = 4 * batch_size * channels * side * side
    outputs = inputs // WINDOW**2
    places = 2 * outputs
    return (inputs + outputs + places) + (outputs + inputs + places + inputs)


def _normal(shape: tuple[int, ...], device: torch.device) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(*shape, generator=generator).to(device)

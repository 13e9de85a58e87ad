"""Bytes that operators read and write, against values worked out by hand; float32 takes 4 bytes a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch.nn import functional

from fixtures.traffic import TrafficCounter

if TYPE_CHECKING:
    from collections.abc import Callable

ONES = torch.ones(10, 100)  # 4000 bytes
PLACES = torch.tensor([1, 2])


@pytest.mark.parametrize(
    ("operate", "moved_bytes"),
    [
        (lambda: ONES + ONES, 3 * 4000),  # both read, as many written
        (lambda: ONES.clone().add_(1), 2 * 4000 + 2 * 4000),  # a clone is read and written, and so is what is changed
        (lambda: ONES.clone().copy_(ONES), 4 * 4000),  # what is overwritten is not read
        (lambda: ONES.clone().zero_(), 3 * 4000),
        (ONES.sum, 4000 + 4),
        (lambda: ONES[PLACES], 2 * 800),  # two of ten rows, however large the rest
        (lambda: ONES + torch.empty(1, 100).expand(10, 100), 2 * 4000 + 400),  # an expanded tensor holds one row
        (lambda: torch._foreach_add_([ONES.clone(), ONES.clone()], [ONES, ONES]), 2 * (2 + 3) * 4000),
        (lambda: (ONES.t(), ONES.view(-1), ONES.reshape(1000), ONES[2:], ONES.detach()), 0),
        (lambda: torch.ops.aten._unsafe_view(ONES, [1000]), 0),  # noqa: SLF001  it has no other name
        (lambda: (torch.empty(5), torch.empty_like(ONES), ONES.new_empty(7)), 0),
    ],
    ids=["add", "add-in-place", "copy", "zero", "sum", "pick", "expanded", "list", "views", "unsafe-view", "empty"],
)
def test_what_an_operator_reads_and_writes(operate: Callable[[], object], moved_bytes: int) -> None:
    with TrafficCounter() as traffic:
        operate()

    assert traffic.bytes_by_kind == {"pooling": 0, "convolution_weights": 0, "other": moved_bytes}


def test_a_sparse_tensor_is_left_out_and_no_obstacle() -> None:
    sparse = torch.eye(10).to_sparse()

    with TrafficCounter() as traffic:
        torch.ops.aten.mm(sparse, ONES)

    assert traffic.bytes_by_kind["other"] == 4000 + 4000  # the dense matrix and the result


def test_pooling_is_a_kind_of_its_own_both_ways() -> None:
    """4 x 4 values, 64 bytes. Forward: 64 read, 16 and 4 places of 8 bytes written. Backward: 16 + 64 + 32 read."""
    images = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()

    with TrafficCounter() as traffic:
        pooled = functional.max_pool2d(images, 2)
    forward = traffic.bytes_by_kind["pooling"]
    with traffic:
        torch.autograd.grad(pooled, images, torch.ones_like(pooled))

    assert forward == 64 + 16 + 32
    assert traffic.bytes_by_kind["pooling"] - forward == 16 + 64 + 32 + 64


@pytest.mark.parametrize(("frozen", "times"), [(False, 3), (True, 2)])
def test_weights_of_a_convolution_are_a_kind_of_their_own(frozen: bool, times: int) -> None:
    """5 x 2 x 3 x 3 weights, 360 bytes: read forward and backward, their gradient written; a bias is no weight."""
    images = torch.ones(1, 2, 8, 8, requires_grad=True)  # 512 bytes
    weights, bias = torch.ones(5, 2, 3, 3, requires_grad=not frozen), torch.ones(5)
    gradient = torch.ones(1, 5, 6, 6)  # 720 bytes, as many as are put out

    with TrafficCounter() as traffic:
        output = functional.conv2d(images, weights, bias)
        output.backward(gradient)

    assert traffic.bytes_by_kind["convolution_weights"] == times * 360
    # forward: images, bias and outputs; backward: gradient and images read, the images' gradient written
    forward, backward = 512 + 20 + 720, 720 + 512 + 512
    assert traffic.bytes_by_kind["other"] == forward + backward

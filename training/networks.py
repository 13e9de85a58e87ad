"""The networks: the lessons' two as they wrote them, and torchvision's, sized for ten classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable


class IrisMLP(nn.Module):
    """The iris lesson's network: 4 features, 10 hidden units with ReLU, 3 classes (logits)."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(4, 10)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(10, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Float32 features (batch, 4) to logits (batch, 3)."""
        hidden: torch.Tensor = self.fc2(self.relu(self.fc1(x)))
        return hidden


def mnist_cnn() -> nn.Module:
    """The CNN lesson's network: float32 images (batch, 1, 28, 28) to logits (batch, 10).

    Weights are Glorot-uniform as in the lesson (`glorot_uniform`), biases zero as in Flux.
    """
    network = nn.Sequential(
        nn.Conv2d(1, 16, 3),  # 26 x 26 x 16
        nn.ReLU(),
        nn.MaxPool2d(2),  # 13 x 13 x 16
        nn.Conv2d(16, 32, 3),  # 11 x 11 x 32
        nn.ReLU(),
        nn.MaxPool2d(2),  # 5 x 5 x 32
        nn.Flatten(),  # 800
        nn.Linear(800, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )
    for layer in network:
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
    return network


def vit_tiny() -> nn.Module:
    """A small vision transformer: images (batch, 3, 32, 32), patch 8, width 128, 4 layers, 4 heads; 10 classes."""
    from torchvision.models import VisionTransformer  # noqa: PLC0415  torchvision takes seconds; the lessons need none

    network: nn.Module = VisionTransformer(
        image_size=32, patch_size=8, num_layers=4, num_heads=4, hidden_dim=128, mlp_dim=512, num_classes=10
    )
    return network


def from_torchvision(name: str, **options: float) -> nn.Module:
    """A network of `torchvision.models` by its name, untrained, with 10 classes."""
    from torchvision import models  # noqa: PLC0415  as above

    network: nn.Module = models.get_model(name, weights=None, num_classes=10, **options)
    return network


def seeded(build: Callable[[], nn.Module], seed: int) -> nn.Module:
    """Build a network on the CPU with a fixed seed, leaving the global random state as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()

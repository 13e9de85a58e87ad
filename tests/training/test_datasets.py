"""The bundled and made datasets."""

from __future__ import annotations

import pytest
import torch

from training import data


def test_iris_is_split_and_scaled_as_the_lesson_does() -> None:
    iris = data.iris()

    assert iris.train_inputs.shape == (120, 4)
    assert iris.test_inputs.shape == (30, 4)
    assert iris.train_inputs.min(0).values.tolist() == [0.0] * 4
    assert iris.train_inputs.max(0).values.tolist() == [1.0] * 4
    # train_test_split(random_state=42) tests on 10 setosa, 9 versicolor and 11 virginica.
    assert torch.bincount(iris.test_targets).tolist() == [10, 9, 11]
    assert (iris.train_inputs.dtype, iris.train_targets.dtype) == (torch.float32, torch.int64)


def test_digits_lie_between_zero_and_one() -> None:
    digits = data.digits()

    assert (float(digits.train_inputs.min()), float(digits.train_inputs.max())) == (0.0, 1.0)
    assert digits.train_targets[:5].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("size", "train", "test"), [(32, 512, 64), (224, 64, 32)])
def test_made_images_have_their_size_and_few_samples_when_large(size: int, train: int, test: int) -> None:
    made = data.made_images(size)

    assert made.train_inputs.shape == (train, 3, size, size)
    assert made.test_inputs.shape == (test, 3, size, size)


def test_made_images_are_the_same_in_every_launch() -> None:
    first = data.made_images.__wrapped__(32)
    again = data.made_images.__wrapped__(32)

    assert torch.equal(first.train_inputs, again.train_inputs)
    assert set(first.train_targets.tolist()) == set(range(10))

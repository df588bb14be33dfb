# SPDX-License-Identifier: Apache-2.0
"""Image transforms that only Pillow or NumPy do, and those made of lists of transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore._later import defined_classes
from mindspore.dataset.core.checks import check_type
from mindspore.dataset.transforms._arguments import CONVERSIONS
from mindspore.dataset.transforms._operation import (
    Implementation,
    PyTensorOperation,
    TensorOperation,
    call_list,
    check_operations,
    native_list,
)
from mindspore.dataset.transforms._row_random import random
from mindspore.dataset.vision._image import pillow_module
from mindspore.dataset.vision.utils import Inter

_PROBABILITY = {"name": "prob", "low": 0.0, "high": 1.0, "low_is_open": False}
_SIZE = {"name": "size"}


class FiveCrop(PyTensorOperation):
    """The four corners and the middle of a Pillow image.

    Args:
        size (Union[int, Sequence[int]]): Edge of a square, or (height, width).

    Raises:
        TypeError: If the input is no Pillow image.
        ValueError: If the crop is larger than the image.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, size: Any) -> None:
        self.size = CONVERSIONS["size"](size, _SIZE)

    def _execute_py(self, img: Any) -> tuple:
        pillow = pillow_module()
        pillow.require_image(img)
        height, width = self.size
        if height > img.height or width > img.width:
            raise ValueError(
                f"Crop size {(height, width)} is larger than input image size {(img.height, img.width)}."
            )
        right, bottom = img.width - width, img.height - height
        corners = [(0, 0), (0, right), (bottom, 0), (bottom, right)]
        parts = [pillow.crop(img, top, left, height, width) for top, left in corners]
        return (*parts, pillow.center_crop(img, (height, width)))


class TenCrop(PyTensorOperation):
    """The five crops of a Pillow image, and the five of the image turned round.

    Args:
        size (Union[int, Sequence[int]]): Edge of a square, or (height, width).
        use_vertical_flip (bool, optional): Whether top and bottom are swapped, else left and right.
            Default: ``False``.

    Raises:
        TypeError: If the input is no Pillow image.
        ValueError: If the crop is larger than the image.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, size: Any, use_vertical_flip: bool = False) -> None:
        self._five = FiveCrop(size)
        check_type(use_vertical_flip, bool, "use_vertical_flip")
        self.size = self._five.size
        self.use_vertical_flip = use_vertical_flip

    def _execute_py(self, img: Any) -> tuple:
        pillow = pillow_module()
        turned = pillow.vertical_flip(img) if self.use_vertical_flip else pillow.horizontal_flip(img)
        return (*self._five(img), *self._five(turned))


class RandomPerspective(PyTensorOperation):
    """Views a Pillow image from a random point, with some probability.

    Args:
        distortion_scale (float, optional): How far the corners move, from 0 to 1. Default: ``0.5``.
        prob (float, optional): How likely. Default: ``0.5``.
        interpolation (Inter, optional): How pixels between pixels are computed. Default: ``Inter.BICUBIC``.

    Raises:
        TypeError: If the input is no Pillow image, or an argument has a wrong type.
        ValueError: If an argument is out of range.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def __init__(
        self, distortion_scale: float = 0.5, prob: float = 0.5, interpolation: Inter = Inter.BICUBIC
    ) -> None:
        CONVERSIONS["real"](distortion_scale, {**_PROBABILITY, "name": "distortion_scale"})
        CONVERSIONS["real"](prob, _PROBABILITY)
        CONVERSIONS["interpolation"](interpolation, {"name": "interpolation"})
        self.distortion_scale = distortion_scale
        self.prob = prob
        self.interpolation = interpolation

    def _execute_py(self, img: Any) -> Any:
        pillow = pillow_module()
        pillow.require_image(img)
        if random.random() >= self.prob:
            return img
        return pillow.random_perspective(img, self.distortion_scale, self.interpolation)


class RandomErasing(PyTensorOperation):
    """Erases a random box of an array whose channels come first, with some probability.

    Args:
        prob (float, optional): How likely. Default: ``0.5``.
        scale (Sequence[float], optional): Range of the box's share of the area. Default: ``(0.02, 0.33)``.
        ratio (Sequence[float], optional): Range of the box's ratio of sides. Default: ``(0.3, 3.3)``.
        value (Union[int, str, Sequence[int]], optional): What is written: one number, one per channel, or
            ``'random'`` for noise. Default: ``0``.
        inplace (bool, optional): Whether the input itself is changed. Default: ``False``.
        max_attempts (int, optional): How often a box is drawn. Default: ``10``.

    Raises:
        TypeError: If the input is no array, or an argument has a wrong type.
        ValueError: If an argument is out of range.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def __init__(
        self,
        prob: float = 0.5,
        scale: Any = (0.02, 0.33),
        ratio: Any = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        limits = {"low": 0.0, "high": 16777216.0, "low_is_open": False}
        CONVERSIONS["real"](prob, _PROBABILITY)
        CONVERSIONS["interval"](scale, {"name": "scale", **limits})
        CONVERSIONS["interval"](ratio, {"name": "ratio", **limits, "low_is_open": True})
        check_type(inplace, bool, "inplace")
        CONVERSIONS["integer"](max_attempts, {"name": "max_attempts", **limits, "low": 1})
        if not (isinstance(value, (int, list, tuple)) or value == "random"):
            raise ValueError(
                "The value for erasing should be either a single value, or a string 'random', or a sequence."
            )
        self.prob = prob
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace
        self.max_attempts = max_attempts

    def _execute_py(self, img: Any) -> np.ndarray:
        if not isinstance(img, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(img)}.")
        if img.ndim != 3:
            raise TypeError(f"img should have 3 dimensions. Got {img.ndim}.")
        if random.random() >= self.prob:
            return img
        box = self._box(*img.shape[1:])
        if box is None:
            return img
        top, left, height, width = box
        result = img if self.inplace else img.copy()
        result[:, top : top + height, left : left + width] = self._content(img.shape[0], height, width)
        return result

    def _content(self, channels: int, height: int, width: int) -> Any:
        if isinstance(self.value, str):
            return np.random.normal(size=(channels, height, width))
        return np.asarray(self.value).reshape(-1, 1, 1)

    def _box(self, height: int, width: int) -> tuple[int, int, int, int] | None:
        for _ in range(self.max_attempts):
            area = random.uniform(*self.scale) * height * width
            aspect = math.exp(random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            h, w = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if h < height and w < width:
                return random.randint(0, height - h), random.randint(0, width - w), h, w
        return None


class LinearTransformation(PyTensorOperation):
    """Flattens an array, subtracts a vector, multiplies by a matrix, and restores the shape.

    Args:
        transformation_matrix (numpy.ndarray): A square matrix.
        mean_vector (numpy.ndarray): A vector of the same length.

    Raises:
        TypeError: If an argument or the input is no array.
        ValueError: If the sizes do not fit.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, transformation_matrix: np.ndarray, mean_vector: np.ndarray) -> None:
        check_type(transformation_matrix, np.ndarray, "transformation_matrix")
        check_type(mean_vector, np.ndarray, "mean_vector")
        rows, columns = transformation_matrix.shape
        if rows != columns:
            raise ValueError(
                f"transformation_matrix should be a square matrix. Got shape {(rows, columns)} instead."
            )
        if mean_vector.shape[0] != rows:
            raise ValueError(
                f"mean_vector length {mean_vector.shape[0]} should match either one dimension of the square "
                f"transformation_matrix {(rows, columns)}."
            )
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def _execute_py(self, img: Any) -> np.ndarray:
        if not isinstance(img, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(img)}.")
        if img.size != self.mean_vector.size:
            raise ValueError("The number of elements of img does not match transformation_matrix.")
        flat = img.reshape(1, -1) - self.mean_vector
        return np.dot(flat, self.transformation_matrix).reshape(img.shape)


class UniformAugment(TensorOperation):
    """Some transforms of a list, chosen at random, each applied with probability one half.

    Args:
        transforms (list): Transforms and Python functions.
        num_ops (int, optional): How many are chosen. Default: ``2``.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If `num_ops` is larger than the list.

    Supported Platforms:
        ``CPU``
    """

    random = True
    takes_columns = True

    def __init__(self, transforms: list, num_ops: int = 2) -> None:
        check_operations(transforms, "transforms")
        CONVERSIONS["integer"](num_ops, {"name": "num_ops", "low": 1, "high": 16777216, "low_is_open": False})
        if num_ops > len(transforms):
            raise ValueError(f"num_ops is greater than transforms list size, num_ops: {num_ops}")
        self.transforms = transforms
        self.num_ops = num_ops

    def _call(self, inputs: Any, stream: int) -> Any:
        chosen = [op for op in random.sample(self.transforms, self.num_ops) if random.random() < 0.5]
        return call_list(chosen, tuple(inputs), stream)

    def _native(self) -> Any:
        return None

    def _choices(self) -> tuple[Implementation, ...]:
        return (Implementation.C, Implementation.PY)


class RandomSelectSubpolicy(TensorOperation):
    """One of several lists of (transform, probability), each of its transforms with its probability.

    Args:
        policy (list[list[tuple[TensorOperation, float]]]): The lists.

    Raises:
        TypeError: If an element has a wrong type.
        ValueError: If a list is empty or a probability out of range.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def __init__(self, policy: list) -> None:
        check_type(policy, list, "policy")
        if not policy:
            raise ValueError("policy can not be empty.")
        for position, sub in enumerate(policy):
            check_type(sub, list, f"policy[{position}]")
            if not sub:
                raise ValueError(f"policy[{position}] can not be empty.")
            for place, pair in enumerate(sub):
                self._check_pair(pair, f"policy[{position}][{place}]")
        self.policy = policy

    @staticmethod
    def _check_pair(pair: Any, name: str) -> None:
        check_type(pair, tuple, name)
        if len(pair) != 2:
            raise ValueError(f"{name} needs to be a 2-tuple.")
        if not isinstance(pair[0], TensorOperation):
            raise TypeError(f"op of (op, prob) in {name} should be a transform.")
        CONVERSIONS["real"](pair[1], {**_PROBABILITY, "name": f"prob of {name}"})

    def _call(self, inputs: Any, stream: int) -> Any:
        chosen = [op for op, prob in random.choice(self.policy) if random.random() < prob]
        return call_list(chosen, tuple(inputs), stream)

    def _native(self) -> Any:
        choices = []
        for sub in self.policy:
            steps = []
            for operation, prob in sub:
                natives = native_list([operation])
                if natives is None:
                    return None
                steps.append(_c_data.random_apply(natives, float(prob)))
            choices.append(_c_data.compose(steps))
        return _c_data.random_choice(choices)


__all__ = defined_classes(globals())

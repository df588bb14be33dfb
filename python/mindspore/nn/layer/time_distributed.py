# SPDX-License-Identifier: Apache-2.0
"""A layer applied to every step of a sequence, and a list of tensors."""

from __future__ import annotations

from mindspore import _checkparam as validator
from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops.primitive import Primitive


class TimeDistributed(Cell):
    """Applies a layer to every step of a sequence.

    Args:
        layer (Union[Cell, Primitive]): What is applied.
        time_axis (int): Axis of the steps.
        reshape_with_axis (int): Axis that the steps are joined with, so that the layer runs once; without
            it the layer runs once per step. Default: ``None``.

    Inputs:
        - **inputs** (Tensor) - At least three axes.

    Outputs:
        Tensor, the results along the same axis.

    Raises:
        TypeError: `layer` is no Cell or Primitive.
        ValueError: The axes do not fit the input.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None):
        super().__init__()
        if not isinstance(layer, (Cell, Primitive)):
            raise TypeError(
                f"For '{self.cls_name}', the 'layer' must be Cell or Primitive instance, but got type: "
                f"{type(layer).__name__}."
            )
        validator.check_value_type("time_axis", time_axis, [int], self.cls_name)
        if reshape_with_axis is not None:
            validator.check_value_type("reshape_with_axis", reshape_with_axis, [int], self.cls_name)
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def _axes(self, rank: int) -> tuple[int, int | None]:
        found = []
        for name, axis in (("time_axis", self.time_axis), ("reshape_with_axis", self.reshape_with_axis)):
            if axis is not None and not -rank <= axis < rank:
                raise ValueError(
                    f"For '{self.cls_name}', the '{name}' must be in [{-rank}, {rank}), but got {axis}."
                )
            found.append(None if axis is None else axis % rank)
        return found[0], found[1]

    def construct(self, inputs):
        if inputs.ndim < 3:
            raise ValueError(
                f"For '{self.cls_name}', the inputs must have at least 3 axes, but got {inputs.ndim}."
            )
        time, joined = self._axes(inputs.ndim)
        if joined is None:
            steps = [self.layer(ops.squeeze(step, time)) for step in ops.split(inputs, 1, time)]
            return ops.stack(steps, min(time, steps[0].ndim))
        if abs(time - joined) != 1:
            raise ValueError(
                f"For '{self.cls_name}', the 'reshape_with_axis' must be next to 'time_axis', but got "
                f"{joined} and "
                f"{time}."
            )
        first = min(time, joined)
        shape = inputs.shape
        merged = ops.reshape(inputs, (*shape[:first], shape[first] * shape[first + 1], *shape[first + 2 :]))
        output = self.layer(merged)
        lengths = (shape[first], shape[first + 1])
        return ops.reshape(output, (*output.shape[:first], *lengths, *output.shape[first + 1 :]))


class TensorArray(Cell):
    """A list of tensors of one shape and type.

    Args:
        dtype (mindspore.dtype): Type of the tensors.
        element_shape (tuple[int]): Their shape.
        dynamic_size (bool): Whether it grows. Default: ``True``.
        size (int): How many fit, if it does not grow. Default: ``0``.
        name (str): Its name. Default: ``"TA"``.

    Raises:
        TypeError: An argument has another type.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn
        >>> array = nn.TensorArray(ms.int64, ())
        >>> array.write(0, 1)
        True
        >>> array.write(1, 2)
        True
        >>> print(array.stack())
        [1 2]
    """

    def __init__(self, dtype, element_shape, dynamic_size=True, size=0, name="TA"):
        super().__init__()
        owner = self.cls_name
        validator.check_subclass("dtype", dtype, (*mstype.number_type, mstype.bool_), owner)
        validator.check_value_type("element_shape", element_shape, [tuple, list], owner)
        validator.check_value_type("dynamic_size", dynamic_size, [bool], owner)
        validator.check_non_negative_int(size, "size", owner)
        self.dtype, self.element_shape = dtype, tuple(element_shape)
        self.dynamic_size, self._limit, self.array_name = dynamic_size, size, name
        self._elements: list = []

    def _require_index(self, index, limit: int) -> int:
        number = int(index)
        if not 0 <= number < limit:
            raise IndexError(f"For '{self.cls_name}', the 'index' must be in [0, {limit}), but got {number}.")
        return number

    def write(self, index, value):
        """Stores a tensor.

        Args:
            index (Union[int, Tensor]): Where.
            value (Union[Tensor, number]): What.

        Returns:
            bool, True.

        Raises:
            IndexError: It does not grow, and `index` lies outside.
            ValueError: `value` has another shape.
        """
        number = self._require_index(index, int(index) + 1 if self.dynamic_size else self._limit)
        value = value.astype(self.dtype) if isinstance(value, Tensor) else Tensor(value, self.dtype)
        if value.shape != self.element_shape:
            raise ValueError(
                f"For '{self.cls_name}', the 'value' must have the shape {self.element_shape}, but got "
                f"{value.shape}."
            )
        missing = number + 1 - len(self._elements)
        self._elements += [ops.zeros(self.element_shape, self.dtype) for _ in range(missing)]
        self._elements[number] = value
        return True

    def read(self, index):
        """The tensor at a place.

        Args:
            index (Union[int, Tensor]): The place.

        Returns:
            Tensor.

        Raises:
            IndexError: Nothing is there.
        """
        return self._elements[self._require_index(index, len(self._elements))]

    def stack(self) -> Tensor:
        """All tensors, along a new first axis."""
        if not self._elements:
            return ops.zeros((0, *self.element_shape), self.dtype)
        return ops.stack(self._elements, 0)

    def size(self):
        """How many tensors there are."""
        return Tensor(len(self._elements), mstype.int64)

    def clear(self):
        """Forgets all tensors.

        Returns:
            bool, True.
        """
        self._elements.clear()
        return True

    def close(self):
        """Gives the tensors back.

        Returns:
            bool, True.
        """
        return self.clear()

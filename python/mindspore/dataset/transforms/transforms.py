# SPDX-License-Identifier: Apache-2.0
"""Transforms of values of any kind, and lists of transforms."""

from __future__ import annotations

import operator
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore._later import defined_classes as _defined_classes
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.common import dtype as mstype
from mindspore.dataset.core.checks import check_type
from mindspore.dataset.transforms._arguments import CONVERSIONS, check_element
from mindspore.dataset.transforms._operation import (
    Implementation,
    PyTensorOperation,
    TensorOperation,
    call_list,
    check_operations,
    check_same_generation,
    flatten,
    is_pillow,
    native_list,
    not_random,
)
from mindspore.dataset.transforms._row_random import random
from mindspore.dataset.transforms._schema import SchemaOperation, native_class

_PROBABILITY = {"name": "prob", "low": 0.0, "high": 1.0, "low_is_open": False}


TypeCast = native_class("TypeCast", SchemaOperation, __name__)
OneHot = native_class("OneHot", SchemaOperation, __name__)
Fill = native_class("Fill", SchemaOperation, __name__)
Duplicate = native_class("Duplicate", SchemaOperation, __name__)


class _Listed(TensorOperation):
    """A transform made of a list of transforms and functions."""

    takes_columns = True

    def __init__(self, transforms: list) -> None:
        check_operations(transforms, "transforms")
        check_same_generation(flatten(transforms))
        self.transforms = transforms

    def __call__(self, *args: Any) -> Any:
        """Runs on its own, outside a pipeline."""
        if not args:
            raise RuntimeError("Input Tensor is not valid.")
        return self._run(args, 0)

    def _call(self, inputs: Any, stream: int) -> Any:
        return self._run(tuple(inputs), stream)

    def _run(self, values: tuple[Any, ...], stream: int) -> Any:
        raise NotImplementedError

    def _join(self, natives: list[Any]) -> Any:
        raise NotImplementedError

    def _native(self) -> Any:
        natives = native_list(self.transforms)
        return None if natives is None else self._join(natives)

    def _choices(self) -> tuple[Implementation, ...]:
        ways = (Implementation.C,) if native_list(self.transforms) is not None else ()
        pillow = all(
            not isinstance(op, TensorOperation) or Implementation.PY in op._choices()
            for op in flatten(self.transforms)
        )
        return ways + ((Implementation.PY,) if pillow or not ways else ())


class Compose(_Listed):
    """A list of transforms as one: each takes what the one before gave.

    Args:
        transforms (list): Transforms and Python functions. Lists in lists are flattened.

    Raises:
        TypeError: If `transforms` is no list, or an element cannot be called.
        ValueError: If the list is empty, or an element is a class.
        RuntimeError: If old and new transforms are mixed.

    Supported Platforms:
        ``CPU``
    """

    def _run(self, values: tuple[Any, ...], stream: int) -> Any:
        result = call_list(self._flattened(), values, stream)
        # A lone Pillow image has always come back as a tuple of one.
        return (result,) if is_pillow(result) else result

    def _join(self, natives: list[Any]) -> Any:
        return _c_data.compose(natives)

    def _flattened(self) -> list[Any]:
        return flatten(self.transforms)

    @staticmethod
    def decompose(operations: list) -> list:
        """Takes the elements out of every Compose of a list."""
        return flatten(operations)

    @staticmethod
    def reduce(operations: list) -> list:
        """Wraps neighbouring Python steps of a list into one Compose each."""
        result: list[Any] = []
        python: list[Any] = []

        def close() -> None:
            if len(python) > 1:
                result.append(Compose(list(python)))
            else:
                result.extend(python)
            python.clear()

        for operation in operations:
            if isinstance(operation, TensorOperation) and operation.implementation is not Implementation.PY:
                close()
                result.append(operation)
            else:
                python.append(operation)
        close()
        return result

    def release_resource(self) -> None:
        """Frees what the elements hold; ours hold nothing."""


class RandomApply(_Listed):
    """All transforms of a list, or none.

    Args:
        transforms (list): Transforms and Python functions.
        prob (float, optional): How likely they are applied. Default: ``0.5``.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If `prob` is not in [0.0, 1.0], or the list is empty.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def __init__(self, transforms: list, prob: float = 0.5) -> None:
        super().__init__(transforms)
        CONVERSIONS["real"](prob, _PROBABILITY)
        self.prob = prob

    def _run(self, values: tuple[Any, ...], stream: int) -> Any:
        if random.random() < self.prob:
            return call_list(flatten(self.transforms), values, stream)
        return values[0] if len(values) == 1 else values

    def _join(self, natives: list[Any]) -> Any:
        return _c_data.random_apply(natives, float(self.prob))


class RandomChoice(_Listed):
    """One transform of a list.

    Args:
        transforms (list): Transforms and Python functions.

    Raises:
        TypeError: If `transforms` is no list, or an element cannot be called.
        ValueError: If the list is empty.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def _run(self, values: tuple[Any, ...], stream: int) -> Any:
        return call_list([random.choice(self.transforms)], values, stream)

    def _join(self, natives: list[Any]) -> Any:
        return _c_data.random_choice([_one(operation) for operation in self.transforms])


class RandomOrder(_Listed):
    """All transforms of a list in random order.

    Args:
        transforms (list): Transforms and Python functions.

    Raises:
        TypeError: If `transforms` is no list, or an element cannot be called.
        ValueError: If the list is empty.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def _run(self, values: tuple[Any, ...], stream: int) -> Any:
        return call_list(random.sample(self.transforms, len(self.transforms)), values, stream)

    def _join(self, natives: list[Any]) -> Any:
        return _c_data.random_order([_one(operation) for operation in self.transforms])


def _one(operation: Any) -> Any:
    """An element of a list as one native transform."""
    natives = native_list([operation])
    return natives[0] if len(natives) == 1 else _c_data.compose(natives)


class Relational(IntEnum):
    """Comparisons of `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


# Not the functions of NumPy of these names: before 1.24 they compare no text.
_COMPARE = {
    Relational.EQ: operator.eq,
    Relational.NE: operator.ne,
    Relational.GT: operator.gt,
    Relational.GE: operator.ge,
    Relational.LT: operator.lt,
    Relational.LE: operator.le,
}


class _OnArrays(TensorOperation):
    """A transform on arrays of numbers or strings that NumPy does."""

    def __call__(self, *input_tensor_list: Any) -> Any:
        """Runs on one value, or on several where the transform joins columns."""
        return self._call(input_tensor_list, 0)

    def _call(self, inputs: Any, stream: int) -> Any:
        if not inputs:
            raise RuntimeError("Input Tensor is not valid.")
        if len(inputs) > 1 and not self.takes_columns:
            raise RuntimeError("The op is OneToOne, can only accept one tensor as input.")
        return self._compute(*[np.asarray(self._value(value)) for value in inputs])

    def _compute(self, *arrays: np.ndarray) -> Any:
        raise NotImplementedError

    def _native(self) -> Any:
        return None


def _is_text(array: np.ndarray) -> bool:
    return array.dtype.kind in "US"


def _type_word(array: np.ndarray) -> str:
    return {"U": "string", "S": "bytes"}.get(array.dtype.kind, array.dtype.name)


class Mask(_OnArrays):
    """Compares every element with a constant.

    Args:
        operator (Relational): The comparison.
        constant (Union[str, int, float, bool]): What the elements are compared with, in their type.
        dtype (mindspore.dtype, optional): Type of the result. Default: ``mindspore.bool_``.

    Raises:
        TypeError: If an argument has a wrong type.
        RuntimeError: If numbers are compared with strings.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, operator: Relational, constant: Any, dtype: Any = mstype.bool_) -> None:
        check_type(operator, Relational, "operator")
        check_type(constant, (str, float, bool, int, bytes), "constant")
        self.operator = operator
        self.constant = constant
        self.dtype = dtype
        self._type = CONVERSIONS["data_type"](dtype, {"name": "dtype"})

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        (array,) = arrays
        constant = np.asarray(self.constant)
        if _is_text(array) != _is_text(constant):
            raise RuntimeError(
                "Mask: input datatype does not match the value datatype, both should be numeric or string, "
                f"got input datatype: {_type_word(array)}, value datatype: {_type_word(constant)}."
            )
        if self._type in ("string", "bytes"):
            raise RuntimeError(
                "Mask: Only supports bool or numeric datatype for generated mask type, but got: string."
            )
        if array.dtype.kind == "S" and constant.dtype.kind == "U":
            constant = np.char.encode(constant)
        elif not _is_text(array):
            constant = constant.astype(array.dtype)
        return _COMPARE[self.operator](array, constant).astype(self._type)


class PadEnd(_OnArrays):
    """Pads, or cuts, at the end of every axis to a shape.

    Args:
        pad_shape (list[int]): The shape of the result; ``None`` leaves an axis as it is.
        pad_value (Union[str, bytes, int, float, bool], optional): What is added.
            Default: ``None`` for 0 or "".

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If a length is negative.
        RuntimeError: If the rank or the kind of value does not fit.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, pad_shape: list, pad_value: Any = None) -> None:
        if pad_value is not None:
            check_type(pad_value, (str, float, bool, int, bytes), "pad_value")
        check_type(pad_shape, list, "pad_shape")
        for length in pad_shape:
            if length is None:
                continue
            if not isinstance(length, int) or isinstance(length, bool):
                raise TypeError("a value in the list is not an integer.")
            if length <= 0:
                raise ValueError("Input pad_shape must be greater than 0.")
        self.pad_shape = pad_shape
        self.pad_value = pad_value

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        (array,) = arrays
        if len(self.pad_shape) != array.ndim:
            raise RuntimeError(
                f"PadEnd: invalid pad shape, as rank of input is: {array.ndim}, and rank of pad value: "
                f"{len(self.pad_shape)}"
            )
        value = self.pad_value if self.pad_value is not None else ("" if _is_text(array) else 0)
        if _is_text(array) != isinstance(value, (str, bytes)):
            raise RuntimeError(
                "PadEnd: can not pad numeric and string tensors together, but got: "
                f"{_type_word(array)} and {_type_word(np.asarray(value))}."
            )
        shape = [
            own if asked is None else asked for own, asked in zip(array.shape, self.pad_shape, strict=True)
        ]
        kept = array[tuple(slice(0, length) for length in shape)]
        if array.dtype.kind == "S" and isinstance(value, str):
            value = value.encode()
        dtype = np.result_type(array.dtype, np.asarray(value).dtype) if _is_text(array) else array.dtype
        result = np.full(shape, value, dtype)
        result[tuple(slice(0, length) for length in kept.shape)] = kept
        return result


class Concatenate(_OnArrays):
    """Joins one-dimensional columns, with arrays before and after.

    Args:
        axis (int, optional): 0 or -1. Default: ``0``.
        prepend (numpy.ndarray, optional): What comes first. Default: ``None``.
        append (numpy.ndarray, optional): What comes last. Default: ``None``.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If an axis or array is not one-dimensional.
        RuntimeError: If inputs have more than one axis or other types.

    Supported Platforms:
        ``CPU``
    """

    takes_columns = True

    def __init__(self, axis: int = 0, prepend: Any = None, append: Any = None) -> None:
        if axis is not None:
            check_type(axis, int, "axis")
            if axis not in (0, -1):
                raise ValueError("only 1D concatenation supported.")
        for name, value in (("prepend", prepend), ("append", append)):
            if value is None:
                continue
            check_type(value, (list, np.ndarray), name)
            if np.ndim(value) != 1:
                raise ValueError(f"can only {name} 1D arrays.")
        self.axis = axis
        self.prepend = None if prepend is None else np.asarray(prepend)
        self.append = None if append is None else np.asarray(append)

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        for array in arrays:
            if array.ndim != 1:
                raise RuntimeError(f"Concatenate: only 1D input supported, got rank of input: {array.ndim}")
        parts = list(arrays)
        for name, value in (("prepend", self.prepend), ("append", self.append)):
            if value is None:
                continue
            self._check_type_of(value, arrays[0], name)
            parts = [value, *parts] if name == "prepend" else [*parts, value]
        for array in arrays[1:]:
            self._check_type_of(array, arrays[0], "other inputs'")
        return np.concatenate(parts)

    @staticmethod
    def _check_type_of(value: np.ndarray, array: np.ndarray, name: str) -> None:
        if _type_word(value) != _type_word(array):
            raise RuntimeError(
                f"Concatenate: input datatype does not match the {name} datatype, input datatype: "
                f"{_type_word(array)}, {name} datatype: {_type_word(value)}"
            )


class Unique(_OnArrays):
    """The different elements in the order they come, where each element is among them, and how often.

    Raises:
        RuntimeError: If the input holds strings.

    Supported Platforms:
        ``CPU``
    """

    def _compute(self, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        (array,) = arrays
        if _is_text(array):
            raise RuntimeError(f"Unique: Unique op only support numeric input, but got: {_type_word(array)}")
        if array.ndim < 1:
            raise RuntimeError("Unique: input must be at least 1-D in order to do unique op, got rank:0")
        values, first, inverse, counts = np.unique(
            array.reshape(-1), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        return values[order], places[inverse].astype(np.int32), counts[order].astype(np.int32)


class Slice(_OnArrays):
    """Takes elements along every axis; the number of axes stays.

    Args:
        slices (Union[int, list[int], slice, None, Ellipsis]): One per axis, or one for all axes.

    Raises:
        TypeError: If an argument has a wrong type.
        RuntimeError: If an index is out of bounds, or nothing is asked for.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, *slices: Any) -> None:
        for item in slices:
            check_type(item, (int, list, slice, type(None), type(Ellipsis), bool), "slices")
            for place, index in enumerate(item if isinstance(item, list) else []):
                check_element(index, (int,), f"slice_option[{place}]")
        self.slices = slices

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        (array,) = arrays
        if any(item is False or item == [] for item in self.slices) or not self.slices:
            raise RuntimeError("Slice: Both indices and slices can not be empty.")
        items = list(self.slices)
        if len(items) > array.ndim:
            raise RuntimeError(f"Slice: {len(items)} slices for an input of rank {array.ndim}.")
        if Ellipsis in [item for item in items if not isinstance(item, (list, slice))]:
            items = [slice(None) if item is Ellipsis else item for item in items]
        for axis, item in enumerate(items):
            array = self._along(array, axis, item)
        return array

    @staticmethod
    def _along(array: np.ndarray, axis: int, item: Any) -> np.ndarray:
        if item is True or item is None:
            return array
        if isinstance(item, slice):
            return array[(slice(None),) * axis + (item,)]
        indices = [item] if isinstance(item, int) else item
        for index in indices:
            if not -array.shape[axis] <= index < array.shape[axis]:
                raise RuntimeError(f"Slice: Index {index} is out of bounds.")
        return np.take(array, indices, axis=axis)


class Plugin(TensorOperation):
    """A transform from a shared library of the user. Not supported: Python functions and `map` do the same.

    Args:
        lib_path (str): Path of the library.
        func_name (str): Name of the function.
        user_args (str, optional): Passed to the function. Default: ``None``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, lib_path: str, func_name: str, user_args: str | None = None) -> None:
        check_type(lib_path, str, "lib_path")
        check_type(func_name, str, "func_name")
        raise NotImplementedError(
            "Plugin: libraries with transforms of the reference's ABI cannot be loaded."
        )


__all__ = [*_defined_classes(globals()), "PyTensorOperation", "TensorOperation", "not_random"]

__getattr__ = _explains_missing_names(globals())

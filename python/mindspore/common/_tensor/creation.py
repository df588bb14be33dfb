# SPDX-License-Identifier: Apache-2.0
"""Tensors made from Python objects, and tensors whose data comes later."""

from __future__ import annotations

import functools

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

_ACCEPTED = (Tensor, np.ndarray, np.generic, list, tuple, float, int, bool, complex)
_PLAIN = frozenset((float, int, bool, list, tuple))
_NATIVE_KINDS = "biufc?"
_NATIVE_TYPES = frozenset(
    np.dtype(mstype.dtype_to_nptype(dtype)) for dtype in mstype.all_types if dtype is not mstype.bfloat16
)


def _has_tensor(items) -> bool:
    return any(
        isinstance(item, Tensor) or (isinstance(item, (list, tuple)) and _has_tensor(item)) for item in items
    )


def _without_tensors(items):
    """The same nesting with NumPy arrays in place of tensors."""
    if isinstance(items, Tensor):
        return items.asnumpy()
    if isinstance(items, (list, tuple)):
        return [_without_tensors(item) for item in items]
    return items


def _check_elements(array: np.ndarray) -> None:
    if array.dtype in _NATIVE_TYPES or array.dtype.newbyteorder("=") in _NATIVE_TYPES:
        return
    if array.dtype == object:
        position, element = next(iter(np.ndenumerate(array)), ((), None))
        raise TypeError(
            f"For 'Tensor', the data type of the input array must be a number or bool, but the element at "
            f"index {position} is of type '{type(element)}'."
        )
    raise TypeError(f"For 'Tensor', an array of type '{array.dtype}' contains unsupported element.")


def sequence_array(items) -> np.ndarray:
    """Array of a nested list or tuple of numbers, with the default types for Python numbers."""
    try:
        array = np.array(_without_tensors(items))
    except ValueError as error:
        raise TypeError(f"For Tensor, the input_data is {items} that contain unsupported element.") from error
    if array.dtype.kind not in _NATIVE_KINDS:
        raise TypeError(f"For Tensor, the input_data is {items} that contain unsupported element.")
    return array.astype(np.float32) if array.dtype == np.float64 else array


def array_of(value):
    """An array, or a Tensor, for whatever an operator accepts besides tensors and numbers."""
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(item, Tensor) for item in value):
            return op.stack(list(value))
        return sequence_array(value)
    if isinstance(value, np.generic):
        value = np.asarray(value)
    _check_elements(value)
    return value


def _number_array(value) -> np.ndarray:
    array = np.array(value)
    if array.dtype.kind not in _NATIVE_KINDS:
        raise TypeError(f"For 'Tensor', the number {value} does not fit any type.")
    return array.astype(np.float32) if isinstance(value, float) else array


def _precise_array(value, dtype):
    """Python floats keep their double precision on the way to a given dtype."""
    if dtype is None or not isinstance(value, (list, tuple, float)) or isinstance(value, np.generic):
        return None
    if isinstance(value, (list, tuple)) and _has_tensor(value):
        return None
    try:
        array = np.array(value)
    except ValueError:
        return None
    return array if array.dtype == np.float64 else None


def _new_tensor(value, dtype) -> Tensor:
    """A Tensor with the value's elements, not yet of the dtype."""
    if type(value) not in _PLAIN and hasattr(type(value), "as_new_tensor"):
        return value.as_new_tensor(dtype)  # a number that a graph computes
    array = _precise_array(value, dtype)
    if array is None:
        is_number = isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
        array = _number_array(value) if is_number else array_of(value)
    if isinstance(array, Tensor):
        return array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return _c.copy_numpy(array)


def from_value(value, dtype=None) -> Tensor:
    """A Tensor with the value's elements, converted to `dtype` if one is given."""
    if type(value) is np.ndarray and value.dtype in _NATIVE_TYPES:
        tensor = _c.copy_numpy(value)
    else:
        tensor = value if isinstance(value, Tensor) else _new_tensor(value, dtype)
    if dtype is None or tensor.dtype is dtype:
        return tensor
    return op.cast(tensor, dtype)


def _check_dtype(dtype) -> None:
    if dtype is not None and not isinstance(dtype, mstype.DType):
        raise TypeError(
            f"For 'Tensor', the 'dtype' should be one of {list(map(repr, mstype.all_types))}, "
            f"but got {dtype!r}."
        )


_UNKNOWN_RANK = (-2,)  # not even the number of axes is known: Tensor(shape=None, dtype=...)


def _normal_shape(shape) -> tuple:
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    if not isinstance(shape, (list, tuple)):
        shape = (shape,)
    result = []
    for length in shape:
        if length is not None and not hasattr(length, "to_dict"):  # a Symbol stands for an unknown length
            if isinstance(length, bool) or not hasattr(length, "__index__"):
                raise TypeError(f"For 'Tensor', the 'shape' must be ints, but got {shape}.")
            length = length.__index__()
            if length < -1:
                raise ValueError(f"For 'Tensor', the 'shape' must not be negative, but got {shape}.")
            result.append(length)
        else:
            result.append(-1)
    return tuple(result)


def initialise(
    self, input_data=None, dtype=None, shape=None, init=None, internal=False, const_arg=False
) -> None:
    """A tensor holds numbers of one type in any number of axes.

    Args:
        input_data (Union[Tensor, float, int, bool, complex, tuple, list, numpy.ndarray]): The elements.
            An array is copied. Default: ``None``.
        dtype (:class:`mindspore.dtype`): Type of the elements; by default that of `input_data`, where Python
            floats count as float32 and Python ints as int64. Default: ``None``.
        shape (Union[tuple, list, int]): With `init` or alone: the shape of a tensor whose data comes later.
            Default: ``None``.
        init (Initializer): What fills the tensor in `init_data()`. Default: ``None``.
        internal (bool): Accepted for compatibility. Default: ``False``.
        const_arg (bool): Whether graphs treat the tensor as a constant. Default: ``False``.

    Raises:
        TypeError: `input_data` or `dtype` is of a type that is not supported.
        ValueError: `input_data` comes with `shape` or `init`, or `init` without `shape` and `dtype`.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> ms.Tensor([1, 2, 3], ms.float32).shape
        (3,)
    """
    _check_dtype(dtype)
    if not isinstance(const_arg, bool):
        raise TypeError(
            "For 'Tensor', the type of 'const_arg' should be 'bool', but got type "
            f"'{type(const_arg).__name__}'."
        )
    if const_arg:
        self.const_arg = True
    if input_data is None and (shape is not None or init is not None or dtype is not None):
        _initialise_later(self, dtype, shape, init)
        return
    if not isinstance(input_data, _ACCEPTED):
        accepted = [kind.__name__ for kind in _ACCEPTED]
        raise TypeError(
            f"For 'Tensor', the type of 'input_data' should be one of '{accepted}', but got type "
            f"'{type(input_data).__name__}'."
        )
    if shape is not None:
        raise ValueError("When initializing a tensor with 'input_data', 'shape' should be set to None.")
    if isinstance(input_data, Tensor) and not input_data._has_data():
        _initialise_later(self, dtype or input_data.dtype, input_data.shape, input_data.init)
        return
    tensor = from_value(input_data, dtype)
    # Elements that are assigned to one of two tensors are not seen in the other; a Parameter is followed.
    self._share(op.copy(tensor) if tensor is input_data and type(tensor) is Tensor else tensor)


def _initialise_later(self, dtype, shape, init) -> None:
    if init is not None and (dtype is None or shape is None):
        raise ValueError("init, dtype and shape must have values at the same time.")
    if dtype is None:
        raise ValueError("For 'Tensor', 'shape' without 'input_data' needs a 'dtype'.")
    self._pending_shape = _UNKNOWN_RANK if shape is None else _normal_shape(shape)
    self._pending_dtype = dtype
    if init is not None:
        self.init = init
    symbols = enumerate(shape) if isinstance(shape, (list, tuple)) else ()
    symbols = {axis: length for axis, length in symbols if hasattr(length, "to_dict")}
    if symbols:
        self._symbols = symbols


def init_data(self, slice_index=None, shape=None, opt_shard_group=None) -> Tensor:
    """Fills a tensor made by `initializer`; does nothing when it has its data already.

    Args:
        slice_index (int): Part of the tensor this process owns. Default: ``None``.
        shape (list[int]): Shape of that part. Default: ``None``.
        opt_shard_group (str): Group among which the tensor is split. Default: ``None``.

    Returns:
        Tensor, this one.
    """
    if self._has_data():
        return self
    if self.init is None:
        raise RuntimeError(
            "init_data must be set Tensor.init, init can't be None: this Tensor is a placeholder."
        )
    lengths = self._pending_shape if shape is None else tuple(shape)
    make = getattr(self.init, "make", None) or functools.partial(_filled_by, self.init)
    self._share(make(lengths, self._pending_dtype))
    self.init = None
    return self


def _filled_by(function, lengths: tuple, dtype) -> Tensor:
    """A tensor whose memory a function of the user's own fills."""
    held = mstype.float32 if dtype is mstype.bfloat16 else dtype
    tensor = _c.empty(lengths, held)
    function(tensor.asnumpy())
    return tensor if held is dtype else op.cast(tensor, dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A Tensor that shares the memory of an array; an array with gaps is copied.

    What is written to the array shows in the tensor, until elements are assigned to the tensor: then it gets
    memory of its own, and the array stays as it is.

    Args:
        array (numpy.ndarray): The array.

    Returns:
        Tensor of the same shape and type.

    Raises:
        TypeError: `array` is not an array of numbers.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"The input must be numpy array, but got {type(array)}.")
    _check_elements(array)
    if not array.flags.c_contiguous:
        return _c.copy_numpy(array)
    return _c.from_numpy(array)


def tensor(input_data=None, dtype=None, shape=None, init=None, internal=False, const_arg=False) -> Tensor:
    """The same as `mindspore.Tensor`."""
    return Tensor(input_data, dtype, shape, init, internal, const_arg)

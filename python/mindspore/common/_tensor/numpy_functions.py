# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy that are given tensors.

An operator with a tensor on either side gives a Tensor, as if NumPy were not there. Other functions work on
the values and give arrays. Where a gradient is being recorded that would cut it without a word: there the
function of the same name in `mindspore.numpy` takes over, and without one there is an error.
"""

from __future__ import annotations

import operator

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor

_OPERATORS = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.matmul: operator.matmul,
    np.divmod: divmod,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}

# What needs no values.
_ABOUT_SHAPES = {np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim, np.size: lambda a: a.size}


def _operand(value):
    """Arrays and NumPy's numbers as tensors; those that are Python numbers too stay numbers."""
    if isinstance(value, np.generic) and isinstance(value, (float, complex)):
        return value.item()
    return Tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value


def _each(change, value):
    """The same nesting of lists, tuples and dictionaries with tensors changed."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_each(change, item) for item in value)
    if type(value) is dict:
        return {key: _each(change, item) for key, item in value.items()}
    return value


def _has_gradient(*values) -> bool:
    found: list[bool] = []
    _each(lambda tensor: found.append(_c.is_tracked(tensor)), values)
    return any(found)


def _run(name: str, function, args: tuple, kwargs: dict):
    if not _c.is_recording() or not _has_gradient(args, kwargs):
        return function(*_each(Tensor.asnumpy, args), **_each(Tensor.asnumpy, kwargs))
    from mindspore import numpy as on_tensors

    if not hasattr(on_tensors, name) or "out" in kwargs:
        raise RuntimeError(
            f"'numpy.{name}' would cut the gradient that is being recorded for a Tensor. Use functions of "
            "mindspore.ops or methods of the Tensor instead, or give it 'Tensor.asnumpy()' if only the "
            "values are meant."
        )
    return getattr(on_tensors, name)(*args, **kwargs)


def run_ufunc(self, ufunc, method, *inputs, **kwargs):
    """`numpy.sin(tensor)`, `array * tensor` and the like."""
    if method == "__call__" and not kwargs and ufunc in _OPERATORS:
        return _OPERATORS[ufunc](*map(_operand, inputs))
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    return _run(name, getattr(ufunc, method), inputs, kwargs)


def run_function(self, function, types, args, kwargs):
    """`numpy.mean(tensor)` and the like."""
    if function in _ABOUT_SHAPES and len(args) == 1 and not kwargs:
        return _ABOUT_SHAPES[function](args[0])
    return _run(function.__name__, function, args, kwargs)

# SPDX-License-Identifier: Apache-2.0
"""Parameters of distributions and bijectors: numbers, lists, arrays or tensors that become tensors."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op


def kind_of(value):
    """The dtype a value brings along; None for Python numbers and lists."""
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, np.ndarray):
        return mstype.pytype_to_dtype(value.dtype.type)
    return None


def shape_of(value) -> tuple:
    """The shape of a number, list, array or Tensor."""
    return tuple(value.shape) if isinstance(value, Tensor) else np.shape(value)


def common_kind(values: dict, hint):
    """The floating dtype of parameters that bring one dtype along, else of `hint`.

    Raises:
        TypeError: They bring different ones along.
    """
    kinds = {name: kind_of(value) for name, value in values.items() if kind_of(value) is not None}
    found = set(kinds.values())
    if len(found) > 1:
        raise TypeError(f"All parameters must have one dtype, but got {kinds}.")
    kind = found.pop() if found else hint
    if kind in (mstype.float16, mstype.float32, mstype.bfloat16):
        return kind
    return mstype.float64 if kind == mstype.float64 and hint == mstype.float64 else mstype.float32


def as_tensor(value, dtype, name: str, owner: str):
    """A tensor of a dtype; a Parameter stays what it is.

    Raises:
        TypeError: The value is no number, list, array or Tensor.
    """
    if isinstance(value, Parameter):
        return value
    if isinstance(value, Tensor):
        return value if value.dtype == dtype else op.cast(value, dtype)
    if isinstance(value, bool) or not isinstance(value, (int, float, list, tuple, np.ndarray, np.number)):
        raise TypeError(
            f"For '{owner}', the '{name}' must be a number, list, numpy.ndarray or Tensor, but got "
            f"{type(value).__name__}."
        )
    return Tensor(np.asarray(value), dtype)


def broadcast(owner: str, names, shapes) -> tuple:
    """The common shape.

    Raises:
        ValueError: There is none.
    """
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        listed = ", ".join(f"'{name}' {shape}" for name, shape in zip(names, shapes, strict=True))
        raise ValueError(f"For '{owner}', the shapes of the parameters must fit, but got {listed}.") from None


def stretched(tensors) -> list:
    """Tensors in their common shape."""
    shape = tuple(np.broadcast_shapes(*[t.shape for t in tensors]))
    return [t if t.shape == shape else op.broadcast_to(t, shape) for t in tensors]


def require(condition, values, name: str, owner: str, words: str) -> None:
    """ValueError when a condition does not hold for all values that are known."""
    known = values.asnumpy()
    if not condition(known).all():
        raise ValueError(f"For '{owner}', the '{name}' must be {words}, but got {known}.")


def check_name(name, owner: str) -> str:
    """`name`; TypeError when it is no str."""
    if not isinstance(name, str):
        raise TypeError(f"For '{owner}', the 'name' must be str, but got {type(name).__name__}.")
    return name

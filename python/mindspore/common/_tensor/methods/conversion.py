# SPDX-License-Identifier: Apache-2.0
"""Types and single elements."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._tensor.methods._named import named_methods
from mindspore.ops._registry import op


def astype(self, dtype, copy=True) -> Tensor:
    """The elements in another type; the tensor itself when it has that type.

    Args:
        dtype (Union[mindspore.dtype, numpy.dtype, str, type]): The type.
        copy (bool): Accepted for compatibility. Default: ``True``.
    """
    wanted = mstype.from_any(dtype)
    return self if wanted is self.dtype else op.cast(self, wanted)


def to(self, dtype) -> Tensor:
    """The elements in another type; the tensor itself when it has that type."""
    return astype(self, dtype)


def type_(self, dtype=None):
    """The name of the type, or the elements in another type."""
    return str(self.dtype) if dtype is None else astype(self, dtype)


def type_as(self, other) -> Tensor:
    """The elements in the type of another tensor."""
    return astype(self, other.dtype)


def _converter(name: str, dtype):
    def convert(self) -> Tensor:
        return astype(self, dtype)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"The elements as {dtype!r}."
    return convert


def _position(self, index) -> tuple:
    """Coordinates of a flat or a full index."""
    if isinstance(index, tuple):
        if len(index) != self.ndim:
            raise ValueError(f"For 'item', the index {index} must have one entry per axis of {self.shape}.")
        return index
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError(f"For 'item', the index must be an int or a tuple of ints, but got {index!r}.")
    if not -self.size <= index < self.size:
        raise IndexError(f"index {index} is out of bounds for a Tensor with {self.size} elements")
    index %= self.size
    place = []
    for length in reversed(self.shape):
        index, rest = divmod(index, length)
        place.append(rest)
    return tuple(reversed(place))


def item(self, index=None):
    """One element as a Python number.

    Args:
        index (Union[None, int, tuple(int)]): Which one; None for the only one. Default: ``None``.

    Raises:
        ValueError: There is more than one element and no index.
    """
    return self._item() if index is None else self[_position(self, index)]._item()


def itemset(self, *args) -> Tensor:
    """A copy with one element replaced: `itemset(value)` or `itemset(index, value)`."""
    if not 1 <= len(args) <= 2:
        raise ValueError(f"For 'itemset', there must be one or two arguments, but got {len(args)}.")
    if len(args) == 1 and self.size != 1:
        raise ValueError(f"For 'itemset', a Tensor of shape {self.shape} needs an index.")
    result = op.copy(self)
    result[_position(self, args[0] if len(args) == 2 else 0)] = args[-1]
    return result


def is_signed(self) -> bool:
    """Whether the elements may be negative."""
    return self.dtype in (*mstype.int_type, *mstype.float_type, *mstype.complex_type)


def to_coo(self):
    """The elements that are not zero, as a COOTensor."""
    from mindspore.ops.function.sparse_func import dense_to_sparse_coo

    return dense_to_sparse_coo(self)


def to_csr(self):
    """The elements that are not zero, as a CSRTensor; needs two axes."""
    from mindspore.ops.function.sparse_func import dense_to_sparse_csr

    return dense_to_sparse_csr(self)


METHODS = {
    **named_methods(globals()),
    "bool": _converter("bool", mstype.bool_),
    "byte": _converter("byte", mstype.uint8),
    "double": _converter("double", mstype.float64),
    "float": _converter("float", mstype.float32),
    "half": _converter("half", mstype.float16),
    "int": _converter("int", mstype.int32),
    "long": _converter("long", mstype.int64),
    "short": _converter("short", mstype.int16),
    "type": type_,
}

# SPDX-License-Identifier: Apache-2.0
"""Indexing with tensors, lists and masks.

Basic indices never come here: the extension makes a view of them. An advanced index is split into a basic
one, with a full slice in place of every advanced part, and index tensors for axes of its result.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._tensor import creation
from mindspore.ops._registry import op

_WHOLE = slice(None)
_FIRST_AXIS = (0,)
_PLAIN_INDEX = (mstype.int32, mstype.int64)


class _Mask(NamedTuple):
    """A boolean index over several axes."""

    value: Tensor
    from_list: bool


class _Plan(NamedTuple):
    basic: tuple
    is_whole: bool  # the basic index selects everything
    axes: list
    indices: list
    front: bool


def _refuse(item) -> None:
    cure = ""
    if isinstance(item, (np.ndarray, np.generic)):
        cure = " Make it a Tensor." if item.ndim else " Make it a Python number, with int(...)."
    raise IndexError(
        "Only support integers, slices(`:`), ellipsis(`...`), None, bool, tensors, lists and tuples as "
        f"index, but got {item!r} with type {type(item).__name__}.{cure}"
    )


def _plain(item):
    """Nested lists with Python numbers in place of tensors."""
    if isinstance(item, (list, tuple, range)):
        return [_plain(part) for part in item]
    if isinstance(item, Tensor):
        return item.tolist()
    if not isinstance(item, int):
        _refuse(item)
    return item


def _from_list(items):
    if len(items) == 0:
        raise IndexError("When tensor is indexed by list, the list can't be empty.")
    try:
        array = np.array(_plain(items))
    except ValueError as error:
        raise IndexError(f"The list index {items} must be rectangular.") from error
    if array.dtype == bool:
        return _Mask(_c.copy_numpy(array), True)
    if array.dtype.kind not in "iu":
        _refuse(items)
    return _c.copy_numpy(array)


def _normal(item):
    """An index element as int, slice, None, Ellipsis, False, Tensor of integers or _Mask."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, bool):
        return None if item else False
    if isinstance(item, int):
        return item.as_index() if hasattr(item, "as_index") else item  # a number of a loop is a tensor
    if isinstance(item, (list, tuple, range)):
        return _from_list(item)
    if not isinstance(item, Tensor):
        _refuse(item)
    if item.dtype is mstype.bool_:
        if item.ndim == 0:
            return None if bool(item) else False
        return _Mask(item, False)
    if item.dtype not in (*mstype.int_type, *mstype.uint_type):
        raise IndexError(f"The tensor index must be int or bool type, but got {item.dtype}.")
    return item if item.dtype in _PLAIN_INDEX else op.cast(item, mstype.int64)


def _axes_taken(item) -> int:
    if item is None or item is Ellipsis or item is False:
        return 0
    return item.value.ndim if isinstance(item, _Mask) else 1


def _expand_ellipsis(items: list, rank: int) -> list:
    taken = sum(map(_axes_taken, items))
    if taken > rank:
        if rank == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        raise IndexError(f"too many indices for tensor of dimension{rank}, but got {taken} indices.")
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise IndexError("An index can only have a single ellipsis('...')")
    place = places[0] if places else len(items)
    return items[:place] + [_WHOLE] * (rank - taken) + items[place + 1 :]


def _check_mask(mask: _Mask, shape: tuple, axis: int) -> None:
    for i, (wanted, real) in enumerate(zip(shape[axis:], mask.value.shape, strict=False)):
        if wanted == real:
            continue
        if mask.from_list:
            raise IndexError(f"dimension is {wanted} but corresponding boolean dimension is {real}")
        raise ValueError(
            f"The shape of index {set(mask.value.shape)}does not match the shape of the indexed data "
            f"{set(shape)} at dim index{axis + i}"
        )


def _is_advanced(item) -> bool:
    return isinstance(item, (Tensor, _Mask)) or (isinstance(item, int) and item is not False)


class _Splitter:
    """Walks over an index whose ellipsis is expanded."""

    def __init__(self, shape: tuple):
        self.shape = shape
        self.axis = 0  # of the indexed tensor
        self.basic: list = []
        self.axes: list = []  # of the basic result
        self.indices: list = []
        self.is_whole = True

    def add(self, item) -> None:
        if item is None:
            self.basic.append(None)
            self.is_whole = False
        elif isinstance(item, slice):
            self.is_whole &= item == _WHOLE
            self.basic.append(item)
            self.axis += 1
        elif isinstance(item, _Mask):
            _check_mask(item, self.shape, self.axis)
            places = op.nonzero(item.value)
            for i in range(item.value.ndim):
                self._index(places[:, i])
        elif isinstance(item, Tensor):
            self._index(item)
        else:
            size = self.shape[self.axis]
            if not -size <= item < size:
                raise IndexError(f"index {item} is out of bounds for dimension with size {size}")
            self._index(Tensor(item, mstype.int64))

    def _index(self, index: Tensor) -> None:
        self.axes.append(len(self.basic))
        self.indices.append(index)
        self.basic.append(_WHOLE)
        self.axis += 1


def _split(shape: tuple, index) -> _Plan:
    items = [_normal(item) for item in (index if isinstance(index, tuple) else (index,))]
    places = [i for i, item in enumerate(items) if _is_advanced(item)]
    front = bool(places) and places[-1] - places[0] + 1 != len(places)
    if any(isinstance(item, (Tensor, _Mask)) for item in items):
        splitter = _Splitter(shape)
        for item in _expand_ellipsis(items, len(shape)):
            splitter.add(None if item is False else item)
        axes, indices, is_whole = splitter.axes, splitter.indices, splitter.is_whole
        return _Plan(tuple(splitter.basic), is_whole, axes, indices, front)
    return _Plan(tuple(None if item is False else item for item in items), False, [], [], False)


def _has_false(index) -> bool:
    items = index if isinstance(index, tuple) else (index,)
    return any(
        item is False or (isinstance(item, Tensor) and item.ndim == 0 and _is_false(item)) for item in items
    )


def _is_false(item: Tensor) -> bool:
    return item.dtype is mstype.bool_ and not bool(item)


def _false_axis(index) -> int:
    """Axis of the result of the basic index where a False stands, for an index without an ellipsis before."""
    items = index if isinstance(index, tuple) else (index,)
    axis = 0
    for item in items:
        if item is False or (isinstance(item, Tensor) and item.ndim == 0 and _is_false(item)):
            return axis
        if item is None or item is True or isinstance(item, slice):
            axis += 1
    return axis


def _is_like_a_tuple(index) -> bool:
    """Whether a list holds more than numbers: then it means what the tuple means."""
    if not isinstance(index, list):
        return False
    return any(item is None or item is Ellipsis or isinstance(item, (Tensor, slice)) for item in index)


def read(self: Tensor, index) -> Tensor:
    """tensor[index] for an index with an advanced part."""
    if _is_like_a_tuple(index):
        return self[tuple(index)]
    if isinstance(index, Tensor) and index.dtype in _PLAIN_INDEX and self.ndim > 0:
        result = op.index_gather(self, [index], axes=_FIRST_AXIS)
        result._index_origin = (weakref.ref(self), index)
        return result
    plan = _split(self.shape, index)
    base = self if plan.is_whole else self[plan.basic]
    if _has_false(index):
        axis = _false_axis(index)
        return base[(_WHOLE,) * axis + (slice(0, 0),)]
    if not plan.indices:
        return base
    result = op.index_gather(base, plan.indices, axes=plan.axes, front=plan.front)
    result._index_origin = (weakref.ref(self), index)
    return result


def _value(value, target: Tensor) -> Tensor:
    if isinstance(value, Tensor):
        tensor = value
    elif isinstance(value, (bool, int, float, complex, list, tuple, np.generic)):
        tensor = creation.from_value(value, target.dtype)
    else:
        raise TypeError(
            f"only support numbers, Tensor, tuple, list as value, but got {value!r} with type {type(value)}."
        )
    if tensor.size == 0 and not isinstance(value, Tensor):
        raise ValueError("The value assigned to tensor cannot be empty.")
    return tensor if tensor.dtype is target.dtype else op.cast(tensor, target.dtype)


def _is_recorded_mask(index) -> bool:
    """Whether nobody knows yet how many elements an index selects."""
    return isinstance(index, Tensor) and index.dtype is mstype.bool_ and index.ndim and _c.is_recorded(index)


def _write_where(self: Tensor, mask: Tensor, value: Tensor) -> None:
    """tensor[mask] = value for one value: how many elements get it does not matter."""
    _check_mask(_Mask(mask, False), self.shape, 0)
    mask = mask[(..., *(None,) * (self.ndim - mask.ndim))]
    value = value.reshape(()) if value.dtype is self.dtype else op.cast(value.reshape(()), self.dtype)
    self[...] = op.where(mask, value, self)


def write(self: Tensor, index, value) -> None:
    """tensor[index] = value for an index with an advanced part."""
    if _is_like_a_tuple(index):
        self[tuple(index)] = value
        return
    if _has_false(index):
        return
    value = _value(value, self)
    if value.size == 1 and self.ndim and _is_recorded_mask(index) and index.ndim <= self.ndim:
        _write_where(self, index, value)
        return
    plan = _split(self.shape, index)
    if not plan.indices:
        self[plan.basic] = value
        return
    base = self if plan.is_whole else self[plan.basic]
    if _c.is_tracked(self) or _c.is_tracked(value):
        self[plan.basic] = op.index_put(base, value, plan.indices, axes=plan.axes, front=plan.front)
        return
    op.index_put_assign(base, value, plan.indices, axes=plan.axes, front=plan.front)


def write_origin(self: Tensor) -> None:
    """Repeats a write into an indexed copy on the tensor it was read from."""
    reference, index = self._index_origin
    origin = reference()
    if origin is not None:
        origin[index] = self


def contains(self: Tensor, element: object) -> bool:
    """element in tensor, by value."""
    return bool(op.reduce_any(op.equal(self, element)))


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The rows, one after another."""
    if self.ndim == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return (self[i] for i in range(len(self)))

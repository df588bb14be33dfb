# SPDX-License-Identifier: Apache-2.0
"""vmap: a function over one more axis, run lane by lane."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op


def _bad(text: str) -> RuntimeError:
    return RuntimeError(text)


def _spread(axes, count: int, what: str):
    if axes is None:
        raise _bad(f"The '{what}' of 'vmap' cannot be a single None while 'fn' is not a 'CellList'.")
    if isinstance(axes, (tuple, list)):
        if len(axes) != count:
            raise _bad(
                f"When vmap`s '{what}' is a tuple or list, and its size must be equal to the number of "
                "arguments of "
                f"'fn': {count}, but got size: {len(axes)}."
            )
        return list(axes)
    if isinstance(axes, bool) or not isinstance(axes, int):
        raise _bad(f"The axis in vmap`s '{what}' can only be of type Int or None, but got {axes}.")
    return [axes] * count


def _flat_axes(value, axis, found: list) -> None:
    """(tensor, axis) for everything that is mapped."""
    if isinstance(axis, (tuple, list)):
        if not isinstance(value, (tuple, list)) or len(value) != len(axis):
            raise _bad(f"A nested 'in_axes' {axis} does not fit the argument it belongs to.")
        for part, one in zip(value, axis, strict=False):
            _flat_axes(part, one, found)
        return
    if axis is None:
        return
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise _bad(
            f"The axis in vmap`s 'in_axes' should be a None or a scalar of type Int64Imm, but got {axis}."
        )
    if isinstance(value, (tuple, list)):
        for part in value:
            _flat_axes(part, axis, found)
        return
    if not isinstance(value, Tensor):
        raise _bad(
            f"The orig_abs should be AbstractTensor when corresponding axis is {axis}, but got {value}."
        )
    if not -value.ndim <= axis < value.ndim:
        raise _bad(
            f"The axis: {axis} in 'in_axes' is out of bounds for array of dimension "
            f"[{-value.ndim},{value.ndim})."
        )
    found.append((value, axis))


def _lane(value, axis, i: int):
    if axis is None:
        return value
    if isinstance(axis, (tuple, list)):
        return type(value)(_lane(part, one, i) for part, one in zip(value, axis, strict=False))
    if isinstance(value, (tuple, list)):
        return type(value)(_lane(part, axis, i) for part in value)
    index = (slice(None),) * (axis % value.ndim) + (i,)
    return value[index]


def _joined(lanes: list, axis):
    first = lanes[0]
    if first is None:
        return None  # a function without a result, or one that is only compiled
    if isinstance(first, (tuple, list)):
        axes = _spread(axis, len(first), "out_axes")
        return tuple(_joined([lane[k] for lane in lanes], axes[k]) for k in range(len(first)))
    if axis is None:
        if any(lane is not first for lane in lanes):
            raise _bad("It is invalid that source is not None and dst is None.")
        return first
    if not isinstance(first, Tensor):
        lanes = [Tensor(lane) for lane in lanes]
    return op.stack(lanes, axis=axis)


def vmap(fn, in_axes=0, out_axes=0):
    """Function that applies `fn` along an axis of its arguments.

    Args:
        fn (Union[Cell, Function, CellList]): The function; a CellList maps each cell to its own slice.
        in_axes (Union[int, list, tuple]): The axis of every argument; None: the argument is not mapped.
            Default: ``0``.
        out_axes (Union[int, list, tuple]): Where the axis goes in the results. Default: ``0``.

    Returns:
        Function with the arguments of `fn`.

    Raises:
        RuntimeError: The axes do not fit the arguments.

    Supported Platforms:
        ``CPU``
    """
    from mindspore.nn.layer.container import CellList

    cells = list(fn) if isinstance(fn, CellList) else None

    def mapped(*args):
        if cells is not None and in_axes is None:
            axes = [None] * len(args)
        else:
            axes = _spread(in_axes, len(args), "in_axes")
        found: list = []
        for value, axis in zip(args, axes, strict=False):
            _flat_axes(value, axis, found)
        sizes = [tensor.shape[axis] for tensor, axis in found]
        if not sizes and cells is None:
            raise _bad(
                "The 'in_axes' of 'vmap' cannot be all None while 'fn' is not a 'CellList', but got "
                f"{in_axes}."
            )
        if cells is not None:
            sizes.append(len(cells))
        for size in sizes[1:]:
            if size != sizes[0]:
                raise _bad(
                    "The 'axis_size' of each argument in the scope of 'vmap' should be equal, but got "
                    f"{sizes[0]} and {size}."
                )
        lanes = []
        for i in range(sizes[0]):
            function = fn if cells is None else cells[i]
            lanes.append(function(*(_lane(value, axis, i) for value, axis in zip(args, axes, strict=False))))
        if out_axes is None:
            raise _bad("The 'out_axes' of 'vmap' cannot be a single None while 'fn' is not a 'CellList'.")
        return _joined(lanes, out_axes)

    return mapped

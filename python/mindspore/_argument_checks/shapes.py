# SPDX-License-Identifier: Apache-2.0
"""Checks of axes, shapes and sizes of windows, brought into their plain form."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mindspore._argument_checks.types import check_value_type


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _repeats(count: int) -> Callable[[object], tuple]:
    """A function that makes `count` ints of one, or takes them as they are."""

    def repeated(value):
        if _is_int(value):
            return (value,) * count
        if not isinstance(value, tuple):
            raise TypeError(
                "When expanding an int number to tuple, input type must be integer or tuple[int], but got "
                f"{type(value)}."
            )
        if len(value) != count:
            raise TypeError(
                f"When expanding an int number to tuple, input tuple dimension must be {count}, but got "
                f"{value}."
            )
        for element in value:
            if not _is_int(element):
                raise TypeError(
                    "When expanding an int number to tuple, the type of element in input tuple must be an "
                    f"integer, but got {type(element)}."
                )
        return value

    return repeated


once, twice, triple = _repeats(1), _repeats(2), _repeats(3)


def _check_3d_int_or_tuple(
    arg_name,
    arg_value,
    prim_name,
    allow_five=False,
    ret_five=False,
    greater_zero=True,
    third_one=False,
    three_input=False,
):
    """Three ints, or five that begin with (1, 1), from one int, three, or with `allow_five` five."""
    check_value_type(arg_name, arg_value, (int, tuple), prim_name)
    given = (arg_value,) * 3 if isinstance(arg_value, int) else arg_value
    lengths = (3, 5) if allow_five and not three_input else (3,)
    least = 1 if greater_zero else 0
    if len(given) not in lengths or not all(_is_int(item) and item >= least for item in given):
        raise ValueError(
            f"For '{prim_name}', the parameter '{arg_name}' must be an positive integer or a tuple of three "
            f"{'or five ' if len(lengths) > 1 else ''}positive integer, but got {arg_value}."
        )
    if third_one and given[-3] != 1:
        raise ValueError(
            f"For '{prim_name}', the depth of parameter '{arg_name}' must be 1, but got {given[-3]}."
        )
    if ret_five:
        return tuple(given) if len(given) == 5 else (1, 1, *given)
    return tuple(given[-3:])


def _check_dup(axes) -> None:
    if len(set(axes)) < len(axes):
        raise ValueError(f"The element of parameter 'axis' can not be duplicate, but got {axes}.")


def check_axis_in_range(axis, ndim):
    """Returns an axis of a tensor, counted from 0."""
    if not isinstance(axis, int):
        raise TypeError(f"The axes must be integers, but got {type(axis)}.")
    if not -ndim <= axis < ndim:
        raise ValueError(f"The 'axis' must be in the range of [-{ndim}, {ndim}), but got {axis}.")
    return axis % ndim


def check_axis_valid(axes, ndim):
    """Returns different axes of a tensor, counted from 0, as a tuple; None stands for all."""
    if axes is None:
        return tuple(range(ndim))
    found = tuple(check_axis_in_range(axis, ndim) for axis in _listed(axes, (tuple, list)))
    _check_dup(found)
    return found


def check_and_canonicalize_axes(axes, ndim):
    """Returns different axes of a tensor, counted from 0, from one or a tuple."""
    for axis in _listed(axes, tuple):
        if not isinstance(axis, int):
            raise TypeError(f"Each axis should be integer, but got {type(axis)} in {axes}.")
    return check_axis_valid(_listed(axes, tuple), ndim)


def _listed(axes, kinds) -> tuple:
    return tuple(axes) if isinstance(axes, kinds) else (axes,)


def check_axis_type(axis, type_int=True, type_tuple=True, type_list=True):
    """Whether an axis, or several, came in one of the allowed forms."""
    allowed = [kind for kind, on in ((int, type_int), (tuple, type_tuple), (list, type_list)) if on]
    if not isinstance(axis, tuple(allowed)):
        names = ", ".join(kind.__name__ for kind in allowed)
        raise TypeError(f"For Tensor.ptp, the axis should be {names}, but got {type(axis)}.")
    for one in _listed(axis, (tuple, list)):
        if not isinstance(one, int):
            raise TypeError(f"For Tensor.ptp, each axis must be integer, but got {type(one)} in {axis}.")
    return True


def check_reduce_shape(ori_shape, shape, axis, prim_name, arg_name1, arg_name2):
    """Raises an error unless one shape is another without an axis, or several."""
    axes = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    if list(shape) != [length for place, length in enumerate(ori_shape) if place not in axes]:
        raise ValueError(
            f"For '{prim_name}', the shape of parameter '{arg_name1}' reduce on 'axis': {axis} must be "
            f"equal to the shape of '{arg_name2}': {shape}, but got {ori_shape}."
        )


def expanded_shape(ndim, axis_size, axis):
    """A shape of ones, with a length at one axis."""
    return tuple(axis_size if place == axis else 1 for place in range(ndim))


def infer_out_shape(*shapes):
    """The shape that shapes stretch to together."""
    rank = max(map(len, shapes))
    result = []
    for lengths in zip(*((1,) * (rank - len(shape)) + tuple(shape) for shape in shapes), strict=True):
        longest = 0 if 0 in lengths else max(lengths)
        if any(length not in (1, longest) for length in lengths):
            raise ValueError(
                "For Tensor, the dimension on each axis must be 1 or the max value on the axis to support "
                f"broadcasting, but got shapes {shapes}."
            )
        result.append(longest)
    return tuple(result)


def tuple_slice(tup, start, end):
    """A part of a tuple."""
    return tup[start:end]


def max_(*args):
    """The largest argument."""
    return max(*args)


def min_(*args):
    """The smallest argument."""
    return min(*args)

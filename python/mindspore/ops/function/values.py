# SPDX-License-Identifier: Apache-2.0
"""Functions about values, types and order of execution rather than about elements."""

from __future__ import annotations

import functools
import math
import operator

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.common.mutable import has_open_length, is_variable_number
from mindspore.common.sparse_tensor import StoredForm
from mindspore.ops._registry import op

_MOST_NUMBERS = 1 << 24  # of a tuple
_MOST_BITS = 1 << 16  # of a whole number


def depend(value, expr):
    """`value`, after `expr` has been computed: arguments are evaluated before the call.

    Args:
        value (Any): What is returned.
        expr (Any): What has to happen before.

    Returns:
        `value`.
    """
    return value


def partial(*args, **kwargs):
    """A function with some of its arguments given.

    Args:
        args (Any): The function, then its first arguments.
        kwargs (Any): Arguments by name.

    Returns:
        Function of the remaining arguments.
    """
    return functools.partial(*args, **kwargs)


def stop_gradient(value):
    """`value` as a constant: no gradient flows through it.

    Args:
        value (Any): A tensor, or a tuple, list or dictionary with tensors.

    Returns:
        The same structure without history.
    """
    if isinstance(value, Tensor):
        return _c.detach(value)
    if isinstance(value, (tuple, list)):
        return type(value)(stop_gradient(item) for item in value)
    if isinstance(value, dict):
        return {key: stop_gradient(item) for key, item in value.items()}
    return value


def identity(x):
    """`x` itself."""
    return x


def shape(input_x) -> tuple:
    """Length of every axis of a tensor.

    Raises:
        TypeError: `input_x` is not a Tensor.
    """
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For 'shape', the 'input_x' must be a Tensor, but got {type(input_x).__name__}.")
    return input_x.shape


def shape_(x) -> tuple:
    """Length of every axis of a tensor."""
    return shape(x)


def dyn_shape(input_x) -> Tensor:
    """Length of every axis, as an int64 tensor."""
    return Tensor(list(shape(input_x)), mstype.int64)


def shape_mul(input_data) -> int:
    """Product of the elements of a tuple of ints."""
    return math.prod(input_data)


def dtype(x):
    """Type of a tensor's elements."""
    if not isinstance(x, (Tensor, StoredForm)):
        raise TypeError(f"For 'dtype', the 'x' must be a Tensor, but got {type(x).__name__}.")
    return x.dtype


def rank(input_x) -> int:
    """Number of axes."""
    return len(shape(input_x))


def size(input_x) -> int:
    """Number of elements."""
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For 'size', the 'input_x' must be a Tensor, but got {type(input_x).__name__}.")
    return input_x.size


def numel(input) -> int:
    """Number of elements."""
    return size(input)


def typeof(*args):
    """Type of a value as operators see it."""
    return mstype.get_py_obj_dtype(args[0])


def hastype(*args) -> bool:
    """Whether a value is of a type."""
    value, wanted = args
    return mstype.issubclass_(mstype.get_py_obj_dtype(value), wanted)


def is_tensor(obj) -> bool:
    """Whether the object is a Tensor."""
    return isinstance(obj, Tensor)


def is_complex(input) -> bool:
    """Whether the elements are complex."""
    return input.dtype in mstype.complex_type


def is_floating_point(input) -> bool:
    """Whether the elements are floating-point numbers."""
    return input.dtype in mstype.float_type


def is_nonzero(input) -> bool:
    """Whether the only element of a tensor is not zero."""
    return bool(input != 0)


def isconstant(x) -> bool:
    """Whether the value is known before a graph runs.

    Tensors that a graph computes, or is given, are not; neither are numbers marked with `mutable` and what is
    computed from them, nor sequences and dicts that hold any of these. Outside of graphs all are known.
    """
    from mindspore._capture.numbers import NumberStandIn

    if not _c.is_capturing():
        return True
    if isinstance(x, Tensor):
        return not _c.is_recorded(x)
    if isinstance(x, (tuple, list)):
        return not has_open_length(x) and all(map(isconstant, x))
    if isinstance(x, dict):
        return all(map(isconstant, x.values()))
    return not is_variable_number(x) and type(x) is not NumberStandIn


def positive(input) -> Tensor:
    """`input` itself; not for bool tensors."""
    if input.dtype is mstype.bool_:
        raise TypeError("For 'positive', the type of 'input' must not be bool.")
    return input


def eps(x) -> Tensor:
    """The smallest step from 1 in the type of `x`, in the shape of `x`."""
    bits = {mstype.float16: 10, mstype.bfloat16: 7, mstype.float32: 23, mstype.float64: 52}
    if x.dtype not in bits:
        raise TypeError(f"For 'eps', the type of 'x' must be a float type, but got {x.dtype}.")
    return op.full_like(x, 2.0 ** -bits[x.dtype])


def fills(x, value) -> Tensor:
    """A tensor like `x` with all elements equal to `value`."""
    return op.full_like(x, value)


def mixed_precision_cast(dst_dtype, x):
    """Floating-point tensors of a structure in another type, sequences as tuples; the rest unchanged."""
    if isinstance(x, Tensor):
        return op.cast(x, dst_dtype) if x.dtype in mstype.float_type else x
    if isinstance(x, (tuple, list)):
        return tuple(mixed_precision_cast(dst_dtype, item) for item in x)
    if isinstance(x, dict):
        return {key: mixed_precision_cast(dst_dtype, item) for key, item in x.items()}
    return x


def print_(*input_x) -> None:
    """Prints its arguments, tensors by value."""
    print(*input_x, sep="\n")


def add_flags(fn=None, **flags):
    """Decorator that keeps flags with a function or a Cell."""

    def mark(target):
        if hasattr(target, "add_flags") and not isinstance(target, type):
            target.add_flags(**flags)
        else:
            merged = {**getattr(target, "_func_graph_flags", {}), **flags}
            target._func_graph_flags = merged
        return target

    return mark if fn is None else mark(fn)


def make_range(*args) -> tuple:
    """The numbers of `range(*args)` as a tuple.

    Raises:
        ValueError: There would be too many of them to hold.
    """
    numbers = range(*args)
    count = -((numbers.start - numbers.stop) // numbers.step)  # len() has a limit of its own
    if count > _MOST_NUMBERS:
        raise ValueError(f"For 'make_range', {numbers} has more than {_MOST_NUMBERS} numbers.")
    return tuple(numbers)


def make_tuple(*args) -> tuple:
    """The arguments as a tuple."""
    return args


def make_list(*args) -> list:
    """The arguments as a list."""
    return list(args)


def make_dict(*args) -> dict:
    """A dictionary from a tuple of keys and a tuple of values."""
    keys, items = args
    return dict(zip(keys, items, strict=True))


def make_slice(*args) -> slice:
    """slice(*args)."""
    return slice(*args)


def tuple_len(*args) -> int:
    """Length of a tuple."""
    return len(args[0])


def list_len(*args) -> int:
    """Length of a list."""
    return len(args[0])


def tuple_reversed(*args) -> tuple:
    """A tuple backwards."""
    return tuple(reversed(args[0]))


def tuple_div(*args) -> tuple:
    """Element by element quotient of two tuples of ints that divide evenly."""
    for a, b in zip(*args, strict=True):
        if a % b != 0:
            raise ValueError(f"For 'tuple_div', {a} is not divisible by {b}.")
    return tuple(a // b for a, b in zip(*args, strict=True))


def tuple_equal(*args) -> bool:
    """Whether two tuples are equal."""
    return tuple(args[0]) == tuple(args[1])


def list_equal(*args) -> bool:
    """Whether two lists are equal."""
    return list(args[0]) == list(args[1])


def _with_item(sequence, index, value) -> list:
    items = list(sequence)
    items[index] = value
    return items


def tuple_getitem(*args):
    """Element of a tuple."""
    return args[0][args[1]]


def list_getitem(*args):
    """Element of a list."""
    return args[0][args[1]]


def dict_getitem(*args):
    """Value of a key."""
    return args[0][args[1]]


def tuple_setitem(*args) -> tuple:
    """A tuple with another element at one place."""
    return tuple(_with_item(*args))


def list_setitem(*args) -> list:
    """A list with another element at one place."""
    return _with_item(*args)


def dict_setitem(*args) -> dict:
    """A dictionary with another value for one key."""
    return {**args[0], args[1]: args[2]}


def in_dict(*args) -> bool:
    """Whether a key is in a dictionary."""
    return args[0] in args[1]


def not_in_dict(*args) -> bool:
    """Whether a key is missing in a dictionary."""
    return args[0] not in args[1]


def is_(*args) -> bool:
    """Whether two names mean the same object."""
    return args[0] is args[1]


def is_not(*args) -> bool:
    """Whether two names mean different objects."""
    return args[0] is not args[1]


def bool_not(*args) -> bool:
    """not x."""
    return not args[0]


def bool_and(*args) -> bool:
    """x and y."""
    return bool(args[0] and args[1])


def bool_or(*args) -> bool:
    """x or y."""
    return bool(args[0] or args[1])


def bool_eq(*args) -> bool:
    """Whether two truth values are equal."""
    return bool(args[0]) == bool(args[1])


def string_eq(*args) -> bool:
    """Whether two strings are equal."""
    return args[0] == args[1]


def string_concat(*args) -> str:
    """Two strings, one after the other."""
    return args[0] + args[1]


def array_to_scalar(*args):
    """The only element of a tensor as a Python number."""
    return args[0].item()


def scalar_cast(input_x, input_y):
    """A Python number in the Python type of a dtype."""
    return mstype.dtype_to_pytype(input_y)(input_x)


def _scalar_function(name: str, function, text: str):
    def two(x, y):
        return function(x, y)

    two.__name__ = two.__qualname__ = name
    two.__doc__ = f"{text} of two Python numbers."
    return two


scalar_add = _scalar_function("scalar_add", operator.add, "Sum")
scalar_sub = _scalar_function("scalar_sub", operator.sub, "Difference")
scalar_mul = _scalar_function("scalar_mul", operator.mul, "Product")
scalar_div = _scalar_function("scalar_div", operator.truediv, "Quotient")
scalar_floordiv = _scalar_function("scalar_floordiv", operator.floordiv, "Floored quotient")
scalar_mod = _scalar_function("scalar_mod", operator.mod, "Remainder")


def scalar_pow(x, y):
    """Power of two Python numbers.

    Raises:
        OverflowError: A whole number would have too many digits to write down.
    """
    is_whole = isinstance(x, int) and isinstance(y, int) and y > 0 and abs(x) > 1
    if is_whole and (abs(x).bit_length() - 1) * y > _MOST_BITS:
        raise OverflowError(f"For 'scalar_pow', {x} to the power of {y} has more than {_MOST_BITS} bits.")
    return x**y


scalar_eq = _scalar_function("scalar_eq", operator.eq, "Equality")
scalar_ne = _scalar_function("scalar_ne", operator.ne, "Inequality")
scalar_lt = _scalar_function("scalar_lt", operator.lt, "Comparison (less)")
scalar_le = _scalar_function("scalar_le", operator.le, "Comparison (less or equal)")
scalar_gt = _scalar_function("scalar_gt", operator.gt, "Comparison (greater)")
scalar_ge = _scalar_function("scalar_ge", operator.ge, "Comparison (greater or equal)")


def scalar_log(x) -> float:
    """Natural logarithm of a Python number."""
    return math.log(x)


def scalar_uadd(x):
    """+x."""
    return +x


def scalar_usub(x):
    """-x."""
    return -x


def switch(cond, x, y):
    """`x` if the condition holds, otherwise `y`.

    Args:
        cond (Union[Tensor, bool]): A single truth value.
        x (Any): A value or a function.
        y (Any): A value or a function.

    Returns:
        `x` or `y` itself.
    """
    return x if cond else y


def switch_layer(index, layers):
    """One of several functions.

    Args:
        index (Union[Tensor, int]): Its number; negative ones count from the end.
        layers (Union[tuple, list]): The functions.

    Returns:
        The function.
    """
    return layers[int(index)]


__all__ = _defined_names(globals())

# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments by the names under which libraries know them. The checks themselves are in `checks`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

from mindspore._c_dataengine import COLUMN_TYPES
from mindspore.dataset.core import checks
from mindspore.dataset.core.checks import (  # noqa: F401  (some are public here)
    INT32_MAX,
    INT64_MAX,
    check_columns,
    check_num_samples,
)

POS_INT_MIN = 1
UINT8_MIN, UINT8_MAX = 0, 2**8 - 1
UINT32_MIN, UINT32_MAX = 0, 2**32 - 1
UINT64_MIN, UINT64_MAX = 0, 2**64 - 1
INT32_MIN = -INT32_MAX - 1
INT64_MIN = -INT64_MAX - 1
# Largest whole numbers below which a float, or double, has every one.
FLOAT_MAX_INTEGER, FLOAT_MIN_INTEGER = 2**24, -(2**24)
DOUBLE_MAX_INTEGER, DOUBLE_MIN_INTEGER = 2**53, -(2**53)

valid_detype = list(COLUMN_TYPES)


def is_iterable(obj: object) -> bool:
    """Whether `iter` takes it."""
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def pad_arg_name(arg_name: str) -> str:
    """The name with a space behind it, for the middle of a sentence."""
    return f"{arg_name} " if arg_name else arg_name


def type_check(arg: object, types: tuple, arg_name: str) -> None:
    """TypeError unless it has one of the types; a bool is no int."""
    checks.check_type(arg, tuple(types), arg_name)


def type_check_list(args: object, types: tuple, arg_names: str | Sequence[str]) -> None:
    """Every element against the same types. Names are given, or made from the name of the list."""
    type_check(args, (list, tuple), arg_names)
    if isinstance(arg_names, str):
        arg_names = [f"{arg_names}[{position}]" for position in range(len(args))]
    if len(args) != len(arg_names):
        raise ValueError("List of arguments is not the same length as argument_names.")
    for arg, name in zip(args, arg_names, strict=True):
        type_check(arg, types, name)


def check_value(
    value: float,
    valid_range: Sequence[float],
    arg_name: str = "",
    left_open_interval: bool = False,
    right_open_interval: bool = False,
) -> None:
    """ValueError unless it lies in the interval."""
    low, high = valid_range
    checks.check_interval(value, low, high, arg_name, left_open_interval, right_open_interval)


def check_value_cutoff(value: float, valid_range: Sequence[float], arg_name: str = "") -> None:
    """In [low, high)."""
    check_value(value, valid_range, arg_name, right_open_interval=True)


def check_value_ratio(value: float, valid_range: Sequence[float], arg_name: str = "") -> None:
    """In (low, high]."""
    check_value(value, valid_range, arg_name, left_open_interval=True)


check_value_normalize_std = check_value_ratio


def check_range(values: Sequence[float], valid_range: Sequence[float], arg_name: str = "") -> None:
    """Two numbers in order, both in the interval."""
    if not valid_range[0] <= values[0] <= values[1] <= valid_range[1]:
        raise ValueError(
            f"Input {pad_arg_name(arg_name)}is not within the required interval of "
            f"[{valid_range[0]}, {valid_range[1]}]."
        )


def _in_interval(
    types: tuple, low: float, high: float, left_open: bool = False, zero: bool = True
) -> Callable:
    """A check of the type, then of the interval, with or without 0."""

    def check(value: float, arg_name: str = "") -> None:
        type_check(value, types, arg_name)
        if zero:
            check_value(value, (low, high), arg_name, left_open)
        elif value == 0 or not low <= value <= high:
            raise ValueError(
                f"Input {pad_arg_name(arg_name)}is not within the required interval of "
                f"[{low}, 0) and (0, {high}]."
            )

    check.__doc__ = f"One of {types} from {low} to {high}{'' if zero else ', not 0'}."
    return check


_REAL = (float, int)
check_int32 = _in_interval((int,), INT32_MIN, INT32_MAX)
check_int32_not_zero = _in_interval((int,), INT32_MIN, INT32_MAX, zero=False)
check_pos_int32 = _in_interval((int,), POS_INT_MIN, INT32_MAX)
check_non_negative_int32 = _in_interval((int,), 0, INT32_MAX)
check_pos_int64 = _in_interval((int,), POS_INT_MIN, INT64_MAX)
check_uint8 = _in_interval((int,), UINT8_MIN, UINT8_MAX)
check_uint32 = _in_interval((int,), UINT32_MIN, UINT32_MAX)
check_pos_uint32 = _in_interval((int,), POS_INT_MIN, UINT32_MAX)
check_uint64 = _in_interval((int,), UINT64_MIN, UINT64_MAX)
check_float32 = _in_interval(_REAL, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER)
check_float32_not_zero = _in_interval(_REAL, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER, zero=False)
check_pos_float32 = _in_interval(_REAL, 0, FLOAT_MAX_INTEGER, left_open=True)
check_non_negative_float32 = _in_interval(_REAL, 0, FLOAT_MAX_INTEGER)
check_float64 = _in_interval(_REAL, DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER)
check_pos_float64 = _in_interval(_REAL, 0, DOUBLE_MAX_INTEGER, left_open=True)
check_non_negative_float64 = _in_interval(_REAL, 0, DOUBLE_MAX_INTEGER)


def check_positive(value: float, arg_name: str = "") -> None:
    """Above 0."""
    if value <= 0:
        raise ValueError(f"Input {pad_arg_name(arg_name)}must be greater than 0.")


def check_odd(value: float, arg_name: str = "") -> None:
    """An odd number."""
    if value % 2 != 1:
        raise ValueError(f"Input {pad_arg_name(arg_name)}is not an odd value.")


def check_2tuple(value: object, arg_name: str = "") -> None:
    """A tuple of two."""
    if not (isinstance(value, tuple) and len(value) == 2):
        raise ValueError(f"Value {arg_name} needs to be a 2-tuple.")


def check_valid_detype(type_: object) -> bool:
    """The name of a type that a column can have."""
    if type_ not in valid_detype:
        raise TypeError("Unknown column type.")
    return True


def check_valid_str(value: object, valid_strings: Sequence[str], arg_name: str = "") -> None:
    """One of some strings."""
    type_check(value, (str,), arg_name)
    checks.check_choice(value, valid_strings, arg_name)


def check_list_same_size(
    list1: Sequence, list2: Sequence, list1_name: str = "", list2_name: str = ""
) -> None:
    """Two lists of one length."""
    if len(list1) != len(list2):
        raise ValueError(f"The size of {list1_name} should be the same as that of {list2_name}.")


def check_filename(path: object) -> None:
    """A path whose last part has none of the characters that shells and other systems treat in their way."""
    if not isinstance(path, str):
        raise TypeError(f"path: {path} is not string")
    name = os.path.basename(os.path.realpath(path))
    if set(name) & set("\\/:*?\"<>|`&';"):
        raise ValueError("filename should not contain \\/:*?\"<>|`&;'")
    if name != name.strip(" "):
        raise ValueError("filename should not start/end with space.")


def check_dir(dataset_dir: object) -> None:
    """A folder that can be read."""
    checks.check_dir(dataset_dir)


def check_file(dataset_file: object) -> None:
    """A file that can be read."""
    check_filename(dataset_file)
    checks.check_file(dataset_file)


def check_num_parallel_workers(value: object) -> None:
    """A number of workers."""
    checks.check_workers(value)


def check_sampler_shuffle_shard_options(param_dict: dict) -> None:
    """The arguments that choose rows, against each other."""
    checks.check_sampler_shuffle_shard(param_dict)


def check_tensor_op(param: object, param_name: str) -> None:
    """A transform, or a function."""
    if not callable(param):
        raise TypeError(f"{param_name} is neither a transforms op (TensorOperation) nor a callable pyfunc.")


def check_dict(data: object, key_type: type | tuple, value_type: type | tuple, param_name: str) -> None:
    """None, or a dict with keys and values of these types."""
    if data is None:
        return
    if not isinstance(data, dict):
        raise TypeError(f"{param_name} should be dict type, but got: {type(data)}")
    for key, value in data.items():
        if not isinstance(key, key_type):
            raise TypeError(
                f"key '{key}' in parameter {param_name} should be {key_type} type, but got: {type(key)}"
            )
        if not isinstance(value, value_type):
            raise TypeError(
                f"value of '{key}' in parameter {param_name} should be {value_type} type, "
                f"but got: {type(value)}"
            )


def replace_none(value: object, default: object) -> object:
    """The value, or what stands for None."""
    return default if value is None else value


def parse_user_args(method: Callable, *args: Any, **kwargs: Any) -> tuple[list, dict]:
    """The arguments of a call in the order of the signature with defaults filled in, and by name.

    For a method the arguments are those without the object.
    """
    signature = inspect.signature(method)
    names = list(signature.parameters)
    is_method = names[:1] in (["self"], ["cls"])
    bound = signature.bind(method, *args, **kwargs) if is_method else signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return [bound.arguments.get(name) for name in names[is_method:]], bound.arguments

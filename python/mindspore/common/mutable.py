# SPDX-License-Identifier: Apache-2.0
"""Values that graphs treat as variables."""

from __future__ import annotations

from typing import Any

from mindspore._c_expression import Tensor


class _Int(int):
    pass


class _Float(float):
    pass


class _Tuple(tuple):
    pass


class _List(list):
    pass


class _Dict(dict):
    pass


_KINDS = {int: _Int, float: _Float, tuple: _Tuple, list: _List, dict: _Dict}


def _check(value) -> None:
    if isinstance(value, (tuple, list)):
        for part in value:
            _check(part)
    elif isinstance(value, dict):
        for part in value.values():
            _check(part)
    elif not isinstance(value, (bool, int, float, Tensor)):
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) "
            "or their "
            f"nested structures, but got {value}."
        )


def mutable(input_data, dynamic_len: bool = False) -> Any:
    """The same value, marked as a variable for graphs.

    Args:
        input_data (Union[Tensor, bool, int, float, tuple, list, dict]): The value.
        dynamic_len (bool): The length may change; needs a tuple or list. Default: ``False``.

    Returns:
        A value that compares and prints like `input_data`.

    Raises:
        TypeError: The value, or something in it, is of another type.
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(
            f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}."
        )
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            "For 'mutable', when the variable_len is True, the first input should be list or tuple, but got: "
            f"{type(input_data).__name__}."
        )
    _check(input_data)
    kind = _KINDS.get(type(input_data))
    if kind is None:
        return input_data
    marked = kind(input_data)
    marked.dynamic_len = dynamic_len
    return marked

# SPDX-License-Identifier: Apache-2.0
"""Checks of texts: choices, names and files."""

from __future__ import annotations

import re

from mindspore._argument_checks.numbers import owner

_NAME = r"^\w+[0-9a-zA-Z\_\.]*$"
_NAME_OR_NOTHING = r"^\w*[0-9a-zA-Z\_\.\-]*$"
_FILE = r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$"


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """Returns one of some strings."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise ValueError(
            f"{owner(prim_name)} '{arg_name or 'parameter'}' must be str and must be in '{valid_values}', "
            f"but got '{arg_value}'."
        )
    return arg_value


def _require_match(target: str, pattern: str, flag: int, prim_name: str | None) -> bool:
    if re.match(pattern, target, flag) is None:
        raise ValueError(
            f"{owner(prim_name)} '{target}' is illegal, it must be match regular'{pattern}' by flags'{flag}'."
        )
    return True


def check_str_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """Whether a pattern describes a text; by default, a name that does not begin with a dot."""
    return _require_match(target, reg or _NAME, flag, prim_name)


def check_str_and_none_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """Whether a pattern describes a text; by default, a name or nothing."""
    return _require_match(target, reg or _NAME_OR_NOTHING, flag, prim_name)


def check_file_name_by_regular(target, reg=None, prim_name=None):
    """Whether a text may be the name of a file."""
    if not isinstance(target, str):
        raise TypeError(f"{owner(prim_name)} '{target}' must be string, but got {type(target)}.")
    if target.endswith(("/", "\\")):
        raise ValueError(f"{owner(prim_name)} '{target}' cannot be a directory path.")
    return _require_match(target, reg or _FILE, 0, prim_name)


def check_input_format(input_param):
    """Returns the one layout of images that there is."""
    if input_param != "NCHW":
        raise ValueError(f"The data format must be NCHW, but got {input_param}.")
    return input_param


def check_pad_value_by_mode(pad_mode, padding, prim_name):
    """Returns a padding that fits its mode: only mode "pad" has one."""
    if pad_mode != "pad" and padding != 0:
        raise ValueError(
            f"For '{prim_name}', padding must be zero when pad_mode is '{pad_mode}', but got {padding}."
        )
    return padding

# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, in the words of MindSpore Serving: RuntimeError with the parameter's name."""


def _name(name, is_item, value):
    return f"The item value '{value}' in parameter '{name}'" if is_item else f"Parameter '{name}'"


def check_str(name, value):
    if not isinstance(value, str):
        raise RuntimeError(f"Parameter '{name}' should be str, but actually {type(value)}")
    if not value:
        raise RuntimeError(f"Parameter '{name}' should not be empty str")


def check_bool(name, value):
    if not isinstance(value, bool):
        raise RuntimeError(f"Parameter '{name}' should be bool, but actually {type(value)}")


def check_bytes(name, value):
    if not isinstance(value, bytes):
        raise RuntimeError(f"Parameter '{name}' should be bytes, but actually {type(value)}")
    if not value:
        raise RuntimeError(f"Parameter '{name}' should not be empty bytes")


def check_int(name, value, least=None, most=None, is_item=False):
    prefix = _name(name, is_item, value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise RuntimeError(f"{prefix} should be int, but actually {type(value)}")
    is_low = least is not None and value < least
    is_high = most is not None and value > most
    if (is_low or is_high) and least is not None and most is not None:
        raise RuntimeError(f"{prefix} should be in range [{least},{most}]")
    if is_low:
        raise RuntimeError(f"{prefix} should be >= {least}")
    if is_high:
        raise RuntimeError(f"{prefix} should be <= {most}")


def _check_unique(name, values):
    for index, value in enumerate(values):
        if value in values[:index]:
            raise RuntimeError(f"The item value '{value}' in parameter '{name}' should not be repeated")


def as_int_tuple(name, values, least=None, most=None):
    """One int, or a list or tuple of them without repeats."""
    if isinstance(values, int) and not isinstance(values, bool):
        values = (values,)
    if not isinstance(values, (list, tuple)):
        raise RuntimeError(
            f"Parameter '{name}' should be int or tuple/list of int, but actually {type(values)}"
        )
    return check_ints(name, values, least, most)


def check_ints(name, values, least=None, most=None):
    """A list or tuple of int without repeats."""
    if not isinstance(values, (list, tuple)):
        raise RuntimeError(f"Parameter '{name}' should be tuple/list of int, but actually {type(values)}")
    values = tuple(values)
    for value in values:
        check_int(name, value, least, most, is_item=True)
    _check_unique(name, values)
    return values


def as_str_tuple(name, values):
    """One str, or a list or tuple of them without repeats."""
    if isinstance(values, str):
        values = (values,)
    if not isinstance(values, (list, tuple)):
        raise RuntimeError(
            f"Parameter '{name}' should be str or tuple/list of str, but actually {type(values)}"
        )
    for value in values:
        if not isinstance(value, str):
            raise RuntimeError(f"The item of parameter '{name}' should be str, but actually {type(value)}")
        if not value:
            raise RuntimeError(f"The item of parameter '{name}' should not be empty str")
    values = tuple(values)
    _check_unique(name, values)
    return values

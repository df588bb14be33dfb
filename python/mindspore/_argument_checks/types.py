# SPDX-License-Identifier: Apache-2.0
"""Checks of classes of values, and of element types."""

from __future__ import annotations

from collections.abc import Iterable

from mindspore._argument_checks.numbers import check_equal_int, owner
from mindspore.common import dtype as mstype


def _several(kinds) -> tuple:
    return tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)


def _shown(kinds: tuple):
    names = [getattr(kind, "__name__", str(kind)) for kind in kinds]
    return (f"one of '{names}'") if len(names) > 1 else f"'{names[0]}'"


def check_isinstance(arg_name, arg_value, classes):
    """Returns an object of one of some classes."""
    if not isinstance(arg_value, classes):
        raise ValueError(f"The parameter '{arg_name}' must be isinstance of {classes}, but got {arg_value}.")
    return arg_value


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """Returns a value of one of some types; a bool is no int here."""
    kinds = _several(valid_types)
    if not isinstance(arg_value, kinds) or (isinstance(arg_value, bool) and bool not in kinds):
        raise TypeError(
            f"{owner(prim_name)} type of '{arg_name}' should be {_shown(kinds)}, but got type "
            f"'{type(arg_value).__name__}'."
        )
    return arg_value


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """Returns one of some types; of a tensor's type, the type of its elements."""
    kinds = _several(valid_types)
    element = arg_type.element_type() if isinstance(arg_type, mstype.TensorType) else arg_type
    if element not in kinds:
        got = getattr(element, "__name__", repr(element))
        raise TypeError(f"{owner(prim_name)} '{arg_name}' should be {_shown(kinds)}, but got '{got}'.")
    return element


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """Raises an error unless a type is one of some, or belongs to one of some groups."""
    kinds = _several(template_types)
    if not any(type_ is kind or (mstype.is_type(kind) and mstype.issubclass_(type_, kind)) for kind in kinds):
        got = f"type '{type(type_).__name__}'" if isinstance(type_, (tuple, list)) else type_
        raise TypeError(
            f"For '{prim_name}', the element of '{arg_name}' must be {'one of ' if len(kinds) > 1 else ''}"
            f"{', '.join(map(str, kinds))}, but got {got}"
            f"{f' {addition_error_info}' if addition_error_info else ''}."
        )


def check_valid_input(arg_name, arg_value, prim_name):
    """Returns anything but None."""
    if arg_value is None:
        raise ValueError(f"For '{prim_name}', the argument '{arg_name}' can not be None, but got None.")
    return arg_value


def _require_one_type(types: dict, prim_name: str) -> None:
    (first, wanted), *others = types.items()
    for name, got in others:
        if got != wanted:
            raise TypeError(
                f"For '{prim_name}', the type of '{name}' should be same as '{first}', but got '{first}' "
                f"with type {wanted} and '{name}' with type {got}."
            )


def check_types_same_and_valid(args, valid_values, prim_name):
    """Raises an error unless all types, by name, are one, and one of some."""
    for name, type_ in args.items():
        check_subclass(name, type_, valid_values, prim_name)
    _require_one_type(args, prim_name)


def _of_tensors(dtypes) -> list:
    return [mstype.TensorType(dtype) for dtype in _several(dtypes)]


def check_tensors_dtypes_same_and_valid(args, valid_dtypes, prim_name):
    """Raises an error unless types of tensors, by name, have one element type, and one of some."""
    check_types_same_and_valid(args, _of_tensors(valid_dtypes), prim_name)


def check_tensor_dtype_valid(arg_name, arg_type, valid_dtypes, prim_name):
    """Raises an error unless the type of a tensor has one of some element types."""
    check_subclass(arg_name, arg_type, _of_tensors(valid_dtypes), prim_name)


def check_scalar_or_tensor_types_same(args, valid_values, prim_name, allow_mix=False):
    """Raises an error unless numbers and elements, by name, have one type; `allow_mix`: both may come."""
    elements = {}
    for name, type_ in args.items():
        is_tensor = isinstance(type_, mstype.TensorType)
        element = type_.element_type() if is_tensor else type_
        if element not in valid_values:
            raise TypeError(
                f"For '{prim_name}', the type of '{name}' must be in {valid_values}, but got {element}."
            )
        elements[name] = element if allow_mix or not is_tensor else type_
    _require_one_type(elements, prim_name)


def check_type_support(dtype, device, supported_dtypes):
    """Whether a device in use, if it is `device`, supports an element type."""
    from mindspore.context import get_context

    return dtype in supported_dtypes or get_context("device_target") != device


def _require_elements(arg_name, elements, valid_types, prim_name) -> None:
    kinds = tuple(valid_types)
    for element in elements:
        if not isinstance(element, kinds):
            raise TypeError(
                f"{owner(prim_name)} type of '{arg_name}' should be {_shown(kinds)}, but got '{element}' "
                f"with type '{type(element).__name__}'."
            )


def check_element_type_of_iterable(arg_name, arg_value, valid_types, prim_name=None):
    """Raises an error unless a list or tuple holds objects of some types alone."""
    check_value_type(arg_name, arg_value, [list, tuple], prim_name)
    _require_elements(arg_name, arg_value, valid_types, prim_name)


def check_element_type_of_dict(arg_name, arg_value, key_types, value_types, prim_name=None):
    """Raises an error unless keys and values of a dict are of some types."""
    check_value_type(arg_name, arg_value, [dict], prim_name)
    _require_elements(arg_name, arg_value.keys(), key_types, prim_name)
    _require_elements(arg_name, arg_value.values(), value_types, prim_name)


def check_size_and_element_type_of_tuple(
    arg_name, arg_value, expect_size, expect_element_type, prim_name=None
):
    """Raises an error unless a tuple holds so many objects of one type."""
    check_value_type(arg_name, arg_value, [tuple], prim_name)
    check_equal_int(len(arg_value), expect_size, f"{arg_name} size", prim_name)
    check_element_type_of_iterable(arg_name, arg_value, [expect_element_type], prim_name)

# SPDX-License-Identifier: Apache-2.0
"""Decorators of constructors that check their arguments, for transforms that libraries write."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.dataset.core.validator_helpers import (
    check_positive,
    check_tensor_op,
    check_value,
    parse_user_args,
    type_check,
)


def _checks(rule: Callable[..., None]) -> Callable[[Callable], Callable]:
    """The decorator that calls `rule` with the arguments, then the method."""

    def decorate(method: Callable) -> Callable:
        @functools.wraps(method)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            values, _ = parse_user_args(method, *args, **kwargs)
            rule(*values)
            return method(self, *args, **kwargs)

        return call

    decorate.__doc__ = rule.__doc__
    return decorate


def check_transform_op_type(ind: int, op: object) -> None:
    """ValueError if an element of a list is a class."""
    if inspect.isclass(op):
        raise ValueError(
            f"op_list[{ind}] should be a dataset processing operation instance, but got: {op}. "
            "It may be missing parentheses for instantiation."
        )


def _check_probability(prob: float) -> None:
    type_check(prob, (float, int), "prob")
    check_value(prob, (0, 1), "prob")


@_checks
def check_random_transform_ops(transforms: list, *prob: float) -> None:
    """A list of transforms that is not empty, and how likely they are."""
    type_check(transforms, (list,), "transforms list")
    if not transforms:
        raise ValueError("transforms list can not be empty.")
    for position, operation in enumerate(transforms):
        check_tensor_op(operation, f"transforms[{position}]")
        check_transform_op_type(position, operation)
    if len(prob) == 1:
        _check_probability(*prob)


@_checks
def check_compose_list(transforms: list) -> None:
    """A list of functions that is not empty."""
    type_check(transforms, (list,), "transforms")
    if not transforms:
        raise ValueError("transforms list is empty.")
    for position, operation in enumerate(transforms):
        if not callable(operation):
            raise ValueError(f"transforms[{position}] is not callable.")
        check_transform_op_type(position, operation)


@_checks
def check_num_classes(num_classes: int) -> None:
    """A positive int."""
    type_check(num_classes, (int,), "num_classes")
    check_positive(num_classes)


@_checks
def check_fill_value(fill_value: object) -> None:
    """A number or a string."""
    type_check(fill_value, (str, float, bool, int, bytes), "fill_value")


__getattr__ = _explains_missing_names(globals())

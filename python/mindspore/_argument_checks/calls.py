# SPDX-License-Identifier: Apache-2.0
"""Checks around a call: of the arguments' classes, of data that goes in and of what comes out."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable


def args_type_check(*type_args, **type_kwargs) -> Callable:
    """A decorator: arguments of the function must be None or of the classes given for them.

    Classes of keywords that only ``**kwargs`` of the function takes are given by keyword, too.
    """

    def with_check(function: Callable) -> Callable:
        signature = inspect.signature(function)
        wanted = _flat(signature, signature.bind_partial(*type_args, **type_kwargs))

        @functools.wraps(function)
        def _checked(*args, **kwargs):
            for name, value in _flat(signature, signature.bind(*args, **kwargs)).items():
                if name in wanted and value is not None and not isinstance(value, wanted[name]):
                    raise TypeError(f"The parameter '{name}' must be {wanted[name]}, but got {type(value)}.")
            return function(*args, **kwargs)

        return _checked

    return with_check


def _flat(signature: inspect.Signature, bound: inspect.BoundArguments) -> dict:
    """Arguments by name, those that went into ``**kwargs`` among them."""
    found: dict = {}
    for name, value in bound.arguments.items():
        is_rest = signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
        found.update(value if is_rest else {name: value})
    return found


def check_input_data(*data, data_class) -> None:
    """Raises an error unless values, also in lists, tuples and dicts, are of given classes and not empty.

    Raises:
        TypeError: A value is of another class; None in `data_class` allows None.
        ValueError: A value has no elements.
    """
    classes = tuple(data_class) if isinstance(data_class, (tuple, list)) else (data_class,)
    for item in data:
        if isinstance(item, (list, tuple)):
            check_input_data(*item, data_class=data_class)
        elif isinstance(item, dict):
            check_input_data(*item.values(), data_class=data_class)
        elif item is not None or None not in classes:
            _require_class(item, classes)


def _require_class(item: object, classes: tuple) -> None:
    if not isinstance(item, tuple(kind for kind in classes if kind is not None)):
        names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in classes)
        raise TypeError(
            f"The types of input data must be in the Union({names}, tuple[{names}], list[{names}], "
            f"dict[{names}]), but got type {None if item is None else type(item).__name__}."
        )
    if getattr(item, "size", None) == 0:
        raise ValueError("The input data can not be empty.")


def check_input_dataset(*dataset, dataset_type) -> bool:
    """Whether there are data sets, all of one class."""
    return bool(dataset) and all(isinstance(item, dataset_type) for item in dataset)


def check_output_data(data) -> None:
    """Raises an error where a network returned None."""
    if data is None:
        raise RuntimeError("The output data can not be None, please check your net or input data.")


def is_stub_tensor(tensor: object) -> bool:
    """Whether a tensor only stands for one that is being computed; here none does."""
    return hasattr(tensor, "stub")

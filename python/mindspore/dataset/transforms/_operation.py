# SPDX-License-Identifier: Apache-2.0
"""What a transform is to Python: callable on its own, and a step of `map` that runs natively where it can."""

from __future__ import annotations

import enum
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

# Tells the native side how to read strings.
import mindspore.dataset.core.text_tensor  # noqa: F401
from mindspore.dataset.transforms._row_random import random as row_random
from mindspore.dataset.transforms._row_random import row_stream

# The seed that means "none was set".
_UNSET_SEED = 5489


class Implementation(enum.IntEnum):
    """How a transform runs inside a list of transforms."""

    C = 0
    PY = 1


def is_pillow(value: Any) -> bool:
    """Whether this is a Pillow image, found out without importing Pillow."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(value, module.Image)


def eager_seed() -> int:
    """The seed of a call outside a pipeline: the one that was set, else a fresh one."""
    config = sys.modules.get("mindspore.dataset.core.config")
    seed = config.get_seed() if config is not None else _UNSET_SEED
    return random.getrandbits(63) if seed == _UNSET_SEED else seed


class TensorOperation:
    """A transform with a native implementation."""

    random = False
    implementation: Implementation | None = None
    takes_columns = False
    _legacy = False
    ends_pillow = False  # what follows in a list runs natively again

    def __call__(self, *input_tensor_list: Any) -> Any:
        """Runs on its own, outside a pipeline, or for the class of a user that extends it."""
        return self._call(input_tensor_list, row_stream())

    def _call(self, inputs: Sequence[Any], stream: int) -> Any:
        if not inputs:
            raise RuntimeError("Input Tensor is not valid.")
        in_python = getattr(self, "_execute_py", None)
        if in_python is not None and (self._native() is None or is_pillow(inputs[0])):
            return in_python(*inputs)
        if len(inputs) > 1 and not self.takes_columns:
            raise RuntimeError("The op is OneToOne, can only accept one tensor as input.")
        values = [self._value(value) for value in inputs]
        results = self._native().apply(values, eager_seed(), stream)
        return results[0] if len(results) == 1 else tuple(results)

    def _value(self, value: Any) -> Any:
        """An argument of a call as an array."""
        if hasattr(value, "asnumpy"):
            value = value.asnumpy()
        return value if isinstance(value, (str, bytes, np.ndarray)) else np.array(value)

    def _native(self) -> Any:
        """The native transform, or None when only Python can do it."""
        if hasattr(self, "_execute_py"):
            return None
        raise NotImplementedError(
            f"{type(self).__name__} has no native transform: a class of your own defines '_execute_py' or "
            "'__call__'."
        )

    def _choices(self) -> tuple[Implementation, ...]:
        """The implementations a list may choose from."""
        return (Implementation.C,)


class PyTensorOperation(TensorOperation):
    """A transform that only Python can do."""

    implementation: Implementation | None = Implementation.PY

    def __call__(self, img: Any) -> Any:
        """Runs on one value."""
        return self._execute_py(img)

    def _execute_py(self, img: Any) -> Any:
        raise NotImplementedError

    def _native(self) -> Any:
        return None

    def _choices(self) -> tuple[Implementation, ...]:
        return (Implementation.PY,)


def has_own_call(operation: TensorOperation) -> bool:
    """Whether the class of a user defines what a call does: then no list may go another way."""
    return not type(operation).__call__.__module__.startswith("mindspore.dataset.")


class _CalledByMap:
    """A transform that `map` calls like a function: what it gets decides how it runs.

    Its random numbers belong to the row, so that any number of threads gives the same.
    """

    def __init__(self, operation: TensorOperation):
        self.operation = operation
        self._transform_name = type(operation).__name__

    def __call__(self, *values: Any) -> Any:
        return call_one(self.operation, values, row_random.getrandbits(40))


def flatten(operations: Iterable[Any]) -> list[Any]:
    """Lists of transforms in lists of transforms as one list."""
    result: list[Any] = []
    for operation in operations:
        inner = getattr(operation, "_flattened", None)
        result.extend(flatten(inner()) if inner is not None else [operation])
    return result


def check_same_generation(operations: Iterable[Any]) -> None:
    """Old and new transforms in one list are refused: their neighbours are chosen differently."""
    generations = {op._legacy for op in operations if isinstance(op, TensorOperation)}
    if len(generations) > 1:
        raise RuntimeError("Mixing old legacy c/py_transforms and new unified transforms is not allowed.")


def check_operations(operations: Any, name: str) -> None:
    """A list of transforms and functions that is not empty."""
    if not isinstance(operations, list):
        raise TypeError(
            f"Argument {name} list with value {operations} is not of type [<class 'list'>], "
            f"but got {type(operations)}."
        )
    if not operations:
        raise ValueError(f"{name} list can not be empty.")
    for position, operation in enumerate(operations):
        if isinstance(operation, type) and issubclass(operation, TensorOperation):
            raise ValueError(
                f"op_list[{position}] should be a dataset processing operation instance, "
                f"but got: {operation}. It may be missing parentheses for instantiation."
            )
        if not callable(operation):
            raise TypeError(
                f"{name}[{position}] is neither a transforms op (TensorOperation) nor a callable pyfunc."
            )


def resolve(operations: Iterable[Any]) -> list[Any]:
    """The steps of a `map`: native transforms and functions, in order.

    A transform that can run both ways follows its predecessor; after a function it runs by what it is given.
    """
    flat = flatten(operations)
    check_same_generation(flat)
    steps: list[Any] = []
    current: Implementation | None = Implementation.C
    for operation in flat:
        if not isinstance(operation, TensorOperation):
            steps.append(operation)
            current = None
            continue
        if has_own_call(operation):
            steps.append(_CalledByMap(operation))
            current = None
            continue
        choices = operation._choices()
        by_input = current is None and len(choices) > 1
        current = choices[0] if len(choices) == 1 else (current or Implementation.C)
        operation.implementation = current
        native = operation._native() if current is Implementation.C and not by_input else None
        steps.append(native if native is not None else _CalledByMap(operation))
        if operation.ends_pillow:
            current = Implementation.C
    return steps


def call_one(operation: Callable, values: tuple[Any, ...], stream: int) -> Any:
    """A transform with random numbers of this stream, or a function."""
    if (
        isinstance(operation, TensorOperation)
        and not isinstance(operation, PyTensorOperation)
        and not has_own_call(operation)
    ):
        return operation._call(values, stream)
    return operation(*values)


def call_list(operations: Iterable[Callable], values: tuple[Any, ...], stream: int) -> Any:
    """One after the other; a tuple is spread over the arguments of the next."""
    for position, operation in enumerate(operations):
        result = call_one(operation, values, stream + (position << 40))
        values = result if isinstance(result, tuple) else (result,)
    return values[0] if len(values) == 1 else values


def native_list(operations: Iterable[Any]) -> list[Any] | None:
    """The native transforms of a list, or None when one of them needs Python."""
    natives = []
    for operation in flatten(operations):
        if not isinstance(operation, TensorOperation) or Implementation.C not in operation._choices():
            return None
        if has_own_call(operation):
            return None
        native = operation._native()
        if native is None:
            return None
        natives.append(native)
    return natives


def not_random(function: Callable) -> Callable:
    """Marks a function as one that gives the same result for the same input."""
    function.random = False
    return function

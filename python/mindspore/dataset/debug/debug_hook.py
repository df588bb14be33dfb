# SPDX-License-Identifier: Apache-2.0
"""The base of debug hooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class DebugHook(ABC):
    """Sees the columns of a row before the first operation of a map and after every one.

    Derive from it and write `compute`.

    Args:
        prev_op_name (str, optional): Name of the operation the data belong to. The pipeline sets it.

    Examples:
        >>> from mindspore.dataset import debug
        >>> class Count(debug.DebugHook):
        ...     def compute(self, *args):
        ...         print("columns:", len(args[0]))
        ...         return args
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.curr_op_name: str | None = None
        self.is_first_op: bool | None = None

    def __call__(self, *args: Any) -> tuple:
        """Says what is shown, calls `compute`, and hands the columns on unchanged."""
        self._log_message()
        self.compute(args)
        return args

    @abstractmethod
    def compute(self, *args: Any) -> Any:
        """The user's part. `args` holds one element, the tuple of the row's columns."""

    def set_previous_op_name(self, prev_op_name: str) -> None:
        """Names the operation whose input (for the first one) or output is shown next."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Says whether the data have not passed an operation yet."""
        self.is_first_op = is_first_op

    def _log_message(self) -> None:
        # A hook called by hand belongs to no operation.
        if self.prev_op_name is not None:
            side = "INPUT" if self.is_first_op else "OUTPUT"
            print(f"[Dataset debugger] Print the [{side}] of the operation [{self.prev_op_name}].")


class _HookPoint:
    """A place between the operations of a map: shows the columns to hooks and hands them on."""

    def __init__(self, hooks: list[DebugHook], operation_name: str, is_first: bool) -> None:
        self._hooks = hooks
        self._operation_name = operation_name
        self._is_first = is_first

    def __call__(self, *columns: Any) -> Any:
        for hook in self._hooks:
            hook.set_previous_op_name(self._operation_name)
            hook.curr_op_name = self._operation_name
            hook.set_is_first(self._is_first)
            hook(*columns)
        return columns if len(columns) > 1 else columns[0]


def operation_name(operation: Any) -> str:
    """How messages call an operation: the class of an object, the name of a function."""
    name = getattr(operation, "__name__", None) or getattr(operation, "name", None)
    return name if isinstance(name, str) else type(operation).__name__


def hook_points(operations: list) -> list:
    """What stands before the first and after each of the operations of a map; empty without hooks."""
    from mindspore.dataset.core import config  # which imports this package

    hooks = config._get_debug_hook_list()
    if not hooks or not operations:
        return []
    first = _HookPoint(hooks, operation_name(operations[0]), True)
    return [first, *(_HookPoint(hooks, operation_name(operation), False) for operation in operations)]

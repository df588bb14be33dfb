# SPDX-License-Identifier: Apache-2.0
"""Hooks that print."""

from __future__ import annotations

from typing import Any

from mindspore.dataset.debug.debug_hook import DebugHook


class PrintDataHook(DebugHook):
    """Prints the data of every column.

    Examples:
        >>> import mindspore.dataset as ds
        >>> from mindspore.dataset import debug
        >>> ds.config.set_debug_mode(True, debug_hook_list=[debug.PrintDataHook()])
        >>> ds.config.set_debug_mode(False)
    """

    def compute(self, *args: Any) -> Any:
        """Prints one line per column."""
        for number, column in enumerate(args[0]):
            print(f"Column {number}. The data is [{column}].")
        return args


class PrintMetaDataHook(DebugHook):
    """Prints type and shape of every column.

    Examples:
        >>> import mindspore.dataset as ds
        >>> from mindspore.dataset import debug
        >>> ds.config.set_debug_mode(True, debug_hook_list=[debug.PrintMetaDataHook()])
        >>> ds.config.set_debug_mode(False)
    """

    def compute(self, *args: Any) -> Any:
        """Prints one line per column."""
        for number, column in enumerate(args[0]):
            if hasattr(column, "dtype") and hasattr(column, "shape"):
                print(f"Column {number}. The dtype is [{column.dtype}]. The shape is [{column.shape}].")
            else:
                print(f"Column {number}. The type is [{type(column)}]. The size is [{_size_of(column)}].")
        return args


def _size_of(value: Any) -> Any:
    if hasattr(value, "__len__"):
        return len(value)
    return getattr(value, "size", 1)

# SPDX-License-Identifier: Apache-2.0
"""Functions over structures of tensors, and functions that choose their body by the types of arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._creation import refuse_in_graph

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph"]


def _check_lengths(name: str, sequences) -> None:
    lengths = [len(sequence) for sequence in sequences]
    if len(set(lengths)) > 1:
        raise ValueError(f"For '{name}', all sequences must have the same length, but got lengths {lengths}.")


class _Mapping:
    """What Map and HyperMap share: a function given now or with the call."""

    def __init__(self, ops=None, reverse=False):
        if ops is not None and not callable(ops):
            raise TypeError(f"For '{type(self).__name__}', the 'ops' must be a function, but got {ops}.")
        self.ops = ops
        self.reverse = reverse
        self.name = type(self).__name__

    def _split(self, args: tuple) -> tuple:
        return (args[0], args[1:]) if self.ops is None else (self.ops, args)


class Map(_Mapping):
    """Applies a function to the elements of sequences, one level deep.

    Args:
        ops (Union[MultitypeFuncGraph, None]): The function; None means it comes first in the call.
            Default: ``None``.
        reverse (bool): Order of processing; the result is the same. Default: ``False``.

    Inputs:
        - **args** (Tuple[sequence]) - Sequences of equal length.

    Outputs:
        tuple of results.

    Supported Platforms:
        ``CPU``
    """

    def __call__(self, *args) -> Any:
        function, sequences = self._split(args)
        _check_lengths("Map", sequences)
        return tuple(map(function, *sequences))


class HyperMap(_Mapping):
    """Applies a function to the elements of nested sequences.

    Args:
        ops (Union[MultitypeFuncGraph, None]): The function; None means it comes first in the call.
            Default: ``None``.
        reverse (bool): Order of processing; the result is the same. Default: ``False``.

    Inputs:
        - **args** (Tuple[sequence]) - Sequences of equal structure.

    Outputs:
        Results, nested like the first sequence.

    Supported Platforms:
        ``CPU``
    """

    def __call__(self, *args) -> Any:
        function, values = self._split(args)
        if not isinstance(values[0], (tuple, list)):
            return function(*values)
        _check_lengths("HyperMap", values)
        inner = functools.partial(self, function) if self.ops is None else self
        return tuple(map(inner, *values))


def _type_names(value) -> tuple:
    """Names a value answers to, the most exact first."""
    if isinstance(value, Tensor):
        return "Parameter", "Tensor"
    if isinstance(value, (bool, np.bool_)):
        return "Bool", "Number"
    if isinstance(value, (int, np.integer)):
        return "Int64", "Int32", "Int", "Number"
    if isinstance(value, (float, np.floating)):
        return "Float32", "Float64", "Float", "Number"
    if isinstance(value, str):
        return ("String",)
    if isinstance(value, tuple):
        return ("Tuple",)
    if isinstance(value, list):
        return ("List",)
    if isinstance(value, dict):
        return ("Dictionary",)
    if value is None:
        return ("None", "NoneType")
    if mstype.is_type(value):
        return ("TypeType", "Type")
    named = type(value).__name__
    return (named, "Function", "Func") if callable(value) else (named,)


def _name_of(kind) -> str:
    if isinstance(kind, str):
        return kind
    if mstype.is_type(kind):
        return str(kind)
    return str(mstype.pytype_to_dtype(kind))


class NoBodyError(TypeError, ValueError):
    """No body is registered for such arguments: a ValueError of PyNative mode, a TypeError of graph mode."""


class MultitypeFuncGraph:
    """A function with one body per combination of argument types.

    Args:
        name (str): Its name.
        read_value (bool): Accepted for compatibility. Default: ``False``.

    Raises:
        ValueError: No body was registered for the types of a call.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import ops
        >>> add = ops.MultitypeFuncGraph("add")
        >>> @add.register("Number", "Number")
        ... def add_numbers(x, y):
        ...     return x + y
        >>> add(1, 2)
        3
    """

    def __init__(self, name, read_value=False):
        refuse_in_graph("mindspore.ops.composite.base.MultitypeFuncGraph")
        self.name = name
        self.read_value = read_value
        self.entries: list[tuple] = []

    def register(self, *type_names) -> Callable:
        """Decorator of the body for arguments of these types.

        Args:
            type_names (Union[str, mindspore.dtype]): One type per argument.
        """

        def keep(body):
            self.entries.append((tuple(map(_name_of, type_names)), body))
            return body

        return keep

    def register_default(self) -> Callable:
        """Decorator of the body for all other calls."""

        def keep(body):
            self.entries.append((None, body))
            return body

        return keep

    def _find(self, args: tuple):
        names = [_type_names(value) for value in args]
        best, best_cost = None, None
        for types, body in self.entries:
            if types is None:
                cost = 10**6
            elif len(types) != len(args) or any(
                t not in known for t, known in zip(types, names, strict=True)
            ):
                continue
            else:
                cost = sum(known.index(t) for t, known in zip(types, names, strict=True))
            if best_cost is None or cost < best_cost:
                best, best_cost = body, cost
        return best

    def __call__(self, *args) -> Any:
        if len(self.entries) == 1 and self.entries[0][0] is not None:
            return self.entries[0][1](*args)
        body = self._find(args)
        if body is None:
            known = [types for types, _ in self.entries]
            got = [names[-1] for names in map(_type_names, args)]
            raise NoBodyError(
                f"For 'MultitypeFuncGraph', cannot find fn match given args. '{self.name}' is registered for "
                f"{known}, but got {got}."
            )
        return body(*args)

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph<{self.name}>"

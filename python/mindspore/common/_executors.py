# SPDX-License-Identifier: Apache-2.0
"""What runs operators and graphs, for scripts that call it themselves under MindSpore's names."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from mindspore._c_expression import Tensor
from mindspore.common._structure import argument_counts
from mindspore.common.mutable import is_variable_number


def check_arguments(fn: Callable, args: tuple, kwargs: dict) -> None:
    """Raises a TypeError that tells how many arguments `fn` takes, if these do not fit."""
    signature = inspect.signature(fn)
    if kwargs:
        signature.bind(*args, **kwargs)
        return
    needed, most = argument_counts(signature)
    if len(args) < needed:
        raise TypeError(f"Function {fn.__name__} needs {needed} positional argument, but got {len(args)}.")
    if most is not None and len(args) > most:
        raise TypeError(
            f"Function {fn.__name__} needs {needed} positional argument and {most - needed} default "
            f"argument, total {most}, but got {len(args)}."
        )


def _kind_of(value: Any) -> str:
    """What of an argument makes a graph another one: not the values of tensors and mutable numbers."""
    if isinstance(value, Tensor):
        which = f"@{id(value):x}" if value.const_arg else ""
        return f"Tensor[{value.dtype}]{tuple(value.shape)}{which}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(_kind_of, value))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{key!r}: {_kind_of(part)}' for key, part in value.items())})"
    if is_variable_number(value):
        return "float" if isinstance(value, float) else "int"
    return repr(value)


def phase_of(name: str, owner: object, args: tuple, kwargs: dict) -> str:
    """Name of the graph for a call: the same for calls that differ in nothing but inputs of the graph."""
    return f"{name}.{id(owner)}.{_kind_of(args)}.{_kind_of(kwargs)}"


class _Executor:
    """What runs operators eagerly, for scripts that wait for it."""

    @staticmethod
    def sync() -> None:
        """Returns when all operators have finished."""
        from mindspore.hal import synchronize

        synchronize()


class _CellGraphExecutor:
    """What compiles and runs cells as graphs, for scripts that call it themselves."""

    def compile(
        self, obj: Any, *args, phase: str = "predict", do_convert=True, jit_config_dict=None, **kwargs
    ) -> tuple:
        """Checks the arguments of a cell or function; its graph is made by the first call.

        Args:
            obj (Union[Cell, Function]): What is to be called.
            args (tuple): Arguments of the call.
            phase (str): Name of what it is compiled for. Default: ``"predict"``.
            do_convert (bool): Accepted for compatibility. Default: ``True``.
            jit_config_dict (dict): Accepted for compatibility. Default: ``None``.
            kwargs (dict): Keyword arguments of the call.

        Returns:
            Tuple of a name for the graph and whether it is new.
        """
        name = phase_of(phase, obj, args, kwargs)
        if hasattr(obj, "compile"):
            obj.compile(*args, **kwargs)
        else:
            check_arguments(inspect.unwrap(obj), args, kwargs)
        return name, True

    def __call__(self, obj: Callable, *args, phase: str = "predict", **kwargs) -> Any:
        """The result of calling `obj`."""
        return obj(*args, **kwargs)

    run = __call__


class _MindsporeFunctionExecutor:
    """A function that is compiled, for scripts that make one themselves instead of using `jit`.

    Args:
        fn (Function): The function or method.
        ms_create_time (int): When it was made; accepted for compatibility.
        input_signature (Union[Tuple, List, Dict, Tensor]): As for `jit`. Default: ``None``.
        obj (object): Whose method it is. Default: ``None``.
        jit_config (JitConfig): As for `jit`. Default: ``None``.

    Raises:
        RuntimeError: `fn` is neither a function nor a method.
    """

    def __init__(self, fn: Callable, ms_create_time: int, input_signature=None, obj=None, jit_config=None):
        from mindspore.common.api import jit

        if not isinstance(fn, (types.FunctionType, types.MethodType)):
            raise RuntimeError(f"fn {fn} is not function or method")
        self.fn, self.obj = fn, obj
        self._compiled = jit(fn, input_signature=input_signature, jit_config=jit_config)

    def compile(self, method_name: str, *args, **kwargs) -> str:
        """Checks the arguments of a call, whose graph is made by the first one; a name for that graph."""
        check_arguments(inspect.unwrap(self.fn), args, kwargs)
        return phase_of(method_name, self.fn, args, kwargs)

    def __call__(self, *args, **kwargs) -> Any:
        """The result of a call."""
        return self._compiled(*args, **kwargs)

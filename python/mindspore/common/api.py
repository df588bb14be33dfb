# SPDX-License-Identifier: Apache-2.0
"""Marks for graph compilation."""

from __future__ import annotations

import functools
import inspect
import os
import types

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._capture import inspection
from mindspore._capture.function import Captured
from mindspore._capture.sizes import leaves_sizes_open
from mindspore._capture.strict import is_strict
from mindspore._settings.argument_keys import DUMP, JIT
from mindspore.common._executors import (
    _CellGraphExecutor,
    _Executor,
    _MindsporeFunctionExecutor,  # noqa: F401  (scripts import it from here)
    check_arguments,
)
from mindspore.common.jit_config import JitConfig
from mindspore.common.mutable import mutable
from mindspore.context import _values as _context_values
from mindspore.context import is_precompile_only

_enabled = os.environ.get("MS_JIT") != "0"
_is_outermost = _c.is_outermost


def _check_signature(fn, input_signature) -> None:
    if not isinstance(input_signature, dict):
        return
    parameters = inspect.signature(fn).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds or inspect.Parameter.VAR_KEYWORD in kinds:
        raise TypeError("When input_signature is a dict, the function must not have *args or **kwargs.")
    for key in input_signature:
        if key not in parameters:
            raise ValueError(
                f"When input_signature is a dict, valid key is {list(parameters)}, but got {key}."
            )


def jit(fn=None, mode="PSJit", input_signature=None, hash_args=None, jit_config=None, compile_once=False):
    """Marks a function to be compiled into a graph.

    Args:
        fn (Function): The function. Default: ``None``.
        mode (str): ``"PSJit"`` or ``"PIJit"``; both compile by running the function. What became of one
            of the second kind is told by ``mindspore._c_expression.get_code_extra``. Default: ``"PSJit"``.
        input_signature (Union[Tuple, List, Dict, Tensor]): Shapes and types of the
            arguments. Default: ``None``.
        hash_args (Union[Object, List or Tuple of Objects]): What the function uses
            besides; it is found in any case. Default: ``None``.
        jit_config (JitConfig): Options. Default: ``None``.
        compile_once (bool): Accepted; a call is compiled again only where it differs. Default: ``False``.

    Returns:
        Function with the same name that computes the same.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> @ms.jit
        ... def double(x):
        ...     return x + x
        >>> float(double(ms.Tensor(2.0)))
        4.0
    """
    if mode not in ("PSJit", "PIJit"):
        raise ValueError(f"For 'jit', the 'mode' must be 'PSJit' or 'PIJit', but got {mode}.")
    if jit_config is not None and not isinstance(jit_config, (JitConfig, dict)):
        raise TypeError(f"For 'jit', the 'jit_config' must be a JitConfig, but got {type(jit_config)}.")
    for name, value in (("mode", mode), ("hash_args", hash_args), ("compile_once", compile_once)):
        JIT.tell(name, value)

    def mark(function):
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            return function
        _check_signature(function, input_signature)

        options = jit_config.jit_config_dict if isinstance(jit_config, JitConfig) else jit_config or {}
        name = getattr(function, "__qualname__", str(function))
        captured = Captured(function, name, is_strict(options))
        captured.sizes_vary = leaves_sizes_open(input_signature)

        captured.is_special = not _enabled
        cache = captured.cache

        def elsewhere(args: tuple, kwargs: dict):
            """A call from inside another compiled function or a gradient, or one that is only checked."""
            if not _enabled or _c.is_capturing() or (mode == "PIJit" and not inspection.is_enabled()):
                return function(*args, **kwargs)
            if is_precompile_only():
                return check_arguments(function, args, kwargs)
            return captured.inside_gradient(args, kwargs) if _c.is_recording() else captured(*args, **kwargs)

        # What happens in every call stands here, without a call of another function.
        @functools.wraps(function)
        def compiled(*args, **kwargs):
            try:
                if captured.is_special or not _is_outermost() or _context_values["precompile_only"]:
                    return elsewhere(args, kwargs)
                return captured.finish(cache(*args, **kwargs), args, kwargs)
            except TypeError:
                if not _c.is_capturing():
                    check_arguments(function, args, kwargs)
                raise

        compiled._is_jit = True
        compiled._captured = captured
        if mode == "PIJit":
            inspection.note_marked(function, compiled, jit_config if isinstance(jit_config, dict) else {})
        return compiled

    return mark if fn is None else mark(fn)


def ms_function(fn=None, input_signature=None, hash_args=None, jit_config=None):
    """Deprecated name of `jit`."""
    logger.warning(
        "'mindspore.ms_function' will be deprecated and removed in a future version. Please use 'jit'."
    )
    return jit(fn, input_signature=input_signature, hash_args=hash_args, jit_config=jit_config)


def jit_class(cls):
    """Marks a class whose methods may be compiled.

    Args:
        cls (Class): The class.

    Returns:
        The class.

    Raises:
        TypeError: `cls` is not a class, or a Cell.
    """
    from mindspore.nn.cell import Cell

    if not inspect.isclass(cls):
        raise TypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    if issubclass(cls, Cell):
        raise TypeError(
            f"Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: {cls}."
        )
    cls.__ms_class__ = True
    return cls


def ms_class(cls):
    """Deprecated name of `jit_class`."""
    logger.warning(
        "'mindspore.ms_class' will be deprecated and removed in a future version. Please use 'jit_class'."
    )
    return jit_class(cls)


def _function_forbid_reuse(func):
    """Marks a function whose graph is not to be shared between callers; none is here."""
    if not inspect.isfunction(func):
        raise TypeError(
            f"Decorator _function_forbid_reuse can only be used for function type, but got {func}."
        )
    func.__function_forbid_reuse__ = True
    return func


def _no_recursive(callable_obj):
    """Mark of what is known not to call itself; compilation here does not ask."""
    from mindspore.nn.cell import Cell

    is_cell_class = inspect.isclass(callable_obj) and issubclass(callable_obj, Cell)
    if not is_cell_class and not inspect.isfunction(callable_obj) and not inspect.ismethod(callable_obj):
        raise TypeError(f"Decorator no_recursive is used for callable object, but got {callable_obj}.")
    return callable_obj


# Scripts empty it to forget compiled cells. Graphs here belong to their cells, and go with them.
cells_compile_cache: dict[int, set] = {}


def is_jit_function(function) -> bool:
    """Whether `jit` made the function."""
    return isinstance(function, types.FunctionType) and getattr(function, "_is_jit", False)


def lazy_inline(fn=None, attrs: str | list[str] | None = None, policy: str | None = None):
    """Mark of ``__init__`` that speeds up compilation; accepted."""
    return (lambda function: function) if fn is None else fn


def no_inline(fn=None):
    """Mark of a function that is not to be inlined; accepted."""
    return (lambda function: function) if fn is None else fn


def ms_memory_recycle() -> None:
    """Gives unused memory back to the device."""
    from mindspore.hal import empty_cache

    empty_cache()


def set_dump(target: object, enabled: bool = True) -> None:
    """Marks a Cell or Primitive whose values are to be dumped; has no effect, and a warning says so.

    Args:
        target (Union[Cell, Primitive]): What is marked.
        enabled (bool): Whether it is. Default: ``True``.

    Raises:
        ValueError: An argument has another type.
    """
    from mindspore.nn.cell import Cell
    from mindspore.ops.primitive import Primitive

    if not isinstance(target, (Cell, Primitive)):
        raise ValueError(
            'The "target" parameter must be an instance of Cell or Primitive, but got an instance of '
            f"{type(target)}."
        )
    if not isinstance(enabled, bool):
        raise ValueError('The "enabled" parameter must be bool.')
    if enabled:
        DUMP.tell("target", target)


_pynative_executor = _Executor()
_cell_graph_executor = _CellGraphExecutor()

__all__ = [
    "JitConfig",
    "jit",
    "jit_class",
    "lazy_inline",
    "ms_class",
    "ms_function",
    "ms_memory_recycle",
    "mutable",
    "no_inline",
    "set_dump",
]

# SPDX-License-Identifier: Apache-2.0
"""Functions of the user's that see gradients pass."""

from __future__ import annotations

import inspect
import itertools
import types
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.ops.primitive import Primitive

_numbers = itertools.count(1)


class HookHandle:
    """What registering a hook returns: takes the hook away again."""

    def __init__(self, take_away: Callable | None = None):
        self._take_away = take_away

    def remove(self) -> None:
        """The hook is not called any more."""
        if self._take_away is not None:
            self._take_away()
            self._take_away = None


def check_hook(function, where: str) -> None:
    """TypeError unless `function` is a plain function or a method."""
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        raise TypeError(
            f"When using '{where}(hook_fn)', the type of 'hook_fn' must be python function, but got "
            f"{type(function)}."
        )
    if getattr(function, "_is_jit", False):
        raise TypeError(f"Decorating hook function {function.__name__} with '@jit' is not supported.")


def register_hook(self: Tensor, hook_fn) -> HookHandle:
    """Calls `hook_fn` with the gradient of this tensor; what it returns replaces the gradient.

    Args:
        hook_fn (function): Takes the gradient, returns a Tensor or None.

    Returns:
        Handle with a method `remove()`.

    Raises:
        TypeError: `hook_fn` is not a function of one parameter.
    """
    check_hook(hook_fn, "register_hook")
    if len(inspect.signature(hook_fn).parameters) != 1:
        raise TypeError(f"Tensor hook function {hook_fn.__name__} arg num is not equal to 1.")
    number = _c.register_hook(self, hook_fn)
    if number:
        return HookHandle(lambda: _c.remove_hook(self, number))
    # Not part of a recording yet: kept until the tensor is an input or a weight of one.
    hooks = self.__dict__.setdefault("_hooks", {})
    key = next(_numbers)
    hooks[key] = hook_fn
    return HookHandle(lambda: hooks.pop(key, None))


def with_backward(name: str, tensors: list[Tensor], backward) -> list[Tensor]:
    """The same tensors; `backward` gets their gradients and returns what goes on to the originals."""
    outputs = [_c.detach(tensor) for tensor in tensors]
    _c.record_custom(name, tensors, outputs, backward)
    return outputs


class InsertGradientOf(Primitive):
    """Passes its input on and applies a function to the gradient.

    Args:
        f (Function): Takes the gradient, returns the new one.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, f):
        super().__init__("InsertGradientOf")
        if not callable(f):
            raise TypeError(f"For 'InsertGradientOf', 'f' must be a function, but got {type(f)}.")
        self.f = f

    def __call__(self, x: Tensor) -> Tensor:
        return with_backward(self.name, [x], lambda gradient: [self.f(gradient)])[0]


class HookBackward(Primitive):
    """Passes its inputs on and shows their gradients to a function.

    Args:
        hook_fn (function): Takes a tuple of gradients; what it returns replaces them.
        cell_id (str): Accepted for compatibility. Default: ``""``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, hook_fn, cell_id: str = ""):
        super().__init__("HookBackward")
        check_hook(hook_fn, "HookBackward")
        self.hook_fn, self.cell_id = hook_fn, cell_id

    def __call__(self, *inputs):
        def backward(*gradients):
            replaced = self.hook_fn(tuple(gradients))
            if replaced is None:
                return list(gradients)
            return list(replaced) if isinstance(replaced, (tuple, list)) else [replaced]

        outputs = with_backward(self.name, list(inputs), backward)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


Tensor.register_hook = register_hook

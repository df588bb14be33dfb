# SPDX-License-Identifier: Apache-2.0
"""Primitives that are made once for the same arguments."""

from __future__ import annotations

from collections.abc import Callable

from mindspore.ops.primitive import Primitive

_PRIM_CACHE: dict[str, Primitive] = {}


def _get_cache_prim(cls: type[Primitive]) -> Callable[..., Primitive]:
    """A function that makes a primitive of a class, or gives the one it made for the same arguments before.

    Args:
        cls (type): The class.

    Returns:
        Function, which takes what the class takes.

    Examples:
        >>> from mindspore import ops
        >>> from mindspore.ops._primitive_cache import _get_cache_prim
        >>> _get_cache_prim(ops.ReduceSum)(True) is _get_cache_prim(ops.ReduceSum)(True)
        True
    """

    def made(*args: object, **kwargs: object) -> Primitive:
        # By their text: arguments may be lists, and 1, 1.0 and True are three things.
        key = repr((cls.__module__, cls.__qualname__, id(cls), args, sorted(kwargs.items())))
        if key not in _PRIM_CACHE:
            _PRIM_CACHE[key] = cls(*args, **kwargs)
        return _PRIM_CACHE[key]

    return made

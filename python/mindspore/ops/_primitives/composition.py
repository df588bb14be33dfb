# SPDX-License-Identifier: Apache-2.0
"""Primitive classes from one function each, and the attributes that are given beforehand."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from mindspore._spelling import bind
from mindspore.ops.primitive import Primitive

REQUIRED = object()
"""Stands for the default of an attribute that has none."""


def composed(**attributes: object) -> Callable[[Callable], type]:
    """Decorator that makes a primitive class of a function, with its name and documentation.

    Args:
        attributes (dict): What the constructor takes, in this order, with defaults. The function is the call
            of the class: it finds them in `self`.
    """

    def make(call: Callable) -> type:
        made = primitive_class(call.__name__, call.__doc__, call, attributes)
        made.__module__ = call.__module__
        return made

    return make


def primitive_class(name: str, doc: str, call: Callable, attributes: dict) -> type:
    """A class whose constructor takes `attributes` and whose call is a function of the object and inputs."""

    signature = _signature(attributes)

    def initialise(self, *args, **kwargs):
        Primitive.__init__(self, type(self).__name__)
        bound = bind(signature, self.name, *args, **kwargs)
        bound.apply_defaults()
        for key, value in bound.arguments.items():
            self.add_prim_attr(key, value)

    call.__name__, call.__qualname__ = "__call__", f"{name}.__call__"  # errors name it
    body = {"__init__": initialise, "__call__": call, "__doc__": doc, "__module__": "mindspore.ops"}
    return type(name, (Primitive,), {**body, "__signature__": _Signatures(signature, call)})


class _Signatures:
    """`__signature__`: of the class that of its constructor, of an object that of its call."""

    def __init__(self, constructor: inspect.Signature, call: Callable):
        self._constructor, self._call = constructor, call

    def __get__(self, instance, owner):
        if instance is None:
            return self._constructor
        signature = inspect.signature(self._call)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


def _signature(attributes: dict) -> inspect.Signature:
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    return inspect.Signature(
        inspect.Parameter(name, kind, default=empty if default is REQUIRED else default)
        for name, default in attributes.items()
    )

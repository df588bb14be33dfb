# SPDX-License-Identifier: Apache-2.0
"""Primitive classes that do not follow from an operator's schema."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType

from mindspore._c_expression import package_function
from mindspore.ops.primitive import Primitive

_MODULES = (
    "collective",
    "composed",
    "custom",
    "effects",
    "functions",
    "image",
    "information",
    "padding",
    "registration",
    "sequences",
    "sparse_products",
    "sparse_updates",
    "spectra",
    "volumes",
    "windows",
)


def explained(value):
    """A function, or a class with its call, whose errors tell users what they called."""
    if isinstance(value, FunctionType):
        return package_function(value)
    kinds = value.__mro__ if isinstance(value, type) else ()
    caller = next((kind for kind in kinds if "__call__" in vars(kind)), None)
    # Several classes may have their call from one base; those of the registry explain themselves.
    if caller is not None and caller.__module__ != Primitive.__module__:
        call = vars(caller)["__call__"]
        if isinstance(call, FunctionType):
            value.__call__ = package_function(call)
    return value


def classes() -> dict:
    """Class name -> class, of all modules that are loaded with the package."""
    table = {}
    for name in _MODULES:
        module = import_module(f"mindspore.ops._primitives.{name}")
        for public in module.__all__:
            table[public] = explained(getattr(module, public))
    return table

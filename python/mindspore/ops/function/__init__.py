# SPDX-License-Identifier: Apache-2.0
"""Functions whose signature does not follow from an operator's schema: argument comfort over operators."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType

from mindspore._c_expression import package_function

_MODULES = (
    "arrangement",
    "attention",
    "boxes",
    "clipping",
    "creation",
    "decomposition",
    "deformable",
    "diagonals",
    "fourier",
    "indexing",
    "linear",
    "losses",
    "neural",
    "pooling",
    "random",
    "reduction",
    "regions",
    "renamed",
    "sampling",
    "sparse_func",
    "values",
    "volumes",
    "windows",
)


def functions() -> dict:
    """Function name -> function, of all modules of this folder."""
    table = {}
    for name in _MODULES:
        module = import_module(f"mindspore.ops.function.{name}")
        for public in module.__all__:
            function = getattr(module, public)
            if isinstance(function, FunctionType):
                function = package_function(function)
                setattr(module, public, function)
            table[public] = function
    return table


def __getattr__(name: str):
    """The functions themselves, as names of `mindspore.ops`."""
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(import_module("mindspore.ops"), name)
    except AttributeError:
        raise AttributeError(f"module 'mindspore.ops.function' has no attribute '{name}'") from None

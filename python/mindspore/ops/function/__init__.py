# SPDX-License-Identifier: Apache-2.0
"""Functions whose signature does not follow from an operator's schema: argument comfort over operators."""

from __future__ import annotations

from importlib import import_module

_MODULES = (
    "arrangement",
    "attention",
    "boxes",
    "clipping",
    "creation",
    "decomposition",
    "diagonals",
    "fourier",
    "indexing",
    "linear",
    "losses",
    "neural",
    "pooling",
    "random",
    "reduction",
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
        table.update({public: getattr(module, public) for public in module.__all__})
    return table


def __getattr__(name: str):
    """The functions themselves, as names of `mindspore.ops`."""
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(import_module("mindspore.ops"), name)
    except AttributeError:
        raise AttributeError(f"module 'mindspore.ops.function' has no attribute '{name}'") from None

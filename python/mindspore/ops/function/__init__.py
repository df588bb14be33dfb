# SPDX-License-Identifier: Apache-2.0
"""Functions whose signature does not follow from an operator's schema: argument comfort over operators."""

from __future__ import annotations

from importlib import import_module

_MODULES = (
    "arrangement",
    "boxes",
    "clipping",
    "creation",
    "decomposition",
    "indexing",
    "linear",
    "losses",
    "neural",
    "pooling",
    "random",
    "reduction",
    "renamed",
    "values",
)


def functions() -> dict:
    """Function name -> function, of all modules of this folder."""
    table = {}
    for name in _MODULES:
        module = import_module(f"mindspore.ops.function.{name}")
        table.update({public: getattr(module, public) for public in module.__all__})
    return table

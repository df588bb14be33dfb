# SPDX-License-Identifier: Apache-2.0
"""Primitive classes: the same names as in `mindspore.ops`."""

from mindspore.ops._forwarding import forward as _forward
from mindspore.ops._primitives.information import identity  # noqa: F401  (a function in `mindspore.ops`)

_lookup, __dir__ = _forward("mindspore.ops.operations")


def __getattr__(name: str):
    """A submodule, or a name of `mindspore.ops`."""
    if name.endswith("_ops"):
        from importlib import import_module
        from importlib.util import find_spec

        if find_spec(f"mindspore.ops.operations.{name}") is None:
            raise AttributeError(f"module 'mindspore.ops.operations' has no attribute '{name}'.")
        return import_module(f"mindspore.ops.operations.{name}")
    return _lookup(name)

# SPDX-License-Identifier: Apache-2.0
"""Old module paths that show the names of `mindspore.ops`."""

from __future__ import annotations

from mindspore import ops as _ops


def forward(module_name: str):
    """`__getattr__` and `__dir__` of a module whose names are those of `mindspore.ops`."""

    def lookup(name: str):
        if name.startswith("__"):
            raise AttributeError(f"module '{module_name}' has no attribute '{name}'.")
        return getattr(_ops, name)  # an error names mindspore.ops, where the names are

    return lookup, lambda: [name for name in dir(_ops) if not name.startswith("_")]

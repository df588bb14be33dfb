# SPDX-License-Identifier: Apache-2.0
"""Old module paths that show the names of `mindspore.ops`."""

from __future__ import annotations

from mindspore import ops as _ops


def _public_names(kind: str) -> list[str]:
    """Names of primitives, which begin with a capital, or of functions, for ``import *``."""
    wanted = str.isupper if kind == "primitives" else str.islower
    return [name for name in dir(_ops) if not name.startswith("_") and wanted(name[0])]


def forward(module_name: str, shows: str | None = None):
    """`__getattr__` and `__dir__` of a module whose names are those of `mindspore.ops`.

    Args:
        module_name (str): The module.
        shows (str): What ``__all__`` lists: ``"primitives"`` or ``"functions"``; by default there is none.
    """

    def lookup(name: str):
        if name == "__all__" and shows:
            return _public_names(shows)
        if name.startswith("__"):
            raise AttributeError(f"module '{module_name}' has no attribute '{name}'.")
        return getattr(_ops, name)  # an error names mindspore.ops, where the names are

    return lookup, lambda: [name for name in dir(_ops) if not name.startswith("_")]

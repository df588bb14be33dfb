# SPDX-License-Identifier: Apache-2.0
"""Old module paths that show the names of `mindspore.ops`."""

from __future__ import annotations

from importlib import import_module

from mindspore import ops as _ops


def forward(module_name: str, own: str = ""):
    """`__getattr__` and `__dir__` of a module whose names are those of `mindspore.ops`.

    A star gives functions, or classes where the module's name says that it holds primitives.

    Args:
        module_name (str): The module.
        own (str): Another one, imported when a name is first looked for, whose names come first.
            Default: ``""``.
    """
    holds_classes = ".operations" in module_name

    def is_listed(value: object) -> bool:
        return callable(value) and isinstance(value, type) == holds_classes

    def lookup(name: str):
        if name == "__all__":
            return [one for one in _ops.__all__ if is_listed(getattr(_ops, one))]
        if name.startswith("__"):
            raise AttributeError(f"module '{module_name}' has no attribute '{name}'.")
        if own and name in (more := import_module(own)).__all__:
            return getattr(more, name)
        return getattr(_ops, name)  # an error names mindspore.ops, where the names are

    return lookup, lambda: [name for name in dir(_ops) if not name.startswith("_")]

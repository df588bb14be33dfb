# SPDX-License-Identifier: Apache-2.0
"""Functions over structures of tensors, and functions that choose their body by the types of arguments."""

from __future__ import annotations

from mindspore.ops.composite.flags import add_flags, core
from mindspore.ops.composite.mapping import HyperMap, Map, MultitypeFuncGraph

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "add_flags", "core"]

_ELSEWHERE = {"GradOperation": "mindspore.common._gradient"}


def __getattr__(name: str):
    """Functions that old scripts find here, and GradOperation."""
    from importlib import import_module

    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "base":
        return import_module("mindspore.ops.composite.base")
    try:
        return getattr(import_module("mindspore.ops"), name)
    except AttributeError:
        raise AttributeError(f"module 'mindspore.ops.composite' has no attribute '{name}'") from None

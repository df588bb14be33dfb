# SPDX-License-Identifier: Apache-2.0
"""The names of `mindspore.ops.composite` under an older path."""

from mindspore.ops.composite import HyperMap, Map, MultitypeFuncGraph, add_flags, core
from mindspore.ops.composite import __getattr__ as __getattr__

__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "add_flags", "core"]

# SPDX-License-Identifier: Apache-2.0
"""Hooks that look at the data between the operations of a map while pipelines run in debug mode.

Switched on by `mindspore.dataset.config.set_debug_mode`.
"""

from mindspore.dataset.debug.debug_hook import DebugHook, hook_points
from mindspore.dataset.debug.pre_defined_hook import PrintDataHook, PrintMetaDataHook

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]

# SPDX-License-Identifier: Apache-2.0
"""Streams, events and memory of the device in use, as releases after 2.3.0 name them."""

from mindspore.hal.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
)
from mindspore.hal.stream import (
    Event,
    Stream,
    StreamCtx,
    current_stream,
    default_stream,
    set_cur_stream,
    synchronize,
)
from mindspore.runtime.execution import launch_blocking
from mindspore.runtime.limits import set_memory

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "current_stream",
    "default_stream",
    "empty_cache",
    "launch_blocking",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cur_stream",
    "set_memory",
    "synchronize",
]

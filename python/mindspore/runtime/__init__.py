# SPDX-License-Identifier: Apache-2.0
"""Streams, events and memory of the device in use, as releases after 2.3.0 name them."""

from mindspore.hal import memory as _memory
from mindspore.hal import stream as _stream
from mindspore.hal.memory import *  # noqa: F403
from mindspore.hal.stream import *  # noqa: F403
from mindspore.runtime.execution import launch_blocking
from mindspore.runtime.limits import set_memory

__all__ = [*_memory.__all__, *_stream.__all__, "launch_blocking", "set_memory"]

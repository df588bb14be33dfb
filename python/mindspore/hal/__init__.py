# SPDX-License-Identifier: Apache-2.0
"""Devices, streams, events and memory."""

from mindspore.hal import device, memory, stream
from mindspore.hal.device import *  # noqa: F403
from mindspore.hal.memory import *  # noqa: F403
from mindspore.hal.stream import *  # noqa: F403

__all__ = [*device.__all__, *memory.__all__, *stream.__all__]

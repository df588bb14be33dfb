# SPDX-License-Identifier: Apache-2.0
"""Interfaces whose form may still change."""

from mindspore.experimental import optim
from mindspore.experimental.map_parameter import MapParameter

__all__ = ["MapParameter", "optim"]

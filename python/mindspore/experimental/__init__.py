# SPDX-License-Identifier: Apache-2.0
"""Interfaces whose form may still change."""

from mindspore.experimental import optim

__all__ = ["optim"]

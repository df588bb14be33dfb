# SPDX-License-Identifier: Apache-2.0
"""Derivatives of networks as cells."""

from mindspore.nn.grad.products import Jvp, Vjp

__all__ = ["Jvp", "Vjp"]

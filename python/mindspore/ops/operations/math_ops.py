# SPDX-License-Identifier: Apache-2.0
"""Arithmetic primitives."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.operations.math_ops")

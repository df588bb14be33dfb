# SPDX-License-Identifier: Apache-2.0
"""Primitives of images."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.operations.image_ops")

# SPDX-License-Identifier: Apache-2.0
"""Operators under the path of generated code."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.auto_generate")

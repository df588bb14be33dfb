# SPDX-License-Identifier: Apache-2.0
"""Functions under the path of generated code."""

from mindspore.ops._forwarding import forward as _forward
from mindspore.ops.auto_generate._layout import contiguous, copy

__all__ = ["contiguous", "copy"]

__getattr__, __dir__ = _forward("mindspore.ops.auto_generate.gen_ops_def")

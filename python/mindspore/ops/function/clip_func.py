# SPDX-License-Identifier: Apache-2.0
"""Functions that clip."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.function.clip_func")

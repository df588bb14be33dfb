# SPDX-License-Identifier: Apache-2.0
"""Functions of linear algebra."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.function.linalg_func")

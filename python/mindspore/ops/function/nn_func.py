# SPDX-License-Identifier: Apache-2.0
"""Functions of neural networks."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.function.nn_func")

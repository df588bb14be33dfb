# SPDX-License-Identifier: Apache-2.0
"""Functions that differentiate."""

from mindspore.common._custom_vjp import custom_vjp
from mindspore.ops._forwarding import forward as _forward

__all__ = ["custom_vjp"]

__getattr__, __dir__ = _forward("mindspore.ops.function.grad.grad_func")

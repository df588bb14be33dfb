# SPDX-License-Identifier: Apache-2.0
"""Operators as functions: the same names as in `mindspore.ops`."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward("mindspore.ops.functional", "mindspore.ops.function.sequence_questions")

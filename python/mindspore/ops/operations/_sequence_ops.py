# SPDX-License-Identifier: Apache-2.0
"""Operators on sequences that scripts reach by an internal path."""

from mindspore.ops._forwarding import forward as _forward

__getattr__, __dir__ = _forward(
    "mindspore.ops.operations._sequence_ops", "mindspore.ops._primitives.python_sequences"
)

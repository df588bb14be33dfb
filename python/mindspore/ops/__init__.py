# SPDX-License-Identifier: Apache-2.0
"""Operators as functions and as primitive classes."""

from mindspore.ops import _registry, primitive

globals().update(_registry.functions())
globals().update(primitive.primitive_classes())

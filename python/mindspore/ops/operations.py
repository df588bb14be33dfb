# SPDX-License-Identifier: Apache-2.0
"""Primitive classes: the same names as in `mindspore.ops`."""

from __future__ import annotations

from mindspore import ops as _ops


def __getattr__(name: str):
    try:
        return getattr(_ops, name)
    except AttributeError:
        raise AttributeError(f"module 'mindspore.ops.operations' has no attribute '{name}'") from None


def __dir__() -> list[str]:
    return dir(_ops)

# SPDX-License-Identifier: Apache-2.0
"""What functions that are arranged in Python ask of their arguments."""

from __future__ import annotations

from mindspore._c_expression import Tensor


def require_tensor(name: str, label: str, value) -> None:
    """TypeError for anything but a Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"For '{name}', the '{label}' must be a Tensor, but got {type(value).__name__}.")


def checked_axis(name: str, axis, rank: int, label: str = "axis") -> int:
    """The axis counted from 0; an input without axes has none."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError(f"For '{name}', the '{label}' must be an int, but got {type(axis).__name__}.")
    axis = axis.__index__()
    if not -rank <= axis < rank:
        raise ValueError(f"For '{name}', the '{label}' must be in [{-rank}, {rank}), but got {axis}.")
    return axis + rank if axis < 0 else axis

# SPDX-License-Identifier: Apache-2.0
"""What functions that are arranged in Python ask of their arguments."""

from __future__ import annotations

import functools
import inspect

from mindspore._c_expression import Tensor

_MANY = 1 << 16  # more axes than there can be


def require_tensor(name: str, label: str, value) -> None:
    """TypeError for anything but a Tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"For '{name}', the '{label}' must be a Tensor, but got {type(value).__name__}.")


def takes(**axes):
    """Decorator: the arguments named must be tensors, with at least so many axes, or from so many to so many.

    Args:
        axes (Union[int, tuple[int, int]]): By the name of the argument.
    """
    limits = {name: (rule, _MANY) if isinstance(rule, int) else rule for name, rule in axes.items()}

    def decorate(function):
        places = {name: list(inspect.signature(function).parameters).index(name) for name in limits}

        @functools.wraps(function)
        def _checked(*args, **kwargs):
            for name, (least, most) in limits.items():
                value = args[places[name]] if places[name] < len(args) else kwargs.get(name)
                require_tensor(function.__name__, name, value)
                if not least <= value.ndim <= most:
                    _refuse_axes(function.__name__, name, value, least, most)
            return function(*args, **kwargs)

        return _checked

    return decorate


def _refuse_axes(owner: str, name: str, value: Tensor, least: int, most: int) -> None:
    wanted = f"at least {least}" if most == _MANY else (f"{least}" if least == most else f"{least} to {most}")
    raise ValueError(f"For '{owner}', the '{name}' must have {wanted} axes, but got the shape {value.shape}.")


def checked_axis(name: str, axis, rank: int, label: str = "axis") -> int:
    """The axis counted from 0; an input without axes has none."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError(f"For '{name}', the '{label}' must be an int, but got {type(axis).__name__}.")
    axis = axis.__index__()
    if not -rank <= axis < rank:
        raise ValueError(f"For '{name}', the '{label}' must be in [{-rank}, {rank}), but got {axis}.")
    return axis + rank if axis < 0 else axis


def flat_widths(name: str, paddings, rank: int | None = None) -> tuple[int, ...]:
    """Width before and after each axis in one row, from pairs or from such a row."""
    if isinstance(paddings, Tensor):
        paddings = paddings.asnumpy().tolist()
    if not isinstance(paddings, (tuple, list)):
        raise TypeError(f"For '{name}', the 'paddings' must be a tuple of pairs, but got {type(paddings)}.")
    flat: list[int] = []
    for entry in paddings:
        if isinstance(entry, (tuple, list)):
            if len(entry) != 2:
                raise ValueError(f"For '{name}', the 'paddings' must consist of pairs, but got {paddings}.")
            flat += entry
        else:
            flat.append(entry)
    for width in flat:
        if isinstance(width, bool) or not isinstance(width, int):
            raise TypeError(f"For '{name}', the 'paddings' must hold ints, but got {paddings}.")
        if width < 0:
            raise ValueError(f"For '{name}', the 'paddings' must not be negative, but got {paddings}.")
    if rank is not None and len(flat) != 2 * rank:
        raise ValueError(f"For '{name}', the 'paddings' must have {rank} pairs, but got {paddings}.")
    return tuple(flat)

# SPDX-License-Identifier: Apache-2.0
"""Inputs a Cell declares beforehand, and whether later ones fit them."""

from __future__ import annotations

import inspect

from mindspore.common._structure import argument_counts
from mindspore.common.tensor import Tensor

_UNKNOWN_RANK = (-2,)


def declared_inputs(cell, inputs: tuple, kwargs: dict) -> tuple | None:
    """What `set_inputs` was given, one entry per argument of `construct`; None is not declared."""
    if inputs and kwargs:
        raise ValueError(
            f"For Cell, set_inputs should only set inputs or kwargs(inputs: {inputs}, kwargs: {kwargs})!"
        )
    signature = inspect.signature(cell.construct)
    if kwargs:
        names = list(signature.parameters)
        for key in kwargs:
            if key not in names:
                raise ValueError(f"For Cell, set_inputs: For dict mode, valid key is {names}, but got {key}!")
        return tuple(kwargs.get(name) for name in names)
    needed, most = argument_counts(signature)
    if len(inputs) < needed or (most is not None and len(inputs) > most):
        raise ValueError(
            f"For Cell, set_inputs: the number of inputs must be that of the arguments of 'construct', "
            f"{needed}, but got {len(inputs)}."
        )
    return inputs


def check_declared(cell, args: tuple, kwargs: dict) -> None:
    """Raises when a call does not fit what was declared.

    Raises:
        TypeError: An input has another type.
        ValueError: An input has another number of axes, another length where one is known, or another value.
    """
    if kwargs:
        bound = inspect.signature(cell.construct).bind(*args, **kwargs)
        args = tuple(bound.arguments.values())
    lengths: dict = {}
    for i, (declared, given) in enumerate(zip(cell._cell_inputs, args, strict=False)):
        _check_one(cell.cls_name, i + 1, declared, given, lengths)


def _check_one(owner: str, number: int, declared, given, lengths: dict) -> None:
    if declared is None:
        return
    if isinstance(declared, (tuple, list)):
        if not isinstance(given, (tuple, list)) or len(given) != len(declared):
            raise ValueError(
                f"For '{owner}', the {number}th input must be a {type(declared).__name__} of {len(declared)} "
                f"elements, as set_inputs said, but got {given!r}."
            )
        for part, value in zip(declared, given, strict=True):
            _check_one(owner, number, part, value, lengths)
    elif isinstance(declared, Tensor):
        _check_tensor(owner, number, declared, given, lengths)
    elif isinstance(given, Tensor) or given != declared:
        raise ValueError(
            f"For '{owner}', the {number}th input must be {declared!r}, as set_inputs said, but got "
            f"{given!r}."
        )


def _check_tensor(owner: str, number: int, declared: Tensor, given, lengths: dict) -> None:
    if not isinstance(given, Tensor):
        raise TypeError(
            f"For '{owner}', the {number}th type should be Tensor[{declared.dtype}], but got "
            f"{type(given).__name__}!"
        )
    if given.dtype != declared.dtype:
        raise TypeError(
            f"For '{owner}', the {number}th type should be Tensor[{declared.dtype}], but got "
            f"Tensor[{given.dtype}]!"
        )
    wanted, shape = declared.shape, given.shape
    if wanted == _UNKNOWN_RANK:
        return
    if len(wanted) != len(shape) or any(w not in (-1, s) for w, s in zip(wanted, shape, strict=True)):
        raise ValueError(
            f"For '{owner}', the dims of {number}th input must be the same as expected, {wanted}, but got "
            f"{shape}."
        )
    for axis, symbol in declared.__dict__.get("_symbols", {}).items():
        _check_symbol(owner, number, symbol, shape[axis], lengths)


def _check_symbol(owner: str, number: int, symbol, length: int, lengths: dict) -> None:
    fits = length >= symbol.min and (not symbol.max or length <= symbol.max)
    fits = fits and length % symbol.divisor == symbol.remainder
    if fits and symbol.unique:
        fits = lengths.setdefault(symbol.id, length) == length
    if not fits:
        raise ValueError(
            f"For '{owner}', a length of the {number}th input must fit its Symbol, {symbol.to_dict()}, but "
            f"got {length}."
        )

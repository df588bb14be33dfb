# SPDX-License-Identifier: Apache-2.0
"""Runs a program one way and writes down everything that can be seen of it."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import re
import types

import numpy as np
from programs import Program, is_cell_class

import mindspore as ms
from mindspore import nn
from mindspore._capture import function as capture

ROUNDS = 4
_PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), type, range, slice, frozenset, set)


@dataclasses.dataclass
class Outcome:
    """What one way of running gave."""

    values: list
    gradients: list
    printed: str
    state: list
    captured: list = dataclasses.field(default_factory=list)
    captures_in_last_round: int = 0

    @property
    def refusals(self) -> list[str]:
        """Why something ran eagerly though it was to be captured."""
        return [reason for each in self.captured for reason in each.reasons]

    @property
    def raised(self) -> bool:
        """Whether a call ended in an exception."""
        return any(isinstance(value, BaseException) for value in self.values + self.gradients)


class _Kept(list):
    """Stands where captured functions are entered, and keeps them."""

    add = list.append


def _given(value):
    if isinstance(value, np.ndarray):
        return ms.Tensor(value)
    if isinstance(value, tuple):
        parts = [_given(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [_given(part) for part in value]
    if isinstance(value, dict):
        return {key: _given(part) for key, part in value.items()}
    return value


def _attempt(function, args: tuple, keywords: dict):
    try:
        return function(*_given(args), **_given(keywords))
    except Exception as error:  # noqa: BLE001  (whatever it is, both ways must raise it)
        return error


def _float_positions(args: tuple) -> tuple:
    return tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind == "f")


def _fields(cell) -> dict:
    hidden = set(nn.Cell().__dict__) | {"_captured", "_ready", "_checked"}
    return {k: v for k, v in cell.__dict__.items() if k not in hidden and not isinstance(v, nn.Cell)}


def _run_calls(one: Program, compiled, kept: list) -> tuple[list, list, list, int]:
    values, gradients = [], []
    target = one.target() if is_cell_class(one.target) else one.target
    run = target if isinstance(target, nn.Cell) else compiled(target)
    before = 0
    for turn in range(ROUNDS):
        if turn == ROUNDS - 1:
            before = sum(each.captures for each in kept)
        for args in one.inputs:
            values.append(_attempt(run, args, one.keywords))
    last = sum(each.captures for each in kept) - before
    state = [_fields(cell) for _, cell in target.cells_and_names()] if isinstance(target, nn.Cell) else []
    if one.gradient and any(_float_positions(args) for args in one.inputs):
        gradients = _run_gradients(one, target, compiled)
    return values, gradients, state, last


def _run_gradients(one: Program, target, compiled) -> list:
    found = []
    functions = {}
    for _ in range(2):
        for args in one.inputs:
            positions = _float_positions(args)
            if not positions:
                continue
            if positions not in functions:
                weights = target.trainable_params() if isinstance(target, nn.Cell) else ()
                gradient = ms.grad(target, positions, ms.ParameterTuple(weights) if weights else None)
                functions[positions] = gradient if isinstance(target, nn.Cell) else compiled(gradient)
            found.append(_attempt(functions[positions], args, one.keywords))
    return found


def run(one: Program, captured: bool) -> Outcome:
    """Runs the program eagerly or captured, in a state that depends on nothing before."""
    kept, entered = _Kept(), capture.every_captured
    printed = io.StringIO()
    ms.set_seed(7)
    ms.set_context(mode=ms.GRAPH_MODE if captured else ms.PYNATIVE_MODE)
    capture.every_captured = kept
    compiled = ms.jit if captured else (lambda function, **_: function)
    try:
        with contextlib.redirect_stdout(printed):
            if one.is_script:
                result = one.target(compiled)
                return Outcome([result], [], printed.getvalue(), [], kept)
            values, gradients, state, last = _run_calls(one, compiled, kept)
        return Outcome(values, gradients, printed.getvalue(), state, kept, last)
    finally:
        capture.every_captured = entered
        ms.set_context(mode=ms.PYNATIVE_MODE)


def _message(error: BaseException) -> str:
    """What an error says; only a compiled function has a graph to point to."""
    pointer = re.compile(
        r"(\n(The local variable|In file) .*)?\n\(See file '.*' for more details\.\)$", re.DOTALL
    )
    return pointer.sub("", str(error)).rstrip(".")


def same(found, expected, where: str, tolerance: float = 1e-5) -> None:
    """Fails unless both are the same in structure, types and values."""
    assert type(found) is type(expected), f"{where}: {found!r} is not {expected!r}"
    if isinstance(expected, ms.Tensor):
        _same_tensors(found, expected, where, tolerance)
    elif isinstance(expected, BaseException):
        assert _message(found) == _message(expected), where
    elif isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key in expected:
            same(found[key], expected[key], f"{where}[{key!r}]", tolerance)
    elif isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), where
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            same(one, other, f"{where}[{i}]", tolerance)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, where
        np.testing.assert_allclose(found, expected, tolerance, 1e-6, err_msg=where)
    elif isinstance(expected, (float, complex)):
        assert found == expected or abs(found - expected) <= tolerance * abs(expected) or math.isnan(expected)
    elif isinstance(expected, _PLAIN):
        assert found == expected, f"{where}: {found!r} is not {expected!r}"
    elif isinstance(expected, nn.Cell):
        same(_fields(found), _fields(expected), where, tolerance)
    elif isinstance(expected, types.FunctionType):
        assert found.__name__ == expected.__name__, where
    elif hasattr(expected, "__dict__"):
        same(vars(found), vars(expected), where, tolerance)


def _same_tensors(found, expected, where: str, tolerance: float) -> None:
    assert found.dtype == expected.dtype, f"{where}: {found.dtype} is not {expected.dtype}"
    assert found.shape == expected.shape, f"{where}: {found.shape} is not {expected.shape}"
    values, wanted = found.asnumpy(), expected.asnumpy()
    if wanted.dtype.kind in "fc":
        np.testing.assert_allclose(values, wanted, tolerance, tolerance / 10, err_msg=where)
    else:
        np.testing.assert_array_equal(values, wanted, where)

# SPDX-License-Identifier: Apache-2.0
"""Rules for recurrent layers, which are written step after step.

Our operators begin after the product of input and weight, where the primitives of MindIR have it inside.
"""

from __future__ import annotations

from collections.abc import Callable

from mindspore.common import dtype as mstype
from mindspore.train._mindir.operators import Call, Symbol, rule

States = list[Symbol]


def _product(state: Symbol, weight: Symbol) -> Symbol:
    shape = (state.shape[0], weight.shape[0])
    return state.MatMul(weight, shape=shape, transpose_a=False, transpose_b=True)


def _gates(x: Symbol, count: int) -> list[Symbol]:
    """A row of gates in parts."""
    units = x.shape[1] // count
    types = [(x.dtype, (x.shape[0], units))] * count
    return x.several("Split", types=types, axis=1, output_num=count)


def _scan(call: Call, first: States, lengths: Symbol | None, step: Callable) -> list[Symbol]:
    """States of all steps, each kind stacked; rows that have ended keep what they had."""
    x, steps = call.input(0), call.shape[0]
    parts = x.several("Unstack", types=[(x.dtype, x.shape[1:])] * steps, axis=0, num=steps)
    states, history = first, []
    for t in range(steps)[:: -1 if call["reverse"] else 1]:
        new = step(parts[t], *states)
        if lengths is not None:
            runs = lengths.reshape((x.shape[1], 1)) > t
            new = [runs.where(after, before) for after, before in zip(new, states, strict=True)]
        states = new
        history.append(states)
    history = history[::-1] if call["reverse"] else history
    return [_stacked(kind) for kind in zip(*history, strict=True)]


def _stacked(states: tuple[Symbol, ...]) -> Symbol:
    first, *others = states
    shape = (len(states), *first.shape)
    return first.joined("Stack", others, shape, axis=0) if others else first.reshape(shape)


def _refuse_gates(call: Call, output: int) -> None:
    if call.is_read(output):
        call.refuse("somebody reads the gates")


@rule("lstm_scan")
def _lstm(call: Call) -> list[Symbol]:
    _refuse_gates(call, 2)
    weight = call.input(3)

    def step(x: Symbol, hidden: Symbol, cell: Symbol) -> States:
        i, f, g, o = _gates(x + _product(hidden, weight), 4)
        cell = f.Sigmoid() * cell + i.Sigmoid() * g.Tanh()
        return [o.Sigmoid() * cell.Tanh(), cell]

    return _scan(call, [call.input(1), call.input(2)], call.input(4, mstype.int32), step)


@rule("gru_scan")
def _gru(call: Call) -> list[Symbol]:
    _refuse_gates(call, 1)
    weight, bias = call.input(2), call.input(3)

    def step(x: Symbol, hidden: Symbol) -> States:
        product = _product(hidden, weight)
        product = product if bias is None else product.BiasAdd(bias, shape=product.shape, format="NCHW")
        (xr, xz, xn), (ur, uz, un) = _gates(x, 3), _gates(product, 3)
        z = (xz + uz).Sigmoid()
        n = (xn + (xr + ur).Sigmoid() * un).Tanh()
        return [n + z * (hidden - n)]

    return _scan(call, [call.input(1)], call.input(4, mstype.int32), step)


@rule("simple_scan")
def _simple(call: Call) -> list[Symbol]:
    weight, kind = call.input(2), {"tanh": "Tanh", "relu": "ReLU"}[call["nonlinearity"]]

    def step(x: Symbol, hidden: Symbol) -> States:
        return [(x + _product(hidden, weight)).add(kind)]

    return _scan(call, [call.input(1)], call.input(3, mstype.int32), step)

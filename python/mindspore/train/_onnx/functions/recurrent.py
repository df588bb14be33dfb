# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers."""

from __future__ import annotations

import numpy as np

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op
from mindspore.train._onnx.functions.table import Attributes, function

_ACTIVATIONS = {"LSTM": ["sigmoid", "tanh", "tanh"], "GRU": ["sigmoid", "tanh"], "RNN": ["tanh"]}


class _Direction:
    """Weights of one direction, with the rows of gates in our order."""

    def __init__(self, number: int, gates: tuple[int, ...], inputs: list):
        weight, hidden_weight, bias = (None if part is None else part[number] for part in inputs)
        self.units = hidden_weight.shape[-1]
        self._gates = gates
        self.weight, self.hidden_weight = self._ordered(weight), self._ordered(hidden_weight)
        self.bias = self.hidden_bias = None
        if bias is not None:
            half = len(gates) * self.units
            self.bias, self.hidden_bias = self._ordered(bias[:half]), self._ordered(bias[half:])

    def _ordered(self, x):
        if len(self._gates) == 1:
            return x
        rows = np.arange(len(self._gates) * self.units).reshape(len(self._gates), self.units)
        return op.gather(x, Tensor(rows[list(self._gates)].reshape(-1)), axis=0)

    def joint_bias(self):
        """Of input and state together."""
        return None if self.bias is None else op.add(self.bias, self.hidden_bias)


def _check(attributes: Attributes, count: int) -> list[str]:
    """Names of the activations of one direction; all directions must agree."""
    names = [name.lower() for name in attributes.get("activations") or []]
    usual = _ACTIVATIONS[attributes.kind]
    own = names[: len(usual)] or usual
    if names and names != own * count:
        attributes.refuse("different activations of the directions")
    if own != usual and not (attributes.kind == "RNN" and own == ["relu"]):
        attributes.refuse(f"the activations {own}")
    if attributes.get("clip") is not None or attributes.get("input_forget", 0):
        attributes.refuse("clipping, or joining input and forget gates,")
    return own


def _layer(attributes: Attributes, inputs: list, gates: tuple[int, ...], scan):
    """Runs all directions; `scan` gets a direction, its input, first states and whether it runs backwards."""
    x, weight, hidden_weight, bias, lengths, *firsts = inputs
    by_rows = attributes.get("layout", 0)
    if by_rows:
        x = op.swapaxes(x, axis0=0, axis1=1)
        firsts = [None if first is None else op.swapaxes(first, axis0=0, axis1=1) for first in firsts]
    names = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
    directions = names[attributes.get("direction", "forward")]
    _check(attributes, len(directions))
    steps, rows = x.shape[:2]
    sequences, lasts = [], [[] for _ in firsts]
    for i, backwards in enumerate(directions):
        direction = _Direction(i, gates, [weight, hidden_weight, bias])
        zeros = ops.zeros((rows, direction.units), x.dtype)
        states = scan(direction, x, [zeros if f is None else f[i] for f in firsts], lengths, backwards)
        for last, state in zip(lasts, states, strict=True):
            last.append(state[0] if backwards else state[steps - 1])
        sequences.append(_without_ends(states[0], lengths))
    result = [ops.stack(sequences, axis=1), *(ops.stack(last) for last in lasts)]
    if by_rows:
        result = [
            op.transpose(result[0], perm=(2, 0, 1, 3)),
            *(op.swapaxes(r, axis0=0, axis1=1) for r in result[1:]),
        ]
    return result[: max(attributes.outputs, 1)]


def _without_ends(states, lengths):
    """ONNX wants zeros after the end of a row."""
    if lengths is None:
        return states
    time = Tensor(np.arange(states.shape[0], dtype=np.int32).reshape(-1, 1, 1))
    ended = op.greater_equal(time, op.cast(lengths, mstype.int32).reshape((1, -1, 1)))
    return op.where(ended, op.zeros_like(states), states)


@function("LSTM")
def _lstm(
    attributes: Attributes, x, weight, hidden_weight, bias=None, lengths=None, h=None, c=None, peep=None
):
    if peep is not None:
        attributes.refuse("peepholes")

    def scan(direction, x, firsts, lengths, backwards):
        given = op.dense(x, direction.weight, direction.joint_bias())
        return op.lstm_scan(given, *firsts, direction.hidden_weight, lengths, reverse=backwards)[:2]

    return _layer(attributes, [x, weight, hidden_weight, bias, lengths, h, c], (0, 2, 3, 1), scan)


@function("GRU")
def _gru(attributes: Attributes, x, weight, hidden_weight, bias=None, lengths=None, h=None):
    def scan(direction, x, firsts, lengths, backwards):
        given = op.dense(x, direction.weight, direction.bias)
        if not attributes.get("linear_before_reset", 0):
            return [_gru_with_early_reset(direction, given, firsts[0], lengths, backwards)]
        return op.gru_scan(
            given, firsts[0], direction.hidden_weight, direction.hidden_bias, lengths, reverse=backwards
        )[:1]

    return _layer(attributes, [x, weight, hidden_weight, bias, lengths, h], (1, 0, 2), scan)


def _gru_with_early_reset(direction: _Direction, given, state, lengths, backwards: bool):
    """The form that resets the state before it is multiplied, step by step."""
    units, steps = direction.units, given.shape[0]
    weights = [direction.hidden_weight[i * units : (i + 1) * units] for i in range(3)]
    biases = [None] * 3
    if direction.hidden_bias is not None:
        biases = [direction.hidden_bias[i * units : (i + 1) * units] for i in range(3)]
    found = [None] * steps
    for time in reversed(range(steps)) if backwards else range(steps):
        parts = op.split_sizes(given[time], sizes=(units,) * 3, axis=1)
        reset, update = (
            op.sigmoid(op.add(parts[i], op.dense(state, weights[i], biases[i]))) for i in range(2)
        )
        fresh = op.tanh(op.add(parts[2], op.dense(op.mul(reset, state), weights[2], biases[2])))
        new = op.add(fresh, op.mul(update, op.sub(state, fresh)))
        if lengths is not None:
            new = op.where(op.less(time, op.cast(lengths, mstype.int32)).reshape((-1, 1)), new, state)
        found[time] = state = new
    return ops.stack(found)


@function("RNN")
def _rnn(attributes: Attributes, x, weight, hidden_weight, bias=None, lengths=None, h=None):
    kind = (attributes.get("activations") or ["Tanh"])[0].lower()

    def scan(direction, x, firsts, lengths, backwards):
        given = op.dense(x, direction.weight, direction.joint_bias())
        states = op.simple_scan(
            given, firsts[0], direction.hidden_weight, lengths, nonlinearity=kind, reverse=backwards
        )
        return [states]

    return _layer(attributes, [x, weight, hidden_weight, bias, lengths, h], (0,), scan)

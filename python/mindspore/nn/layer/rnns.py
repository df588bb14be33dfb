# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers over whole sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import DTYPE, flag, positive_int
from mindspore.nn._description import Argument, documented, shows, takes
from mindspore.nn.cell import Cell
from mindspore.nn.layer.basic import Dropout
from mindspore.ops._registry import op


def lstm_walk(x, states, weights: tuple, lengths=None, reverse=False) -> tuple:
    """All states of one direction of one layer, each (steps, rows, units): hidden, cell."""
    weight_ih, weight_hh, bias_ih, bias_hh = weights
    bias = None if bias_ih is None else bias_ih + bias_hh
    return op.lstm_scan(op.dense(x, weight_ih, bias), *states, weight_hh, lengths, reverse)[:2]


def gru_walk(x, states, weights: tuple, lengths=None, reverse=False) -> tuple:
    """All states of one direction of one layer: hidden alone."""
    weight_ih, weight_hh, bias_ih, bias_hh = weights
    return op.gru_scan(op.dense(x, weight_ih, bias_ih), *states, weight_hh, bias_hh, lengths, reverse)[:1]


def simple_walk(nonlinearity) -> Callable:
    """As above, for a plain layer with that nonlinearity."""

    def walk(x, states, weights, lengths=None, reverse=False):
        weight_ih, weight_hh, bias_ih, bias_hh = weights
        bias = None if bias_ih is None else bias_ih + bias_hh
        projected = op.dense(x, weight_ih, bias)
        return (op.simple_scan(projected, *states, weight_hh, lengths, nonlinearity, reverse),)

    return walk


def _dropped(value, name: str, owner: str) -> float:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the '{name}' must be float, but got {type(value).__name__}.")
    if not 0 <= value < 1:
        raise ValueError(f"For '{owner}', the '{name}' must be in range [0, 1), but got {value}.")
    return value


_BATCH_FIRST = "Whether the input is (batch, steps, features) instead of (steps, batch, features)."
_DROPOUT = "Probability to drop an element between two layers, in [0, 1)."
_BACKWARDS = "Whether a second set of weights goes from the end to the beginning."
_SIZES = [
    positive_int("input_size", "Features of the input."),
    positive_int("hidden_size", "Features of a hidden state."),
    positive_int("num_layers", "Layers on top of each other.", 1),
]
_OPTIONS = [
    flag("has_bias", "Whether there are biases.", True),
    flag("batch_first", _BATCH_FIRST),
    Argument(
        "dropout", "float", "Probability to drop an element between two layers, in [0, 1).", 0.0, _dropped
    ),
    flag("bidirectional", _BACKWARDS),
    DTYPE,
]


@takes(*_SIZES, *_OPTIONS)
class _Recurrent(Cell):
    """What all recurrent layers share. A subclass says how many gates there are and how time is walked.

    Inputs:
        - **x** (Tensor) - The sequences.
        - **hx** (Tensor) - States before the first step, each of shape
          (num_layers * directions, batch, hidden_size). Default: zeros.
        - **seq_length** (Tensor) - Steps of each sequence of the batch; the output behind them is zero.

    Outputs:
        The hidden states of the last layer at every step, and the last states of every layer in the form
        of `hx`, both of the type of `x`: weights of another type are cast to it.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: A number is out of range, or a shape does not fit.
    """

    gates = 1
    state_names = ("hx",)

    def _set_up(self, dtype) -> None:
        dropout, num_layers = self.dropout, self.num_layers
        if dropout > 0 and num_layers == 1:
            logger.warning(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}."
            )
        self._between = Dropout(p=dropout) if dropout > 0 else None
        self._make_parameters(dtype)

    def _make_parameters(self, dtype) -> None:
        bound = 1 / math.sqrt(self.hidden_size)
        rows, width = self.gates * self.hidden_size, self.hidden_size * self._directions
        parts: dict[str, list[Parameter]] = {"w_ih": [], "w_hh": [], "b_ih": [], "b_hh": []}
        # In this order, and from NumPy's generator itself, so that a seed gives MindSpore's weights.
        for layer, suffix in self._suffixes():
            shapes = [
                (rows, self.input_size if layer == 0 else width),
                (rows, self.hidden_size),
                (rows,),
                (rows,),
            ]
            for part, shape in zip(parts, shapes if self.has_bias else shapes[:2], strict=False):
                name = part.replace("w_", "weight_").replace("b_", "bias_") + suffix
                drawn = np.random.uniform(-bound, bound, shape).astype(np.float32)
                parts[part].append(Parameter(Tensor(drawn, dtype), name=name))
        self.w_ih_list, self.w_hh_list = ParameterTuple(parts["w_ih"]), ParameterTuple(parts["w_hh"])
        if self.has_bias:
            self.b_ih_list, self.b_hh_list = ParameterTuple(parts["b_ih"]), ParameterTuple(parts["b_hh"])

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _suffixes(self) -> list[tuple[int, str]]:
        """Layer and end of the parameters' names, in their order."""
        ends = ["", "_reverse"][: self._directions]
        return [(layer, f"_l{layer}{end}") for layer in range(self.num_layers) for end in ends]

    def _first_states(self, x, hx) -> tuple:
        """The states before the first step, each (layers * directions, rows, units)."""
        shape = (self.num_layers * self._directions, x.shape[1], self.hidden_size)
        if hx is None:
            return tuple(op.fill(x.dtype, shape, 0) for _ in self.state_names)
        given = hx if isinstance(hx, tuple) else (hx,)
        if len(given) != len(self.state_names) or isinstance(hx, tuple) != (len(self.state_names) > 1):
            wanted = (
                "a Tensor" if len(self.state_names) == 1 else f"a tuple of {len(self.state_names)} Tensors"
            )
            raise TypeError(f"For '{self.cls_name}', the 'hx' must be {wanted}, but got {type(hx).__name__}.")
        for name, state in zip(self.state_names, given, strict=True):
            if not isinstance(state, Tensor):
                raise TypeError(
                    f"For '{self.cls_name}', the '{name}' must be a Tensor, but got {type(state).__name__}."
                )
            if state.shape != shape:
                raise ValueError(
                    f"For '{self.cls_name}', the shape of '{name}' must be {shape}, but got {state.shape}."
                )
            if state.dtype is not x.dtype:
                raise TypeError(
                    f"For '{self.cls_name}', the type of '{name}' should be same as 'x', but got 'x' with "
                    f"type {x.dtype} and '{name}' with type {state.dtype}."
                )
        return given

    def _read_arguments(self, x, seq_length):
        """The input with time as its first axis, and the lengths as integers."""
        if not isinstance(x, Tensor):
            raise TypeError(f"For '{self.cls_name}', the 'x' must be a Tensor, but got {type(x).__name__}.")
        if x.ndim != 3:
            raise ValueError(
                f"For '{self.cls_name}', the dimension of 'x' must be equal to 3, but got {x.ndim}."
            )
        if seq_length is not None and not isinstance(seq_length, Tensor):
            raise TypeError(
                f"For '{self.cls_name}', the 'seq_length' must be a Tensor, but got "
                f"{type(seq_length).__name__}."
            )
        if seq_length is not None and seq_length.dtype not in (mstype.int32, mstype.int64):
            seq_length = op.cast(seq_length, mstype.int32)
        return (op.transpose(x, (1, 0, 2)) if self.batch_first else x), seq_length

    def _weights(self, index: int, dtype) -> tuple:
        """Weights and biases of one direction of one layer, in the type of the input."""
        weights = (self.w_ih_list[index], self.w_hh_list[index])
        if self.has_bias:
            weights += (self.b_ih_list[index], self.b_hh_list[index])
        if weights[0].dtype is not dtype:
            weights = tuple(op.cast(weight, dtype) for weight in weights)
        return weights if self.has_bias else (*weights, None, None)

    def construct(self, x, hx: Any = None, seq_length=None) -> tuple:
        x, seq_length = self._read_arguments(x, seq_length)
        first = self._first_states(x, hx)
        ended = None
        if seq_length is not None:
            times = op.reshape(op.arange(0, x.shape[0], 1, mstype.int32), (-1, 1, 1))
            ended = op.greater_equal(times, op.reshape(seq_length, (1, -1, 1)))
        last = []
        for layer in range(self.num_layers):
            if layer > 0 and self._between is not None:
                x = self._between(x)
            outputs = []
            for direction in range(self._directions):
                index = layer * self._directions + direction
                before = tuple(state[index] for state in first)
                states = self._over_time(x, before, self._weights(index, x.dtype), seq_length, direction == 1)
                last.append([state[-1 if direction == 0 else 0] for state in states])
                outputs.append(states[0])
            x = outputs[0] if len(outputs) == 1 else op.concat(outputs, 2)
            if ended is not None:
                x = op.masked_fill(x, ended, 0.0)
        final = tuple(op.stack(list(states), 0) for states in zip(*last, strict=True))
        output = op.transpose(x, (1, 0, 2)) if self.batch_first else x
        return output, final if len(final) > 1 else final[0]

    extend_repr = shows("input_size hidden_size num_layers has_bias batch_first dropout bidirectional")


@documented
class LSTM(_Recurrent):
    """Long short-term memory.

    Inputs:
        - **x** (Tensor) - The sequences.
        - **hx** (tuple[Tensor]) - States before the first step, each of shape
          (num_layers * directions, batch, hidden_size). Default: zeros.
        - **seq_length** (Tensor) - Steps of each sequence of the batch; the output behind them is zero.
    """

    gates = 4
    state_names = ("hx[0]", "hx[1]")
    _over_time = staticmethod(lstm_walk)


@documented
class GRU(_Recurrent):
    """Gated recurrent units."""

    gates = 3
    _over_time = staticmethod(gru_walk)


@takes(
    *_SIZES,
    *_OPTIONS,
    Argument(
        "nonlinearity",
        "str",
        '``"tanh"`` or ``"relu"``; only by name.',
        "tanh",
        check.choice("tanh", "relu"),
        by_name=True,
    ),
)
class RNN(_Recurrent):
    """Plain recurrent layers."""

    def _set_up(self, nonlinearity) -> None:
        self._over_time = simple_walk(nonlinearity)


__all__ = ["GRU", "LSTM", "RNN"]

# SPDX-License-Identifier: Apache-2.0
"""Single steps of recurrent layers."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common.initializer import Uniform, initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import DTYPE
from mindspore.nn._description import Argument, shows, takes
from mindspore.nn.cell import Cell
from mindspore.nn.layer.rnns import gru_walk, lstm_walk, simple_walk
from mindspore.ops._registry import op


def _first_values(*shape_and_dtype) -> Tensor:
    """Drawn from NumPy and replaced at once: so does MindSpore, and NumPy's stream moves as users expect."""
    *shape, dtype = shape_and_dtype
    return Tensor(np.random.randn(*shape), dtype)


class RNNCellBase(Cell):
    """Weights and biases of one step of a recurrent layer. A class derived from it says what is computed.

    Args:
        input_size (int): Features of the input.
        hidden_size (int): Features of the state.
        has_bias (bool): Whether there are biases.
        num_chunks (int): Matrices of `hidden_size` rows in a weight: the gates.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool, num_chunks: int, dtype=mstype.float32
    ):
        super().__init__()
        self.input_size = check.positive_int(input_size, "input_size", self.cls_name)
        self.hidden_size = check.positive_int(hidden_size, "hidden_size", self.cls_name)
        self.has_bias = check.boolean(has_bias, "has_bias", self.cls_name)
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(_first_values(rows, input_size, dtype), name="weight_ih")
        self.weight_hh = Parameter(_first_values(rows, hidden_size, dtype), name="weight_hh")
        self.bias_ih = self.bias_hh = None
        if has_bias:
            self.bias_ih = Parameter(_first_values(rows, dtype), name="bias_ih")
            self.bias_hh = Parameter(_first_values(rows, dtype), name="bias_hh")
        self.reset_parameters(dtype)

    def reset_parameters(self, dtype=mstype.float32) -> None:
        """Draws all parameters anew.

        Args:
            dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.
        """
        bound = Uniform(1 / math.sqrt(self.hidden_size))
        for parameter in self.get_parameters():
            parameter.set_data(initializer(bound, parameter.shape, dtype))


_SIZES = [
    Argument("input_size", "int", "Features of the input."),
    Argument("hidden_size", "int", "Features of the state."),
    Argument("has_bias", "bool", "Whether there are biases.", True),
]


class _RecurrentStep(RNNCellBase):
    """What the single steps share.

    Inputs:
        - **x** (Tensor) - Shape (batch, input_size).
        - **hx** (Tensor) - The state, shape (batch, hidden_size).

    Outputs:
        The next state.
    """

    gates = 1
    state_count = 1

    def __init__(self, input_size, hidden_size, has_bias, dtype):
        super().__init__(input_size, hidden_size, has_bias, self.gates, dtype)

    def _read_arguments(self, x, hx) -> tuple:
        """The states before the step."""
        states = hx if self.state_count > 1 else (hx,)
        if not isinstance(states, (tuple, list)) or len(states) != self.state_count:
            raise TypeError(
                f"For '{self.cls_name}', the 'hx' must be a tuple of {self.state_count} Tensors, but got "
                f"{type(hx).__name__}."
            )
        for name, tensor, width in (
            ("x", x, self.input_size),
            *(("hx", s, self.hidden_size) for s in states),
        ):
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"For '{self.cls_name}', the '{name}' must be a Tensor, but got {type(tensor).__name__}."
                )
            if tensor.ndim != 2 or tensor.shape[1] != width or tensor.shape[0] != x.shape[0]:
                raise ValueError(
                    f"For '{self.cls_name}', the shape of '{name}' must be (batch, {width}), but got "
                    f"{tensor.shape}."
                )
        return tuple(states)

    def construct(self, x, hx: Any) -> Any:
        states = self._read_arguments(x, hx)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        after = tuple(state[0] for state in self._over_time(op.expand_dims(x, 0), states, weights))
        return after if self.state_count > 1 else after[0]

    extend_repr = shows("input_size hidden_size has_bias")


@takes(
    *_SIZES,
    Argument("nonlinearity", "str", '``"tanh"`` or ``"relu"``.', "tanh", check.choice("tanh", "relu")),
    DTYPE,
)
class RNNCell(_RecurrentStep):
    """One step of a plain recurrent layer."""

    def _set_up(self) -> None:
        self._over_time = simple_walk(self.nonlinearity)


@takes(*_SIZES, DTYPE)
class GRUCell(_RecurrentStep):
    """One step of gated recurrent units."""

    gates = 3
    _over_time = staticmethod(gru_walk)


def _refuse_old_arguments(init):
    """Arguments from the time when the class was a whole layer are named in the error."""

    @functools.wraps(init)
    def _checked(self, *args, **kwargs):
        old = sorted({"batch_size", "batch_first", "dropout", "bidirectional"} & set(kwargs))
        if old or len(args) > 4:
            raise ValueError(
                f"For 'LSTMCell', a single step takes 'input_size', 'hidden_size', 'has_bias' and 'dtype', "
                f"but got {', '.join(old) or f'{len(args)} arguments'}; nn.LSTM is the layer."
            )
        init(self, *args, **kwargs)

    return _checked


class LSTMCell(_RecurrentStep):
    """One step of a long short-term memory.

    Args:
        input_size (int): Features of the input.
        hidden_size (int): Features of the states.
        has_bias (bool): Whether there are biases. Default: ``True``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Inputs:
        - **x** (Tensor) - Shape (batch, input_size).
        - **hx** (tuple) - Hidden and cell state, each of shape (batch, hidden_size).

    Outputs:
        The next hidden and cell state.

    Supported Platforms:
        ``CPU``
    """

    gates = 4
    state_count = 2
    _over_time = staticmethod(lstm_walk)

    @_refuse_old_arguments
    def __init__(self, input_size, hidden_size, has_bias=True, dtype=mstype.float32):
        super().__init__(input_size, hidden_size, has_bias, dtype)


__all__ = ["GRUCell", "LSTMCell", "RNNCell"]

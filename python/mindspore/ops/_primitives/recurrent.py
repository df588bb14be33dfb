# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as primitives: weights come in the call."""

from __future__ import annotations

import math

from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["DynamicGRUV2", "DynamicRNN", "LSTM"]


def _check_kinds(primitive: Primitive, **kinds: str) -> None:
    """TypeError for the first argument of a constructor that is not of its type.

    Args:
        primitive (Primitive): Has the arguments as attributes.
        kinds (dict): Type, and the names of the arguments that must have it.
    """
    for kind, names in kinds.items():
        for name in names.split():
            valid = {"bool": bool, "float": float, "int": int, "str": str}[kind]
            check_value_type(name, getattr(primitive, name), [valid], primitive.name)


def _require(owner: str, error: type, **settled) -> None:
    """Raises for the first setting that has another value than the one it must have."""
    for name, (value, wanted) in settled.items():
        if value != wanted:
            raise error(f"For '{owner}', '{name}' must be {wanted!r}, but got {value!r}.")


def _check_steps(owner: str, x) -> None:
    """Raises if the input is not one of (steps, batch, features) with a step at least."""
    if not isinstance(x, Tensor):
        raise TypeError(f"For '{owner}', 'x' must be a Tensor, but got {type(x).__name__}.")
    if x.ndim != 3 or x.shape[0] == 0:
        raise ValueError(
            f"For '{owner}', 'x' must have the shape (steps, batch, features) with one step at least, "
            f"but got {x.shape}."
        )


class LSTM(Primitive):
    """Layers of long short-term memory whose weights are one tensor.

    Args:
        input_size (int): Features of the input.
        hidden_size (int): Features of a state.
        num_layers (int): Layers on top of each other.
        has_bias (bool): Whether there are biases.
        bidirectional (bool): Whether a second set of weights goes from the end to the beginning.
        dropout (float): Probability to drop an element between two layers, in [0, 1].
        proj_size (int): ``0``: hidden states are not projected. Default: ``0``.

    Inputs:
        - **input** (Tensor) - (steps, batch, input_size).
        - **h**, **c** (Tensor) - First states, (layers * directions, batch, hidden_size).
        - **w** (Tensor) - All weights of inputs, then of hidden states, then biases (one for both); in each
          of these the layers follow one another and in a layer its directions. A second set of biases at the
          end, which other devices take, is not used.

    Outputs:
        Tuple of the hidden states of the last layer, the last hidden and cell states, and two numbers that
        only devices use.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0):
        _check_kinds(
            self,
            int="input_size hidden_size num_layers proj_size",
            bool="has_bias bidirectional",
            float="dropout",
        )
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"For 'LSTM', the '{name}' must be positive, but got {getattr(self, name)}.")
        if not 0 <= dropout <= 1:
            raise ValueError(f"For 'LSTM', the 'dropout' must be in [0, 1], but got {dropout}.")
        _require("LSTM", NotImplementedError, proj_size=(proj_size, 0))
        self.num_directions = 2 if bidirectional else 1

    def _shapes(self) -> list[tuple]:
        """Shapes of everything in `w`, in its order."""
        rows, directions = 4 * self.hidden_size, self.num_directions
        widths = [self.input_size] + [self.hidden_size * directions] * (self.num_layers - 1)
        of_input = [(rows, width) for width in widths for _ in range(directions)]
        count = len(of_input)
        biases = [(rows,)] * count if self.has_bias else []
        return [*of_input, *[(rows, self.hidden_size)] * count, *biases]

    def _weights(self, w) -> list[Tensor]:
        shapes = self._shapes()
        sizes = tuple(math.prod(shape) for shape in shapes)
        of_biases = sum(math.prod(shape) for shape in shapes if len(shape) == 1)
        flat = op.reshape(w, (-1,))
        if of_biases and w.size == sum(sizes) + of_biases:
            flat = flat[: sum(sizes)]
        elif w.size != sum(sizes):
            raise ValueError(f"For 'LSTM', the 'w' must have {sum(sizes)} elements, but got shape {w.shape}.")
        parts = op.split_sizes(flat, sizes, 0)
        return [op.reshape(part, shape) for part, shape in zip(parts, shapes, strict=True)]

    def __call__(self, input, h, c, w) -> tuple:
        from mindspore.ops import dropout

        weights = self._weights(w)
        count = self.num_layers * self.num_directions
        for name, state in (("h", h), ("c", c)):
            wanted = (count, input.shape[1], self.hidden_size)
            if input.ndim == 3 and state.shape != wanted:
                raise ValueError(
                    f"For 'LSTM', the shape of '{name}' must be {wanted}, but got {state.shape}."
                )
        x, last = input, []
        for layer in range(self.num_layers):
            if layer > 0 and self.dropout > 0:
                x = dropout(x, self.dropout)
            outputs = []
            for direction in range(self.num_directions):
                i = layer * self.num_directions + direction
                gates = op.dense(x, weights[i], weights[2 * count + i] if self.has_bias else None)
                hidden, cell = op.lstm_scan(gates, h[i], c[i], weights[count + i], None, direction == 1)[:2]
                end = 0 if direction else -1
                last.append((hidden[end], cell[end]))
                outputs.append(hidden)
            x = outputs[0] if len(outputs) == 1 else op.concat(outputs, 2)
        final = tuple(op.stack([state[k] for state in last], 0) for k in range(2))
        unused = op.zeros((1, 1), input.dtype)
        return x, *final, unused, unused


class DynamicRNN(Primitive):
    """One layer of long short-term memory that also gives its gates.

    Args:
        cell_type (str): ``"LSTM"``.
        direction (str): ``"UNIDIRECTIONAL"``.
        cell_depth (int): ``1``.
        use_peephole (bool): ``False``.
        keep_prob (float): ``1.0``.
        cell_clip (float): Bound of the cell state; none when not positive. Default: ``-1.0``.
        num_proj (int): ``0``.
        time_major (bool): ``True``: the input is (steps, batch, features).
        activation (str): ``"tanh"``.
        forget_bias (float): Added to the forget gate. Default: ``0.0``.
        is_training (bool): Not used. Default: ``True``.

    Inputs:
        - **x** (Tensor) - (steps, batch, input_size).
        - **w** (Tensor) - (input_size + hidden_size, 4 * hidden_size): input gate, new content, forget gate,
          output gate.
        - **b** (Tensor) - (4 * hidden_size,).
        - **seq_length** (None) - All sequences have all steps.
        - **init_h**, **init_c** (Tensor) - First states, (1, batch, hidden_size). Default: zeros.

    Outputs:
        Tuple (y, output_h, output_c, i, j, f, o, tanhct), each (steps, batch, hidden_size).

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        cell_type="LSTM",
        direction="UNIDIRECTIONAL",
        cell_depth=1,
        use_peephole=False,
        keep_prob=1.0,
        cell_clip=-1.0,
        num_proj=0,
        time_major=True,
        activation="tanh",
        forget_bias=0.0,
        is_training=True,
    ):
        _check_kinds(
            self,
            str="cell_type direction activation",
            int="cell_depth num_proj",
            bool="use_peephole time_major is_training",
            float="keep_prob cell_clip forget_bias",
        )
        _require(
            "DynamicRNN",
            ValueError,
            cell_type=(cell_type, "LSTM"),
            direction=(direction, "UNIDIRECTIONAL"),
            time_major=(time_major, True),
            activation=(activation, "tanh"),
        )
        _require(
            "DynamicRNN",
            NotImplementedError,
            cell_depth=(cell_depth, 1),
            use_peephole=(use_peephole, False),
            keep_prob=(keep_prob, 1.0),
            num_proj=(num_proj, 0),
        )

    def __call__(self, x, w, b, seq_length=None, init_h=None, init_c=None) -> tuple:
        if seq_length is not None:
            raise NotImplementedError("For 'DynamicRNN', 'seq_length' must be None.")
        _check_steps(self.name, x)
        units = b.shape[0] // 4
        kind, wide = b.dtype, mstype.float32
        zeros = op.zeros((x.shape[1], units), wide)
        hidden = zeros if init_h is None else op.reshape(op.cast(init_h, wide), zeros.shape)
        cell = zeros if init_c is None else op.reshape(op.cast(init_c, wide), zeros.shape)
        of_input = op.split_sizes(op.cast(w, wide), (x.shape[2], units), 0)
        projected = op.dense(op.cast(x, wide), op.transpose(of_input[0], (1, 0)), op.cast(b, wide))
        steps = []
        for t in range(x.shape[0]):
            gates = op.add(projected[t], op.matmul(hidden, of_input[1]))
            i, j, f, o = op.split_sizes(gates, (units,) * 4, 1)
            i, f, o = op.sigmoid(i), op.sigmoid(op.add(f, self.forget_bias)), op.sigmoid(o)
            j = op.tanh(j)
            cell = op.add(op.mul(f, cell), op.mul(i, j))
            if self.cell_clip > 0:
                cell = op.minimum(op.maximum(cell, -self.cell_clip), self.cell_clip)
            shown = op.tanh(cell)
            hidden = op.mul(o, shown)
            steps.append((hidden, hidden, cell, i, j, f, o, shown))
        kinds = (kind, x.dtype, *(kind,) * 6)
        return tuple(
            op.cast(op.stack(list(parts), 0), one)
            for parts, one in zip(zip(*steps, strict=True), kinds, strict=True)
        )


class DynamicGRUV2(Primitive):
    """One layer of gated recurrent units that also gives its gates.

    Args:
        direction (str): ``"UNIDIRECTIONAL"``.
        cell_depth (int): ``1``.
        keep_prob (float): ``1.0``.
        cell_clip (float): Not positive.
        num_proj (int): ``0``.
        time_major (bool): ``True``: the input is (steps, batch, features).
        activation (str): ``"tanh"``.
        gate_order (str): ``"rzh"`` (reset, update, new) or ``"zrh"``. Default: ``"rzh"``.
        reset_after (bool): Whether the reset gate acts on the product of the state rather than on the state.
            Default: ``True``.
        is_training (bool): Not used. Default: ``True``.

    Inputs:
        - **x** (Tensor) - (steps, batch, input_size).
        - **weight_input** (Tensor) - (input_size, 3 * hidden_size).
        - **weight_hidden** (Tensor) - (hidden_size, 3 * hidden_size).
        - **bias_input**, **bias_hidden** (Tensor) - (3 * hidden_size,), or None.
        - **seq_length** (None) - All sequences have all steps.
        - **init_h** (Tensor) - First state, (batch, hidden_size).

    Outputs:
        Tuple (y, output_h, update, reset, new, hidden_new), each (steps, batch, hidden_size).

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        direction="UNIDIRECTIONAL",
        cell_depth=1,
        keep_prob=1.0,
        cell_clip=-1.0,
        num_proj=0,
        time_major=True,
        activation="tanh",
        gate_order="rzh",
        reset_after=True,
        is_training=True,
    ):
        _check_kinds(
            self,
            str="direction activation",
            int="cell_depth num_proj",
            bool="time_major reset_after is_training",
            float="keep_prob cell_clip",
        )
        _require(
            "DynamicGRUV2",
            ValueError,
            direction=(direction, "UNIDIRECTIONAL"),
            time_major=(time_major, True),
            activation=(activation, "tanh"),
        )
        _require(
            "DynamicGRUV2",
            NotImplementedError,
            cell_depth=(cell_depth, 1),
            keep_prob=(keep_prob, 1.0),
            num_proj=(num_proj, 0),
        )
        if cell_clip > 0:
            raise NotImplementedError(
                f"For 'DynamicGRUV2', 'cell_clip' must not be positive, but got {cell_clip}."
            )
        if gate_order not in ("rzh", "zrh"):
            raise ValueError(
                f"For 'DynamicGRUV2', 'gate_order' must be 'rzh' or 'zrh', but got {gate_order!r}."
            )

    def _ordered(self, gates, units: int) -> tuple:
        """Reset, update and new content, whatever their order."""
        first, second, new = op.split_sizes(gates, (units,) * 3, gates.ndim - 1)
        return (first, second, new) if self.gate_order == "rzh" else (second, first, new)

    def __call__(
        self, x, weight_input, weight_hidden, bias_input=None, bias_hidden=None, seq_length=None, init_h=None
    ) -> tuple:
        if seq_length is not None:
            raise NotImplementedError("For 'DynamicGRUV2', 'seq_length' must be None.")
        _check_steps(self.name, x)
        wide, units = mstype.float32, weight_hidden.shape[0]
        kind = next((t.dtype for t in (bias_input, bias_hidden, init_h) if t is not None), x.dtype)
        weight, bias = (None if t is None else op.cast(t, wide) for t in (weight_hidden, bias_hidden))
        projected = op.dense(
            op.cast(x, wide),
            op.transpose(op.cast(weight_input, wide), (1, 0)),
            None if bias_input is None else op.cast(bias_input, wide),
        )
        hidden = op.zeros((x.shape[1], units), wide)
        if init_h is not None:
            hidden = op.reshape(op.cast(init_h, wide), hidden.shape)
        steps = []
        for t in range(x.shape[0]):
            from_state = op.matmul(hidden, weight)
            from_state = from_state if bias is None else op.add(from_state, bias)
            reset_x, update_x, new_x = self._ordered(projected[t], units)
            reset_h, update_h, new_h = self._ordered(from_state, units)
            reset, update = op.sigmoid(op.add(reset_x, reset_h)), op.sigmoid(op.add(update_x, update_h))
            if self.reset_after:
                shifted = op.mul(reset, new_h)
            else:
                shifted = new_h = op.matmul(op.mul(reset, hidden), weight[:, 2 * units :])
                shifted = new_h = new_h if bias is None else op.add(new_h, bias[2 * units :])
            new = op.tanh(op.add(new_x, shifted))
            hidden = op.add(new, op.mul(update, op.sub(hidden, new)))
            steps.append((hidden, hidden, update, reset, new, new_h))
        return tuple(op.cast(op.stack(list(parts), 0), kind) for parts in zip(*steps, strict=True))

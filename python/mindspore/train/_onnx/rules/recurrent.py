# SPDX-License-Identifier: Apache-2.0
"""Rules for recurrent layers.

Our operators begin after the product of input and weight; ONNX has it inside. Where a dense layer computed
what an operator takes, its weight goes into the node; otherwise an identity does.
"""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule


def _reordered(x: Symbol, gates: tuple[int, ...], units: int) -> Symbol:
    """Rows of gates in the order of ONNX."""
    if len(gates) == 1:
        return x
    rows = np.arange(len(gates) * units).reshape(len(gates), units)[list(gates)]
    return x.Gather(x.ints(rows.reshape(-1)), axis=0)


def _input_side(call: Call, gates: tuple[int, ...], units: int) -> tuple[Symbol, Symbol, Symbol]:
    """What the node reads, the weight it is multiplied with and the bias."""
    zeros = call.constant(np.zeros(len(gates) * units))
    source = call.producer(0)
    if source.kind == "operator" and source.name == "dense":
        inner = Call(call.writer, source)
        if len(inner.shape_of(0)) == 3 and len(inner.shape_of(1)) == 2 and inner.shape_of(0)[2] > 0:
            weight, bias = inner.input(1, call.dtype), inner.input(2, call.dtype)
            bias = zeros if bias is None else _reordered(bias, gates, units)
            return inner.input(0, call.dtype), _reordered(weight, gates, units), bias
    return call.input(0), _reordered(call.constant(np.eye(len(gates) * units)), gates, units), zeros


def _first(x: Symbol) -> Symbol:
    return x.Unsqueeze(x.ints([0]))


def _only_last_is_read(call: Call, output: int, steps: int) -> bool:
    """Whether all readers of a sequence of states take the state after the last step."""
    last = 0 if call["reverse"] else steps - 1
    return all(
        user.name == "index_view"
        and user.attributes["begin"][0] == last
        and user.attributes["length"][0] == 1
        for user in call.users(output)
    )


def _written(
    call: Call, kind: str, gates: tuple[int, ...], places: dict, **attributes
) -> tuple[Symbol, list]:
    """The node; gives states of all steps as our operators have them, and the last states."""
    steps, rows, units = call.shape
    x, weight, bias = _input_side(call, gates, units)
    hidden_weight = _reordered(call.input(places["weight"]), gates, units)
    if "bias" in places and call.has(places["bias"]):
        hidden_bias = _reordered(call.input(places["bias"]), gates, units)
    else:
        hidden_bias = call.constant(np.zeros(len(gates) * units))
    lengths = call.input(places["lengths"], mstype.int32)
    first = call.input(places["hidden"])
    more = [_first(call.input(places["cell"]))] if "cell" in places else []
    states = x.add(
        kind,
        _first(weight),
        _first(hidden_weight),
        _first(bias.Concat(hidden_bias, axis=0)),
        lengths,
        _first(first),
        *more,
        outputs=2 + len(more),
        hidden_size=units,
        direction="reverse" if call["reverse"] else "forward",
        **attributes,
    )
    hidden = states[0].Squeeze(first.ints([1]))
    if lengths is not None:  # ONNX has zeros after the end of a row, we the state it had
        time = call.constant(np.arange(steps).reshape(steps, 1, 1), mstype.int32)
        ended = time >= lengths.reshape((1, rows, 1))
        hidden = ended.where(_first(first) if call["reverse"] else states[1], hidden)
    return hidden, states[1:]


@rule("lstm_scan")
def _lstm(call: Call) -> list[Symbol]:
    steps = call.shape[0]
    if call.is_read(2):
        call.refuse("somebody reads the gates")
    if not _only_last_is_read(call, 1, steps):
        call.refuse("somebody reads the cell states of steps before the last one")
    places = {"hidden": 1, "cell": 2, "weight": 3, "lengths": 4}
    hidden, (_, cell) = _written(call, "LSTM", (0, 3, 1, 2), places)
    return [hidden, cell.Expand(cell.ints(call.shape))]


@rule("gru_scan")
def _gru(call: Call) -> list[Symbol]:
    if call.is_read(1):
        call.refuse("somebody reads the gates")
    places = {"hidden": 1, "weight": 2, "bias": 3, "lengths": 4}
    return [_written(call, "GRU", (1, 0, 2), places, linear_before_reset=1)[0]]


@rule("simple_scan")
def _simple(call: Call) -> Symbol:
    places = {"hidden": 1, "weight": 2, "lengths": 3}
    kind = {"tanh": "Tanh", "relu": "Relu"}[call["nonlinearity"]]
    return _written(call, "RNN", (0,), places, activations=[kind])[0]

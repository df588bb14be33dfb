# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers against plain NumPy, and their gradients against differences."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

STEPS, ROWS, INPUTS, UNITS = 5, 3, 4, 6
LAYERS = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}
CELLS = {"LSTM": nn.LSTMCell, "GRU": nn.GRUCell, "RNN": nn.RNNCell}


def logistic(x):
    return 1 / (1 + np.exp(-x))


def one_step(kind, x, states, weights, nonlinearity="tanh"):
    """The next states of all rows, in double precision."""
    w_ih, w_hh, b_ih, b_hh = weights
    a, b = x @ w_ih.T + b_ih, states[0] @ w_hh.T + b_hh
    if kind == "RNN":
        return [np.tanh(a + b) if nonlinearity == "tanh" else np.maximum(a + b, 0)]
    if kind == "GRU":
        (ar, az, an), (br, bz, bn) = np.split(a, 3, 1), np.split(b, 3, 1)
        r, z = logistic(ar + br), logistic(az + bz)
        n = np.tanh(an + r * bn)
        return [n + z * (states[0] - n)]
    i, f, g, o = np.split(a + b, 4, 1)
    c = logistic(f) * states[1] + logistic(i) * np.tanh(g)
    return [logistic(o) * np.tanh(c), c]


def walk(kind, x, states, weights, lengths, reverse, nonlinearity):
    """One direction of one layer: output and last states."""
    output = np.zeros((len(x), ROWS, UNITS))
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        new = one_step(kind, x[t], states, weights, nonlinearity)
        alive = (t < lengths)[:, None]
        states = [np.where(alive, after, before) for after, before in zip(new, states, strict=True)]
        output[t] = np.where(alive, states[0], 0)
    return output, states


def expected(kind, layer, x, hx, lengths, nonlinearity="tanh"):
    """What the layer has to give for an input with time first."""
    weights = {name: p.asnumpy().astype(np.float64) for name, p in layer.parameters_dict().items()}
    last = []
    for level in range(layer.num_layers):
        outputs = []
        for end in ["", "_reverse"][: 2 if layer.bidirectional else 1]:
            names = [f"{n}_l{level}{end}" for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            own = [weights.get(name, 0.0) for name in names]
            states = [state[len(last)].astype(np.float64) for state in hx]
            output, states = walk(kind, x, states, own, lengths, end != "", nonlinearity)
            outputs.append(output)
            last.append(states)
        x = np.concatenate(outputs, 2)
    return x, [np.stack(states) for states in zip(*last, strict=True)]


def states_of(kind, count, rng):
    return [
        rng.normal(size=(count, ROWS, UNITS)).astype(np.float32) for _ in range(2 if kind == "LSTM" else 1)
    ]


def as_hx(kind, states):
    return tuple(map(Tensor, states)) if kind == "LSTM" else Tensor(states[0])


def flat(result):
    output, last = result
    return [output.asnumpy(), *(part.asnumpy() for part in (last if isinstance(last, tuple) else (last,)))]


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("lengths", [None, [5, 2, 0]], ids=["full", "lengths"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_layers": 2, "bidirectional": True},
        {"has_bias": False, "bidirectional": True},
        {"batch_first": True, "num_layers": 2},
    ],
    ids=["plain", "deep both ways", "no bias", "batch first"],
)
def test_values(kind, lengths, options):
    rng = np.random.default_rng(3)
    ms.set_seed(5)
    layer = LAYERS[kind](INPUTS, UNITS, **options)
    x = rng.normal(size=(STEPS, ROWS, INPUTS)).astype(np.float32)
    states = states_of(kind, layer.num_layers * (2 if layer.bidirectional else 1), rng)
    wanted_output, wanted_last = expected(
        kind, layer, x.astype(np.float64), states, np.array(lengths or [STEPS] * ROWS)
    )
    given = Tensor(x.swapaxes(0, 1).copy() if layer.batch_first else x)
    found = flat(layer(given, as_hx(kind, states), None if lengths is None else Tensor(lengths, ms.int32)))
    if layer.batch_first:
        wanted_output = wanted_output.swapaxes(0, 1)
    for got, wanted in zip(found, [wanted_output, *wanted_last], strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-6)


@pytest.mark.parametrize("kind", LAYERS)
def test_states_are_zero_by_default(kind):
    layer = LAYERS[kind](INPUTS, UNITS)
    x = ops.ones((STEPS, ROWS, INPUTS))
    zeros = [np.zeros((1, ROWS, UNITS), np.float32)] * 2
    for got, wanted in zip(flat(layer(x)), flat(layer(x, as_hx(kind, zeros))), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_plain_layer_with_relu():
    rng = np.random.default_rng(1)
    layer = nn.RNN(INPUTS, UNITS, nonlinearity="relu")
    x = rng.normal(size=(STEPS, ROWS, INPUTS)).astype(np.float32)
    states = states_of("RNN", 1, rng)
    wanted, _ = expected("RNN", layer, x, states, np.array([STEPS] * ROWS), "relu")
    np.testing.assert_allclose(layer(Tensor(x), Tensor(states[0]))[0].asnumpy(), wanted, atol=1e-6)


@pytest.mark.parametrize("kind", CELLS)
def test_single_steps(kind):
    rng = np.random.default_rng(2)
    cell = CELLS[kind](INPUTS, UNITS)
    x = rng.normal(size=(ROWS, INPUTS)).astype(np.float32)
    states = [state[0] for state in states_of(kind, 1, rng)]
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    assert [parameter.name for parameter in cell.get_parameters()] == list(names)
    weights = [getattr(cell, name).asnumpy() for name in names]
    found = cell(Tensor(x), as_hx(kind, states))
    for got, wanted in zip(
        found if isinstance(found, tuple) else (found,), one_step(kind, x, states, weights), strict=True
    ):
        np.testing.assert_allclose(got.asnumpy(), wanted, atol=1e-6)


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"])
def test_gradients(kind, mode):
    rng = np.random.default_rng(4)
    layer = LAYERS[kind](INPUTS, UNITS, num_layers=2, bidirectional=True, dtype=ms.float64)
    x = Tensor(rng.normal(size=(STEPS, ROWS, INPUTS)))
    lengths = Tensor([5, 3, 1], ms.int64)
    weights = layer.trainable_params()

    def loss(x):
        output, last = layer(x, None, lengths)
        total = (output * output).sum()
        for state in last if isinstance(last, tuple) else (last,):
            total = total + ops.sin(state).sum()
        return total

    ms.set_context(mode=mode)
    try:
        to_x, to_weights = ms.grad(loss, 0, weights)(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for tensor, gradient in [(x, to_x), *zip(weights, to_weights, strict=True)]:
        array, at = tensor.asnumpy().copy(), tuple(rng.integers(0, tensor.shape))
        values = []
        for move in (1e-6, -1e-6):
            moved = array.copy()
            moved[at] += move
            if tensor is x:
                values.append(float(loss(Tensor(moved)).asnumpy()))
            else:
                tensor.set_data(Tensor(moved))
                values.append(float(loss(x).asnumpy()))
                tensor.set_data(Tensor(array))
        np.testing.assert_allclose(
            gradient.asnumpy()[at], (values[0] - values[1]) / 2e-6, rtol=1e-5, atol=1e-7
        )


def test_large_products_agree_with_small_ones():
    # wide enough for the packed product; one row at a time is not
    layer = nn.LSTM(32, 96)
    x = np.random.default_rng(6).normal(size=(7, 24, 32)).astype(np.float32)
    together = layer(Tensor(x))[0].asnumpy()
    for row in (0, 23):
        alone = layer(Tensor(x[:, row : row + 1]))[0].asnumpy()
        np.testing.assert_allclose(together[:, row : row + 1], alone, atol=2e-6)


def test_parameters_in_order():
    layer = nn.LSTM(INPUTS, UNITS, num_layers=2, bidirectional=True)
    ends = ["_l0", "_l0_reverse", "_l1", "_l1_reverse"]
    kinds = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    found = {p.name: p for p in layer.get_parameters()}
    assert list(found) == [kind + end for kind in kinds for end in ends]
    assert found["weight_ih_l0"].shape == (4 * UNITS, INPUTS)
    assert found["weight_ih_l1_reverse"].shape == (4 * UNITS, 2 * UNITS)
    assert found["weight_hh_l1"].shape == (4 * UNITS, UNITS)
    assert found["bias_hh_l0"].shape == (4 * UNITS,)
    bound = 1 / np.sqrt(UNITS)
    assert all(np.abs(p.asnumpy()).max() <= bound for p in found.values())


def test_dropout_between_layers_only():
    layer = nn.GRU(INPUTS, UNITS, num_layers=2, dropout=0.9)
    x = ops.ones((STEPS, ROWS, INPUTS))
    layer.set_train(False)
    np.testing.assert_array_equal(layer(x)[0].asnumpy(), layer(x)[0].asnumpy())
    layer.set_train(True)
    first, second = layer(x), layer(x)
    assert not np.array_equal(first[0].asnumpy(), second[0].asnumpy())
    np.testing.assert_array_equal(first[1][0].asnumpy(), second[1][0].asnumpy())  # the first layer's state


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"dropout": 1}, TypeError),
        ({"dropout": 1.0}, ValueError),
        ({"num_layers": 0}, ValueError),
        ({"has_bias": 1}, TypeError),
        ({"hidden_size": 2.0}, TypeError),
        ({"nothing": 1}, TypeError),
    ],
)
def test_bad_arguments(arguments, error):
    with pytest.raises(error):
        nn.LSTM(**{"input_size": 3, "hidden_size": 4, **arguments})


def test_bad_calls():
    layer = nn.LSTM(INPUTS, UNITS)
    x, state = ops.ones((STEPS, ROWS, INPUTS)), ops.zeros((1, ROWS, UNITS))
    with pytest.raises(ValueError, match="dimension of 'x'"):
        layer(x[0])
    with pytest.raises(TypeError, match="tuple of 2"):
        layer(x, state)
    with pytest.raises(ValueError, match="shape of"):
        layer(x, (state, state[:, :1]))
    with pytest.raises(ValueError, match="seq_length"):
        layer(x, None, Tensor([STEPS + 1, 1, 1]))
    with pytest.raises(ValueError, match="nonlinearity"):
        nn.RNN(INPUTS, UNITS, nonlinearity="gelu")
    with pytest.raises(TypeError, match="'x'"):
        layer(x.asnumpy())


@pytest.mark.parametrize("arguments", [{"batch_size": 3}, {"dropout": 0.5}, {"bidirectional": True}])
def test_the_single_step_is_no_layer(arguments):
    with pytest.raises(ValueError, match="LSTMCell"):
        nn.LSTMCell(INPUTS, UNITS, **arguments)


# First four hidden states of layers whose parameters run evenly from -1 to 1, for a float16 input.
OF_HALF_INPUT = {
    nn.RNN: [-0.3642578125, -0.0302581787109375, 0.310546875, 0.5869140625],
    nn.GRU: [-0.037017822265625, -0.0550537109375, -0.06951904296875, -0.08087158203125],
    nn.LSTM: [0.012664794921875, 0.0223236083984375, 0.0325927734375, 0.043426513671875],
}


@pytest.mark.parametrize("kind", OF_HALF_INPUT)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_layers_answer_in_the_type_of_their_input(kind, mode):
    layer = kind(3, 4)
    for parameter in layer.get_parameters():
        even = np.linspace(-1, 1, parameter.size, dtype=np.float32).reshape(parameter.shape)
        parameter.set_data(Tensor(even))
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        x = Tensor(np.linspace(-1, 1, 6).reshape(2, 1, 3).astype(np.float16))
        output, last = layer(x)
        states = last if isinstance(last, tuple) else (last,)
        assert {t.dtype for t in (output, *states)} == {ms.float16}
        # The reference rounds every product to float16.
        np.testing.assert_allclose(output.asnumpy().ravel()[:4], OF_HALF_INPUT[kind], atol=5e-4)
        assert layer(x.astype(ms.float64))[0].dtype is ms.float64
        wide = ops.zeros((1, 1, 4), ms.float32)
        with pytest.raises(TypeError, match="should be same as 'x'"):
            layer(x, (wide, wide) if kind is nn.LSTM else wide)
    finally:
        ms.set_context(mode=before)
    assert {p.dtype for p in layer.get_parameters()} == {ms.float32}


def test_gradient_reaches_weights_of_another_type():
    layer = nn.GRU(3, 4)
    x = Tensor(np.ones((2, 1, 3), np.float16))
    gradients = ms.grad(lambda x: layer(x)[0].sum(), None, layer.trainable_params())(x)
    assert {g.dtype for g in gradients} == {ms.float32}
    assert all(np.abs(g.asnumpy()).max() > 0 for g in gradients)


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_single_steps_want_one_type(kind):
    state = ops.zeros((1, 4), ms.float16)
    with pytest.raises(TypeError):
        kind(3, 4)(ops.zeros((1, 3), ms.float16), (state, state) if kind is nn.LSTMCell else state)

# SPDX-License-Identifier: Apache-2.0
"""Every optimizer over five steps against its formula, in both modes, with groups and changing rates."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn

RNG = np.random.default_rng(3)
SHAPES = {"conv": (3, 2, 2), "table": (5, 4), "line": (7,), "one": ()}
START = {name: RNG.standard_normal(shape) for name, shape in SHAPES.items()}
GRADIENTS = [{name: RNG.standard_normal(shape) for name, shape in SHAPES.items()} for _ in range(5)]
RATE = 0.1


# Formulas: a generator that is sent (parameter, gradient, rate) and yields the new parameter.


def formula(step):
    """step(state, p, g, lr, t) -> p, with `state` a dict of the parameter's own."""

    def make():
        state = {}

        def one(p, g, lr, t):
            return step(state, p, g, lr, t)

        return one

    return make


def momentum(u, nesterov=False):
    @formula
    def step(s, p, g, lr, t):
        s["v"] = u * s.get("v", 0) + g
        return p - lr * (g + u * s["v"] if nesterov else s["v"])

    return step


def sgd(u, damp=0.0, nesterov=False):
    @formula
    def step(s, p, g, lr, t):
        s["v"] = g if "v" not in s else u * s["v"] + (1 - damp) * g
        return p - lr * (g + u * s["v"] if nesterov else s["v"] if u else g)

    return step


def moments(s, g, b1=0.9, b2=0.999):
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
    return s["m"], s["v"]


def adam(nesterov=False, amsgrad=False):
    @formula
    def step(s, p, g, lr, t):
        m, v = moments(s, g)
        s["top"] = np.maximum(s.get("top", 0), v)
        m = 0.9 * m + 0.1 * g if nesterov else m
        return p - lr * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (
            np.sqrt(s["top"] if amsgrad else v) + 1e-8
        )

    return step


@formula
def adam_weight_decay(s, p, g, lr, t):
    m, v = moments(s, g)
    return p - lr * (m / (np.sqrt(v) + 1e-6) + 0.02 * p)


@formula
def ada_max(s, p, g, lr, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = np.maximum(0.999 * s.get("v", 0), abs(g))
    return p - lr / (1 - 0.9**t) * s["m"] / (s["v"] + 1e-8)


@formula
def adagrad(s, p, g, lr, t):
    s["a"] = s.get("a", 0.1) + g * g
    return p - lr * g / np.sqrt(s["a"])


@formula
def adadelta(s, p, g, lr, t):
    s["a"] = 0.9 * s.get("a", 0) + 0.1 * g * g
    d = np.sqrt(s.get("u", 0) + 1e-6) * g / np.sqrt(s["a"] + 1e-6)
    s["u"] = 0.9 * s.get("u", 0) + 0.1 * d * d
    return p - lr * d


def rmsprop(u, centered=False):
    @formula
    def step(s, p, g, lr, t):
        s["s"] = 0.9 * s.get("s", 1.0) + 0.1 * g * g
        s["mg"] = 0.9 * s.get("mg", 0) + 0.1 * g
        under = s["s"] - s["mg"] ** 2 if centered else s["s"]
        s["m"] = u * s.get("m", 0) + lr * g / np.sqrt(under + 1e-10)
        return p - s["m"]

    return step


def ftrl(l1, l2, power=-0.5):
    @formula
    def step(s, p, g, lr, t):
        before = s.get("n", 0.1)
        s["n"] = before + g * g
        s["z"] = s.get("z", 0) + g - (s["n"] ** -power - before**-power) / lr * p
        z = s["z"]
        return np.where(abs(z) <= l1, 0, (np.sign(z) * l1 - z) / (s["n"] ** -power / lr + 2 * l2))

    return step


def proximal_adagrad(l1, l2):
    @formula
    def step(s, p, g, lr, t):
        s["a"] = s.get("a", 0.1) + g * g
        rate = lr / np.sqrt(s["a"])
        q = p - rate * g
        return np.sign(q) * np.maximum(abs(q) - rate * l1, 0) / (1 + rate * l2)

    return step


@formula
def lamb(s, p, g, lr, t):
    m, v = moments(s, g)
    r = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6) + 0.02 * p
    return p - lr * min(np.linalg.norm(p) / np.linalg.norm(r), 10.0) * r


@formula
def rprop(s, p, g, lr, t):
    product = g * s.get("prev", 0)
    factor = np.where(product > 0, 1.2, np.where(product < 0, 0.5, 1.0))
    s["step"] = np.clip(s.get("step", lr) * factor, 1e-6, 50.0)
    g = np.where(product < 0, 0, g)
    s["prev"] = g
    return p - np.sign(g) * s["step"]


@formula
def asgd(s, p, g, lr, t):
    eta = s.get("eta", lr)
    s["eta"] = lr / (1 + 1e-4 * lr * t) ** 0.75
    return p * (1 - 1e-4 * eta) - eta * g


@formula
def lars_momentum(s, p, g, lr, t):
    norm, other = np.linalg.norm(p), np.linalg.norm(g)
    g = 0.001 * norm / (other + 0.02 * norm + 1e-5) * (g + 0.02 * p)
    s["v"] = 0.9 * s.get("v", 0) + g
    return p - lr * s["v"]


@formula
def ada_factor(s, p, g, lr, t):
    decay, square = 1 - t**-0.8, g * g + 1e-30
    if p.ndim >= 2:
        s["row"] = decay * s.get("row", 0) + (1 - decay) * square.mean(-1)
        s["col"] = decay * s.get("col", 0) + (1 - decay) * square.mean(-2)
        row = s["row"] / s["row"].mean(-1, keepdims=True)
        u = g / np.sqrt(row)[..., None] / np.sqrt(s["col"])[..., None, :]
    else:
        s["sq"] = decay * s.get("sq", 0) + (1 - decay) * square
        u = g / np.sqrt(s["sq"])
    u = u / max(1.0, np.sqrt((u * u).mean()))
    u = u * min(1e-2, t**-0.5) * max(1e-3, np.sqrt((p * p).mean()))
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * u
    return p - s["m"]


CASES = {
    "momentum": (lambda p, lr: nn.Momentum(p, lr, 0.9), momentum(0.9)),
    "momentum_nesterov": (lambda p, lr: nn.Momentum(p, lr, 0.9, use_nesterov=True), momentum(0.9, True)),
    "sgd": (lambda p, lr: nn.SGD(p, lr), sgd(0.0)),
    "sgd_momentum": (lambda p, lr: nn.SGD(p, lr, 0.9, 0.3), sgd(0.9, 0.3)),
    "sgd_nesterov": (lambda p, lr: nn.SGD(p, lr, 0.9, nesterov=True), sgd(0.9, 0.0, True)),
    "adam": (lambda p, lr: nn.Adam(p, lr), adam()),
    "adam_nesterov": (lambda p, lr: nn.Adam(p, lr, use_nesterov=True), adam(nesterov=True)),
    "amsgrad": (lambda p, lr: nn.Adam(p, lr, use_amsgrad=True), adam(amsgrad=True)),
    "adam_lazy": (lambda p, lr: nn.Adam(p, lr, use_lazy=True), adam()),
    "lazy_adam": (lambda p, lr: nn.LazyAdam(p, lr), adam()),
    "adam_offload": (lambda p, lr: nn.AdamOffload(p, lr), adam()),
    "adam_weight_decay": (lambda p, lr: nn.AdamWeightDecay(p, lr, weight_decay=0.02), adam_weight_decay),
    "ada_max": (lambda p, lr: nn.AdaMax(p, lr), ada_max),
    "adagrad": (lambda p, lr: nn.Adagrad(p, learning_rate=lr), adagrad),
    "adadelta": (lambda p, lr: nn.Adadelta(p, lr), adadelta),
    "rmsprop": (lambda p, lr: nn.RMSProp(p, lr, momentum=0.5), rmsprop(0.5)),
    "rmsprop_centered": (lambda p, lr: nn.RMSProp(p, lr, momentum=0.5, centered=True), rmsprop(0.5, True)),
    "proximal_adagrad": (
        lambda p, lr: nn.ProximalAdagrad(p, learning_rate=lr, l1=0.1, l2=0.2),
        proximal_adagrad(0.1, 0.2),
    ),
    "lamb": (lambda p, lr: nn.Lamb(p, lr, weight_decay=0.02), lamb),
    "lars": (lambda p, lr: nn.LARS(nn.Momentum(p, lr, 0.9, weight_decay=0.02)), lars_momentum),
}
FIXED_RATE = {
    "ftrl": (lambda p, lr: nn.FTRL(p, learning_rate=lr, l1=0.3, l2=0.2), ftrl(0.3, 0.2)),
    "ftrl_power": (lambda p, lr: nn.FTRL(p, learning_rate=lr, lr_power=-0.4), ftrl(0.0, 0.0, -0.4)),
    "rprop": (lambda p, lr: nn.Rprop(p, lr), rprop),
    "asgd": (lambda p, lr: nn.ASGD(p, lr), asgd),
    "ada_factor": (lambda p, lr: nn.AdaFactor(p), ada_factor),
    "adasum": (lambda p, lr: nn.AdaSumByGradWrapCell(nn.Momentum(p, lr, 0.9)), momentum(0.9)),
}


def parameters():
    return [Parameter(Tensor(value.astype(np.float32)), name=name) for name, value in START.items()]


def run(make, rate, mode, arrange=list):
    ms.set_context(mode=mode)
    try:
        weights = parameters()
        optimizer = make(arrange(weights), rate)
        for gradients in GRADIENTS:
            optimizer(tuple(Tensor(g.astype(np.float32)) for g in gradients.values()))
        return {weight.name: weight.asnumpy() for weight in weights}
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def expected(reference, rates, decay=lambda name: 0.0):
    values = {}
    for name, start in START.items():
        step, p = reference(), start.astype(np.float32).astype(np.float64)
        for t, gradients in enumerate(GRADIENTS, start=1):
            g = gradients[name].astype(np.float32).astype(np.float64) + decay(name) * p
            p = step(p, g, rates(name, t), t)
        values[name] = p
    return values


def compare(found, wanted, rtol=2e-5):
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, rtol=rtol, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", [*CASES, *FIXED_RATE])
def test_five_steps(name, mode):
    make, reference = {**CASES, **FIXED_RATE}[name]
    compare(run(make, RATE, mode), expected(reference, lambda _, t: RATE))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", list(CASES))
def test_rates_that_change(name, mode):
    make, reference = CASES[name]
    listed = [0.1, 0.2, 0.05]
    found = run(make, listed, mode)
    compare(found, expected(reference, lambda _, t: listed[min(t - 1, 2)]))
    found = run(make, nn.ExponentialDecayLR(0.1, 0.9, 2), mode)
    compare(found, expected(reference, lambda _, t: 0.1 * 0.9 ** ((t - 1) / 2)))


class FallingDecay(nn.Cell):
    """0.1, 0.05, 0.0333, ..."""

    def construct(self, global_step):
        return 0.1 / (global_step + 1)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_groups(mode):
    def arrange(weights):
        conv, table, line, one = weights
        return [
            {"params": [table, one], "lr": 0.02, "weight_decay": 0.1},
            {"params": [conv]},
            {"params": [line], "lr": nn.ExponentialDecayLR(0.1, 0.9, 2), "weight_decay": FallingDecay()},
            {"order_params": weights},
        ]

    def reference(kind, t):
        return {"table": 0.02, "one": 0.02, "conv": 0.1, "line": 0.1 * 0.9 ** ((t - 1) / 2)}[kind]

    found = run(lambda p, lr: nn.Momentum(p, lr, 0.9), 0.1, mode, arrange)
    values = {}
    for name, start in START.items():
        step, p = momentum(0.9)(), start
        for t, gradients in enumerate(GRADIENTS, start=1):
            decay = {"table": 0.1, "one": 0.1, "conv": 0.0, "line": 0.1 / t}[name]
            p = step(p, gradients[name] + decay * p, reference(name, t), t)
        values[name] = p
    compare(found, values)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_lars_takes_over_a_changing_decay(mode):
    found = run(lambda p, lr: nn.LARS(nn.Momentum(p, lr, 0.9, weight_decay=FallingDecay())), 0.1, mode)
    for name, start in START.items():
        p, v = start, 0
        for t, gradients in enumerate(GRADIENTS, start=1):
            g, decay, norm = gradients[name], 0.1 / t, np.linalg.norm(p)
            v = 0.9 * v + 0.001 * norm / (np.linalg.norm(g) + decay * norm + 1e-5) * (g + decay * p)
            p = p - 0.1 * v
        np.testing.assert_allclose(found[name], p, rtol=2e-5, atol=2e-5)
    with pytest.raises(TypeError, match="dynamic weight decay"):
        nn.SGD([{"params": parameters(), "weight_decay": FallingDecay()}])


@pytest.mark.parametrize("name", ["momentum", "adam", "sgd_momentum", "adagrad"])
def test_half_parameters(name):
    make, reference = CASES[name]
    weights = [Parameter(Tensor(value, ms.float16), name=name) for name, value in START.items()]
    optimizer = make(weights, RATE)
    for gradients in GRADIENTS:
        optimizer(tuple(Tensor(g, ms.float16) for g in gradients.values()))
    wanted = expected(reference, lambda _, t: RATE)
    for weight in weights:
        assert weight.dtype == ms.float16
        np.testing.assert_allclose(weight.asnumpy(), wanted[weight.name], rtol=0.05, atol=0.02)


def test_loss_scale_and_decay_agree_with_a_plain_loss():
    plain = run(lambda p, lr: nn.Adam(p, lr, weight_decay=0.1), 0.1, ms.PYNATIVE_MODE)
    weights = parameters()
    optimizer = nn.Adam(weights, 0.1, weight_decay=0.1, loss_scale=1024.0)
    for gradients in GRADIENTS:
        optimizer(tuple(Tensor((g * 1024).astype(np.float32)) for g in gradients.values()))
    compare({w.name: w.asnumpy() for w in weights}, plain)


@pytest.mark.parametrize("shape", [(4, 3), (2, 16), (2, 32, 2), (16,)])
def test_gradients_are_centred(shape):
    """Where the second axis is a multiple of 16; MindSpore leaves others as they are."""
    weight = Parameter(Tensor(np.ones(shape, np.float32)), name="weight")
    optimizer = nn.Momentum([{"params": [weight], "grad_centralization": True}], 1.0, 0.0)
    gradient = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    optimizer((Tensor(gradient),))
    if len(shape) > 1 and shape[1] % 16 == 0:
        gradient = gradient - gradient.mean(axis=tuple(range(1, gradient.ndim)), keepdims=True)
    np.testing.assert_allclose(weight.asnumpy(), 1 - gradient, rtol=1e-6)


@pytest.mark.parametrize("name", ["lazy_adam", "adam"])
def test_gradients_of_some_rows(name):
    make, _ = CASES[name]
    weight = Parameter(Tensor(START["table"].astype(np.float32)), name="table")
    optimizer = make([weight], RATE)
    rows = ms.RowTensor(
        Tensor([1, 3, 1], ms.int32), Tensor(np.ones((3, 4), np.float32)), shape=SHAPES["table"]
    )
    whole = np.zeros((5, 4))
    whole[[1, 3]] = [[2.0] * 4, [1.0] * 4]
    dense = Parameter(Tensor(START["table"].astype(np.float32)), name="dense")
    other = make([dense], RATE)
    for _ in range(2):
        optimizer((rows,))
        other((Tensor(whole.astype(np.float32)),))
    np.testing.assert_allclose(weight.asnumpy(), dense.asnumpy(), rtol=1e-5)
    # Rows that were touched once keep moving with Adam, and stay with its lazy form.
    one_row = ms.RowTensor(Tensor([0], ms.int32), Tensor(np.ones((1, 4), np.float32)), shape=(5, 4))
    before = weight.asnumpy().copy()
    optimizer((one_row,))
    assert np.array_equal(before[1], weight.asnumpy()[1]) == (name == "lazy_adam")

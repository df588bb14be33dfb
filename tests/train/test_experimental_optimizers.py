# SPDX-License-Identifier: Apache-2.0
"""Optimizers of mindspore.experimental against their formulas, in both modes; groups and schedulers."""

import math

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor
from mindspore.experimental import optim
from mindspore.experimental.optim import lr_scheduler

RNG = np.random.default_rng(4)
START = {"w": RNG.standard_normal((3, 4)), "b": RNG.standard_normal(5)}
GRADIENTS = [{name: RNG.standard_normal(value.shape) for name, value in START.items()} for _ in range(6)]


def sgd(s, p, g, lr, t, momentum=0.0, dampening=0.0, nesterov=False):
    s["v"] = g if t == 1 else momentum * s["v"] + (1 - dampening) * g
    return p - lr * (g + momentum * s["v"] if nesterov else s["v"] if momentum else g)


def moments(s, g, t):
    s["m"], s["v"] = 0.9 * s.get("m", 0) + 0.1 * g, 0.999 * s.get("v", 0) + 0.001 * g * g
    return s["m"] / (1 - 0.9**t), s["v"] / (1 - 0.999**t)


def adam(s, p, g, lr, t, amsgrad=False):
    m, v = moments(s, g, t)
    s["top"] = np.maximum(s.get("top", 0), s["v"])
    return p - lr * m / (np.sqrt(s["top"] / (1 - 0.999**t) if amsgrad else v) + 1e-8)


def adamw(s, p, g, lr, t):
    return adam(s, p * (1 - lr * 0.01), g, lr, t)


def adadelta(s, p, g, lr, t):
    s["a"] = 0.9 * s.get("a", 0) + 0.1 * g * g
    d = np.sqrt(s.get("u", 0) + 1e-6) / np.sqrt(s["a"] + 1e-6) * g
    s["u"] = 0.9 * s.get("u", 0) + 0.1 * d * d
    return p - lr * d


def adagrad(s, p, g, lr, t):
    s["a"] = s.get("a", 0.2) + g * g
    return p - lr / (1 + (t - 1) * 0.1) * g / (np.sqrt(s["a"]) + 1e-10)


def adamax(s, p, g, lr, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["u"] = np.maximum(0.999 * s.get("u", 0), abs(g) + 1e-8)
    return p - lr / (1 - 0.9**t) * s["m"] / s["u"]


def asgd(s, p, g, lr, t):
    eta = lr / (1 + 0.1 * lr * (t - 1)) ** 0.75
    return p * (1 - 0.1 * eta) - eta * g


def nadam(s, p, g, lr, t):
    moments(s, g, t)
    now, ahead = (0.9 * (1 - 0.5 * 0.96 ** (k * 0.004)) for k in (t, t + 1))
    s["product"] = s.get("product", 1.0) * now
    root = np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8
    step = (1 - now) / (1 - s["product"]) * g + ahead / (1 - s["product"] * ahead) * s["m"]
    return p - lr * step / root


def radam(s, p, g, lr, t):
    mean, _ = moments(s, g, t)
    most = 2 / (1 - 0.999) - 1
    length = most - 2 * t * 0.999**t / (1 - 0.999**t)
    if length <= 5:
        return p - lr * mean
    ratio = math.sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))
    return p - lr * mean * ratio * math.sqrt(1 - 0.999**t) / (np.sqrt(s["v"]) + 1e-8)


def rmsprop(s, p, g, lr, t, momentum=0.0, centered=False):
    s["s"], s["a"] = 0.99 * s.get("s", 0) + 0.01 * g * g, 0.99 * s.get("a", 0) + 0.01 * g
    root = np.sqrt(s["s"] - s["a"] ** 2 if centered else s["s"]) + 1e-8
    s["m"] = momentum * s.get("m", 0) + g / root
    return p - lr * s["m"]


def rprop(s, p, g, lr, t):
    product = g * s.get("g", 0)
    s["step"] = np.clip(
        s.get("step", lr) * np.where(product > 0, 1.2, np.where(product < 0, 0.5, 1)), 1e-6, 50
    )
    s["g"] = np.where(product < 0, 0, g)
    return p - np.sign(s["g"]) * s["step"]


CASES = [
    (optim.SGD, {}, sgd, {}),
    (optim.SGD, {"momentum": 0.9, "dampening": 0.1}, sgd, {"momentum": 0.9, "dampening": 0.1}),
    (optim.SGD, {"momentum": 0.9, "nesterov": True}, sgd, {"momentum": 0.9, "nesterov": True}),
    (optim.Adam, {}, adam, {}),
    (optim.Adam, {"amsgrad": True}, adam, {"amsgrad": True}),
    (optim.AdamW, {}, adamw, {}),
    (optim.Adadelta, {}, adadelta, {}),
    (optim.Adagrad, {"lr_decay": 0.1, "initial_accumulator_value": 0.2}, adagrad, {}),
    (optim.Adamax, {}, adamax, {}),
    (optim.ASGD, {"lambd": 0.1}, asgd, {}),
    (optim.NAdam, {}, nadam, {}),
    (optim.RAdam, {}, radam, {}),
    (optim.RMSprop, {}, rmsprop, {}),
    (optim.RMSprop, {"momentum": 0.5, "centered": True}, rmsprop, {"momentum": 0.5, "centered": True}),
    (optim.Rprop, {}, rprop, {}),
]


def parameters():
    return [Parameter(Tensor(value.astype(np.float32)), name=name) for name, value in START.items()]


def run(optimizer, mode, sign=1.0):
    ms.set_context(mode=mode)
    try:
        for gradients in GRADIENTS:
            optimizer(tuple(Tensor((sign * g).astype(np.float32)) for g in gradients.values()))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return {parameter.name: parameter.asnumpy() for parameter in optimizer.parameters}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("case", CASES, ids=[f"{case[0].__name__}-{len(case[1])}" for case in CASES])
def test_formulas(case, mode):
    kind, options, formula, extra = case
    found = run(kind(parameters(), lr=0.1, **options), mode)
    for name, start in START.items():
        state, p = {}, start
        for t, gradients in enumerate(GRADIENTS, start=1):
            p = formula(state, p, gradients[name], 0.1, t, **extra)
        np.testing.assert_allclose(found[name], p, rtol=1e-5, atol=1e-5)


def test_groups_have_options_of_their_own():
    w, b = parameters()
    optimizer = optim.SGD([{"params": [w], "lr": 0.5, "weight_decay": 0.1}, {"params": b}], lr=0.1)
    assert [float(group["lr"]) for group in optimizer.param_groups] == pytest.approx([0.5, 0.1])
    assert [group["lr"].name for group in optimizer.param_groups] == [
        "learning_rate_group_0",
        "learning_rate_group_1",
    ]
    ones = (Tensor(np.ones((3, 4), np.float32)), Tensor(np.ones(5, np.float32)))
    optimizer(ones)
    np.testing.assert_allclose(w.asnumpy(), START["w"] - 0.5 * (1 + 0.1 * START["w"]), rtol=1e-5)
    np.testing.assert_allclose(b.asnumpy(), START["b"] - 0.1, rtol=1e-5)
    optimizer.param_groups[1]["lr"] = 1.0
    before = b.asnumpy().copy()
    optimizer(ones)
    np.testing.assert_allclose(b.asnumpy(), before - 1.0, rtol=1e-5)
    assert "Parameter Group 1" in repr(optimizer) and "    lr: 0.1\n" in repr(optim.Adam([b], lr=0.1))
    with pytest.raises(ValueError, match="share"):
        optimizer.add_param_group({"params": [b]})


def test_maximize_climbs():
    down = run(optim.Adam(parameters(), lr=0.1), ms.PYNATIVE_MODE)
    up = run(optim.Adam(parameters(), lr=0.1, maximize=True), ms.PYNATIVE_MODE, sign=-1.0)
    for name in START:
        np.testing.assert_allclose(up[name], down[name], rtol=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: optim.SGD(parameters(), lr=-1.0),
        lambda: optim.Adam(parameters(), betas=(1.0, 0.9)),
        lambda: optim.SGD(parameters(), lr=0.1, nesterov=True),
        lambda: optim.RMSprop(parameters(), eps=-1.0),
        lambda: optim.Rprop(parameters(), etas=(2.0, 3.0)),
        lambda: optim.Adadelta([]),
    ],
)
def test_wrong_options(make):
    with pytest.raises(ValueError):
        make()


def rates(make, epochs=10, lr=0.1):
    optimizer = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=lr)
    scheduler = make(optimizer)
    found = []
    for _ in range(epochs):
        found.append(float(optimizer.param_groups[0]["lr"]))
        assert float(scheduler.get_last_lr()[0]) == pytest.approx(found[-1])
        scheduler.step()
    return found


def in_turn(optimizer):
    parts = [lr_scheduler.ConstantLR(optimizer, 0.1, 2), lr_scheduler.ExponentialLR(optimizer, 0.9)]
    return lr_scheduler.SequentialLR(optimizer, parts, [3])


def share_of_period(epoch):
    """Periods of 2, 4 and 8 epochs."""
    begin, length = next((b, n) for b, n in ((6, 8), (2, 4), (0, 2)) if epoch >= b)
    return (epoch - begin) / length


SCHEDULES = {
    "step": (lambda o: lr_scheduler.StepLR(o, 3, 0.5), lambda e: 0.1 * 0.5 ** (e // 3)),
    "linear": (lambda o: lr_scheduler.LinearLR(o, 0.2, 1.0, 4), lambda e: 0.1 * (0.2 + 0.2 * min(e, 4))),
    "exponential": (lambda o: lr_scheduler.ExponentialLR(o, 0.9), lambda e: 0.1 * 0.9**e),
    "polynomial": (lambda o: lr_scheduler.PolynomialLR(o, 5, 2.0), lambda e: 0.1 * (1 - min(e, 5) / 5) ** 2),
    "lambda": (lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1)), lambda e: 0.1 / (e + 1)),
    "multiplicative": (lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.8), lambda e: 0.1 * 0.8**e),
    "milestones": (
        lambda o: lr_scheduler.MultiStepLR(o, [2, 5, 5], 0.5),
        lambda e: 0.1 * 0.5 ** sum(e >= milestone for milestone in (2, 5, 5)),
    ),
    "constant": (lambda o: lr_scheduler.ConstantLR(o, 0.5, 3), lambda e: 0.05 if e < 3 else 0.1),
    "sequence": (in_turn, lambda e: (0.01, 0.01, 0.1)[e] if e < 3 else 0.1 * 0.9 ** (e - 3)),
    "cosine": (
        lambda o: lr_scheduler.CosineAnnealingLR(o, 4, 0.01),
        lambda e: 0.01 + 0.045 * (1 + math.cos(math.pi * e / 4)),
    ),
    "restarts": (
        lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 2),
        lambda e: 0.05 * (1 + math.cos(math.pi * share_of_period(e))),
    ),
    "cyclic": (
        lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.04, 3),
        lambda e: 0.01 * (1, 2, 3, 4, 3, 2)[e % 6],
    ),
    "cyclic_falling": (
        lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.04, 3, mode="exp_range", gamma=0.9),
        lambda e: 0.01 + 0.01 * (0, 1, 2, 3, 2, 1)[e % 6] * 0.9**e,
    ),
}


@pytest.mark.parametrize("name", list(SCHEDULES))
def test_schedules(name):
    make, formula = SCHEDULES[name]
    np.testing.assert_allclose(rates(make), [formula(epoch) for epoch in range(10)], rtol=2e-5, atol=1e-8)


@pytest.mark.parametrize("name", list(SCHEDULES))
def test_schedules_inside_compiled_functions(name):
    make, formula = SCHEDULES[name]
    optimizer = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=0.1)
    scheduler = make(optimizer)

    @ms.jit
    def advance():
        scheduler.step()
        return scheduler.get_last_lr()

    found = [float(advance()[0]) for _ in range(9)]
    np.testing.assert_allclose(found, [formula(epoch) for epoch in range(1, 10)], rtol=2e-5, atol=1e-8)


def test_plateau():
    optimizer = optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=0.1)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5, cooldown=1)
    found = []
    for metric in (1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5):
        scheduler.step(Tensor(metric, ms.float32))
        found.append(float(optimizer.param_groups[0]["lr"]))
    wanted = [0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025, 0.0125]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "error, make",
    [
        (TypeError, lambda o: lr_scheduler.StepLR(1, 2)),
        (TypeError, lambda o: lr_scheduler.StepLR(o, 2.5)),
        (KeyError, lambda o: lr_scheduler.StepLR(o, 2, 0.5, 3)),
        (ValueError, lambda o: lr_scheduler.LinearLR(o, 2.0)),
        (ValueError, lambda o: lr_scheduler.LambdaLR(o, [abs, abs])),
        (ValueError, lambda o: lr_scheduler.SequentialLR(o, [], [1])),
        (ValueError, lambda o: lr_scheduler.CyclicLR(o, 0.1, 0.2, mode="square")),
        (ValueError, lambda o: lr_scheduler.ReduceLROnPlateau(o, factor=2.0)),
        (ValueError, lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 0)),
    ],
)
def test_wrong_schedules(error, make):
    with pytest.raises(error):
        make(optim.SGD([Parameter(Tensor([1.0]), name="w")], lr=0.1))

# SPDX-License-Identifier: Apache-2.0
"""Optimizers against their formulas, learning rates, groups, decay; training steps."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

START = np.array([1.0, -2.0, 3.0], np.float32)
GRADIENTS = np.random.default_rng(5).standard_normal((5, 3)).astype(np.float32)


def run(make, steps=5, start=START, name="w"):
    parameter = Parameter(Tensor(start), name=name)
    optimizer = make([parameter])
    for gradient in GRADIENTS[:steps]:
        assert optimizer((Tensor(gradient),)) == (True,)
    return parameter.asnumpy(), optimizer


def momentum_reference(rate, u, nesterov=False, decay=0.0):
    p, v = START.astype(np.float64), np.zeros(3)
    for g in GRADIENTS:
        g = g + decay * p
        v = u * v + g
        p = p - rate * (g + u * v if nesterov else v)
    return p


def adam_reference(rate, b1=0.9, b2=0.999, eps=1e-8, nesterov=False, amsgrad=False):
    p, m, v, top = START.astype(np.float64), np.zeros(3), np.zeros(3), np.zeros(3)
    for t, g in enumerate(GRADIENTS, start=1):
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        top = np.maximum(top, v)
        step = rate * np.sqrt(1 - b2**t) / (1 - b1**t)
        direction = b1 * m + (1 - b1) * g if nesterov else m
        p = p - step * direction / (np.sqrt(top if amsgrad else v) + eps)
    return p


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum(nesterov):
    result, optimizer = run(lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=nesterov))
    np.testing.assert_allclose(result, momentum_reference(0.1, 0.9, nesterov), rtol=1e-5)
    assert [p.name for p in optimizer.moments] == ["moments.w"] and optimizer.momentum.name == "momentum"
    assert int(optimizer.global_step) == 5 and optimizer.global_step.dtype == ms.int32


@pytest.mark.parametrize(
    "u, damp, nesterov", [(0.0, 0.0, False), (0.9, 0.0, False), (0.9, 0.5, False), (0.9, 0, True)]
)
def test_sgd(u, damp, nesterov):
    result, optimizer = run(lambda p: nn.SGD(p, 0.1, u, float(damp), 0.01, nesterov))
    p, v = START.astype(np.float64), None
    for g in GRADIENTS:
        g = g + 0.01 * p
        v = g if v is None else u * v + (1 - damp) * g
        p = p - 0.1 * (g + u * v if nesterov else v if u else g)
    np.testing.assert_allclose(result, p, rtol=1e-5)
    assert optimizer.accum[0].name == "accum.w" and optimizer.stat[0].name == "stat.w"
    with pytest.raises(ValueError):
        nn.SGD([Parameter(1.0, name="w")], nesterov=True)


@pytest.mark.parametrize("options", [{}, {"use_nesterov": True}, {"use_amsgrad": True}])
def test_adam(options):
    result, optimizer = run(lambda p: nn.Adam(p, 0.1, **options))
    expected = adam_reference(0.1, nesterov="use_nesterov" in options, amsgrad="use_amsgrad" in options)
    np.testing.assert_allclose(result, expected, rtol=2e-5)
    names = [p.name for p in optimizer.get_parameters()]
    assert {"moment1.w", "moment2.w", "beta1_power", "beta2_power", "global_step", "learning_rate"} <= set(
        names
    )
    assert float(optimizer.beta1_power) == pytest.approx(0.9**5)


def test_adam_weight_decay():
    result, optimizer = run(lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.05))
    p, m, v = START.astype(np.float64), np.zeros(3), np.zeros(3)
    for g in GRADIENTS:
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        p = p - 0.1 * (m / (np.sqrt(v) + 1e-6) + 0.05 * p)
    np.testing.assert_allclose(result, p, rtol=1e-4)
    assert [optimizer.moments1[0].name, optimizer.moments2[0].name] == ["adam_m.w", "adam_v.w"]


class SetsUpItself(nn.AdamWeightDecay):
    """As libraries have it: nothing of AdamWeightDecay but its step."""

    def __init__(self, params, rate, decay):
        super(nn.AdamWeightDecay, self).__init__(rate, params, decay)
        self.beta1, self.beta2, self.eps = Tensor([0.9]), Tensor([0.999]), Tensor([1e-6])
        self.moments1 = self.parameters.clone("adam_m", "zeros")
        self.moments2 = self.parameters.clone("adam_v", "zeros")


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_steps_of_adam_weight_decay_need_what_its_documentation_names(mode):
    ms.set_context(mode=mode)
    wanted, _ = run(lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.05))
    result, _ = run(lambda p: SetsUpItself(p, 0.1, 0.05))
    np.testing.assert_allclose(result, wanted, rtol=1e-6)


def test_adaptive_optimizers():
    g2 = GRADIENTS.astype(np.float64)
    p, a = START.astype(np.float64), np.full(3, 0.1)
    for g in g2:
        a = a + g * g
        p = p - 0.1 * g / np.sqrt(a)
    np.testing.assert_allclose(run(lambda x: nn.Adagrad(x, learning_rate=0.1))[0], p, rtol=1e-5)
    p, s, m = START.astype(np.float64), np.ones(3), np.zeros(3)
    for g in g2:
        s = 0.9 * s + 0.1 * g * g
        m = 0.5 * m + 0.1 * g / np.sqrt(s + 1e-10)
        p = p - m
    np.testing.assert_allclose(run(lambda x: nn.RMSProp(x, momentum=0.5))[0], p, rtol=1e-5)
    p, a, u = START.astype(np.float64), np.zeros(3), np.zeros(3)
    for g in g2:
        a = 0.9 * a + 0.1 * g * g
        d = np.sqrt(u + 1e-6) * g / np.sqrt(a + 1e-6)
        u = 0.9 * u + 0.1 * d * d
        p = p - d
    np.testing.assert_allclose(run(lambda x: nn.Adadelta(x))[0], p, rtol=1e-4)
    p, m, v = START.astype(np.float64), np.zeros(3), np.zeros(3)
    for t, g in enumerate(g2, start=1):
        m, v = 0.9 * m + 0.1 * g, np.maximum(0.999 * v, abs(g))
        p = p - 0.1 / (1 - 0.9**t) * m / (v + 1e-8)
    np.testing.assert_allclose(run(lambda x: nn.AdaMax(x, 0.1))[0], p, rtol=1e-4)


def test_weight_decay_leaves_beta_and_gamma_alone():
    kept, _ = run(lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1), name="bn.gamma")
    np.testing.assert_allclose(kept, momentum_reference(0.1, 0.9), rtol=1e-5)
    decayed, _ = run(lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1))
    np.testing.assert_allclose(decayed, momentum_reference(0.1, 0.9, decay=0.1), rtol=1e-5)
    grouped, _ = run(lambda p: nn.Momentum([{"params": p}], 0.1, 0.9, weight_decay=0.1), name="bn.gamma")
    np.testing.assert_allclose(grouped, momentum_reference(0.1, 0.9, decay=0.1), rtol=1e-5)


def test_loss_scale_is_divided_out():
    parameter = Parameter(Tensor(START), name="w")
    optimizer = nn.Momentum([parameter], 0.1, 0.9, weight_decay=0.1, loss_scale=8.0)
    for gradient in GRADIENTS:
        optimizer((Tensor(gradient * 8),))
    np.testing.assert_allclose(parameter.asnumpy(), momentum_reference(0.1, 0.9, decay=0.1), rtol=1e-5)


def rates_used(rate, steps=4):
    parameter = Parameter(Tensor([0.0]), name="w")
    optimizer = nn.SGD([parameter], rate)
    found = []
    for _ in range(steps):
        before = float(parameter)
        optimizer((Tensor([1.0]),))
        found.append(before - float(parameter))
    return found


@pytest.mark.parametrize(
    "rate, expected",
    [
        (0.5, [0.5] * 4),
        (1, [1.0] * 4),
        (Tensor(0.25), [0.25] * 4),
        ([0.1, 0.2], [0.1, 0.2, 0.2, 0.2]),
        (Tensor([0.1, 0.2, 0.3, 0.4]), [0.1, 0.2, 0.3, 0.4]),
        (nn.WarmUpLR(1.0, 2), [0.0, 0.5, 1.0, 1.0]),
        (nn.ExponentialDecayLR(1.0, 0.5, 2), [1.0, 0.5**0.5, 0.5, 0.5**1.5]),
        (nn.CosineDecayLR(0.0, 1.0, 2), [1.0, 0.5, 0.0, 0.0]),
        (nn.PolynomialDecayLR(1.0, 0.1, 3, 1.0), [1.0, 0.7, 0.4, 0.1]),
    ],
)
def test_learning_rates(rate, expected):
    np.testing.assert_allclose(rates_used(rate), expected, rtol=1e-5, atol=1e-6)


def test_rate_lists():
    assert nn.piecewise_constant_lr([2, 3], [0.1, 0.01]) == [0.1, 0.1, 0.01]
    np.testing.assert_allclose(nn.exponential_decay_lr(0.1, 0.9, 4, 2, 1), [0.1, 0.1, 0.09, 0.09])
    np.testing.assert_allclose(nn.warmup_lr(1.0, 4, 1, 2), [0, 0.5, 1, 1])
    np.testing.assert_allclose(nn.cosine_decay_lr(0.0, 1.0, 3, 1, 2), [1, 0.5, 0], atol=1e-12)
    np.testing.assert_allclose(nn.inverse_decay_lr(1.0, 1.0, 3, 1, 1), [1, 0.5, 1 / 3])
    with pytest.raises(ValueError):
        nn.piecewise_constant_lr([2, 2], [0.1, 0.2])
    with pytest.raises(TypeError):
        nn.warmup_lr(1, 4, 1, 2)


def test_groups():
    a, b = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0]), name="b")
    optimizer = nn.SGD(
        [{"params": [a], "lr": 0.5}, {"params": [b], "weight_decay": 1.0}, {"order_params": [b, a]}], 0.1
    )
    assert [p.name for p in optimizer.parameters] == ["b", "a"]
    assert [round(float(rate), 6) for rate in optimizer.get_lr()] == [0.1, 0.5]
    optimizer((Tensor([1.0]), Tensor([1.0])))
    assert float(a) == pytest.approx(0.5) and float(b) == pytest.approx(1 - 0.1 * 2)
    assert {"learning_rate_group_0", "learning_rate"} <= {p.name for p in optimizer.get_parameters()}


def test_optimizer_errors():
    w = Parameter(1.0, name="w")
    with pytest.raises(ValueError, match="must not be empty"):
        nn.SGD([])
    with pytest.raises(ValueError, match="can not be None"):
        nn.SGD(None)
    with pytest.raises(TypeError):
        nn.SGD(w)
    with pytest.raises(TypeError):
        nn.SGD([w, {"params": [w]}])
    with pytest.raises(KeyError):
        nn.SGD([{"params": [w], "rate": 1}])
    with pytest.raises(KeyError, match="params"):
        nn.SGD([{"lr": 1.0}])
    with pytest.raises(RuntimeError, match="the w parameter already exists"):
        nn.SGD([{"params": [w]}, {"params": [w]}])
    with pytest.raises(ValueError, match="its name 'w' already exists"):
        nn.SGD([w, Parameter(2.0, name="w")])
    with pytest.raises(ValueError, match="must be float and must >= 0"):
        nn.SGD([w], -1.0)
    with pytest.raises(ValueError):
        nn.SGD([w], Tensor([[1.0]]))
    with pytest.raises(ValueError):
        nn.SGD([w], loss_scale=0)
    with pytest.raises(TypeError):
        nn.Momentum([w], 0.1, 0.9, weight_decay=lambda step: 1)
    with pytest.raises(RuntimeError, match="should have the same length"):
        nn.SGD([w])((Tensor(1.0), Tensor(1.0)))
    with pytest.raises(ValueError):
        nn.Adam([w], use_lazy=True, use_offload=True)


def test_training_steps_agree():
    def make():
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 3))
        return net, nn.Adam(net.trainable_params(), 0.05)

    data = np.random.default_rng(0)
    x = Tensor(data.standard_normal((16, 4)).astype(np.float32))
    y = Tensor(data.integers(0, 3, 16).astype(np.int32))
    loss_fn = nn.CrossEntropyLoss()

    net, optimizer = make()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
    by_cell = [float(step(x, y)) for _ in range(10)]
    net, optimizer = make()
    function = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    by_function = []
    for _ in range(10):
        loss, gradients = function(x, y)
        optimizer(gradients)
        by_function.append(float(loss))
    np.testing.assert_allclose(by_cell, by_function, rtol=1e-6)
    assert by_cell[-1] < 0.7 * by_cell[0]


def test_wrapper_cells():
    net, loss_fn = nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss()
    x, y = Tensor([[1.0, 2.0]]), Tensor([[0.0]])
    with_loss = nn.WithLossCell(net, loss_fn)
    assert float(with_loss(x, y)) == 9.0 and with_loss.backbone_network is net
    assert [p.name for p in with_loss.get_parameters()] == ["weight", "bias"]
    loss, outputs, label = nn.WithEvalCell(net, loss_fn)(x, y)
    assert float(loss) == 9.0 and float(outputs) == 3.0 and label is y
    gradients = nn.WithGradCell(net, loss_fn)(x, y)
    assert gradients[0].asnumpy().tolist() == [[6.0, 12.0]] and float(gradients[1]) == 6.0
    weights = ms.ParameterTuple(net.trainable_params())
    value, found = nn.ForwardValueAndGrad(with_loss, weights, get_all=True, get_by_list=True)(x, y)
    assert float(value) == 9.0 and found[0][0].asnumpy().tolist() == [[6.0, 6.0]]
    assert found[1][0].asnumpy().tolist() == [[6.0, 12.0]]
    with pytest.raises(TypeError):
        nn.ForwardValueAndGrad(with_loss, get_by_list=True)


def test_train_one_step_options():
    net = nn.Dense(1, 1, "ones", has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, sens=2.0, return_grad=True)
    loss, gradients = step(Tensor([[1.0]]), Tensor([[0.0]]))
    assert float(loss) == 1.0 and float(gradients["weight"]) == 4.0
    with pytest.raises(ValueError, match="The input argument of 'sens' can not be 0."):
        nn.TrainOneStepCell(net, optimizer, sens=0)


def test_loss_scaling_skips_overflow():
    net = nn.Dense(1, 1, "ones", has_bias=False)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    manager = nn.DynamicLossScaleUpdateCell(16.0, 2, 3)
    step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, manager)
    scales = []
    for kind in "0000100011":
        x = Tensor([[np.inf if kind == "1" else 0.0]], ms.float32)
        before = net.weight.asnumpy().copy()
        _, overflow, scale = step(x, Tensor([[0.0]]))
        assert bool(overflow) == (kind == "1")
        if kind == "1":
            np.testing.assert_array_equal(net.weight.asnumpy(), before)
        scales.append(float(scale))
    assert scales == [16, 16, 32, 32, 16, 16, 16, 32, 16, 8]


def test_gradient_accumulation():
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = nn.SGD([w], 1.0)
    total = optimizer.parameters.clone("accu", init="zeros")
    assert total[0].name == "accu.w"
    for _ in range(2):
        ops.assign_add(total[0], Tensor([0.25, 0.25]))
    optimizer(total)
    assert w.asnumpy().tolist() == [0.5, 1.5]


def test_the_rate_of_a_step_has_the_shape_of_the_step():
    # Callbacks of libraries ask optimizer.learning_rate(optimizer.global_step)[0].
    optimizer = nn.Momentum(nn.Dense(2, 2).trainable_params(), [0.1, 0.2, 0.3], 0.9)
    assert optimizer.learning_rate(optimizer.global_step).shape == (1,)
    assert optimizer.learning_rate(optimizer.global_step + 1)[0].asnumpy() == np.float32(0.2)
    assert optimizer.learning_rate(Tensor(2, ms.int32)).shape == ()
    assert optimizer.get_lr().shape == ()


def test_optimizers_of_libraries_ask_whether_steps_count():
    def asked(rate, decay=0.0):
        optimizer = nn.Adam(nn.Dense(2, 2).trainable_params(), rate, weight_decay=decay)
        return optimizer._is_dynamic_lr_or_weight_decay()

    assert not asked(0.1)
    assert asked([0.1, 0.2])
    assert asked(nn.ExponentialDecayLR(0.1, 0.9, 4))
    assert asked(0.1, nn.ExponentialDecayLR(0.1, 0.9, 4))

# SPDX-License-Identifier: Apache-2.0
"""Ways to train with less work, in both modes."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, boost, nn
from mindspore.boost.grad_accumulation import gradient_accumulation_op, gradient_clear_op

X = np.arange(24, dtype=np.float32).reshape(6, 4) / 10
Y = np.arange(12, dtype=np.float32).reshape(6, 2) / 5


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def network():
    net = nn.Dense(4, 2, weight_init="ones", bias_init="zeros")
    return net, nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)


def test_accumulated_gradients():
    net, with_loss, optimizer = network()
    with_loss._use_grad_accumulation, with_loss._max_accumulation_step = True, 2
    step = boost.BoostTrainOneStepCell(with_loss, optimizer)
    plain, plain_loss, plain_optimizer = network()
    whole = nn.TrainOneStepCell(plain_loss, plain_optimizer)
    for _ in range(3):
        step(Tensor(X[:3]), Tensor(Y[:3]))
        step(Tensor(X[3:]), Tensor(Y[3:]))
        whole(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(net.weight.asnumpy(), plain.weight.asnumpy(), rtol=1e-4)
    assert int(optimizer.global_step) == 3


def test_sums_of_gradients():
    total = ms.Parameter(Tensor([1.0, 2.0]), name="total")
    gradient_accumulation_op(2, total, Tensor([4.0, 6.0]))
    np.testing.assert_allclose(total.asnumpy(), [3.0, 5.0])
    gradient_clear_op(total)
    assert not total.asnumpy().any()


def test_gradients_are_centred():
    net = nn.Dense(16, 2, weight_init="ones", bias_init="zeros")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    process = boost.OptimizerProcess(optimizer)
    process.add_grad_centralization(net)
    assert process.generate_new_optimizer() is optimizer
    optimizer((Tensor(np.ones((2, 16), np.float32)), Tensor(np.ones(2, np.float32))))
    np.testing.assert_allclose(net.weight.asnumpy(), 1.0)
    np.testing.assert_allclose(net.bias.asnumpy(), -0.1)


def test_resting_layers():
    net, with_loss, optimizer = network()
    freeze = boost.GradientFreeze(2, 1, 0.5, 20)
    sequence = freeze.generate_freeze_index_sequence(2, 1, 0.5, 20)
    assert len(sequence) == 20 and set(sequence) == {0, 1}
    _, frozen = freeze.freeze_generate(net, optimizer)
    assert isinstance(frozen, boost.FreezeOpt) and len(frozen.train_parameter_groups) == 2
    # The weight rests in the second step.
    frozen = boost.FreezeOpt(optimizer, [[net.weight, net.bias], [net.bias]], [0, 1])
    (step,) = boost.freeze_cell(False, with_loss, frozen, 1.0, None, False)
    seen = [(net.weight.asnumpy().copy(), net.bias.asnumpy().copy())]
    for _ in range(3):
        step(Tensor(X), Tensor(Y))
        seen.append((net.weight.asnumpy().copy(), net.bias.asnumpy().copy()))
    moved = [
        (bool((a[0] != b[0]).any()), bool((a[1] != b[1]).any())) for a, b in zip(seen, seen[1:], strict=False)
    ]
    assert moved == [(True, True), (False, True), (True, True)]


def test_levels():
    net, _, optimizer = network()
    assert boost.AutoBoost("O0").network_auto_process_train(net, optimizer) == (net, optimizer)
    boosted, frozen = boost.AutoBoost("O1").network_auto_process_train(net, optimizer)
    assert isinstance(boosted, boost.LessBN) and isinstance(frozen, boost.FreezeOpt)
    np.testing.assert_allclose(boosted(Tensor(X)).asnumpy(), net(Tensor(X)).asnumpy())
    with pytest.raises(ValueError):
        boost.AutoBoost("O7")


def test_groups():
    net, _, _ = network()
    parameters = boost.ParameterProcess().assign_parameter_group(list(net.trainable_params()), [1])
    assert [parameter.comm_fusion for parameter in parameters] == [2, 3]
    manager = boost.GroupLossScaleManager(8, [])
    manager.set_loss_scale_status(2, 8)
    assert float(manager.update_loss_scale_status(1, 0.5)) == 4.0 and manager.get_loss_scale() == 8
    with pytest.raises(RuntimeError, match="several processes"):
        boost.AdaSum(0, 1, 1, ())((), ())

# SPDX-License-Identifier: Apache-2.0
"""Cells that cut batches into parts, in both modes; gradients that accumulate."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.nn.wrap.cell_wrapper import _VirtualDatasetCell

X = np.arange(24, dtype=np.float32).reshape(6, 4) / 10
Y = np.arange(12, dtype=np.float32).reshape(6, 2) / 5


def network(wrap, parts):
    ms.set_seed(1)
    net = nn.Dense(4, 2, weight_init="ones")
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    return net, wrap(with_loss, parts) if wrap is not None else with_loss


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("wrap", [nn.PipelineCell, nn.MicroBatchInterleaved, nn.GradAccumulationCell])
def test_parts_add_up(wrap):
    plain_net, plain = network(None, 1)
    net, whole = network(wrap, 3)
    loss = whole(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(loss.asnumpy(), 3 * plain(Tensor(X), Tensor(Y)).asnumpy(), rtol=1e-5)
    for one, cell, rate in ((plain_net, plain, 0.3), (net, whole, 0.1)):
        step = nn.TrainOneStepCell(cell, nn.SGD(one.trainable_params(), rate))
        for _ in range(3):
            step(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(net.weight.asnumpy(), plain_net.weight.asnumpy(), rtol=1e-4)


@pytest.mark.parametrize("wrap", [nn.PipelineCell, nn.MicroBatchInterleaved, nn.GradAccumulationCell])
def test_wrong_parts(wrap):
    with pytest.raises(ValueError, match="divisible by 4"):
        network(wrap, 4)[1](Tensor(X), Tensor(Y))
    with pytest.raises(ValueError, match="large than 0"):
        network(wrap, 0)
    with pytest.raises(TypeError):
        network(wrap, 2.0)
    with pytest.raises(TypeError, match="Cell"):
        wrap(ops.relu, 2)


def test_one_process_takes_everything():
    class Sum(nn.Cell):
        def construct(self, a, b, c):
            return a + b + c

    three = (Tensor([1.0]), Tensor([2.0]), Tensor([3.0]))
    assert float(nn.VirtualDatasetCellTriple(Sum())(*three)) == 6.0
    assert float(_VirtualDatasetCell(Sum())(*three)) == 6.0
    found = nn.PipelineGradReducer([], 4.0)((Tensor([8.0]), Tensor([2.0])))
    assert [float(one) for one in found] == [2.0, 0.5]


class Accumulating(nn.TrainOneStepCell):
    """A step of the optimizer every second call."""

    def __init__(self, net, optimizer, every):
        super().__init__(net, optimizer)
        self.sums = optimizer.parameters.clone(prefix="accu", init="zeros")
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)
        self.every = every

    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad_no_sens(self.network, self.weights)(*inputs)
        for total, gradient in zip(self.sums, gradients, strict=False):
            ops.assign_add(total, gradient / self.every)
        ops.assign_add(self.calls, Tensor(1, ms.int32))
        if self.calls % self.every == 0:
            self.optimizer(self.sums)
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


def test_gradients_accumulate():
    ours, plain = network(None, 1), network(None, 1)
    step = Accumulating(ours[1], nn.Momentum(ours[0].trainable_params(), 0.1, 0.9), 2)
    whole = nn.TrainOneStepCell(plain[1], nn.Momentum(plain[0].trainable_params(), 0.1, 0.9))
    for _ in range(3):
        step(Tensor(X[:3]), Tensor(Y[:3]))
        step(Tensor(X[3:]), Tensor(Y[3:]))
        whole(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(ours[0].weight.asnumpy(), plain[0].weight.asnumpy(), rtol=1e-4)


def test_a_loss_of_several_tensors():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0]), name="w")

        def construct(self, x):
            return (self.w * x).sum(), (self.w * self.w).sum()

    net = Two()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    first, second = step(Tensor([3.0, 4.0]))
    assert (float(first), float(second)) == (11.0, 5.0)
    np.testing.assert_allclose(net.w.asnumpy(), [1 - 0.1 * (3 + 2), 2 - 0.1 * (4 + 4)], rtol=1e-6)
    halved = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1), sens=0.5, return_grad=True)
    _, gradients = halved(Tensor([3.0, 4.0]))
    np.testing.assert_allclose(gradients["w"].asnumpy(), [0.5 * (3 + 1.0), 0.5 * (4 + 2.4)], rtol=1e-6)

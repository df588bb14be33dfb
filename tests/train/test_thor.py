# SPDX-License-Identifier: Apache-2.0
"""Second-order steps: the layers' moments, the step's formula, conversion of networks."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn
from mindspore.train import ConvertModelUtils, ConvertNetUtils, Model

RNG = np.random.default_rng(2)
X = RNG.standard_normal((8, 3)).astype(np.float32)
Y = RNG.standard_normal((8, 2)).astype(np.float32)
DAMPING, RATE, MOMENTUM = 0.3, 0.1, 0.9


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def reference(weight, bias, steps, frequency):
    """A dense layer with the mean square as its loss."""
    v = [np.zeros_like(weight), np.zeros_like(bias)]
    root = np.sqrt(DAMPING)
    for step in range(steps):
        error = 2 * (X @ weight.T + bias - Y) / Y.size
        if step % frequency == 0:
            inverse_a = np.linalg.inv(X.T @ X / len(X) + root * np.eye(3))
            inverse_g = np.linalg.inv(error.T @ error * len(X) + root * np.eye(2))
        gradients = [inverse_g @ (error.T @ X) @ inverse_a, error.sum(0)]
        v = [MOMENTUM * old + g for old, g in zip(v, gradients, strict=True)]
        weight, bias = weight - RATE * v[0], bias - RATE * v[1]
    return weight, bias


@pytest.mark.parametrize("frequency", [1, 2])
def test_steps(mode, frequency):
    start = RNG.standard_normal((2, 3)).astype(np.float32)
    net = nn.DenseThor(3, 2, weight_init=Tensor(start))
    optimizer = nn.thor(net, Tensor(RATE), Tensor(DAMPING), MOMENTUM, frequency=frequency)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    for _ in range(4):
        step(Tensor(X), Tensor(Y))
    weight, bias = reference(start.astype(np.float64), np.zeros(2), 4, frequency)
    np.testing.assert_allclose(net.weight.asnumpy(), weight, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(net.bias.asnumpy(), bias, rtol=1e-4, atol=1e-5)


class Mixed(nn.Cell):
    """One layer of each kind."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 9)
        self.conv = nn.Conv2d(1, 2, 3)
        self.head = nn.SequentialCell(nn.Flatten(), nn.Dense(18, 4, activation="tanh"))

    def construct(self, ids):
        x = self.table(ids).reshape((-1, 1, 3, 3))
        return self.head(self.conv(x))


def test_networks_are_converted(mode):
    net = Mixed()
    names = [parameter.name for parameter in net.trainable_params()]
    before = net(Tensor([1, 2, 3], ms.int32)).asnumpy()
    ConvertNetUtils().convert_to_thor_net(net)
    kinds = {type(cell).__name__ for _, cell in net.cells_and_names()}
    assert {"EmbeddingThor", "Conv2dThor", "DenseThor"} <= kinds
    assert [parameter.name for parameter in net.trainable_params()] == names
    np.testing.assert_allclose(net(Tensor([1, 2, 3], ms.int32)).asnumpy(), before, rtol=1e-5)
    optimizer = nn.thor(
        net, Tensor([0.05, 0.02]), Tensor([0.3, 0.2]), 0.9, frequency=2, enable_clip_grad=True
    )
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    target = Tensor(RNG.standard_normal((3, 4)).astype(np.float32))
    losses = [float(step(Tensor([1, 2, 3], ms.int32), target)) for _ in range(6)]
    assert np.isfinite(losses).all() and losses[-1] < losses[0]


def test_models_are_converted():
    net = nn.Dense(3, 2)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = Model(net, nn.MSELoss(), optimizer)
    assert isinstance(ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss(), optimizer), Model)


def test_wrong_arguments():
    net = nn.DenseThor(3, 2)
    with pytest.raises(TypeError, match="learning_rate"):
        nn.thor(net, 0.1, Tensor(0.1), 0.9)
    with pytest.raises(TypeError, match="Cell"):
        nn.thor(1, Tensor(0.1), Tensor(0.1), 0.9)
    with pytest.raises(ValueError, match="momentum"):
        nn.thor(net, Tensor(0.1), Tensor(0.1), -0.9)

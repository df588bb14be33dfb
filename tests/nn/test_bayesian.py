# SPDX-License-Identifier: Apache-2.0
"""Bijectors, layers with distributed weights, autoencoders and what is built on them."""

import math

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn.probability.bijector as msb
import mindspore.nn.probability.distribution as msd
from mindspore import Tensor, nn, ops
from mindspore.nn.probability import bnn_layers, dpn, infer, toolbox
from mindspore.nn.probability.toolbox.uncertainty_evaluation import UncertaintyEvaluation
from mindspore.nn.probability.transforms import TransformToBNN

VALUES = np.array([0.2, 0.7, 1.3, 2.5])

BIJECTORS = {
    "Exp": (lambda: msb.Exp(), np.exp),
    "PowerTransform": (lambda: msb.PowerTransform(0.5), lambda x: (1 + 0.5 * x) ** 2),
    "PowerTransform 0": (lambda: msb.PowerTransform(), np.exp),
    "ScalarAffine": (lambda: msb.ScalarAffine(-2.0, 1.0), lambda x: -2 * x + 1),
    "Softplus": (lambda: msb.Softplus(2.0), lambda x: np.log1p(np.exp(2 * x)) / 2),
    "GumbelCDF": (lambda: msb.GumbelCDF(0.5, 2.0), lambda x: np.exp(-np.exp(-(x - 0.5) / 2))),
    "Invert": (lambda: msb.Invert(msb.Exp()), np.log),
}


class _Through(nn.Cell):
    def __init__(self, bijector):
        super().__init__()
        self.bijector = bijector

    def construct(self, x):
        y = self.bijector.forward(x)
        return (
            y,
            self.bijector("inverse", y),
            self.bijector("forward_log_jacobian", x),
            self.bijector.inverse_log_jacobian(y),
        )


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", BIJECTORS)
def test_bijector(name, mode):
    make, formula = BIJECTORS[name]
    ms.set_context(mode=mode)
    try:
        y, back, ahead, inverse = (
            np.broadcast_to(v.asnumpy(), (4,)) for v in _Through(make())(Tensor(VALUES, ms.float64))
        )
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(y, formula(VALUES), rtol=1e-6)
    np.testing.assert_allclose(back, VALUES, rtol=1e-6)
    slope = (formula(VALUES + 1e-6) - formula(VALUES - 1e-6)) / 2e-6
    np.testing.assert_allclose(ahead, np.log(np.abs(slope)), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(inverse, -ahead, rtol=1e-5, atol=1e-8)


def test_bijector_of_ones_own():
    class Cube(msb.Bijector):
        def _forward(self, value):
            return self._check_value_dtype(value) ** 3

        def _forward_log_jacobian(self, value):
            return (3 * value**2).log()

        def _inverse(self, value):
            return value ** (1 / 3)

    cube = Cube(name="Cube")
    value = Tensor([8.0], ms.float32)
    np.testing.assert_allclose(cube.inverse_log_jacobian(value).asnumpy(), [-math.log(12)], rtol=1e-6)
    assert cube.name == "Cube" and msb.Invert(cube).name == "InvertCube" and cube.batch_shape is None


def test_transformed_distribution():
    transformed = msd.TransformedDistribution(msb.Exp(), msd.Normal(0.5, 0.8))
    plain, value = msd.LogNormal(0.5, 0.8), Tensor(VALUES, ms.float32)
    for name in ("log_prob", "prob", "cdf", "survival_function"):
        found, wanted = transformed(name, value), plain(name, value)
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)
    assert transformed.sample((3, 2)).shape == (3, 2) and not transformed.is_linear_transformation
    with pytest.raises(NotImplementedError):
        transformed.mean()
    linear = msb.ScalarAffine(2.0, 1.0)(msd.Normal(0.5, 0.8))
    wide = msd.Normal(2.0, 1.6)
    np.testing.assert_allclose(linear.mean().asnumpy(), 2.0)
    np.testing.assert_allclose(linear.entropy().asnumpy(), wide.entropy().asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(linear.log_prob(value).asnumpy(), wide.log_prob(value).asnumpy(), rtol=1e-5)


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: msb.ScalarAffine(scale="scale"), TypeError),
        (lambda: msb.ScalarAffine(1, 2), TypeError),
        (lambda: msb.ScalarAffine(name=0.1), TypeError),
        (lambda: msb.PowerTransform(-1.0), ValueError),
        (lambda: msb.Invert(0.1), TypeError),
        (lambda: msb.Exp().forward(1.0), TypeError),
        (lambda: msb.Exp().forward(Tensor([1])), TypeError),
        (lambda: msb.GumbelCDF(0.0, 0.0), ValueError),
        (lambda: msd.TransformedDistribution(1, msd.Normal()), TypeError),
    ],
)
def test_errors(action, error):
    with pytest.raises(error):
        action()


@pytest.mark.parametrize("kind", [bnn_layers.DenseReparam, bnn_layers.DenseLocalReparam])
def test_dense_with_distributed_weights(kind):
    ms.set_seed(0)
    layer = kind(4, 3)
    x = Tensor(np.ones((2, 4)), ms.float32)
    draws = np.stack([layer(x).asnumpy() for _ in range(300)])
    mean = layer.weight_posterior("mean").asnumpy().sum(1) + layer.bias_posterior("mean").asnumpy()
    variance = layer.weight_posterior("var").asnumpy().sum(1) + layer.bias_posterior("var").asnumpy()
    np.testing.assert_allclose(
        draws.mean(0), np.broadcast_to(mean, (2, 3)), atol=5 * math.sqrt(variance.max() / 300)
    )
    np.testing.assert_allclose(draws.std(0), np.broadcast_to(np.sqrt(variance), (2, 3)), rtol=0.25)
    assert len(layer.trainable_params()) == 4


def test_convolution_with_distributed_weights():
    layer = bnn_layers.ConvReparam(3, 4, 3, has_bias=True)
    assert layer(Tensor(np.ones((2, 3, 5, 5)), ms.float32)).shape == (2, 4, 5, 5)
    assert layer.weight_posterior.mean.shape == (4, 3, 3, 3)


def test_divergence_of_posterior_from_prior():
    layer = bnn_layers.DenseReparam(4, 3, has_bias=False)
    mean = layer.weight_posterior("mean").asnumpy().astype(float)
    sd = layer.weight_posterior("sd").asnumpy().astype(float)
    wanted = (np.log(0.1 / sd) + (sd**2 + mean**2) / (2 * 0.1**2) - 0.5).sum()
    np.testing.assert_allclose(layer.compute_kl_loss().asnumpy(), wanted, rtol=1e-4)


def _points(count=64):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, 4)).astype(np.float32)
    return x, (x.sum(1) > 0).astype(np.int32)


def _dataset(x, y):
    return ds.NumpySlicesDataset((x, y), shuffle=False).batch(16)


def test_training_moves_the_posteriors():
    ms.set_seed(0)
    x, y = (Tensor(v) for v in _points())
    net = nn.SequentialCell(bnn_layers.DenseReparam(4, 8, activation="relu"), bnn_layers.DenseReparam(8, 2))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    network = bnn_layers.WithBNNLossCell(net, loss, bnn_factor=1e-4)
    assert network.backbone_network is net
    step = nn.TrainOneStepCell(network, nn.Adam(network.trainable_params(), 0.05))
    losses = [float(step(x, y)) for _ in range(60)]
    assert losses[-1] < 0.6 * losses[0]


def _autoencoder():
    encoder = nn.SequentialCell(nn.Dense(4, 6), nn.ReLU())
    return encoder, nn.Dense(6, 4)


class _ClassEncoder(nn.Cell):
    """Sees the class beside the data, as conditional autoencoders let it."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 6)

    def construct(self, x, y):
        return ops.relu(self.dense(ops.concat((x, nn.OneHot(depth=2)(y)), 1)))


def test_autoencoders():
    x, y = (Tensor(v) for v in _points(8))
    vae = dpn.VAE(*_autoencoder(), 6, 2)
    reconstructed, same, mean, deviation = vae(x)
    assert reconstructed.shape == same.shape == (8, 4) and mean.shape == deviation.shape == (8, 2)
    assert vae.generate_sample(3, (3, 2, 2)).shape == (3, 2, 2) and vae.reconstruct_sample(x).shape == (8, 4)
    both = dpn.ConditionalVAE(_ClassEncoder(), nn.Dense(6, 4), 6, 2, 2)
    assert both.dense1.weight.shape == (2, 6) and both.dense3.weight.shape == (6, 4)
    assert both(x, y)[0].shape == (8, 4) and both.generate_sample(y, 8, (8, 4)).shape == (8, 4)
    loss = float(infer.ELBO()((reconstructed, x, mean, deviation), x))
    mean, deviation = mean.asnumpy(), deviation.asnumpy()
    divergence = (-np.log(deviation) + (deviation**2 + mean**2) / 2 - 0.5).sum()
    wanted = np.square(reconstructed.asnumpy() - x.asnumpy()).sum() + divergence
    assert loss == pytest.approx(wanted, rel=1e-4)


def test_anomalies():
    ms.set_seed(0)
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(64, 1)), 4, 1).astype(np.float32) * 0.3
    detection = toolbox.VAEAnomalyDetection(*_autoencoder(), 6, 2)
    detection.train(_dataset(x, x[:, 0]), epochs=3)
    strange = Tensor(np.array([[30.0, -30, 30, -30]]), ms.float32)
    assert detection.predict_outlier(strange) and not detection.predict_outlier(Tensor(x[:1]))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_uncertainty(task):
    x, y = _points()
    labels = y if task == "classification" else x[:, :1]
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2 if task == "classification" else 1))
    classes = 2 if task == "classification" else None
    evaluation = UncertaintyEvaluation(net, _dataset(x, labels), task, classes)
    weights, data = (
        evaluation.eval_epistemic_uncertainty(Tensor(x)),
        evaluation.eval_aleatoric_uncertainty(Tensor(x)),
    )
    assert weights.shape[0] == data.shape[0] == 64
    assert (weights >= 0).all() and (data > 0).all() and weights.max() > 0


def test_plain_network_becomes_bayesian():
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Dense(8, 2))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), 0.01))
    made = TransformToBNN(step, 1, 1e-3).transform_to_bnn_model()
    x, y = _points(8)
    value = made(Tensor(x.reshape(8, 1, 2, 2)), Tensor(y))
    kinds = {type(cell) for _, cell in net.cells_and_names()}
    assert {bnn_layers.ConvReparam, bnn_layers.DenseReparam} <= kinds and np.isfinite(float(value))
    assert all("posterior" in p.name for p in made.network.trainable_params())

# SPDX-License-Identifier: Apache-2.0
"""Distributions against their densities and integrals of them, in both modes."""

import math

import numpy as np
import pytest

import mindspore as ms
import mindspore.nn.probability.distribution as msd
from mindspore import Tensor, nn

LINE = np.array([-2.0, -0.5, 0.3, 1.0, 2.5])
POSITIVE = np.array([0.2, 0.7, 1.0, 2.5, 6.0])
SHARES = np.array([0.05, 0.3, 0.5, 0.8, 0.97])
COUNTS = np.array([0.0, 1.0, 2.0, 3.0, 5.0])
PROBS = np.array([0.2, 0.5, 0.3], np.float32)

_gamma = math.gamma


def _beta(a, b):
    return _gamma(a) * _gamma(b) / _gamma(a + b)


def _student(x):
    z, df = (x - 0.5) / 1.5, 3.5
    norm = _gamma((df + 1) / 2) / (_gamma(df / 2) * math.sqrt(df * math.pi) * 1.5)
    return norm * (1 + z**2 / df) ** (-(df + 1) / 2)


def _logistic(x):
    z = (x - 0.5) / 1.5
    return np.exp(-np.abs(z)) / (1.5 * (1 + np.exp(-np.abs(z))) ** 2)


def _gumbel(x):
    z = (x - 0.5) / 1.5
    return np.exp(-(z + np.exp(-z))) / 1.5


def _normal(x, mean, sd):
    return np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))


_factorial = np.vectorize(math.factorial, otypes=[float])

# name -> (distribution, its density, values to look at, between which numbers everything lies)
CASES = {
    "Normal": (lambda: msd.Normal(0.5, 1.5), lambda x: _normal(x, 0.5, 1.5), LINE, (-20, 20)),
    "LogNormal": (
        lambda: msd.LogNormal(0.5, 0.8),
        lambda x: _normal(np.log(x), 0.5, 0.8) / x,
        POSITIVE,
        (0, 400),
    ),
    "HalfNormal": (
        lambda: msd.HalfNormal(0.1, 1.5),
        lambda x: 2 * _normal(x, 0.1, 1.5) * (x >= 0.1),
        POSITIVE,
        (0.1, 20),
    ),
    "StudentT": (lambda: msd.StudentT(3.5, 0.5, 1.5), _student, LINE, (-4000, 4000)),
    "Uniform": (lambda: msd.Uniform(-1.0, 2.0), lambda x: (abs(x - 0.5) < 1.5) / 3, LINE, (-1, 2)),
    "Cauchy": (
        lambda: msd.Cauchy(0.5, 1.5),
        lambda x: 1 / (math.pi * 1.5 * (1 + ((x - 0.5) / 1.5) ** 2)),
        LINE,
        None,
    ),
    "Laplace": (lambda: msd.Laplace(0.5, 1.5), lambda x: np.exp(-abs(x - 0.5) / 1.5) / 3, LINE, (-40, 40)),
    "Logistic": (lambda: msd.Logistic(0.5, 1.5), _logistic, LINE, (-60, 60)),
    "Gumbel": (lambda: msd.Gumbel(0.5, 1.5), _gumbel, LINE, (-10, 60)),
    "Exponential": (lambda: msd.Exponential(1.5), lambda x: 1.5 * np.exp(-1.5 * x), POSITIVE, (0, 30)),
    "Gamma": (
        lambda: msd.Gamma([2.5], [1.5]),
        lambda x: 1.5**2.5 * x**1.5 * np.exp(-1.5 * x) / _gamma(2.5),
        POSITIVE,
        (0, 40),
    ),
    "Beta": (
        lambda: msd.Beta([2.5], [1.5]),
        lambda x: x**1.5 * (1 - x) ** 0.5 / _beta(2.5, 1.5),
        SHARES,
        (0, 1),
    ),
    "Bernoulli": (
        lambda: msd.Bernoulli(0.3),
        lambda x: np.where(x == 1, 0.3, 0.7),
        np.array([0.0, 1.0]),
        (0, 1),
    ),
    "Geometric": (lambda: msd.Geometric(0.3), lambda x: 0.3 * 0.7**x, COUNTS, (0, 200)),
    "Poisson": (
        lambda: msd.Poisson(2.5),
        lambda x: 2.5**x * math.exp(-2.5) / _factorial(x.astype(int)),
        COUNTS,
        (0, 60),
    ),
    "Categorical": (
        lambda: msd.Categorical(PROBS),
        lambda x: PROBS[x.astype(int)].astype(float),
        np.array([0.0, 1.0, 2.0]),
        (0, 2),
    ),
}
DISCRETE = ("Bernoulli", "Geometric", "Poisson", "Categorical")


class _Everything(nn.Cell):
    def __init__(self, distribution):
        super().__init__()
        self.distribution = distribution

    def construct(self, value):
        names = ("prob", "log_prob", "cdf", "survival_function", "log_cdf", "log_survival")
        return tuple(self.distribution(name, value) for name in names)


def _integral(name, function):
    """The sum, or the integral, of a function over everything."""
    low, high = CASES[name][3]
    if name in DISCRETE:
        return function(np.arange(low, high + 1.0)).sum()
    # Fine near the ends, where densities may rise steeply.
    middle = (np.linspace(-1, 1, 300_001)) ** 3 if name == "StudentT" else np.linspace(-1, 1, 300_001)
    x = (low + high) / 2 + middle * (high - low) / 2
    centres = (x[1:] + x[:-1]) / 2
    return (function(centres) * np.diff(x)).sum()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", CASES)
def test_functions_of_a_value(name, mode):
    make, density, values, ends = CASES[name]
    ms.set_context(mode=mode)
    try:
        found = [f.asnumpy() for f in _Everything(make())(Tensor(values, ms.float32))]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(found[0], density(values), rtol=5e-5, atol=1e-6)
    with np.errstate(divide="ignore"):
        for logarithm, plain in ((1, 0), (4, 2), (5, 3)):
            np.testing.assert_allclose(found[logarithm], np.log(found[plain]), rtol=1e-4, atol=2e-6)
    np.testing.assert_allclose(found[3], 1 - found[2], atol=1e-6)
    if ends is None:
        return
    for value, share in zip(values, found[2], strict=True):
        wanted = _integral(name, lambda x, value=value: density(x) * (x <= value))
        assert share == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize("name", [name for name in CASES if name != "Cauchy"])
def test_moments(name):
    make, density, _, _ = CASES[name]
    distribution = make()
    mean = _integral(name, lambda x: density(x) * x)
    variance = _integral(name, lambda x: density(x) * (x - mean) ** 2)
    rough = 0.02 if name == "StudentT" else 1e-4
    np.testing.assert_allclose(distribution.mean().asnumpy().ravel(), mean, rtol=1e-4)
    np.testing.assert_allclose(distribution.var().asnumpy().ravel(), variance, rtol=rough)
    np.testing.assert_allclose(distribution.sd().asnumpy().ravel(), math.sqrt(variance), rtol=rough)
    if name in ("Poisson", "StudentT"):
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = _integral(name, lambda x: np.nan_to_num(-density(x) * np.log(density(x))))
    np.testing.assert_allclose(distribution.entropy().asnumpy().ravel(), entropy, rtol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_samples_follow_the_distribution(name):
    make, _, values, _ = CASES[name]
    ms.set_seed(3)
    distribution = make()
    batch = distribution.batch_shape if name != "Categorical" else ()
    sample = distribution.sample((20000,))
    assert sample.shape == (20000, *batch) and sample.dtype == distribution.dtype
    drawn = sample.asnumpy().reshape(-1).astype(np.float64)
    for value in values:
        share = (drawn <= value).mean()
        wanted = float(distribution.cdf(Tensor([value], ms.float32)).asnumpy()[0])
        assert share == pytest.approx(wanted, abs=0.02)


OTHERS = {
    "Normal": (msd.Normal, (0.5, 1.5), (-0.3, 2.0)),
    "LogNormal": (msd.LogNormal, (0.5, 0.8), (-0.3, 1.2)),
    "Laplace": (msd.Laplace, (0.5, 1.5), (-0.3, 2.0)),
    "Gumbel": (msd.Gumbel, (0.5, 1.5), (-0.3, 2.0)),
    "Uniform": (msd.Uniform, (-1.0, 2.0), (-1.5, 4.0)),
    "Exponential": (msd.Exponential, (1.5,), (0.7,)),
    "Gamma": (msd.Gamma, ([2.5], [1.5]), ([1.5], [0.7])),
    "Beta": (msd.Beta, ([2.5], [1.5]), ([1.2], [3.0])),
    "Bernoulli": (msd.Bernoulli, (0.3,), (0.6,)),
    "Geometric": (msd.Geometric, (0.3,), (0.6,)),
    "Poisson": (msd.Poisson, (2.5,), (4.0,)),
    "Categorical": (msd.Categorical, (PROBS,), (np.array([0.1, 0.2, 0.7], np.float32),)),
}
GRIDS = {"Beta": (1e-6, 1 - 1e-6), "Exponential": (1e-6, 40), "Gamma": (1e-6, 40), "LogNormal": (1e-4, 300)}


@pytest.mark.parametrize("name", OTHERS)
def test_divergence_is_the_mean_of_the_log_ratio(name):
    kind, own, other = OTHERS[name]
    p, q = kind(*own, dtype=ms.float64), kind(*other, dtype=ms.float64)
    if name in DISCRETE:
        values, width = np.arange(3 if name == "Categorical" else 2 if name == "Bernoulli" else 60), 1.0
    else:
        low, high = GRIDS.get(name, (-1 + 1e-9, 2 - 1e-9) if name == "Uniform" else (-60, 60))
        values = np.linspace(low, high, 400001)
        width = values[1] - values[0]
    x = Tensor(values, ms.float64)
    density = p.prob(x).asnumpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(density > 0, density * (p.log_prob(x).asnumpy() - q.log_prob(x).asnumpy()), 0)
    found = float(p.kl_loss(name, *other).asnumpy().reshape(()))
    assert found == pytest.approx(np.nansum(ratio) * width, rel=2e-3, abs=1e-5)
    if name != "Poisson":
        cross = float(p.cross_entropy(name, *other).asnumpy().reshape(()))
        assert cross == pytest.approx(found + float(p.entropy().asnumpy().reshape(())), rel=1e-5)


def test_divergence_of_cauchy():
    value = msd.Cauchy(0.5, 1.5).kl_loss("Cauchy", 0.5, 1.5)
    np.testing.assert_allclose(value.asnumpy(), 0, atol=1e-6)


def test_parameters_of_a_call():
    value = Tensor([0.5, 1.0], ms.float32)
    mean, sd = Tensor([0.0], ms.float32), Tensor([2.0], ms.float32)
    fixed, open_ = msd.Normal(0.0, 2.0), msd.Normal()
    wanted = fixed.log_prob(value).asnumpy()
    for found in (
        open_.log_prob(value, mean, sd),
        open_.log_prob(value, sd=sd, mean=mean),
        open_("log_prob", value, mean, sd),
    ):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
    assert open_.get_dist_args() == (None, None) and open_.batch_shape is None
    assert fixed.get_dist_type() == "Normal" and fixed.is_scalar_batch and fixed.parameters["sd"] == 2
    with pytest.raises(TypeError, match="should not be None"):
        open_.log_prob(value)


def test_shapes_spread():
    normal = msd.Normal([[1.0], [2.0]], [1.0, 2.0, 3.0])
    assert normal.mean().shape == normal.batch_shape == (2, 3)
    assert normal.sample((4,)).shape == (4, 2, 3)
    assert normal.log_prob(Tensor(np.zeros((5, 1, 1)), ms.float32)).shape == (5, 2, 3)


def test_same_seed_same_samples():
    def draw():
        ms.set_seed(1)
        return msd.Gamma([2.0], [1.0], seed=5).sample((4,)).asnumpy()

    np.testing.assert_array_equal(draw(), draw())


def test_gradient_by_parameters():
    value = Tensor(POSITIVE, ms.float64)

    def loss(mean, sd):
        return msd.Normal(dtype=ms.float64).log_prob(value, mean, sd).sum()

    mean, sd = 0.4, 1.3
    by_mean, by_sd = ms.grad(loss, (0, 1))(Tensor(mean, ms.float64), Tensor(sd, ms.float64))
    np.testing.assert_allclose(float(by_mean), ((POSITIVE - mean) / sd**2).sum(), rtol=1e-6)
    np.testing.assert_allclose(float(by_sd), ((POSITIVE - mean) ** 2 / sd**3 - 1 / sd).sum(), rtol=1e-6)


class _Mine(msd.Distribution):
    def __init__(self, rate=None, seed=None, dtype=ms.float32, name="Mine"):
        super().__init__(seed, dtype, name, {"param_dict": {"rate": rate}})
        self._rate = self._add_parameter(rate, "rate")

    def _log_survival(self, value, rate=None):
        rate = self._check_param_type(rate)
        return -rate * self._check_value(value, "value")


def test_own_distribution():
    mine, value = _Mine(2.0), Tensor([0.5], ms.float32)
    np.testing.assert_allclose(mine.cdf(value).asnumpy(), [1 - math.exp(-1)], rtol=1e-6)
    np.testing.assert_allclose(mine.survival_function(value).asnumpy(), [math.exp(-1)], rtol=1e-6)
    np.testing.assert_allclose(
        mine.log_cdf(value, Tensor(1.0, ms.float32)).asnumpy(), [math.log(1 - math.exp(-0.5))], rtol=1e-5
    )
    for name in ("prob", "log_prob", "mean", "var", "entropy", "sample", "mode", "kl_loss"):
        with pytest.raises(NotImplementedError):
            getattr(mine, name)(value)


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: msd.Normal([[2.0], [1.0]], [[2.0], [3.0], [4.0]]), ValueError),
        (lambda: msd.Normal(0.0, 1.0, dtype=ms.int32), TypeError),
        (lambda: msd.Normal(0.0, 1.0, name=1.0), TypeError),
        (lambda: msd.Normal(0.0, 1.0, seed="seed"), TypeError),
        (lambda: msd.Normal(0.0, 0.0), ValueError),
        (lambda: msd.Normal(np.zeros(2, np.float32), np.ones(2, np.float64)), TypeError),
        (lambda: msd.Uniform(1.0, 0.0), ValueError),
        (lambda: msd.Gamma(3.0, [4.0]), TypeError),
        (lambda: msd.Bernoulli(1.5), ValueError),
        (lambda: msd.Categorical([0.5, 0.1]), ValueError),
        (lambda: msd.Cauchy(0.0, 1.0).mean(), ValueError),
        (lambda: msd.Normal(0.0, 1.0).prob(1.0), TypeError),
        (lambda: msd.Normal(0.0, 1.0).kl_loss("Gamma", 1.0, 1.0), ValueError),
        (lambda: msd.Normal(0.0, 1.0).sample([1]), TypeError),
        (lambda: msd.Normal(0.0, 1.0)("nothing"), NotImplementedError),
    ],
)
def test_errors(action, error):
    with pytest.raises(error):
        action()


@pytest.mark.parametrize(
    ("batch", "entropy", "mean"),
    [((), (), (1,)), ((1,), (), (1, 1)), ((3,), (3,), (3, 1)), ((1, 3), (3,), (1, 3, 1))],
)
def test_shapes_of_categorical(batch, entropy, mean):
    """As in MindSpore 2.7: axes of one element leave the entropy; that of the classes stays in the mean."""
    probs = Tensor(np.full((*batch, 2), 0.5, np.float32))
    found = msd.Categorical(probs)
    for value in (
        found.entropy(),
        found.kl_loss("Categorical", probs),
        found.cross_entropy("Categorical", probs),
    ):
        assert value.shape == entropy
    assert found.mean().shape == found.var().shape == mean
    assert found.sample().shape == batch

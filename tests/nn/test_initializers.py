# SPDX-License-Identifier: Apache-2.0
"""Initial values of parameters."""

import math

import numpy as np
import pytest

import mindspore as ms
from mindspore.common import initializer as init
from mindspore.common.initializer import initializer


def drawn(kind, *shape):
    return initializer(kind, shape).init_data().asnumpy()


def test_initializer_is_lazy():
    tensor = initializer("normal", [2, 3])
    assert tensor.has_init
    assert tensor.init_data() is tensor and not tensor.has_init and tensor.shape == (2, 3)


@pytest.mark.parametrize(
    "kind, value", [("zeros", 0), ("ones", 1), (3.5, 3.5), (init.Constant(2), 2), ("One", 1)]
)
def test_constants(kind, value):
    assert (drawn(kind, 2, 3) == value).all()


@pytest.mark.parametrize(
    "kind, bound",
    [
        (init.Uniform(), 0.07),
        ("he_uniform", math.sqrt(2) * math.sqrt(3 / 400)),
        (init.HeUniform(math.sqrt(5)), 1 / math.sqrt(400)),
        ("xavier_uniform", math.sqrt(6 / 700)),
        (init.VarianceScaling(distribution="uniform"), math.sqrt(3 / 400)),
    ],
)
def test_uniform_bounds(kind, bound):
    values = drawn(kind, 300, 400)
    assert abs(values).max() <= bound and abs(values).max() > 0.99 * bound
    assert abs(values.mean()) < 0.02 * bound
    assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.01)


@pytest.mark.parametrize(
    "kind, mean, deviation",
    [
        ("normal", 0, 0.01),
        (init.Normal(2.0, 5.0), 5, 2),
        ("he_normal", 0, math.sqrt(2 / 400)),
        ("xavier_normal", 0, math.sqrt(2 / 700)),
        ("truncatedNormal", 0, 0.01),
        (init.VarianceScaling(), 0, math.sqrt(1 / 400)),
    ],
)
def test_normal_moments(kind, mean, deviation):
    values = drawn(kind, 300, 400)
    assert values.mean() == pytest.approx(mean, abs=0.02 * deviation)
    assert values.std() == pytest.approx(deviation, rel=0.02)


def test_truncated_bounds():
    values = drawn(init.TruncatedNormal(1.0, 0.0, -0.5, 1.0), 100, 100)
    assert values.min() >= -0.5 and values.max() <= 1.0


def test_special_matrices():
    matrix = drawn(init.Orthogonal(2.0), 6, 4)
    np.testing.assert_allclose(matrix.T @ matrix, 4 * np.eye(4), atol=1e-4)
    np.testing.assert_array_equal(drawn("identity", 3, 4), np.eye(3, 4))
    kernel = drawn("dirac", 2, 2, 3)
    assert kernel.sum() == 2 and kernel[0, 0, 1] == 1 and kernel[1, 1, 1] == 1
    sparse = drawn(init.Sparse(0.3), 10, 5)
    assert ((sparse == 0).sum(0) == 3).all()


def test_seed_repeats_initial_values():
    def draw():
        ms.set_seed(3)
        return drawn("normal", 4, 4).tolist(), drawn("normal", 4, 4).tolist()

    first, second = draw()
    assert (first, second) == draw() and first != second


def test_errors():
    with pytest.raises(ValueError, match="the class corresponding to 'foo' was not found"):
        initializer("foo", (2,))
    with pytest.raises(ValueError):
        initializer("ones", (0, 2))
    with pytest.raises(ValueError):
        drawn("he_normal", 3)
    with pytest.raises(ValueError):
        drawn("identity", 3)
    with pytest.raises(ValueError):
        init.VarianceScaling(distribution="other")
    with pytest.raises(TypeError):
        initializer([1], (2,))

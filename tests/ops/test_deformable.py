# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution, against numbers of MindSpore 2.7.0 on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

# First numbers, sum, and sum of magnitudes of the result and of the gradients of image, weights, offsets.
WANTED = [
    ([0.110329, -1.632572, -0.339297, 0.371012, -0.669659, 3.036685], 18.454513, 204.556814),
    ([-0.357996, 0.957555, -0.222868, 1.600331, 1.073666, -3.450907], -4.707031, 286.601475),
    ([2.971373, -3.463998, 1.171404, 2.2644, -1.005436, 5.900949], -35.499475, 163.729056),
    ([0.0, 0.0, 0.0, 0.0, -1.08437, 2.279831], 74.401918, 1253.778733),
]
MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def normal(random, *shape):
    return Tensor(random.randn(*shape).astype(np.float32))


def test_two_groups_of_offsets_uneven_padding_stride_and_dilation(mode):
    random = np.random.RandomState(2)
    x, weight, offsets, bias = (
        normal(random, *shape) for shape in ((2, 4, 6, 5), (4, 4, 3, 2), (2, 36, 3, 5), (4,))
    )
    seeds = normal(random, 2, 4, 3, 5)

    def convolved(x, weight, offsets):
        return ops.deformable_conv2d(
            x, weight, offsets, (3, 2), (1, 1, 2, 1), (1, 0, 1, 1), bias, (1, 1, 1, 2), deformable_groups=2
        )

    def seeded(x, weight, offsets):
        return (convolved(x, weight, offsets) * seeds).sum()

    results = [convolved(x, weight, offsets), *ms.grad(seeded, (0, 1, 2))(x, weight, offsets)]
    for result, (begin, total, size) in zip(results, WANTED, strict=True):
        array = result.asnumpy().astype(np.float64)
        np.testing.assert_allclose(array.ravel()[:6], begin, atol=2e-5)
        assert (array.sum(), np.abs(array).sum()) == pytest.approx((total, size), abs=2e-3)


def test_offsets_of_nothing_are_a_convolution():
    random = np.random.RandomState(0)
    x, weight = normal(random, 1, 4, 5, 5), normal(random, 6, 2, 3, 3)
    offsets = ops.concat((ops.zeros((1, 18, 5, 5)), ops.ones((1, 9, 5, 5))), 1)
    args = ((3, 3), (1, 1, 1, 1), (1, 1, 1, 1))
    want = ops.conv2d(x, weight, pad_mode="pad", padding=1, groups=2)
    got = ops.deformable_conv2d(x, weight, offsets, *args, groups=2)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), atol=1e-5)
    half = ops.deformable_conv2d(*(t.astype(ms.float16) for t in (x, weight, offsets)), *args, groups=2)
    assert half.dtype == ms.float16
    np.testing.assert_allclose(half.asnumpy(), want.asnumpy(), atol=3e-2)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"strides": (2, 1, 1, 1)}, ValueError, "first two numbers of 'strides' must be 1"),
        ({"strides": [1, 1, 1, 1]}, TypeError, "'strides' must be a tuple of 4 ints"),
        ({"padding": (0, 0)}, ValueError, "'padding' must have 4 numbers"),
        ({"modulated": False}, ValueError, "'modulated' must be True"),
        ({"deformable_groups": 2}, ValueError, "'offsets' of an image of shape"),
    ],
)
def test_what_does_not_fit(more, error, words):
    given = {"kernel_size": (3, 3), "strides": (1, 1, 1, 1), "padding": (0, 0, 0, 0), **more}
    with pytest.raises(error, match=words):
        ops.deformable_conv2d(
            ops.ones((1, 2, 3, 3)), ops.ones((1, 2, 3, 3)), ops.ones((1, 27, 1, 1)), **given
        )


def test_errors_name_the_function():
    image, weight, offsets = ops.ones((1, 2, 4, 4)), ops.ones((3, 2, 3, 3)), ops.zeros((1, 27, 2, 2))
    with pytest.raises(ValueError, match="For 'deformable_conv2d', the shape of 'bias'"):
        ops.deformable_conv2d(image, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0), bias=ops.ones(2))

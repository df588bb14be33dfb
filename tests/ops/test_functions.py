# SPDX-License-Identifier: Apache-2.0
"""Functions and primitives that are composed in Python, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

_GENERATOR = np.random.default_rng(0)
A = _GENERATOR.normal(size=(3, 4)).astype(np.float32)
B = _GENERATOR.normal(size=(3, 4)).astype(np.float32)
C = _GENERATOR.normal(size=(2, 3, 4)).astype(np.float32)
X = _GENERATOR.normal(size=(1, 4, 4, 4)).astype(np.float32)
a, b, c, x = map(Tensor, (A, B, C, X))
_PLANE_MEAN = X.reshape(1, 4, 2, 2, 2, 2).mean((3, 5))
_DOUBLED = X.repeat(2, 2).repeat(2, 3)
_IDENTITY_MAP = Tensor([[[1.0, 0, 0], [0, 1, 0]]])


def _values(result):
    if isinstance(result, (tuple, list)):
        return [_values(item) for item in result]
    return result.asnumpy() if isinstance(result, Tensor) else result


def _check(result, expected):
    result = _values(result)
    if isinstance(result, list):
        assert len(result) == len(expected)
        for got, wanted in zip(result, expected, strict=True):
            _check(got, wanted)
        return
    assert np.shape(result) == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


_CASES = {
    "max": (lambda: ops.max(a, 1), [A.max(1), A.argmax(1)]),
    "max_of_all": (lambda: ops.max(a), [A.max(), 0]),
    "amax": (lambda: ops.amax(a, (0, 1)), A.max()),
    "aminmax": (lambda: ops.aminmax(a, axis=1), [A.min(1), A.max(1)]),
    "median": (lambda: ops.median(Tensor([[1.0, 3, 2, 5]])), [[2.0], [2]]),
    "nanmedian": (lambda: ops.nanmedian(Tensor([[1.0, np.nan, 2, 5]])), [[2.0], [2]]),
    "nanmean": (lambda: ops.nanmean(Tensor([1.0, np.nan, 2])), 1.5),
    "quantile": (lambda: ops.quantile(a, Tensor([0.3, 0.6]), 1), np.quantile(A, [0.3, 0.6], axis=1)),
    "quantile_of_all": (lambda: ops.quantile(a, 0.3), np.quantile(A, 0.3)),
    "histc": (lambda: ops.histc(Tensor([1.0, 2, 1]), 4, 0.0, 3.0), [0, 2, 1, 0]),
    "cov": (lambda: ops.cov(a), np.cov(A)),
    "logcumsumexp": (lambda: ops.logcumsumexp(a, 1), np.logaddexp.accumulate(A, 1)),
    "searchsorted": (lambda: ops.searchsorted(Tensor([1.0, 2, 3]), Tensor([2.0]), right=True), [2]),
    "bucketize": (lambda: ops.bucketize(Tensor([1.0, 2, 4]), [1.0, 2, 3]), [0, 1, 3]),
    "unique_consecutive": (
        lambda: ops.unique_consecutive(Tensor([1, 1, 2, 3, 3, 1]), True, True),
        [[1, 2, 3, 1], [0, 0, 1, 2, 2, 3], [2, 1, 2, 1]],
    ),
    "norm": (lambda: ops.norm(a), np.linalg.norm(A.ravel())),
    "norm_of_columns": (lambda: ops.norm(a, 3, 0), np.linalg.norm(A, 3, 0)),
    "norm_of_matrix": (lambda: ops.norm(a, float("inf")), np.linalg.norm(A, np.inf)),
    "clip_by_value": (lambda: ops.clip_by_value((a, b), -0.5, 0.5), [A.clip(-0.5, 0.5), B.clip(-0.5, 0.5)]),
    "flatten": (lambda: ops.flatten(c), C.reshape(2, 12)),
    "flatten_by_columns": (lambda: c.flatten("F"), C.flatten("F")),
    "hstack": (lambda: ops.hstack((a, b)), np.hstack((A, B))),
    "vstack": (lambda: ops.vstack((a, b)), np.vstack((A, B))),
    "dstack": (lambda: ops.dstack((a, b)), np.dstack((A, B))),
    "tensor_split": (lambda: ops.tensor_split(a, (1, 3), 1), np.split(A, (1, 3), 1)),
    "tensor_split_evenly": (lambda: ops.tensor_split(a, 3, 1), np.array_split(A, 3, 1)),
    "rot90": (lambda: ops.rot90(a, 1, (0, 1)), np.rot90(A)),
    "diff": (lambda: ops.diff(a, 2), np.diff(A, 2)),
    "diagflat": (lambda: ops.diagflat(Tensor([1.0, 2]), 1), np.diagflat([1.0, 2], 1)),
    "diag_embed": (lambda: ops.diag_embed(a), np.stack([np.diag(row) for row in A])),
    "cartesian_prod": (lambda: ops.cartesian_prod(Tensor([1, 2]), Tensor([3])), [[1, 3], [2, 3]]),
    "combinations": (lambda: ops.combinations(Tensor([1, 2, 3])), [[1, 2], [1, 3], [2, 3]]),
    "pixel_shuffle": (lambda: ops.pixel_unshuffle(ops.pixel_shuffle(x, 2), 2), X),
    "space_to_batch": (
        lambda: ops.batch_to_space_nd(ops.space_to_batch_nd(x, 2, ((0, 0), (0, 0))), 2, ((0, 0), (0, 0))),
        X,
    ),
    "reverse_sequence": (
        lambda: ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1),
        [[2, 1, 3], [6, 5, 4]],
    ),
    "tensor_dot": (lambda: ops.tensor_dot(a, b, ((1,), (1,))), A @ B.T),
    "batch_dot": (lambda: ops.batch_dot(c, c.swapaxes(1, 2)), C @ C.swapaxes(1, 2)),
    "kron": (lambda: ops.kron(a, Tensor([[1.0, 2]])), np.kron(A, [[1, 2]])),
    "cross": (lambda: ops.cross(a.T, b.T, 1), np.cross(A.T, B.T)),
    "cdist": (lambda: ops.cdist(a, b), np.linalg.norm(A[:, None] - B, axis=-1)),
    "matrix_power": (lambda: ops.matrix_power(a[:, :3], 3), np.linalg.matrix_power(A[:, :3], 3)),
    "gcd": (lambda: ops.gcd(Tensor([12, 18, 0]), Tensor([8, 27, 5])), [4, 9, 5]),
    "lcm": (lambda: ops.lcm(Tensor([12, 18, 0]), Tensor([8, 27, 5])), [24, 54, 0]),
    "nonzero": (lambda: ops.nonzero(Tensor([[1, 0], [0, 2]]), True), [[0, 1], [0, 1]]),
    "one_hot": (lambda: ops.one_hot(Tensor([0, 2]), 3), np.eye(3)[[0, 2]]),
    "matrix_band_part": (lambda: ops.matrix_band_part(a, 1, 0), np.tril(A) - np.tril(A, -2)),
    "tril_indices": (lambda: ops.tril_indices(3, 4, 1), np.stack(np.tril_indices(3, 1, 4))),
    "triu_indices": (lambda: ops.triu_indices(3, 4, -1), np.stack(np.triu_indices(3, -1, 4))),
    "hamming_window": (lambda: ops.hamming_window(5, False), np.hamming(5)),
    "kaiser_window": (lambda: ops.kaiser_window(5, False), np.kaiser(5, 12.0)),
    "bartlett_window": (lambda: ops.bartlett_window(5, False), np.bartlett(5)),
    "sequence_mask": (lambda: ops.sequence_mask(Tensor([1, 3])), [[1, 0, 0], [1, 1, 1]]),
    "iou": (lambda: ops.iou(Tensor([[0.0, 0, 9, 9]]), Tensor([[5.0, 0, 14, 9]])), [[1 / 3]]),
    "box_coding": (
        lambda: ops.bounding_box_decode(
            Tensor([[0.0, 0, 9, 9]]),
            ops.bounding_box_encode(Tensor([[0.0, 0, 9, 9]]), Tensor([[2.0, 1, 8, 7]])),
            (20, 20),
        ),
        [[2, 1, 8, 7]],
    ),
    "interpolate_nearest": (lambda: ops.interpolate(x, size=(8, 8)), _DOUBLED),
    "interpolate_area": (lambda: ops.interpolate(x, size=(2, 2), mode="area"), _PLANE_MEAN),
    "interpolate_aligned": (
        lambda: ops.interpolate(Tensor([[[0.0, 1.0]]]), size=3, mode="linear", align_corners=True),
        [[[0, 0.5, 1]]],
    ),
    "grid_sample": (lambda: ops.grid_sample(x, ops.affine_grid(_IDENTITY_MAP, (1, 4, 4, 4))), X),
    "fold_of_unfold": (lambda: ops.fold(ops.unfold(x, 2, stride=2), (4, 4), 2, stride=2), X),
    "avg_pool1d": (lambda: ops.avg_pool1d(c, 2, 2), C.reshape(2, 3, 2, 2).mean(-1)),
    "avg_pool2d": (lambda: ops.avg_pool2d(x, 2, 2), _PLANE_MEAN),
    "adaptive_avg_pool1d": (lambda: ops.adaptive_avg_pool1d(c, 2), C.reshape(2, 3, 2, 2).mean(-1)),
    "embedding": (lambda: ops.embedding(Tensor([0, 2]), a), A[[0, 2]]),
    "ResizeNearestNeighbor": (lambda: ops.ResizeNearestNeighbor((8, 8))(x), _DOUBLED),
    "CropAndResize": (
        lambda: ops.CropAndResize()(x.transpose(0, 2, 3, 1), Tensor([[0.0, 0, 1, 1]]), Tensor([0]), (4, 4)),
        X.transpose(0, 2, 3, 1),
    ),
    "DepthToSpace": (lambda: ops.SpaceToDepth(2)(ops.DepthToSpace(2)(x)), X),
    "InvertPermutation": (lambda: ops.InvertPermutation()((1, 2, 0)), [2, 0, 1]),
    "FloatStatus": (lambda: ops.FloatStatus()(Tensor([1.0, np.inf])), [1]),
    "Custom": (lambda: ops.Custom(lambda array: array * 2, func_type="pyfunc")(a), A * 2),
    "choose": (lambda: Tensor([0, 1, 1]).choose([Tensor([1, 2, 3]), Tensor([4, 5, 6])]), [1, 5, 6]),
    "resize": (lambda: a.resize(2, 7), np.pad(A.ravel(), (0, 2)).reshape(2, 7)),
    "sum_to_size": (lambda: a.sum_to_size(1, 4), A.sum(0, keepdims=True)),
    "std": (lambda: a.std(1, 1), A.std(1, ddof=1)),
    "ptp": (lambda: a.ptp(1), np.ptp(A, 1)),
}


@pytest.mark.parametrize("name", _CASES)
def test_function(name):
    call, expected = _CASES[name]
    _check(call(), expected)


_EQUATIONS = {
    "ij,kj->ik": (A, B),
    "ij->j": (A,),
    "ij,ij->": (A, B),
    "bij,bkj->bik": (C, C),
    "...ij,...jk->...ik": (C, C.swapaxes(1, 2)),
    "ii->i": (A[:, :3],),
    "i,j->ij": (A[0], B[0]),
    "ij,kj,kl->il": (A, B, B),
    "ij,jk": (A, B.T),
}


@pytest.mark.parametrize("equation", _EQUATIONS)
def test_einsum(equation):
    operands = _EQUATIONS[equation]
    _check(ops.einsum(equation, *map(Tensor, operands)), np.einsum(equation, *operands))


def test_hyper_map_descends_and_map_does_not():
    double = ops.MultitypeFuncGraph("double")

    @double.register("Tensor")
    def _double_tensor(value):
        return value * 2

    @double.register("Number")
    def _double_number(value):
        return value * 2

    assert ops.HyperMap(double)((1, (2, 3))) == (2, (4, 6))
    assert ops.HyperMap()(double, (Tensor(1.0), 2))[0].item() == 2
    assert ops.Map()(lambda p, q: p + q, (1, 2), (3, 4)) == (4, 6)
    for kind in (TypeError, ValueError):  # what compiled functions raise, and what Python does
        with pytest.raises(kind, match="cannot find fn match given args"):
            double("text")


def test_clip_by_global_norm_scales_everything():
    clipped = ops.clip_by_global_norm((a, b), 1.0)
    total = np.sqrt(sum((item.asnumpy() ** 2).sum() for item in clipped))
    assert abs(total - 1) < 1e-5


def test_dropout_of_channels_keeps_or_drops_them_whole():
    result = ops.dropout2d(ops.ones((8, 64, 3, 3)), 0.5).asnumpy()
    per_channel = result.reshape(512, 9)
    assert set(per_channel.max(1)) == {0.0, 2.0}
    np.testing.assert_array_equal(per_channel.min(1), per_channel.max(1))


def test_random_functions_have_range_and_type():
    drawn = ops.randint(3, 7, (1000,))
    assert drawn.dtype is ms.int64
    assert set(drawn.tolist()) == {3, 4, 5, 6}
    assert float(ops.rand(100).min()) >= 0 and float(ops.rand(100).max()) < 1
    assert abs(float(ops.randn(10000).mean())) < 0.06  # 6 sigma
    index, real = ops.choice_with_mask(Tensor([[True, False], [True, True]]), 4)
    assert sorted(map(tuple, index.tolist()[:3])) == [(0, 0), (1, 0), (1, 1)]
    assert real.tolist() == [True, True, True, False]


def test_stop_gradient_stops():
    assert ops.grad(lambda value: (ops.stop_gradient(value) * value).sum())(a).shape == (3, 4)
    _check(ops.grad(lambda value: (ops.stop_gradient(value) * value).sum())(a), A)


def test_kernel_functions_run_as_python():
    @ops.kernel
    def add_one(array):
        result = output_tensor(array.shape, array.dtype)  # noqa: F821
        for i in range(array.shape[0]):
            result[i] = array[i] + 1
        return result

    _check(ops.Custom(add_one)(a), A + 1)


def test_all_names_are_reachable_the_old_ways():
    from mindspore.ops import composite, functional, operations

    assert operations.ReLU is ops.ReLU
    assert functional.depend is ops.depend
    assert composite.HyperMap is ops.HyperMap
    with pytest.raises(AttributeError):
        operations.NoSuchThing  # noqa: B018


@pytest.mark.parametrize("padding", [(-(2**63), 2**63 - 1), (2**63 - 1, -(2**63)), (2**62, 2**62)])
@pytest.mark.parametrize("mode", ["constant", "replicate"])
def test_padding_that_no_length_can_hold(padding, mode):
    x = Tensor(np.ones((1, 2, 3), np.float32))
    with pytest.raises(ValueError, match="too large|at most"):
        ops.pad(x, padding, mode)


def test_numbers_as_large_as_they_come():
    x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
    assert [len(part) for part in ops.chunk(x, 2**63 - 1)] == [1, 1, 1]
    gradient = ms.grad(lambda x: ops.var(x, ddof=-(2**63)))(x)
    np.testing.assert_allclose(gradient.asnumpy(), [0, 0, 0], atol=1e-12)


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64])
def test_scattered_integers_wrap(dtype):
    lowest = np.iinfo(ms.dtype_to_nptype(dtype)).min
    for function in (ops.scatter_div, ops.scatter_mul, ops.scatter_sub):
        table = ms.Parameter(Tensor([lowest, lowest], dtype))
        given = 1 if function is ops.scatter_sub else -1
        function(table, Tensor([0], ms.int32), Tensor([given], dtype))
        expected = -lowest - 1 if function is ops.scatter_sub else lowest
        assert table.asnumpy().tolist() == [expected, lowest]


def test_repetitions_that_no_length_can_hold():
    with pytest.raises(ValueError, match="too large"):
        ops.repeat_interleave(Tensor(np.ones((4, 2), np.float32)), 2**62, 0)


def test_gradient_of_layer_norm_looks_at_its_shapes():
    from mindspore.ops._registry import op

    x, gradient = Tensor(np.ones((2, 5, 4), np.float32)), Tensor(np.ones(4, np.float32))
    mean = Tensor(np.zeros((2, 1, 1), np.float32))
    with pytest.raises(ValueError, match="the shape of 'output_gradient' must be"):
        op.layer_norm_gradient(gradient, x, None, mean, mean)
    with pytest.raises(ValueError, match="the shape of 'variance' must be"):
        op.layer_norm_gradient(x, x, None, mean, x)
    wide, half = op.layer_norm_gradient(x, x, None, mean, mean + 1), mean.astype(ms.float16)
    np.testing.assert_array_equal(op.layer_norm_gradient(x, x, None, half, half + 1)[0], wide[0])


def test_gradient_of_batch_norm_takes_any_types():
    from mindspore.ops._registry import op

    rng = np.random.default_rng(3)
    x, gradient = (Tensor(rng.integers(-3, 4, (3, 2, 2)), ms.float64) for _ in range(2))
    mean, variance = Tensor([0.5, 0.25], ms.float32), Tensor([1.0, 2.0], ms.float16)
    wide = op.batch_norm_gradient(gradient, x, None, mean.astype(ms.float64), variance.astype(ms.float64))
    mixed = op.batch_norm_gradient(gradient.astype(ms.float32), x, None, mean, variance)
    for one, other in zip(mixed, wide, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_tuple_to_array_of_a_range(both_modes):
    assert ops.tuple_to_array(range(4)).dtype is ms.int32
    assert both_modes(lambda x: x + ops.tuple_to_array(range(4)), Tensor([1, 2, 3, 4])).tolist() == [
        1,
        3,
        5,
        7,
    ]

# SPDX-License-Identifier: Apache-2.0
"""Axes that are not there, inputs without axes and without elements."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

ROWS = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
ALONE = Tensor(3.0)
EMPTY = Tensor(np.zeros((0,), np.float32))

MISSING_AXES = {
    "unique_consecutive": lambda x: ops.unique_consecutive(x, axis=4),
    "diff": lambda x: ops.diff(x, 1, 3),
    "trapz": lambda x: ops.trapz(x, dim=-3),
    "tensor_dot": lambda x: ops.tensor_dot(x, x, ((3,), (0,))),
    "tensor_dot, count": lambda x: ops.tensor_dot(x, x, 3),
    "batch_dot": lambda x: ops.batch_dot(x, x, (5, 1)),
    "rot90": lambda x: ops.rot90(x, 1, (0, 5)),
    "diag_embed": lambda x: ops.diag_embed(x, 0, 5, 1),
    "diag_embed, twice": lambda x: ops.diag_embed(x, 0, 1, 1),
    "reverse_sequence": lambda x: ops.reverse_sequence(x, Tensor([1, 1]), 5),
    "select_scatter": lambda x: ops.select_scatter(x, x[0], 5, 0),
    "select_scatter, index": lambda x: ops.select_scatter(x, x[0], 0, 7),
    "slice_scatter": lambda x: ops.slice_scatter(x, x, 5),
    "diagonal_scatter": lambda x: ops.diagonal_scatter(x, x[0], 0, 0, 3),
    "glu": lambda x: ops.glu(x, 4),
    "nn.GLU": lambda x: nn.GLU(4)(x),
    "cross": lambda x: ops.cross(x, x, 4),
    "tensor_split": lambda x: ops.tensor_split(x, 2, 4),
    "nn.Unflatten": lambda x: nn.Unflatten(5, (1, 2))(x),
    "numpy.expand_dims": lambda x: ms.numpy.expand_dims(x, (0, 9)),
    "numpy.split": lambda x: ms.numpy.split(x, 2, 9),
}


@pytest.mark.parametrize("name", MISSING_AXES)
def test_an_axis_that_is_not_there_is_an_error(both_modes, name):
    import mindspore.numpy  # noqa: F401

    both_modes.refuse(ValueError, MISSING_AXES[name], ROWS)


WITHOUT_AXES = {
    "cov": ops.cov,
    "diff": ops.diff,
    "trapz": ops.trapz,
    "pdist": ops.pdist,
    "cdist": lambda x: ops.cdist(x, x),
    "glu": ops.glu,
    "diag_embed": ops.diag_embed,
    "tensor_split": lambda x: ops.tensor_split(x, 2),
    "rot90": lambda x: ops.rot90(x, 1, (0, 1)),
    "cross": lambda x: ops.cross(x, x),
    "batch_dot": lambda x: ops.batch_dot(x, x),
    "lrn": ops.lrn,
    "reverse_sequence": lambda x: ops.reverse_sequence(x, Tensor([1]), 0),
    "select_scatter": lambda x: ops.select_scatter(x, x, 0, 0),
    "slice_scatter": lambda x: ops.slice_scatter(x, x),
    "unique_consecutive": lambda x: ops.unique_consecutive(x, axis=0),
    "channel_shuffle": lambda x: ops.channel_shuffle(x, 1),
    "pixel_shuffle": lambda x: ops.pixel_shuffle(x, 1),
    "pixel_unshuffle": lambda x: ops.pixel_unshuffle(x, 1),
    "space_to_batch_nd": lambda x: ops.space_to_batch_nd(x, 1, ((0, 0), (0, 0))),
    "batch_to_space_nd": lambda x: ops.batch_to_space_nd(x, 1, ((0, 0), (0, 0))),
    "iou": lambda x: ops.iou(x, x),
    "bounding_box_encode": lambda x: ops.bounding_box_encode(x, x),
    "vander": ops.vander,
    "lstsq": lambda x: ops.lstsq(x, x),
    "matrix_band_part": lambda x: ops.matrix_band_part(x, 1, 1),
    "mm": lambda x: ops.mm(x, x),
    "bidense": lambda x: ops.bidense(x, x, x),
    "ctc_greedy_decoder": lambda x: ops.ctc_greedy_decoder(x, x),
    "multi_margin_loss": lambda x: ops.multi_margin_loss(x, x),
    "multilabel_margin_loss": lambda x: ops.multilabel_margin_loss(x, x),
    "conv1d": lambda x: ops.conv1d(x, x),
    "affine_grid": lambda x: ops.affine_grid(x, (1, 1, 2, 2)),
    "grid_sample": lambda x: ops.grid_sample(x, x),
    "unfold": lambda x: ops.unfold(x, 2),
    "fold": lambda x: ops.fold(x, (2, 2), 2),
    "adaptive_avg_pool1d": lambda x: ops.adaptive_avg_pool1d(x, 1),
    "adaptive_avg_pool3d": lambda x: ops.adaptive_avg_pool3d(x, 1),
    "unique_with_pad": lambda x: ops.unique_with_pad(x, 0),
}


@pytest.mark.parametrize("name", WITHOUT_AXES)
def test_what_needs_axes_says_so(both_modes, name):
    both_modes.refuse((ValueError, TypeError), WITHOUT_AXES[name], ALONE, match=f"For '{name}'")


NO_TENSORS = {
    "kron": lambda x: ops.kron(x, 2),
    "norm": lambda x: ops.norm(2, 1),
    "cov": lambda x: ops.cov([1.0, 2.0]),
    "median": lambda x: ops.median(2.0),
    "glu": lambda x: ops.glu(2.0),
    "pdist": lambda x: ops.pdist(2.0),
    "rot90": lambda x: ops.rot90(2.0, 1, (0, 1)),
    "tensor_split": lambda x: ops.tensor_split([1, 2], 2),
}


@pytest.mark.parametrize("name", NO_TENSORS)
def test_what_is_no_tensor_is_named(both_modes, name):
    both_modes.refuse(TypeError, NO_TENSORS[name], ROWS, match=f"For '{name}'.*must be a Tensor")


@pytest.mark.parametrize("pool", [ops.adaptive_max_pool2d, ops.adaptive_avg_pool2d, ops.max_pool2d])
def test_no_images_have_no_windows(both_modes, pool):
    assert both_modes(lambda x: pool(x, 2), Tensor(np.zeros((0, 2, 4, 4), np.float32))).shape == (0, 2, 2, 2)
    assert both_modes(lambda x: ops.max_pool3d(x, 2), Tensor(np.zeros((1, 0, 4, 4, 4)))).shape == (
        1,
        0,
        2,
        2,
        2,
    )


def test_nothing_has_no_repetitions(both_modes):
    assert both_modes(ops.unique_consecutive, EMPTY).shape == (0,)
    values, places, counts = both_modes(lambda x: ops.unique_consecutive(x, True, True), EMPTY)
    assert values.shape == places.shape == counts.shape == (0,)
    assert both_modes(lambda x: ops.unique_consecutive(x, axis=0), Tensor(np.zeros((0, 3)))).shape == (0, 3)
    once = both_modes(lambda x: ops.unique_consecutive(x, True, True), Tensor([5, 5, 7, 7, 7, 5]))
    assert [part.tolist() for part in once] == [[5, 7, 5], [0, 0, 1, 1, 1, 2], [2, 3, 1]]


def test_integrals_of_little(both_modes):
    assert float(both_modes(ops.trapz, EMPTY)) == 0 and float(both_modes(ops.trapz, Tensor([4.0]))) == 0
    assert both_modes(lambda x: ops.trapz(x, dim=0), Tensor(np.zeros((0, 3), np.float32))).tolist() == [
        0,
        0,
        0,
    ]
    assert both_modes(ops.trapz, Tensor(np.zeros((2, 0), np.float32))).tolist() == [0, 0]
    assert both_modes(ops.trapz, Tensor([1, 2])).dtype == ms.float32


def test_integrals(both_modes):
    x = np.array([0.0, 1.0, 3.0], np.float32)
    assert both_modes(lambda y: ops.trapz(y, dx=2.0), ROWS).tolist() == [4, 16]
    assert both_modes(ops.trapz, ROWS, Tensor(x)).tolist() == np.trapezoid(ROWS.asnumpy(), x).tolist()
    both_modes.refuse(ValueError, ops.trapz, ROWS, Tensor([0.0, 1.0]), match="3 elements")


def test_differences(both_modes):
    x = np.array([1.0, 4.0, 9.0, 16.0], np.float32)
    for times in range(5):
        found = both_modes(lambda x, n=times: ops.diff(x, n), Tensor(x))
        assert found.tolist() == np.diff(x, times).tolist()
    assert both_modes(lambda x: ops.diff(x, 2**62), Tensor(x)).shape == (0,)
    assert both_modes(lambda x: x.diff(prepend=Tensor([0.0]), append=Tensor([0.0])), Tensor(x)).tolist() == [
        1,
        3,
        5,
        7,
        -16,
    ]
    assert both_modes(ops.diff, EMPTY).shape == (0,)
    assert both_modes(ops.diff, Tensor([True, False, False])).tolist() == [True, False]
    both_modes.refuse(ValueError, lambda x: ops.diff(x, -1), Tensor(x), match="'n'")


def test_kronecker_products(both_modes):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(4.0).reshape(2, 2)
    for p, q in ((a, b), (a, b[0]), (b[0], a), (a, np.float64(2)), (np.zeros((0, 2)), b)):
        found = both_modes(ops.kron, Tensor(p), Tensor(q))
        np.testing.assert_array_equal(found.asnumpy(), np.kron(p, q))


@pytest.mark.parametrize("method", ["max", "min"])
def test_the_extreme_of_all_elements_has_no_axes(both_modes, method):
    x = Tensor(np.arange(8, dtype=np.float32).reshape(2, 2, 2))
    wanted = float(getattr(x.asnumpy(), method)())
    value, index = both_modes(lambda x: getattr(ops, method)(x, keepdims=True), x)
    assert value.shape == index.shape == () and float(value) == wanted and int(index) == 0
    assert both_modes(lambda x: getattr(x, method)(keepdims=True), x).shape == ()
    both = both_modes(lambda x: getattr(x, method)(keepdims=True, return_indices=True), x)
    assert both[0].shape == () and int(both[1]) == 0
    kept = both_modes(lambda x: getattr(ops, f"a{method}")(x, keepdims=True), x)
    assert kept.shape == (1, 1, 1)
    assert both_modes(lambda x: getattr(ops, method)(x, 1, True), x)[0].shape == (2, 1, 2)


def test_values_come_before_their_places(both_modes):
    x = Tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
    value, place = both_modes(lambda x: x.argmax_with_value(), x)
    assert value.tolist() == [4, 5, 6] and place.tolist() == [1, 0, 1]
    value, place = both_modes(lambda x: x.argmin_with_value(1, True), x)
    assert value.tolist() == [[1], [2]] and place.tolist() == [[0], [1]]
    for method, wanted in (("argmax_with_value", 6), ("argmin_with_value", 1)):
        value, place = both_modes(lambda x, m=method: getattr(x, m)(None), x)
        assert float(value) == wanted and int(place) == 0 and place.dtype == ms.int64
    place, value = both_modes(ops.ArgMaxWithValue(1), x)
    assert place.tolist() == [1, 2] and value.tolist() == [5, 6]


def test_places_in_no_image():
    weight = ops.ones((2, 4, 3, 3), ms.float32)
    offsets = ops.zeros((0, 27, 4, 3), ms.float32)
    none = ops.ones((0, 4, 6, 5), ms.float32)
    assert ops.deformable_conv2d(none, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)).shape == (
        0,
        2,
        4,
        3,
    )
    assert ops.grid_sample(none, ops.ones((0, 3, 2, 2), ms.float32)).shape == (0, 4, 3, 2)

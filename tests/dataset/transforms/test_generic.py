# SPDX-License-Identifier: Apache-2.0
"""Transforms of any value, and lists of transforms."""

import inspect

import numpy as np
import pytest

import mindspore as ms
from mindspore.dataset import transforms, vision
from mindspore.dataset.transforms import Relational
from mindspore.dataset.transforms._operation import resolve

TYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
TYPES += [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_type_cast_equals_numpy_inside_the_range(source, target):
    values = np.array([0, 1, 2, 100]).astype(source)
    result = transforms.TypeCast(target)(values)
    assert result.dtype == target
    np.testing.assert_array_equal(result, values.astype(target))


def test_type_cast_outside_the_range():
    cast = lambda value, target: transforms.TypeCast(target)(np.array(value))  # noqa: E731
    assert cast(-1.5, np.uint8) == 255 and cast(300.7, np.uint8) == 44
    assert cast(128, np.int8) == -128
    for value in (3e9, -3e9, np.nan):
        assert cast(value, np.int32) == -2147483648
    with pytest.raises(RuntimeError, match="does not support cast from string to int32"):
        transforms.TypeCast(np.int32)(np.array(["a"]))


@pytest.mark.parametrize("bad", ["junk", [np.float32], None, 3])
def test_type_cast_wants_a_type(bad):
    with pytest.raises(TypeError, match="Argument data_type with value .* is not of type"):
        transforms.TypeCast(bad)
    with pytest.raises(TypeError, match="missing a required argument: 'data_type'"):
        transforms.TypeCast()


def test_type_cast_takes_types_of_the_package():
    assert transforms.TypeCast(ms.float16)(np.array([1, 2])).dtype == np.float16


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.uint64])
def test_one_hot(dtype):
    result = transforms.OneHot(4)(np.array([2, 0], dtype))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, [[0, 0, 1, 0], [1, 0, 0, 0]])
    np.testing.assert_array_equal(transforms.OneHot(3)(np.array(1, dtype)), [0, 1, 0])
    np.testing.assert_array_equal(transforms.OneHot(3)(np.array([1], dtype)), [0, 1, 0])
    smooth = transforms.OneHot(4, 0.2)(np.array([2, 0], dtype))
    assert smooth.dtype == np.float64
    np.testing.assert_allclose(smooth, np.eye(4)[[2, 0]] * 0.8 + 0.05)


def test_one_hot_errors():
    with pytest.raises(RuntimeError, match="not bigger than num classes: 4, but got: 4"):
        transforms.OneHot(4)(np.array([4]))
    with pytest.raises(RuntimeError, match="should not be negative, but got: -1"):
        transforms.OneHot(4)(np.array([-1]))
    with pytest.raises(RuntimeError, match="Only support input of int type, but got: float64"):
        transforms.OneHot(4)(np.array([1.0]))
    with pytest.raises(RuntimeError, match="Only support scalar or 1D input, got rank: 2"):
        transforms.OneHot(4)(np.zeros((2, 2), np.int32))
    with pytest.raises(ValueError, match="num_classes"):
        transforms.OneHot(0)
    with pytest.raises(
        ValueError, match=r"smoothing_rate is not within the required interval of \[0.0, 1.0\]"
    ):
        transforms.OneHot(3, 1.5)


def test_fill_duplicate():
    np.testing.assert_array_equal(transforms.Fill(3.7)(np.zeros((2, 2), np.int32)), np.full((2, 2), 3))
    np.testing.assert_array_equal(transforms.Fill(0.5)(np.zeros(3)), np.full(3, 0.5))
    np.testing.assert_array_equal(transforms.Fill("x")(np.array(["a", "bc"])), ["x", "x"])
    with pytest.raises(RuntimeError, match="must be of the same data type"):
        transforms.Fill("x")(np.array([1]))
    first, second = transforms.Duplicate()(np.arange(3))
    np.testing.assert_array_equal(first, second)


def test_mask_pad_end_concatenate_unique_slice():
    values = np.array([1, 2, 3, 4])
    np.testing.assert_array_equal(transforms.Mask(Relational.GE, 3)(values), values >= 3)
    assert transforms.Mask(Relational.EQ, 2, ms.int32)(values).dtype == np.int32
    np.testing.assert_array_equal(transforms.Mask(Relational.LT, "b")(np.array(["a", "c"])), [True, False])
    np.testing.assert_array_equal(transforms.PadEnd([6], -1)(values), [1, 2, 3, 4, -1, -1])
    np.testing.assert_array_equal(transforms.PadEnd([2])(values), [1, 2])
    np.testing.assert_array_equal(transforms.PadEnd([3], "pad")(np.array(["a"])), ["a", "pad", "pad"])
    joined = transforms.Concatenate(0, np.array([0]), np.array([9]))(values, values)
    np.testing.assert_array_equal(joined, [0, 1, 2, 3, 4, 1, 2, 3, 4, 9])
    found, places, counts = transforms.Unique()(np.array([[3, 1], [3, 2]]))
    np.testing.assert_array_equal(found, [3, 1, 2])
    np.testing.assert_array_equal(places, [0, 1, 0, 2])
    np.testing.assert_array_equal(counts, [2, 1, 1])
    np.testing.assert_array_equal(transforms.Slice(slice(1, None))(values), [2, 3, 4])
    np.testing.assert_array_equal(transforms.Slice([0, -1])(values), [1, 4])
    np.testing.assert_array_equal(transforms.Slice(2)(values), [3])
    with pytest.raises(RuntimeError, match="Index 9 is out of bounds"):
        transforms.Slice(9)(values)


def test_compose_runs_in_order_and_spreads_tuples():
    steps = transforms.Compose(
        [lambda x: x + 1, transforms.Compose([transforms.Duplicate()]), lambda x, y: x + y]
    )
    np.testing.assert_array_equal(steps(np.arange(3)), [2, 4, 6])
    assert len(transforms.Compose.decompose([steps, steps])) == 6


def test_lists_refuse_what_is_not_a_step():
    for kind in (transforms.Compose, transforms.RandomApply, transforms.RandomChoice, transforms.RandomOrder):
        with pytest.raises(ValueError, match="transforms list can not be empty"):
            kind([])
        with pytest.raises(TypeError, match="neither a transforms op"):
            kind([1])
        with pytest.raises(ValueError, match="missing parentheses for instantiation"):
            kind([vision.HWC2CHW])
    with pytest.raises(ValueError, match=r"prob is not within the required interval of \[0.0, 1.0\]"):
        transforms.RandomApply([vision.HWC2CHW()], 1.5)
    with pytest.raises(RuntimeError, match="Input Tensor is not valid"):
        transforms.Compose([lambda x: x])()


def test_random_lists_native_and_in_python_choose_alike():
    value = np.zeros((1, 1), np.int32)
    native = [transforms.Fill(1), transforms.Fill(2), transforms.Fill(3)]
    chosen = {int(transforms.RandomChoice(native)._native().apply([value], 1, s)[0][0, 0]) for s in range(60)}
    assert chosen == {1, 2, 3}
    last = {int(transforms.RandomOrder(native)._native().apply([value], 1, s)[0][0, 0]) for s in range(60)}
    assert last == {1, 2, 3}
    share = [
        int(transforms.RandomApply(native, 0.3)._native().apply([value], 1, s)[0][0, 0]) for s in range(500)
    ]
    assert 100 < sum(x == 3 for x in share) < 200
    in_python = [lambda x: x + 1, lambda x: x + 2]
    assert {int(transforms.RandomChoice(in_python)(0)) for _ in range(50)} == {1, 2}
    assert transforms.RandomOrder(in_python)(0) == 3
    assert transforms.RandomChoice(in_python)._native() is None


def test_steps_of_a_map_follow_their_neighbours():
    steps = resolve(
        [vision.Decode(), vision.Resize(5), vision.ToPIL(), vision.CenterCrop(3), vision.ToTensor()]
    )
    native = ["Transform" in type(step).__name__ for step in steps]
    assert native == [True, True, False, False, True]
    steps = resolve([vision.ToPIL(), vision.ToNumpy(), vision.Resize(5)])
    assert "Transform" in type(steps[-1]).__name__
    steps = resolve([lambda x: x, vision.Resize(5)])
    image = np.zeros((8, 8, 3), np.uint8)
    assert steps[1](image).shape == (5, 5, 3)
    assert steps[1](vision.ToPIL()(image)).size == (5, 5)


def test_old_and_new_classes_do_not_mix():
    from mindspore.dataset.vision import c_transforms, py_transforms

    image = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    np.testing.assert_array_equal(c_transforms.Resize((2, 2))(image), vision.Resize((2, 2))(image))
    np.testing.assert_array_equal(
        c_transforms.Normalize([1.0], [2.0])(image), vision.Normalize([1.0], [2.0])(image)
    )
    assert str(inspect.signature(c_transforms.Normalize)).startswith("(mean") and "is_hwc" not in str(
        inspect.signature(c_transforms.Normalize)
    )
    np.testing.assert_array_equal(c_transforms.RgbToBgr()(image), image[:, :, ::-1])
    encoded = vision.encode_png(image)
    np.testing.assert_array_equal(c_transforms.Decode(rgb=False)(encoded), image[:, :, ::-1])
    pillow = py_transforms.ToPIL()(image)
    np.testing.assert_array_equal(
        py_transforms.ToTensor()(pillow), (image / 255.0).transpose(2, 0, 1).astype("f4")
    )
    with pytest.raises(TypeError, match="img should be PIL image"):
        py_transforms.Resize(2)(image)
    with pytest.raises(RuntimeError, match="Mixing old legacy c/py_transforms and new unified transforms"):
        transforms.Compose([c_transforms.Resize(2), vision.HWC2CHW()])

# SPDX-License-Identifier: Apache-2.0
"""Transforms given a Pillow image."""

import numpy as np
import pytest
from PIL import Image, ImageOps

from mindspore.dataset import vision
from mindspore.dataset.vision import Border, Inter

PIXELS = np.random.default_rng(0).integers(0, 256, (37, 53, 3)).astype(np.uint8)
IMAGE = Image.fromarray(PIXELS)


def same(result, expected):
    assert isinstance(result, Image.Image)
    np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))


def test_classes_with_a_pillow_variant_keep_the_image():
    same(vision.Resize((10, 14))(IMAGE), IMAGE.resize((14, 10), Image.Resampling.BILINEAR))
    same(vision.Resize((10, 14), Inter.ANTIALIAS)(IMAGE), IMAGE.resize((14, 10), Image.Resampling.LANCZOS))
    same(vision.CenterCrop((11, 20))(IMAGE), PIXELS[13:24, 16:36])
    same(vision.Pad((1, 2, 3, 4), 9)(IMAGE), ImageOps.expand(IMAGE, (1, 2, 3, 4), (9, 9, 9)))
    same(vision.Pad(2, 0, Border.REFLECT)(IMAGE), np.pad(PIXELS, ((2, 2), (2, 2), (0, 0)), "reflect"))
    same(vision.RandomHorizontalFlip(1.0)(IMAGE), PIXELS[:, ::-1])
    same(vision.RandomVerticalFlip(1.0)(IMAGE), PIXELS[::-1])
    assert vision.RandomCrop((9, 8))(IMAGE).size == (8, 9)
    assert vision.RandomResizedCrop((9, 8))(IMAGE).size == (8, 9)
    assert vision.Resize(10)(IMAGE).size == (14, 10)


def test_native_classes_give_arrays():
    np.testing.assert_array_equal(vision.HWC2CHW()(IMAGE), PIXELS.transpose(2, 0, 1))
    np.testing.assert_array_equal(vision.Crop((1, 2), 5)(IMAGE), PIXELS[1:6, 2:7])
    assert isinstance(vision.Normalize([1.0], [2.0])(IMAGE), np.ndarray)


def test_to_tensor_divides():
    expected = (PIXELS / 255.0).astype(np.float32).transpose(2, 0, 1)
    np.testing.assert_array_equal(vision.ToTensor()(IMAGE), expected)


def test_interpolations_of_one_side_only():
    for mode in (Inter.AREA, Inter.PILCUBIC):
        with pytest.raises(TypeError, match="Current Interpolation is not supported with PIL input"):
            vision.Resize(5, mode)(IMAGE)
    with pytest.raises(TypeError, match="img should be PIL image. Got <class 'numpy.ndarray'>"):
        vision.Resize(5, Inter.ANTIALIAS)(PIXELS)


def test_to_pil_and_back():
    same(vision.ToPIL()(PIXELS), IMAGE)
    np.testing.assert_array_equal(vision.ToNumpy()(IMAGE), PIXELS)
    assert vision.ToPIL()(PIXELS[:, :, 0]).mode == "L"
    with pytest.raises(TypeError, match="image type float32 is not supported"):
        vision.ToPIL()(PIXELS.astype(np.float32))
    with pytest.raises(ValueError, match="channel of input image should not exceed 4. Got 5"):
        vision.ToPIL()(np.zeros((3, 3, 5), np.uint8))


def test_grayscale():
    same(vision.Grayscale(1)(IMAGE), IMAGE.convert("L"))
    assert vision.Grayscale(3)(IMAGE).mode == "RGB"
    same(vision.RandomGrayscale(0.0)(IMAGE), IMAGE)
    with pytest.raises(TypeError, match="img should be PIL image"):
        vision.Grayscale()(PIXELS)


def test_crop_larger_than_the_picture():
    with pytest.raises(ValueError, match="Crop size"):
        vision.RandomCrop(100)(IMAGE)
    assert vision.RandomCrop(60, pad_if_needed=True)(IMAGE).size == (60, 60)


def test_five_and_ten_crops():
    parts = vision.FiveCrop((10, 20))(IMAGE)
    same(parts[0], PIXELS[:10, :20])
    same(parts[3], PIXELS[-10:, -20:])
    assert len(vision.TenCrop(10)(IMAGE)) == 10
    same(vision.TenCrop(10, use_vertical_flip=True)(IMAGE)[5], PIXELS[::-1][:10, :10])
    with pytest.raises(ValueError, match="Crop size"):
        vision.FiveCrop(100)(IMAGE)


def test_perspective_and_erasing():
    assert vision.RandomPerspective(0.5, 1.0)(IMAGE).size == IMAGE.size
    same(vision.RandomPerspective(0.0, 1.0, Inter.NEAREST)(IMAGE), IMAGE)
    planes = np.ones((3, 40, 50), np.float32)
    erased = vision.RandomErasing(1.0, value=0)(planes)
    assert 0.01 < 1 - erased.mean() < 0.4 and planes.min() == 1
    np.testing.assert_array_equal(vision.RandomErasing(0.0)(planes), planes)


def test_linear_transformation():
    matrix = np.random.default_rng(0).normal(size=(12, 12))
    values = np.arange(12.0).reshape(2, 2, 3)
    result = vision.LinearTransformation(matrix, np.ones(12))(values)
    np.testing.assert_allclose(result, ((values.reshape(-1) - 1) @ matrix).reshape(2, 2, 3))


def test_random_lists_of_images():
    policy = [[(vision.VerticalFlip(), 1.0), (vision.Invert(), 0.0)], [(vision.HorizontalFlip(), 1.0)]]
    native = vision.RandomSelectSubpolicy(policy)._native()
    results = {native.apply([PIXELS], 0, stream)[0].tobytes() for stream in range(30)}
    assert results == {PIXELS[::-1].tobytes(), PIXELS[:, ::-1].tobytes()}
    kinds = {
        vision.UniformAugment([vision.Invert(), vision.VerticalFlip()])(PIXELS).tobytes() for _ in range(60)
    }
    assert len(kinds) == 4


def test_colours_of_pillow_images_stay_images():
    for transform in (
        vision.AdjustBrightness(1.2),
        vision.AdjustContrast(1.2),
        vision.AdjustSaturation(0.5),
        vision.AdjustSharpness(2.0),
        vision.AdjustHue(0.2),
        vision.RandomColorAdjust(0.4, 0.4, 0.4, 0.1),
        vision.Invert(),
        vision.Equalize(),
        vision.AutoContrast(),
        vision.RandomRotation(30),
    ):
        assert isinstance(transform(IMAGE), Image.Image)
        assert transform(PIXELS).shape == PIXELS.shape

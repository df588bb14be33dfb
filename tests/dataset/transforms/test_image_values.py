# SPDX-License-Identifier: Apache-2.0
"""Image transforms on arrays against their formulas."""

import numpy as np
import pytest
from PIL import Image

from mindspore.dataset import vision
from mindspore.dataset.vision import Border, Inter


def picture(height=37, width=53, channels=3, dtype=np.uint8):
    shape = (height, width, channels) if channels else (height, width)
    return np.random.default_rng(height * width).integers(0, 256, shape).astype(dtype)


def linear_axis(source, target):
    """Positions and weights of half-pixel centres with clamped borders."""
    position = (np.arange(target) + 0.5) * source / target - 0.5
    position = np.clip(position, 0, source - 1)
    first = np.minimum(position.astype(int), source - 1)
    return first, np.minimum(first + 1, source - 1), position - first


def linear(image, height, width):
    y0, y1, fy = linear_axis(image.shape[0], height)
    x0, x1, fx = linear_axis(image.shape[1], width)
    image = image.astype(np.float64)
    fy, fx = fy[:, None, None], fx[None, :, None]
    rows = image[y0] * (1 - fy) + image[y1] * fy
    return rows[:, x0] * (1 - fx) + rows[:, x1] * fx


@pytest.mark.parametrize("size", [(10, 14), (80, 100), (37, 20), (50, 53), (1, 1)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_resize_linear_is_the_half_pixel_formula(size, dtype):
    image = picture(dtype=dtype)
    result = vision.Resize(size)(image)
    assert result.dtype == dtype and result.shape == (*size, 3)
    tolerance = 1.01 if dtype in (np.uint8, np.uint16) else 1e-3
    assert np.abs(result.astype(np.float64) - linear(image, *size)).max() <= tolerance


@pytest.mark.parametrize(("edge", "shape"), [(10, (10, 14)), (40, (40, 57)), (7, (7, 10))])
def test_resize_of_the_shorter_edge(edge, shape):
    assert vision.Resize(edge)(picture()).shape[:2] == shape
    assert vision.Resize(edge)(picture(53, 37)).shape[:2] == shape[::-1]


def test_resize_nearest_takes_the_floor():
    image = picture()
    rows, columns = np.arange(20) * 37 // 20, np.arange(99) * 53 // 99
    result = vision.Resize((20, 99), Inter.NEAREST)(image)
    np.testing.assert_array_equal(result, image[rows][:, columns])


def test_resize_area_is_the_mean():
    image = picture(40, 60)
    expected = image.reshape(10, 4, 20, 3, 3).mean(axis=(1, 3))
    assert np.abs(vision.Resize((10, 20), Inter.AREA)(image) - expected).max() <= 0.51


@pytest.mark.parametrize("size", [(10, 14), (90, 120), (37, 21)])
def test_resize_pilcubic_equals_pillow(size):
    image = picture()
    expected = np.asarray(Image.fromarray(image).resize(size[::-1], Image.Resampling.BICUBIC))
    np.testing.assert_array_equal(vision.Resize(size, Inter.PILCUBIC)(image), expected)


def test_resize_to_the_same_size_changes_nothing():
    image = picture()
    np.testing.assert_array_equal(vision.Resize((37, 53))(image), image)


@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int16, np.int64, np.float16, np.float32, np.float64, np.bool_]
)
@pytest.mark.parametrize("channels", [0, 1, 3, 5])
def test_crops_and_flips_move_any_type(dtype, channels):
    image = picture(channels=channels, dtype=dtype)
    np.testing.assert_array_equal(vision.CenterCrop((10, 20))(image), image[13:23, 16:36])
    np.testing.assert_array_equal(vision.Crop((3, 4), (5, 6))(image), image[3:8, 4:10])
    np.testing.assert_array_equal(vision.HorizontalFlip()(image), image[:, ::-1])
    np.testing.assert_array_equal(vision.VerticalFlip()(image), image[::-1])
    np.testing.assert_array_equal(vision.RandomHorizontalFlip(1.0)(image), image[:, ::-1])
    np.testing.assert_array_equal(vision.RandomVerticalFlip(0.0)(image), image)


def test_center_crop_of_a_small_picture_is_black_around():
    image = picture(5, 6)
    result = vision.CenterCrop((8, 4))(image)
    expected = np.pad(image, ((2, 1), (0, 0), (0, 0)))[:, 1:5]
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("mode", list(Border))
def test_pad_equals_numpy(mode):
    image = picture(9, 10)
    result = vision.Pad((1, 2, 3, 4), 7, mode)(image)
    options = {"constant_values": 7} if mode is Border.CONSTANT else {}
    expected = np.pad(image, ((2, 4), (1, 3), (0, 0)), mode.value, **options)
    np.testing.assert_array_equal(result, expected)


def test_pad_colour_and_pair():
    image = picture(4, 5)
    result = vision.Pad((1, 2), (1, 2, 3))(image)
    assert result.shape == (8, 7, 3)
    assert (result[0, 0] == (1, 2, 3)).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64])
def test_normalize_in_single_precision(dtype):
    image = picture(dtype=dtype)
    mean, deviation = np.float32([121, 115, 100]), np.float32([70, 68, 71])
    expected = (image.astype(np.float32) - mean) / deviation
    np.testing.assert_array_equal(
        vision.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])(image), expected
    )
    planes = np.ascontiguousarray(image.transpose(2, 0, 1))
    result = vision.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0], is_hwc=False)(planes)
    np.testing.assert_array_equal(result, expected.transpose(2, 0, 1))


def test_normalize_one_number_and_flat_picture():
    image = picture(channels=0)
    expected = (image.astype(np.float32) - np.float32(3)) / np.float32(4)
    np.testing.assert_array_equal(vision.Normalize([3.0], [4.0])(image), expected)


def test_rescale_rounds_once():
    image = picture()
    exact = image.astype(np.float64) * np.float64(np.float32(1 / 255)) - 1.0
    np.testing.assert_array_equal(vision.Rescale(1 / 255, -1.0)(image), exact.astype(np.float32))


def test_hwc2chw_and_to_tensor():
    image = picture()
    np.testing.assert_array_equal(vision.HWC2CHW()(image), image.transpose(2, 0, 1))
    flat = picture(channels=0)
    np.testing.assert_array_equal(vision.HWC2CHW()(flat), flat)
    scaled = image.astype(np.float32) * np.float32(1 / 255)
    np.testing.assert_array_equal(vision.ToTensor()(image), scaled.transpose(2, 0, 1))
    assert vision.ToTensor()(flat).shape == (1, 37, 53)
    assert vision.ToTensor(np.float64)(image).dtype == np.float64
    assert vision.ToTensor(np.uint8)(image).max() <= 1


def test_random_crop_stays_inside_and_reaches_the_borders():
    image = np.arange(37 * 53, dtype=np.int32).reshape(37, 53)
    native = vision.RandomCrop((30, 50))._native()
    seen = set()
    for stream in range(400):
        (part,) = native.apply([image], 1, stream)
        top, left = divmod(int(part[0, 0]), 53)
        np.testing.assert_array_equal(part, image[top : top + 30, left : left + 50])
        seen.add((top, left))
    assert {top for top, _ in seen} == set(range(8)) and {left for _, left in seen} == set(range(4))


def test_random_crop_pads_the_missing_length_on_both_sides():
    image = picture(10, 10)
    part = vision.RandomCrop((14, 10), pad_if_needed=True)(image)
    assert part.shape == (14, 10, 3)


def test_random_choice_is_the_same_for_all_columns():
    image = picture(dtype=np.uint8)
    for transform in (vision.RandomCrop(9), vision.RandomResizedCrop(9), vision.RandomHorizontalFlip()):
        for _ in range(5):
            first, second = transform(image, image)
            np.testing.assert_array_equal(first, second)


def test_random_resized_crop_boxes_keep_scale_and_ratio():
    rows, columns = np.mgrid[0:375, 0:500]
    image = np.stack([rows, columns], axis=-1).astype(np.float32)
    native = vision.RandomResizedCrop((64, 64), (0.2, 0.5), (0.5, 2.0))._native()
    for stream in range(200):
        (part,) = native.apply([image], 2, stream)
        height = (part[-1, 0, 0] - part[0, 0, 0]) * 64 / 63
        width = (part[0, -1, 1] - part[0, 0, 1]) * 64 / 63
        assert 0.18 < height * width / (375 * 500) < 0.53
        assert 0.45 < width / height < 2.2


def test_rank_four_works_on_the_last_axes():
    video = np.stack([picture(), picture()])
    assert vision.Resize((5, 6))(video).shape == (2, 5, 6, 3)
    assert vision.CenterCrop(9)(video).shape == (2, 9, 9, 3)
    assert vision.Normalize([1.0], [2.0])(video).shape == video.shape
    np.testing.assert_array_equal(vision.HorizontalFlip()(video), video[:, :, ::-1])


def test_colours_follow_their_formulas():
    image = picture().astype(np.float64)
    bytes_ = image.astype(np.uint8)
    grey = np.round(image @ [0.299, 0.587, 0.114])

    def near(result, expected, levels=1.5):
        assert np.abs(result.astype(float) - np.clip(expected, 0, 255)).max() <= levels

    near(vision.AdjustBrightness(1.4)(bytes_), image * 1.4)
    near(vision.AdjustContrast(1.4)(bytes_), round(grey.mean()) * -0.4 + image * 1.4)
    near(vision.AdjustSaturation(0.3)(bytes_), grey[:, :, None] * 0.7 + image * 0.3)
    near(vision.AdjustSharpness(1.0)(bytes_), image)
    near(vision.AdjustHue(0.0)(bytes_), image, 10)  # through eight bits of hue
    np.testing.assert_array_equal(vision.Invert()(bytes_), 255 - bytes_)
    np.testing.assert_array_equal(vision.Posterize(3)(bytes_), bytes_ & 0xE0)
    np.testing.assert_array_equal(vision.Solarize(100)(bytes_), np.where(bytes_ >= 100, 255 - bytes_, bytes_))
    inside = (bytes_ >= 50) & (bytes_ <= 90)
    np.testing.assert_array_equal(vision.Solarize((50, 90))(bytes_), np.where(inside, 255 - bytes_, bytes_))
    np.testing.assert_array_equal(
        vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(bytes_), bytes_[:, :, ::-1]
    )
    near(vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)(bytes_), grey)
    assert vision.AutoContrast()(bytes_ // 2)[..., 0].max() == 255


def test_gamma():
    image = picture()
    table = np.floor(np.minimum((np.arange(256) / 255) ** 2 * 255.999, 255)).astype(np.uint8)
    np.testing.assert_array_equal(vision.AdjustGamma(2.0)(image), table[image])
    shares = np.float32([[0.25, 0.5, 4.0]])
    np.testing.assert_allclose(vision.AdjustGamma(0.5)(shares), [[0.5, 0.5**0.5, 1.0]], rtol=1e-6)


def test_rotations():
    small = np.uint8([[1, 2], [3, 4]])
    np.testing.assert_array_equal(vision.Rotate(90)(small), [[2, 4], [1, 3]])
    np.testing.assert_array_equal(vision.Affine(90.0, (0.0, 0.0), 1.0, (0.0, 0.0))(small), [[3, 1], [4, 2]])
    for degrees, shape in ((30, (59, 64)), (45, (64, 64)), (90, (53, 37)), (10.5, (46, 59))):
        assert vision.Rotate(degrees, expand=True)(picture()).shape[:2] == shape
    filled = vision.Rotate(45, fill_value=(1, 2, 3))(picture())
    assert (filled[0, 0] == (1, 2, 3)).all()
    assert vision.RandomRotation((20, 40))(picture()).shape == (37, 53, 3)
    assert vision.RandomAffine(10, (0.1, 0.2), (0.9, 1.1), 5)(picture()).shape == (37, 53, 3)


def test_cut_out_clears_squares():
    white = np.full((40, 40, 3), 255, np.uint8)
    native = vision.CutOut(10, 1)._native()
    sizes = [int((native.apply([white], 0, stream)[0] == 0).all(axis=2).sum()) for stream in range(100)]
    assert max(sizes) == 100 and min(sizes) < 60

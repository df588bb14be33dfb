# SPDX-License-Identifier: Apache-2.0
"""Neighbouring image steps in one pass give what the steps give one by one."""

import io

import numpy as np
import pytest
from PIL import Image

from mindspore import _c_data
from mindspore.dataset import vision
from mindspore.dataset.vision import Inter


def jpeg(height=120, width=163, **options):
    y, x = np.mgrid[0:height, 0:width]
    noise = np.random.default_rng(5).integers(0, 40, (height, width, 3))
    pixels = np.stack([x * 2 % 200, (y + x) % 200, (y * x // 16) % 200], -1) + noise
    memory = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(memory, "JPEG", quality=88, **options)
    return np.frombuffer(memory.getvalue(), np.uint8)


def png(height=70, width=90):
    pixels = np.random.default_rng(6).integers(0, 256, (height, width, 3)).astype(np.uint8)
    memory = io.BytesIO()
    Image.fromarray(pixels).save(memory, "PNG")
    return np.frombuffer(memory.getvalue(), np.uint8)


NORMALIZE = ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])
CHAINS = {
    "training": lambda: [
        vision.Decode(),
        vision.RandomResizedCrop(32),
        vision.RandomHorizontalFlip(),
        vision.Normalize(*NORMALIZE),
        vision.HWC2CHW(),
    ],
    "decode and crop at once": lambda: [
        vision.RandomCropDecodeResize((30, 40)),
        vision.RandomHorizontalFlip(0.5),
        vision.RandomVerticalFlip(0.5),
        vision.Rescale(1 / 255, 0.0),
        vision.Normalize([0.5], [0.25]),
    ],
    "evaluation": lambda: [
        vision.Decode(),
        vision.Resize(50),
        vision.CenterCrop(40),
        vision.ToTensor(),
        vision.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225], is_hwc=False),
    ],
    "crops around a resize": lambda: [
        vision.Decode(),
        vision.RandomCrop((60, 70)),
        vision.Resize((90, 80)),
        vision.Crop((3, 5), (40, 41)),
        vision.HWC2CHW(),
    ],
    "cubic": lambda: [
        vision.Decode(),
        vision.RandomResizedCrop(32, interpolation=Inter.BICUBIC),
        vision.HWC2CHW(),
    ],
    "nearest": lambda: [vision.Decode(), vision.Resize((31, 47), Inter.NEAREST), vision.VerticalFlip()],
    "area": lambda: [vision.Decode(), vision.Resize((20, 21), Inter.AREA), vision.HorizontalFlip()],
    "pillow cubic": lambda: [vision.Decode(), vision.Resize((31, 47), Inter.PILCUBIC), vision.HWC2CHW()],
    "small picture": lambda: [vision.Decode(), vision.CenterCrop((150, 150)), vision.HWC2CHW()],
    "crop after a flip": lambda: [vision.Decode(), vision.RandomHorizontalFlip(), vision.RandomCrop(20)],
    "halved": lambda: [
        vision.Decode(),
        vision.CenterCrop((64, 48)),
        vision.Resize((32, 24)),
        vision.ToTensor(),
    ],
}


@pytest.mark.parametrize(
    "source", [jpeg(), jpeg(subsampling=0), jpeg(subsampling=1), jpeg(progressive=True), png()]
)
@pytest.mark.parametrize("chain", CHAINS)
def test_joined_equals_unjoined(chain, source):
    natives = [step._native() for step in CHAINS[chain]()]
    joined = _c_data.join_neighbours(natives)
    assert len(joined) < len(natives)
    (first, *others) = joined
    for row in range(12):
        failure = None
        try:
            expected = step_by_step(natives, source, row)
        except RuntimeError as error:
            failure = str(error)
        try:
            (result,) = first.apply([source], 9, row)
            for native in others:  # stands where it stood
                place = natives.index(native)
                (result,) = native.apply([result], 9, row, place)
        except RuntimeError as error:
            assert failure is not None, error
            continue
        assert failure is None
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def step_by_step(natives, value, row):
    values = [value]
    for place, native in enumerate(natives):
        values = native.apply(values, 9, row, place)
    return values[0]


@pytest.mark.parametrize("shape", [(40, 50, 3), (40, 50, 1), (40, 50, 4), (40, 50)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int32])
def test_arrays_of_any_kind_go_through_a_pass(shape, dtype):
    image = np.random.default_rng(1).integers(0, 256, shape).astype(dtype)
    steps = [vision.VerticalFlip(), vision.Rescale(0.5, 1.0), vision.HWC2CHW()]
    natives = [step._native() for step in steps]
    (joined,) = _c_data.join_neighbours(natives)
    (result,) = joined.apply([image], 0, 0)
    np.testing.assert_array_equal(result, step_by_step(natives, image, 0))


def test_a_box_of_a_jpeg_has_the_pixels_of_the_whole():
    for options in ({}, {"subsampling": 0}, {"subsampling": 1}, {"progressive": True}):
        data = jpeg(97, 131, **options)
        whole = vision.Decode()(data)
        random = np.random.default_rng(2)
        for _ in range(60):
            height, width = random.integers(1, 98), random.integers(1, 132)
            top, left = random.integers(0, 98 - height), random.integers(0, 132 - width)
            crop = vision.Crop((int(top), int(left)), (int(height), int(width)))
            (joined,) = _c_data.join_neighbours([vision.Decode()._native(), crop._native()])
            (part,) = joined.apply([data], 0, 0)
            np.testing.assert_array_equal(part, whole[top : top + height, left : left + width])


def test_errors_of_a_pass_name_the_step():
    natives = [step._native() for step in (vision.Decode(), vision.Crop((100, 100), 50), vision.HWC2CHW())]
    (joined,) = _c_data.join_neighbours(natives)
    with pytest.raises(RuntimeError, match="Crop: Crop height dimension: 150 exceeds image height: 120"):
        joined.apply([jpeg()], 0, 0)
    whole = [step._native() for step in (vision.Decode(), vision.HWC2CHW())]
    (joined,) = _c_data.join_neighbours(whole)
    with pytest.raises(RuntimeError, match="Decode: image decode failed"):
        joined.apply([jpeg()[:900]], 0, 0)
    bad = [step._native() for step in (vision.Decode(), vision.Normalize([1.0, 2.0], [1.0, 2.0]))]
    (joined,) = _c_data.join_neighbours(bad)
    with pytest.raises(RuntimeError, match="number of channels does not match the size of mean and std"):
        joined.apply([jpeg()], 0, 0)

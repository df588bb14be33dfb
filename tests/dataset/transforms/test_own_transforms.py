# SPDX-License-Identifier: Apache-2.0
"""Transforms that users derive from ours, and the functions behind ours."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

import mindspore.dataset as ds
from mindspore.dataset import transforms, vision
from mindspore.dataset.vision import py_transforms_util as functions
from mindspore.dataset.vision import utils
from mindspore.dataset.vision.transforms import ImageTensorOperation, PyTensorOperation, TensorOperation

PIXELS = (np.arange(90, dtype=np.uint8) * 7 % 251).reshape(6, 5, 3)
IMAGE = Image.fromarray(PIXELS)


def mapped(operations):
    dataset = ds.NumpySlicesDataset({"image": np.stack([PIXELS] * 3)}, shuffle=False)
    dataset = dataset.map(operations, "image")
    return [row["image"] for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


class Halved(PyTensorOperation):
    def __init__(self):
        super().__init__()
        self.random = False

    def __call__(self, img):
        return np.array(img) // 2


class Mirrored(ImageTensorOperation, PyTensorOperation):
    def __init__(self):
        super().__init__()

    def _execute_py(self, img):
        return np.array(img)[:, ::-1].copy()


class SameSize(vision.RandomCrop):
    """Keeps the size it is given, whatever the class below was told."""

    def __init__(self):
        super().__init__(1, padding=1)

    def __call__(self, img):
        assert functions.is_pil(img)
        return functions.random_crop(img, img.size[::-1], self.padding, False, 0, self.padding_mode)


class Counted(vision.RandomHorizontalFlip):
    def __call__(self, img):
        return super().__call__(img)


def test_a_class_of_a_user_runs_alone_and_in_a_map():
    np.testing.assert_array_equal(Halved()(IMAGE), PIXELS // 2)
    np.testing.assert_array_equal(Mirrored()(PIXELS), PIXELS[:, ::-1])
    for result in mapped([Mirrored(), Halved()]):
        np.testing.assert_array_equal(result, PIXELS[:, ::-1] // 2)
    for result in mapped(transforms.Compose([Mirrored(), Halved()])):
        np.testing.assert_array_equal(result, PIXELS[:, ::-1] // 2)


def test_a_map_calls_what_a_user_defined():
    for result in mapped([vision.ToPIL(), SameSize(), vision.ToTensor()]):
        assert result.shape == (3, 6, 5)


def test_an_extended_transform_draws_for_every_row():
    dataset = ds.NumpySlicesDataset({"image": np.stack([PIXELS] * 40)}, shuffle=False)
    dataset = dataset.map(Counted(0.5), "image")
    ds.config.set_seed(5)
    rows = [row["image"] for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]
    turned = sum(bool((row != PIXELS).any()) for row in rows)
    assert 8 <= turned <= 32  # of 40, each with probability one half


def test_a_class_without_anything_to_run_says_so():
    class Nothing(TensorOperation):
        pass

    with pytest.raises(NotImplementedError, match="'_execute_py' or '__call__'"):
        Nothing()(PIXELS)


def test_decode_takes_signed_bytes():
    memory = io.BytesIO()
    IMAGE.save(memory, "PNG")
    data = np.frombuffer(memory.getvalue(), np.int8)
    np.testing.assert_array_equal(vision.Decode()(data), PIXELS)
    np.testing.assert_array_equal(np.array(vision.Decode(to_pil=True)(data)), PIXELS)
    dataset = ds.GeneratorDataset([(data,)], ["image"]).map(vision.Decode(), "image")
    (row,) = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(row["image"], PIXELS)
    with pytest.raises(RuntimeError, match="uint8 or int8"):
        vision.Decode()(data.astype(np.int32))


def test_functions_on_pillow_images():
    assert functions.is_pil(IMAGE)
    assert not functions.is_pil(PIXELS)
    assert functions.is_numpy(PIXELS)
    np.testing.assert_array_equal(functions.hwc_to_chw(PIXELS), PIXELS.transpose(2, 0, 1))
    np.testing.assert_array_equal(np.array(functions.adjust_brightness(IMAGE, 0.0)), 0)
    np.testing.assert_array_equal(np.array(functions.adjust_saturation(IMAGE, 1.0)), PIXELS)
    np.testing.assert_array_equal(np.array(functions.invert_color(IMAGE)), 255 - PIXELS)
    turned = functions.rotate(IMAGE, 180, utils.Inter.NEAREST, False, None, 0)
    np.testing.assert_array_equal(np.array(turned), PIXELS[::-1, ::-1])
    padded = functions.pad(IMAGE, (1, 2), 0, "constant")
    assert padded.size == (7, 10)
    assert functions.resize(IMAGE, 3, 0).size == (3, 3)
    for name in ("adjust_brightness", "adjust_contrast", "adjust_saturation"):
        with pytest.raises(TypeError, match="img should be PIL image"):
            getattr(functions, name)(PIXELS, 1.0)
    with pytest.raises(AttributeError, match="not in this version"):
        functions.random_lighting  # noqa: B018


def test_functions_on_arrays():
    scaled = functions.to_tensor(IMAGE, np.float32)
    result = functions.normalize(scaled, [0.5], [0.25], pad_channel=True, dtype="float16")
    assert result.shape == (4, 6, 5)
    assert result.dtype == np.float16
    np.testing.assert_array_equal(result[3], 0)
    with pytest.raises(NotImplementedError, match="ToTensor"):
        functions.normalize(PIXELS, [0.5], [0.25])
    np.testing.assert_array_equal(functions.rgb_to_bgr(PIXELS, True), PIXELS[..., ::-1])


def test_reading_a_video_checks_its_arguments(tmp_path):
    with pytest.raises(TypeError, match="filename"):
        vision.read_video(3)
    with pytest.raises(ValueError, match="end_pts should be >= start_pts"):
        vision.read_video("film.mp4", 3, 2)
    with pytest.raises(ValueError, match="pts_unit"):
        vision.read_video_timestamps("film.mp4", "frames")
    with pytest.raises(RuntimeError, match="does not exist"):
        vision.read_video(str(tmp_path / "film.mp4"))
    path = tmp_path / "text.mp4"
    path.write_text("no film")
    with pytest.raises(RuntimeError, match="not a supported video file|PyAV, which is not installed"):
        vision.read_video(str(path))


def test_reading_a_video(tmp_path):
    av = pytest.importorskip("av")
    path = str(tmp_path / "film.mp4")
    with av.open(path, "w") as film:
        stream = film.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuv420p"
        for number in range(12):
            frame = av.VideoFrame.from_ndarray(np.full((24, 32, 3), number * 20, np.uint8), format="rgb24")
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
    frames, sound, about = vision.read_video(path)
    # As MindSpore 2.7.0 reads it; its conversion of colours differs by up to 2.
    assert frames.shape == (12, 24, 32, 3)
    assert (
        np.abs(frames[:, 0, 0, 0] - np.array([0, 18, 37, 59, 77, 97, 119, 137, 158, 179, 200, 217])).max()
        <= 2
    )
    assert sound.shape == (1, 0)
    assert about == {"video_fps": 10.0}
    assert vision.read_video_timestamps(path)[0] == [1024 * i for i in range(12)]
    assert vision.read_video(path, 0.2, 0.5, "sec")[0].shape[0] == 4

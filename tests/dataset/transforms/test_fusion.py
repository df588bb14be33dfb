# SPDX-License-Identifier: Apache-2.0
"""Transforms that are joined give every row as they give it one by one, in a run and in debug mode."""

from __future__ import annotations

import io
import itertools
import random

import numpy as np
import pytest
from PIL import Image

import mindspore.dataset as ds
from mindspore import _c_data
from mindspore.dataset import debug, transforms, vision

ENCODED = {"Decode": {}, "RandomCropDecodeResize": {"size": [6, 7]}}


def picture(height, width, channels, seed):
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, channels))
    return pixels.astype(np.uint8)


def encoded(pixels, form):
    memory = io.BytesIO()
    Image.fromarray(pixels).save(memory, form, quality=90)
    return np.frombuffer(memory.getvalue(), np.uint8)


def configured():
    """Every native transform with the arguments of its samples."""
    made = []
    for name in _c_data.transform_names():
        samples = [arguments for arguments, _, _ in _c_data.transform_schema(name)["samples"]]
        for number, arguments in enumerate([ENCODED[name]] if name in ENCODED else samples):
            made.append((f"{name}-{number}", name, arguments))
    return made


def joinable_pairs():
    all_of_them = configured()
    pairs = []
    for (first, a, one), (second, b, other) in itertools.product(all_of_them, all_of_them):
        natives = [_c_data.make_transform(a, one), _c_data.make_transform(b, other)]
        if len(_c_data.join_neighbours(natives)) == 1:
            pairs.append(pytest.param(natives, id=f"{first}+{second}"))
    return pairs


PAIRS = joinable_pairs()
INPUTS = [picture(19, 22, channels, channels) for channels in (1, 3, 4)] + [
    picture(40, 36, 3, 5),
    picture(12, 14, 3, 6).astype(np.float32),
]
FILES = [encoded(picture(*size, 3, 7), form) for size in ((19, 22), (40, 33)) for form in ("JPEG", "PNG")]


def outcome(natives, places, value, row):
    """The result, or the text of the failure."""
    values = [value]
    try:
        for native, place in zip(natives, places, strict=True):
            values = native.apply(values, 9, row, place)
    except RuntimeError as error:
        return str(error)
    return values[0]


def assert_same(one, other):
    assert type(one) is type(other), (one, other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_there_are_pairs():
    assert len(PAIRS) > 100


@pytest.mark.parametrize("natives", PAIRS)
def test_a_joined_pair_gives_every_row_bit_by_bit(natives):
    joined = _c_data.join_neighbours(natives)
    for value in FILES if natives[0].name in ENCODED else INPUTS:
        for row in range(8 if any(native.is_random for native in natives) else 1):
            assert_same(outcome(joined, [0], value, row), outcome(natives, [0, 1], value, row))


# Pipelines.


class Look(debug.DebugHook):
    """Sees, and draws numbers of its own."""

    def compute(self, *args):
        random.random()
        return args


@pytest.fixture
def seed():
    before = ds.config.get_seed()
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(before)


def rows(make, epochs=2):
    iterator = make().create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[value.copy() for value in row] for _ in range(epochs) for row in iterator]


def rows_in_debug_mode(make, hooks):
    ds.config.set_debug_mode(True, hooks)
    try:
        return rows(make)
    finally:
        ds.config.set_debug_mode(False)


def assert_rows(ones, others):
    assert len(ones) == len(others) > 0
    for one, other in zip(ones, others, strict=True):
        for left, right in zip(one, other, strict=True):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)


def noise(image):
    """A function of a user's that draws from the global generators."""
    return image + np.random.randint(0, 3, image.shape).astype(image.dtype) + random.randint(0, 1)


LISTS = {
    "native": lambda: [
        vision.Decode(),
        vision.RandomResizedCrop(16),
        vision.RandomHorizontalFlip(),
        vision.RandomVerticalFlip(),
        vision.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        vision.HWC2CHW(),
    ],
    "with a function between": lambda: [
        vision.Decode(),
        vision.RandomCrop(12),
        lambda image: image[::-1].copy(),
        vision.RandomHorizontalFlip(),
        vision.RandomColorAdjust(0.5, 0.5),
    ],
    "a list in a list": lambda: [
        transforms.Compose([vision.Decode(), vision.RandomCrop(12), vision.RandomHorizontalFlip()]),
        transforms.RandomApply([vision.RandomVerticalFlip(), vision.RandomRotation(30)], 0.5),
        transforms.RandomChoice([vision.RandomHorizontalFlip(), vision.RandomVerticalFlip()]),
        transforms.RandomOrder([vision.RandomHorizontalFlip(0.5), vision.RandomVerticalFlip(0.5)]),
    ],
    "Pillow": lambda: [
        vision.Decode(to_pil=True),
        vision.RandomCrop(12),
        vision.RandomHorizontalFlip(),
        vision.RandomGrayscale(0.5),
        vision.ToTensor(),
        vision.RandomErasing(0.5),
    ],
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("hooks", [[], [Look()]], ids=["plain", "hooks"])
def test_debug_mode_shows_the_rows_of_the_run(name, hooks, seed):
    def pipeline():
        data = ds.GeneratorDataset([(file,) for file in FILES * 3], ["image"], shuffle=True)
        return data.map(LISTS[name](), "image", num_parallel_workers=2)

    expected = rows(pipeline)
    assert_rows(rows_in_debug_mode(pipeline, hooks), expected)
    assert_rows(rows(pipeline), expected)


@pytest.mark.parametrize("where", ["source", "map", "batch"])
def test_debug_mode_shows_what_worker_processes_draw(where, seed):
    class Source:
        def __len__(self):
            return 7

        def __getitem__(self, index):
            value = np.full(4, index, np.int64)
            return noise(value) if where == "source" else value

    def pipeline():
        data = ds.GeneratorDataset(
            Source(), ["x"], shuffle=True, num_parallel_workers=2, python_multiprocessing=where == "source"
        )
        if where == "map":
            steps = [noise, transforms.TypeCast(np.int32), noise, lambda x: x * 2]
            data = data.map(steps, num_parallel_workers=2, python_multiprocessing=True)
        function = (lambda x, info: ([noise(value) for value in x],)) if where == "batch" else None
        return data.batch(
            2, per_batch_map=function, num_parallel_workers=2, python_multiprocessing=where == "batch"
        )

    expected = rows(pipeline)
    state = random.getstate()
    assert_rows(rows_in_debug_mode(pipeline, []), expected)
    assert random.getstate() == state  # the program's own numbers are untouched


def test_transforms_without_chance_may_stand_in_one_map_or_in_several():
    steps = [vision.Decode(), vision.Resize((14, 15)), vision.CenterCrop(9), vision.HWC2CHW()]

    def source():
        return ds.GeneratorDataset([(file,) for file in FILES], ["image"], shuffle=False)

    def several():
        data = source()
        for step in steps:
            data = data.map(step, "image")
        return data

    assert_rows(rows(lambda: source().map(steps, "image")), rows(several))

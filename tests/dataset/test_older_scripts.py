# SPDX-License-Identifier: Apache-2.0
"""Scripts of releases 1.0 to 1.10: what they call runs, or one line says what replaces it."""

from __future__ import annotations

import importlib
import io

import numpy as np
import pytest
from PIL import Image

import mindspore.dataset as ds
import mindspore.dataset.transforms.c_transforms as c_generic
import mindspore.dataset.transforms.py_transforms as py_generic
import mindspore.dataset.vision.c_transforms as c_vision
import mindspore.dataset.vision.py_transforms as py_vision
from mindspore import dtype as mstype
from mindspore import mindrecord

PIXELS = (np.arange(90, dtype=np.uint8) * 7 % 251).reshape(6, 5, 3)


def numbers(count=6):
    return ds.NumpySlicesDataset({"x": np.arange(count, dtype=np.int32)}, shuffle=False)


# Shape, sum of all values, and one pixel, as MindSpore 2.7.0 gives them for the Pillow image.
ON_PILLOW = [
    (lambda: c_vision.Resize((3, 4)), (3, 4, 3), 3938, [63, 69, 76]),
    (lambda: c_vision.CenterCrop(3), (3, 3, 3), 3158, [17, 24, 31]),
    (lambda: c_vision.RandomHorizontalFlip(1.0), (6, 5, 3), 9869, [147, 154, 161]),
    (lambda: c_vision.Pad(1), (8, 7, 3), 9869, [21, 28, 35]),
    (lambda: c_vision.AutoContrast(), (6, 5, 3), 10130, [151, 163, 165]),
    (lambda: c_vision.Equalize(), (6, 5, 3), 11475, [176, 185, 185]),
    (lambda: c_vision.Invert(), (6, 5, 3), 13081, [108, 101, 94]),
    (lambda: c_vision.AdjustGamma(2.0), (6, 5, 3), 6097, [85, 93, 102]),
]


@pytest.mark.parametrize(("made", "shape", "total", "pixel"), ON_PILLOW)
def test_native_transforms_take_the_pixels_of_a_pillow_image(made, shape, total, pixel):
    result = made()(Image.fromarray(PIXELS))
    assert isinstance(result, np.ndarray)
    assert result.dtype == np.uint8
    assert result.shape == shape
    assert int(result.astype(np.int64).sum()) == total
    assert result[1, 2].tolist() == pixel


def test_native_lists_take_the_pixels_of_a_pillow_image():
    image = Image.fromarray(PIXELS)
    composed = c_generic.Compose([c_vision.Invert(), c_vision.HWC2CHW()])(image)
    np.testing.assert_array_equal(composed, (255 - PIXELS).transpose(2, 0, 1))
    np.testing.assert_array_equal(c_generic.RandomApply([c_vision.Invert()], 1.0)(image), 255 - PIXELS)
    assert isinstance(c_vision.UniformAugment([c_vision.Invert(), c_vision.Equalize()], 2)(image), np.ndarray)


def test_python_transforms_keep_the_pillow_image():
    image = Image.fromarray(PIXELS)
    steps = [py_vision.Resize((4, 4)), py_vision.ToTensor(), py_vision.Normalize((0.5,) * 3, (0.5,) * 3)]
    dataset = ds.GeneratorDataset([(PIXELS,)], ["image"]).map(
        operations=[py_vision.ToPIL(), *steps], input_columns="image"
    )
    (row,) = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    alone = py_generic.Compose(steps)(image)
    np.testing.assert_array_equal(row["image"], alone[0] if isinstance(alone, tuple) else alone)


def test_a_training_pipeline_of_1_2():
    memory = io.BytesIO()
    Image.fromarray(PIXELS).save(memory, "PNG")
    files = [np.frombuffer(memory.getvalue(), np.uint8)] * 4
    data_set = ds.GeneratorDataset(
        source=list(zip(files, range(4), strict=True)),
        column_names=["image", "label"],
        num_shards=2,
        shard_id=1,
    )
    trans = [
        c_vision.Decode(),
        c_vision.Resize(8),
        c_vision.RandomCrop((4, 4)),
        c_vision.RandomHorizontalFlip(prob=0.5),
        c_vision.Rescale(1.0 / 255.0, 0.0),
        c_vision.Normalize([0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]),
        c_vision.HWC2CHW(),
    ]
    data_set = data_set.map(operations=trans, input_columns="image", num_parallel_workers=2)
    data_set = data_set.map(operations=c_generic.TypeCast(mstype.int32), input_columns="label")
    data_set = data_set.batch(2, drop_remainder=True).repeat(2)
    assert data_set.get_dataset_size() == 2
    assert data_set.output_shapes() == [[2, 3, 4, 4], [2]]
    assert data_set.output_types() == [np.float32, np.int32]
    iterator = data_set.create_dict_iterator()
    assert iterator.get_next()["image"].shape == (2, 3, 4, 4)
    assert next(iterator)["label"].dtype == mstype.int32


def test_functions_over_batches():
    batched = numbers().batch(
        2, per_batch_map=lambda x, info: ([value + info.get_batch_num() for value in x],), input_columns=["x"]
    )
    values = [row["x"].tolist() for row in batched.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert values == [[0, 1], [3, 4], [6, 7]]


def test_mindrecord_by_its_first_keyword(tmp_path):
    path = str(tmp_path / "rows.mindrecord")
    writer = mindrecord.FileWriter(file_name=path, shard_num=1)
    writer.add_schema({"data": {"type": "int32", "shape": [-1]}, "label": {"type": "int32"}}, "rows")
    writer.write_raw_data([{"data": np.arange(3, dtype=np.int32), "label": i} for i in range(4)])
    writer.commit()
    data = ds.MindDataset(dataset_file=path, columns_list=["label"], num_parallel_workers=1, shuffle=False)
    assert [int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)] == [0, 1, 2, 3]


def test_transforms_of_images_by_their_first_path():
    c_transforms = importlib.import_module("mindspore.dataset.transforms.vision.c_transforms")
    np.testing.assert_array_equal(c_transforms.Invert()(PIXELS), 255 - PIXELS)


GONE = [
    (lambda: ds.ImageFolderDatasetV2, "it is ImageFolderDataset"),
    (lambda: ds.GraphData, "mindspore_gl"),
    (lambda: ds.engine.datasets.RangeDataset, "NumpySlicesDataset"),
    (lambda: py_vision.ComposeOp, r"mindspore\.dataset\.transforms\.Compose"),
    (lambda: numbers().batch(2, pad_info={}), "padded_batch"),
    (lambda: numbers().batch(2, column_order=["x"]), r"dataset\.project"),
    (lambda: numbers().map(abs, "x", column_order=["x"]), "project"),
    (lambda: numbers().set_dynamic_columns({}), r"output_shapes\(estimate=True\)"),
    (lambda: numbers().to_device(), r"dataset\.device_que\(\)"),
    (lambda: mindrecord.FileWriter("rows").open_and_set_header(), "write_raw_data opens the files"),
]


@pytest.mark.parametrize(("call", "advice"), GONE)
def test_what_is_gone_says_what_replaces_it(call, advice):
    with pytest.raises((AttributeError, TypeError, ValueError, NotImplementedError), match=advice):
        call()

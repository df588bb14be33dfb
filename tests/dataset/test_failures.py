# SPDX-License-Identifier: Apache-2.0
"""What a failure tells: the operation, the row, the file, and the reason."""

from __future__ import annotations

import os

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore.dataset import vision


class ThirdIsBad:
    """Raises for row 3."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 3:
            raise KeyError("shelf 3 is empty")
        return (np.int64(index),)


def third_is_bad(x):
    if x == 3:
        raise KeyError("shelf 3 is empty")
    return x


def numbers():
    return ds.NumpySlicesDataset(np.arange(8), ["x"], shuffle=False)


def iterable():
    for index in range(8):
        third_is_bad(index)
        yield (np.int64(index),)


PIPELINES = {
    "source": lambda: ds.GeneratorDataset(ThirdIsBad(), ["x"], shuffle=False),
    "source in threads": lambda: ds.GeneratorDataset(
        ThirdIsBad(), ["x"], shuffle=False, num_parallel_workers=2, python_multiprocessing=False
    ),
    "source in processes": lambda: ds.GeneratorDataset(
        ThirdIsBad(), ["x"], shuffle=False, num_parallel_workers=2
    ),
    "source in batches": lambda: ds.GeneratorDataset(ThirdIsBad(), ["x"], shuffle=False).batch(3),
    "iterable": lambda: ds.GeneratorDataset(iterable, ["x"]),
    "map": lambda: numbers().map(third_is_bad, num_parallel_workers=1),
    "map in threads": lambda: numbers().map(third_is_bad, num_parallel_workers=2).batch(2),
    "map in processes": lambda: numbers().map(
        third_is_bad, num_parallel_workers=2, python_multiprocessing=True
    ),
    "filter": lambda: numbers().filter(lambda x: third_is_bad(x) < 9),
    "bucket": lambda: numbers().bucket_batch_by_length(
        ["x"], [9], [2, 2], element_length_function=lambda x: int(third_is_bad(x))
    ),
}


def message(data):
    with pytest.raises(RuntimeError) as failure:
        for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
            pass
    return str(failure.value)


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_a_failure_of_the_user_names_reason_and_row(name):
    text = message(PIPELINES[name]())
    assert "KeyError: 'shelf 3 is empty'" in text
    assert "This is row 3 of its source, in pass 1 over it." in text
    assert text.count("This is row") == 1


def test_the_pass_is_that_of_the_row():
    seen = []

    def second_time(x):
        seen.append(int(x))
        if seen.count(2) == 2:
            raise ValueError("again")
        return x

    text = message(numbers().repeat(2).map(second_time, num_parallel_workers=1))
    assert "This is row 2 of its source, in pass 2 over it." in text


@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_of_batches_names_the_batch(workers):
    def in_batch(column, info):
        if info.get_batch_num() == 2:
            raise KeyError("shelf 2 is empty")
        return (column,)

    data = numbers().batch(2, per_batch_map=in_batch, num_parallel_workers=workers)
    text = message(data)
    assert "KeyError: 'shelf 2 is empty'" in text and "This is batch 2 of epoch 0, both from 0." in text


def pictures(folder):
    import PIL.Image

    for number in range(4):
        os.makedirs(folder / f"class{number}")
        PIL.Image.new("RGB", (8, 8)).save(folder / f"class{number}" / "picture.png")
    (folder / "class2" / "picture.png").write_bytes(b"no picture at all")
    return ds.ImageFolderDataset(str(folder), shuffle=False)


def test_a_picture_that_cannot_be_decoded_is_named(tmp_path):
    text = message(pictures(tmp_path).map(vision.Decode(), "image"))
    assert "[Decode] failed" in text and "This is row 2 of its source" in text
    assert os.path.join("class2", "picture.png") in text


@pytest.mark.parametrize("batch", [False, True])
def test_a_file_that_is_gone_is_named_with_the_row_and_the_operation(tmp_path, batch):
    data = pictures(tmp_path)
    assert data.get_dataset_size() == 4
    os.remove(tmp_path / "class1" / "picture.png")
    text = message(data.batch(2) if batch else data)
    assert "ImageFolderDataset: loading a row failed." in text
    assert "This is row 1 of its source" in text
    assert os.path.join("class1", "picture.png") in text


def test_a_line_that_cannot_be_read_is_named(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("1,2\n3,4\n5,six\n")
    text = message(ds.CSVDataset(str(table), column_defaults=[0, 0], column_names=["a", "b"], shuffle=False))
    assert "CSVDataset: reading a row failed." in text and "This is row 2 of its source" in text
    assert str(table) in text


@pytest.fixture(params=["SKIP", "REPLACE"])
def lenient(request):
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[request.param])
    yield {"SKIP": "skipped", "REPLACE": "replaced"}[request.param]
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)


@pytest.mark.parametrize("place", ["in order", "threads", "processes"])
def test_a_report_of_bad_rows_keeps_the_reason(place, lenient, capfd):
    reason = f"no shelf for what is {lenient} in {place}"  # the same line twice would be written once

    def third_has_no_shelf(x):
        if x == 3:
            raise KeyError(reason)
        return x

    workers, processes = 1 if place == "in order" else 2, place == "processes"
    data = numbers().map(third_has_no_shelf, num_parallel_workers=workers, python_multiprocessing=processes)
    assert len(list(data.create_tuple_iterator(num_epochs=1))) == (7 if lenient == "skipped" else 8)
    report = capfd.readouterr().err
    assert f"Rows of a dataset could not be made: 1 were {lenient}." in report
    assert f"KeyError: '{reason}'" in report and "in third_has_no_shelf" in report
    assert "This is row 3 of its source" in report

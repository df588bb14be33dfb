# SPDX-License-Identifier: Apache-2.0
"""Rows of a pipeline, and whether two pipelines have the same."""

import numpy as np

import mindspore.dataset as ds
from mindspore.dataset import transforms


def rows_of(data, epochs=1):
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[np.array(value) for value in row] for _ in range(epochs) for row in iterator]


def first_column(data, epochs=1):
    return [row[0].tolist() for row in rows_of(data, epochs)]


def expect_same(some, others):
    """Type, shape and bytes of every value."""
    assert len(some) == len(others)
    for row, other in zip(some, others, strict=True):
        for value, expected in zip(row, other, strict=True):
            assert value.dtype == expected.dtype and value.shape == expected.shape
            assert value.tobytes() == expected.tobytes()


@transforms.not_random
def plus_hundred(x):
    return x + 100


def refusal_of(data):
    """The line of the error that iterating ends with."""
    try:
        rows_of(data)
    except RuntimeError as error:
        text = str(error)
        assert "- Dataset Pipeline Error Message:" in text
        return next(line for line in text.splitlines() if line.startswith("[ERROR]"))
    raise AssertionError("no error")


def folder_rows(path, **options):
    return ds.ImageFolderDataset(path, shuffle=options.pop("shuffle", False), **options)

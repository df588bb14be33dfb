# SPDX-License-Identifier: Apache-2.0
"""Rows of every kind come back from worker processes as they do from threads."""

import numpy as np
import pytest

import mindspore.dataset as ds

ROWS = 300
KINDS = {
    "numbers": lambda x: x * 2,
    "row": lambda x: np.full((3, 2), x, np.float32),
    "flag": lambda x: bool(x % 2),
    "text": lambda x: f"row {int(x)}",
    "texts": lambda x: np.array([[f"{int(x)}", "", "wörd"]]),
    "bytes": lambda x: np.array([b"ab" * int(x)]),
    "empty": lambda x: np.zeros((0, 2), np.int16),
    "complex": lambda x: np.complex64(1j * int(x)),
    "list": lambda x: [int(x), 2.5],
    "some large": lambda x: np.full((int(x) % 2 * 100_000 + 1,), x, np.uint8),
    "dict": lambda x: {"x": x},
}


def rows_of(function, processes, batch=None, outputs=None):
    data = ds.NumpySlicesDataset(np.arange(ROWS), "x", shuffle=False)
    options = {"num_parallel_workers": 2, "python_multiprocessing": processes}
    data = data.map(function, "x", outputs, **options)
    if batch:
        data = data.batch(batch)
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


@pytest.mark.parametrize("kind", KINDS)
def test_values(kind):
    expected, rows = rows_of(KINDS[kind], False), rows_of(KINDS[kind], True)
    assert len(rows) == ROWS
    for row, other in zip(rows, expected, strict=True):
        if kind == "dict":
            assert int(row[0]["x"]) == int(other[0]["x"])
            continue
        assert row[0].dtype == other[0].dtype and row[0].shape == other[0].shape
        assert row[0].tolist() == other[0].tolist()
        assert kind == "bytes" or row[0].flags.writeable


def test_several_columns_in_batches():
    def spread(x):
        return x, np.float32([x, x]), str(x)

    expected = rows_of(spread, False, 64, ["a", "b", "c"])
    rows = rows_of(spread, True, 64, ["a", "b", "c"])
    for row, other in zip(rows, expected, strict=True):
        assert [value.tolist() for value in row] == [value.tolist() for value in other]


def test_arguments_may_be_written():
    def write(x):
        x[...] = 7
        return x

    assert [int(row[0]) for row in rows_of(write, True)] == [7] * ROWS


def test_failures_stay_with_their_rows():
    def fails(x):
        if x == 200:
            raise ValueError("not this one")
        return x

    data = ds.NumpySlicesDataset(np.arange(ROWS), "x", shuffle=False)
    data = data.map(fails, "x", num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(200)] == list(range(200))
    with pytest.raises(RuntimeError, match="not this one"):
        next(iterator)


def test_none_is_no_data():
    with pytest.raises(RuntimeError, match="Got None"):
        rows_of(lambda x: None, True)

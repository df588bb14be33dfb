# SPDX-License-Identifier: Apache-2.0
"""Rows of every kind come back from worker processes as they do from threads."""

import numpy as np
import pytest

import mindspore
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
    "some large": lambda x: np.full((int(x) % 2 * 100_000 + 1,), int(x) % 256, np.uint8),
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


class Source:
    """A row for every number, by a function of it."""

    def __init__(self, function):
        self.function = function

    def __len__(self):
        return ROWS

    def __getitem__(self, number):
        assert type(number) is int
        return self.function(number)


def source_rows(function, processes, columns="x", types=None):
    data = ds.GeneratorDataset(
        Source(function),
        columns,
        types,
        shuffle=False,
        num_parallel_workers=2,
        python_multiprocessing=processes,
    )
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


SOURCE_KINDS = {
    **KINDS,
    "number": lambda x: x,
    "scalar": lambda x: np.float16(x),
    "array": lambda x: np.arange(x, dtype=np.int16)[::-1],
    "one in a list": lambda x: [np.float32([x, 1])],
}


@pytest.mark.parametrize("kind", SOURCE_KINDS)
def test_values_of_a_source(kind):
    columns = ["a", "b"] if kind == "list" else "x"
    expected, rows = (source_rows(SOURCE_KINDS[kind], processes, columns) for processes in (False, True))
    assert len(rows) == ROWS
    for row, other in zip(rows, expected, strict=True):
        if kind == "dict":
            assert int(row[0]["x"]) == int(other[0]["x"])
            continue
        for value, wanted in zip(row, other, strict=True):
            assert value.dtype == wanted.dtype and value.shape == wanted.shape
            assert value.tolist() == wanted.tolist()
            assert kind == "bytes" or value.flags.writeable


MISTAKES = {
    "none": (lambda x: None if x == 200 else x, None, "1th item|the input"),
    "columns": (lambda x: (x, x) if x == 200 else x, None, "number of returned NumPy array is:2"),
    "type": (lambda x: 0.5 if x == 200 else x, "int64", "returned data: float64"),
    "error": (lambda x: 1 // (x - 200), None, "ZeroDivisionError"),
    "end": (lambda x: next(iter(())) if x == 200 else x, None, "generator raised StopIteration"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_of_a_source_stay_with_their_rows(kind):
    function, type_name, words = MISTAKES[kind]
    types = None if type_name is None else [getattr(mindspore, type_name)]
    data = ds.GeneratorDataset(Source(function), ["x"], types, shuffle=False, num_parallel_workers=2)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    for _ in range(200):
        next(iterator)
    with pytest.raises(RuntimeError, match=words):
        next(iterator)

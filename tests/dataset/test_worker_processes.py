# SPDX-License-Identifier: Apache-2.0
"""Pipelines whose Python parts run in worker processes."""

from __future__ import annotations

import gc
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import mindspore.dataset as ds


class Squares:
    """Random access; rows say which process made them."""

    def __init__(self, rows=50):
        self._rows = rows

    def __len__(self):
        return self._rows

    def __getitem__(self, index):
        return np.full((2, 3), index * index, np.int64), np.int32(index), np.int64(os.getpid())


COLUMNS = ["square", "index", "pid"]


def negated(values):
    return -values


def batch_with_sums(squares, indices, info):
    total = sum(int(index) for index in indices)
    return squares, [np.int64(total * 100 + info.get_batch_num()) for _ in indices]


def pipeline(workers, processes, rows=50):
    data = ds.GeneratorDataset(
        Squares(rows), COLUMNS, shuffle=False, num_parallel_workers=workers, python_multiprocessing=processes
    )
    data = data.map(negated, "square", num_parallel_workers=workers, python_multiprocessing=processes)
    return data.batch(
        4,
        num_parallel_workers=workers,
        per_batch_map=batch_with_sums,
        input_columns=["square", "index"],
        python_multiprocessing=processes,
    )


def children() -> set[int]:
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return {int(pid) for pid in file.read().split()}


@pytest.mark.parametrize("processes", [False, True])
@pytest.mark.parametrize("workers", [1, 2, 4, 8])
def test_batches_do_not_depend_on_workers(workers, processes):
    expected = list(pipeline(1, False).create_dict_iterator(num_epochs=1, output_numpy=True))
    got = list(pipeline(workers, processes).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert len(got) == len(expected) == 13
    for left, right in zip(got, expected, strict=True):
        np.testing.assert_array_equal(left["square"], right["square"])
        np.testing.assert_array_equal(left["index"], right["index"])


def test_rows_are_made_in_other_processes():
    data = ds.GeneratorDataset(Squares(), COLUMNS, shuffle=False, num_parallel_workers=2)
    pids = {int(row["pid"]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)}
    assert len(pids) == 2 and os.getpid() not in pids


def test_several_epochs_use_the_same_processes():
    iterator = pipeline(2, True).create_dict_iterator(num_epochs=3, output_numpy=True)
    pids = [{int(pid) for row in iterator for pid in row["pid"]} for _ in range(3)]
    assert pids[0] | pids[1] | pids[2] == pids[0]


@pytest.mark.parametrize("where", ["source", "map", "batch"])
def test_killed_worker_is_an_error_that_names_it(where):
    def slow(column=None):
        time.sleep(0.02)
        return column

    class Source(Squares):
        def __getitem__(self, index):
            slow()
            return super().__getitem__(index)

    source = Source(100_000) if where == "source" else Squares(100_000)
    before = children()
    data = ds.GeneratorDataset(
        source, COLUMNS, shuffle=False, num_parallel_workers=2, python_multiprocessing=where == "source"
    )
    if where == "map":
        data = data.map(slow, "square", num_parallel_workers=2, python_multiprocessing=True)
    if where == "batch":
        data = data.batch(
            2,
            per_batch_map=lambda squares, info: (slow(squares),),
            input_columns=["square"],
            num_parallel_workers=2,
            python_multiprocessing=True,
        )
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(iterator)
    victim = min(children() - before)
    os.kill(victim, signal.SIGKILL)
    begin = time.monotonic()
    with pytest.raises(RuntimeError) as caught:
        for _ in iterator:
            assert time.monotonic() - begin < 5
    assert time.monotonic() - begin < 2
    words = {"source": "GeneratorDataset", "map": "PyFunc", "batch": "per_batch_map"}[where]
    assert re.search(
        rf"{words}.*worker process \d \(pid {victim}\) was killed by signal 9", str(caught.value)
    )
    iterator.stop()
    assert children() == before


def test_exception_shows_the_users_frame():
    def bad_function(values):
        if values[0, 0] == 49:
            raise KeyError("seven is bad")
        return values

    data = ds.GeneratorDataset(Squares(), COLUMNS, shuffle=False)
    data = data.map(bad_function, "square", num_parallel_workers=2, python_multiprocessing=True)
    rows = []
    with pytest.raises(RuntimeError) as caught:
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
            rows.append(int(row[1]))
    assert rows == list(range(7))
    text = str(caught.value)
    assert "KeyError: Traceback (most recent call last)" in text and "seven is bad" in text
    assert "in bad_function" in text and os.path.basename(__file__) in text and "/_processes.py" not in text


@pytest.mark.parametrize("mode", ["SKIP", "REPLACE"])
def test_bad_rows_are_left_out(mode):
    def odd_fails(index):
        if index % 2:
            raise ValueError("odd")
        return index

    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[mode])
    try:
        data = ds.NumpySlicesDataset(list(range(10)), "index", shuffle=False)
        data = data.map(odd_fails, "index", num_parallel_workers=2, python_multiprocessing=True)
        got = [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    assert got == [0, 2, 4, 6, 8] * (1 if mode == "SKIP" else 2)


def test_large_rows_and_odd_values_pass():
    class Source:
        def __len__(self):
            return 6

        def __getitem__(self, index):
            image = np.full((1500, 2000, 3), index, np.uint8)
            return image, f"name {index}", bytes([index, 0, 1]), {"k": np.arange(index)}, float(index)

    data = ds.GeneratorDataset(Source(), list("abcde"), shuffle=False, num_parallel_workers=2, max_rowsize=1)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    for index, row in enumerate(rows):
        assert row["a"].min() == row["a"].max() == index
        assert row["b"] == f"name {index}"
        assert row["c"] == bytes([index, 0, 1])
        np.testing.assert_array_equal(row["d"]["k"], np.arange(index))
        assert row["e"] == float(index)


def test_getters_start_no_process():
    before = children()
    data = pipeline(2, True)
    assert data.get_dataset_size() == 13
    assert data.output_shapes()[0][1:] == [2, 3]
    assert children() == before


def test_iterators_dropped_in_the_middle_leave_nothing():
    gc.collect()
    threads, before = threading.active_count(), children()
    next(pipeline(1, True, 8).create_tuple_iterator())
    gc.collect()
    open_files = len(os.listdir("/proc/self/fd"))
    source = Squares(8)
    for number in range(1000):
        workers = 2 if number % 8 == 0 else 1
        data = ds.GeneratorDataset(source, COLUMNS, shuffle=False, num_parallel_workers=workers)
        iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        next(iterator)
        del iterator
    assert children() == before
    assert len(os.listdir("/proc/self/fd")) <= open_files
    assert threading.active_count() == threads


def test_program_ends_with_a_running_pipeline():
    code = """
        import time
        import numpy as np
        import mindspore.dataset as ds

        class Source:
            def __len__(self):
                return 1000
            def __getitem__(self, index):
                time.sleep(30 if index > 10 else 0)
                return np.zeros(10)

        data = ds.GeneratorDataset(Source(), "x", shuffle=False, num_parallel_workers=3)
        data = data.map(lambda x: x + 1, "x", num_parallel_workers=2, python_multiprocessing=True)
        iterator = data.create_tuple_iterator()
        next(iterator)
        print(time.time())
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert time.time() - float(result.stdout) < 2


class Noise(Squares):
    """Random access; every row draws."""

    def __getitem__(self, index):
        return np.random.rand(3), np.int64(random.getrandbits(30))


def noisy_batches(workers):
    data = ds.GeneratorDataset(Noise(20), ["noise", "bits"], shuffle=False, num_parallel_workers=workers)
    data = data.map(
        [lambda noise: (noise, np.random.rand()), lambda noise, more: noise + more],
        "noise",
        num_parallel_workers=workers,
        python_multiprocessing=True,
    )
    data = data.batch(
        4,
        per_batch_map=lambda bits, info: ([value + random.getrandbits(20) for value in bits],),
        input_columns=["bits"],
        num_parallel_workers=workers,
        python_multiprocessing=True,
    )
    return list(data.create_dict_iterator(num_epochs=1, output_numpy=True)), data


def test_seed_decides_what_functions_draw():
    seed = ds.config.get_seed()
    ds.config.set_seed(77)
    try:
        first, data = noisy_batches(2)
        second, _ = noisy_batches(4)
        iterator = data.create_dict_iterator(num_epochs=2, output_numpy=True)
        epochs = [list(iterator), list(iterator)]
    finally:
        ds.config.set_seed(seed)
    for name in ("noise", "bits"):
        for left, right, again in zip(first, second, epochs[0], strict=True):
            np.testing.assert_array_equal(left[name], right[name])
            np.testing.assert_array_equal(left[name], again[name])
        assert not np.array_equal(epochs[0][0][name], epochs[1][0][name])
    assert len({float(value) for batch in first for value in batch["noise"].ravel()}) == 60


def test_functions_of_one_map_share_their_processes():
    before = children()
    data = ds.GeneratorDataset(Squares(), COLUMNS, shuffle=False)
    functions = [lambda x: (x, x + 1), lambda x, y: x + y, lambda x: str(int(x[0, 0]))]
    data = data.map(functions, "square", num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert next(iterator)["square"] == "1"
    assert len(children() - before) == 2
    assert next(iterator)["square"] == "3"
    iterator.stop()

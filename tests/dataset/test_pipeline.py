# SPDX-License-Identifier: Apache-2.0
"""Operations of pipelines: rows, orders, columns, texts of errors."""

import gc
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore import Tensor


def numbers(rows, **options):
    return ds.NumpySlicesDataset(np.arange(rows), "x", shuffle=False, **options)


def values(data, epochs=1):
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    listed = [[row[0].tolist() for row in iterator] for _ in range(epochs)]
    return listed if epochs > 1 else listed[0]


@pytest.fixture
def seed():
    before = ds.config.get_seed()
    ds.config.set_seed(1)
    yield
    ds.config.set_seed(before)


def test_rows_come_as_tensors_arrays_and_dicts():
    data = ds.NumpySlicesDataset({"a": np.arange(3, dtype=np.int32), "b": np.ones((3, 2))}, shuffle=False)
    row = next(iter(data))
    assert isinstance(row, list) and isinstance(row[0], Tensor) and row[1].shape == (2,)
    row = next(data.create_dict_iterator(output_numpy=True))
    assert list(row) == ["a", "b"] and row["a"].dtype == np.int32
    assert data.get_col_names() == ["a", "b"]
    assert data.output_shapes() == [[], [2]]
    assert data.output_types() == [np.int32, np.float64]
    assert len(data) == data.get_dataset_size() == 3


def test_epochs_of_one_iterator_and_what_lies_beyond():
    iterator = numbers(3).create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [row[0].item() for row in iterator] == [0, 1, 2]
    assert [row[0].item() for row in iterator] == [0, 1, 2]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="beyond the specified number of epochs"):
            next(iterator)
    iterator.stop()
    with pytest.raises(RuntimeError, match="does not have a running C\\+\\+ pipeline"):
        next(iterator)


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda d: d.skip(2).take(2), [2, 3]),
        (lambda d: d.take(2).repeat(2), [0, 1, 0, 1]),
        (lambda d: d.repeat(2).skip(6).take(3), [1, 2, 3]),
        (lambda d: d.filter(lambda x: x % 2 == 1), [1, 3]),
        (lambda d: d.map(lambda x: x * 10).skip(3), [30, 40]),
        (lambda d: d.concat(numbers(2)), [0, 1, 2, 3, 4, 0, 1]),
        (lambda d: d.batch(2), [[0, 1], [2, 3], [4]]),
        (lambda d: d.batch(2, drop_remainder=True), [[0, 1], [2, 3]]),
        (lambda d: d.batch(lambda info: info.get_batch_num() + 1), [[0], [1, 2], [3, 4]]),
        (lambda d: d.repeat(2).batch(3), [[0, 1, 2], [3, 4, 0], [1, 2, 3], [4]]),
        (lambda d: d.flat_map(lambda x: numbers(2).map(lambda y, x=x: y + x)).take(4), [0, 1, 1, 2]),
    ],
)
def test_operations(make, expected):
    data = make(numbers(5))
    assert values(data) == expected
    assert data.get_dataset_size() == len(expected)


def test_orders_of_a_seed(seed):
    assert values(numbers(12).shuffle(5)) == [3, 2, 0, 1, 8, 9, 4, 6, 11, 7, 10, 5]
    data = ds.NumpySlicesDataset(np.arange(10), shuffle=True)
    assert values(data, 2) == [[9, 0, 2, 5, 7, 4, 6, 3, 1, 8], [4, 9, 5, 0, 1, 7, 6, 2, 3, 8]]
    parts = ds.NumpySlicesDataset(np.arange(10), shuffle=False).split([3, 7])
    first, second = values(parts[0], 2), values(parts[1])
    assert first[0] == first[1] and sorted(first[0] + second) == list(range(10))


def test_shards_share_the_rows():
    def shard(number, **options):
        return values(ds.NumpySlicesDataset(np.arange(5), num_shards=3, shard_id=number, **options))

    assert [shard(i, shuffle=False) for i in range(3)] == [[0, 3], [1, 4], [2, 0]]
    assert {row for i in range(3) for row in shard(i)} == set(range(5))


def test_columns_after_a_map():
    data = ds.NumpySlicesDataset(([1], [2], [3]), ["a", "b", "c"], shuffle=False)
    assert data.map(lambda c, a: (c, a), ["c", "a"], ["y", "z"]).get_col_names() == ["z", "b", "y"]
    assert data.map(lambda b: (b, b), "b", ["y", "z"]).get_col_names() == ["y", "z", "a", "c"]
    assert data.project(["c", "a"]).get_col_names() == ["c", "a"]
    assert data.rename(["a", "b"], ["b", "a"]).get_col_names() == ["b", "a", "c"]
    zipped = ds.zip((data, numbers(4)))
    assert zipped.get_col_names() == ["a", "b", "c", "x"] and len(zipped) == 1


def test_strings_bytes_and_dicts_travel():
    rows = [("a", b"bc\0", {"n": 1}), ("dd", b"e", {"n": 2})]
    data = ds.GeneratorDataset(rows, ["s", "b", "d"], shuffle=False)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert rows[1]["s"].item() == "dd" and rows[1]["b"].item() == b"e" and rows[0]["d"]["n"] == 1
    batch = next(data.batch(2).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert batch["s"].tolist() == ["a", "dd"] and batch["d"]["n"].tolist() == [1, 2]
    tensor = next(iter(data))[0]
    assert isinstance(tensor, Tensor) and tensor.asnumpy().item() == "a"


def test_padding_and_buckets():
    rows = ds.GeneratorDataset([(np.full(n, n),) for n in (1, 2, 3)], ["x"], shuffle=False)
    assert values(rows.padded_batch(3, pad_info={})) == [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]
    assert values(rows.padded_batch(3, pad_info={"x": ([2], -1)})) == [[[1, -1], [2, 2], [3, 3]]]
    with pytest.raises(RuntimeError, match="Cannot batch tensors with different shapes in column 0"):
        values(rows.batch(3))
    buckets = rows.bucket_batch_by_length("x", [2, 3], [1, 1, 1])
    assert values(buckets) == [[[1]], [[2, 2]], [[3, 3, 3]]]


def scatter(x):
    return np.random.default_rng(int(x)).integers(0, 1000, 3)


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_any_number_of_workers_gives_the_same_batches(workers, seed):
    def batches(count):
        data = ds.NumpySlicesDataset(np.arange(50), "x", shuffle=True)
        data = data.map(scatter, num_parallel_workers=count).shuffle(8).batch(7, num_parallel_workers=count)
        return values(data, 3)

    assert batches(workers) == batches(1)


def test_one_worker_calls_functions_in_order():
    seen = []
    data = numbers(40).map(lambda x: seen.append(int(x)) or x, num_parallel_workers=1).batch(4)
    assert len(values(data)) == 10 and seen == list(range(40))


def test_a_failing_function_shows_the_users_line():
    def divide(x):
        return 1 // (int(x) - 2)

    with pytest.raises(RuntimeError) as failure:
        values(numbers(5).map(divide))
    text = str(failure.value)
    assert "map operation: [PyFunc] failed" in text
    assert "return 1 // (int(x) - 2)" in text and __file__ in text
    assert text.startswith("Exception thrown from user defined Python function in dataset.")


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda d: d.map(lambda x: x, "y"), RuntimeError, "input column name: y doesn't exist"),
        (lambda d: d.map(lambda x: (x, x)), RuntimeError, "should match the number of 'output_columns'"),
        (lambda d: d.map(lambda x: None), RuntimeError, "Got None from Python object"),
        (lambda d: d.project("y"), RuntimeError, "column name: y does not exist"),
        (lambda d: d.batch(0), ValueError, "batch_size is not within the required interval"),
        (lambda d: d.shuffle(1), ValueError, "buffer_size is not within the required interval"),
        (lambda d: d.repeat(0), ValueError, "count should be either -1 or positive integer"),
        (lambda d: d.map(np.ndarray), ValueError, "missing parentheses for instantiation"),
        (lambda d: ds.zip((d,)), ValueError, "Can't zip empty or just one dataset"),
        (lambda d: ds.zip((d, d.rename("x", "y"))), ValueError, "one node has 2 consumers"),
        (lambda d: d.create_dict_iterator(num_epochs=0), RuntimeError, "positive integer"),
    ],
)
def test_mistakes_are_told(make, kind, words):
    with pytest.raises(kind) as failure:
        for _ in make(numbers(3)):
            pass
    assert words in str(failure.value)


def test_bad_rows_can_be_skipped_or_replaced():
    def odd_only(x):
        if x % 2 == 0:
            raise ValueError("even")
        return x

    before = ds.config.get_error_samples_mode()
    try:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
        assert values(numbers(6).map(odd_only)) == [1, 3, 5]
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.REPLACE)
        assert values(numbers(6).map(odd_only)) == [1, 3, 5, 1, 3, 5]
    finally:
        ds.config.set_error_samples_mode(before)


def test_sources_of_users():
    class Iterable:
        def __iter__(self):
            return iter([(1, 2.0), (3, 4.0)])

        def __len__(self):
            return 3

    data = ds.GeneratorDataset(Iterable(), ["a", "b"])
    with pytest.raises(RuntimeError, match="different from generator.len 3"):
        values(data)
    with pytest.raises(RuntimeError, match="column_names is:1 and number of returned NumPy array is:2"):
        values(ds.GeneratorDataset(lambda: iter([(1, 2)]), ["a"]))
    with pytest.raises(TypeError, match="callable, iterable or random accessible"):
        ds.GeneratorDataset(3, ["a"])
    with pytest.raises(ValueError, match="sampler is not supported"):
        ds.GeneratorDataset(lambda: iter([1]), ["a"], sampler=ds.SequentialSampler())
    assert values(ds.GeneratorDataset(range(4), ["a"], sampler=[3, 1])) == [3, 1]


def test_synchronised_rows_wait_for_their_update():
    class Growth:
        factor = 1

    def grow(data):
        Growth.factor = data["factor"]

    data = numbers(4).sync_wait("policy", callback=grow).map(lambda x: x * Growth.factor)
    seen = []
    for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        seen.append(row[0].item())
        data.sync_update("policy", data={"factor": Growth.factor + 1})
    assert seen == [0, 2, 6, 12]


def test_the_end_of_an_epoch_uses_up_no_update():
    class Step:
        number = 0

    def update(data):
        Step.number = data

    data = ds.NumpySlicesDataset([1, 2, 3], "x", shuffle=False).sync_wait("policy", callback=update)
    data = data.map(lambda x: x**Step.number)
    iterator = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    seen = []
    for _ in range(3):
        for row in iterator:
            seen.append(row[0].item())
            data.sync_update("policy", data=len(seen))
    assert seen == [1, 2, 9, 1, 16, 243, 1, 128, 6561]


def test_an_iterator_goes_on_where_another_stopped(seed):
    def pipeline(**options):
        data = ds.NumpySlicesDataset(np.arange(24), "x", shuffle=True, **options)
        return data.map(scatter).batch(3)

    iterator = pipeline().create_dict_iterator(num_epochs=3, output_numpy=True)
    list(iterator)
    for _ in range(2):
        next(iterator)
    state = iterator.state()
    rest = [row["x"].tolist() for row in iterator]
    resumed = ds.resume(pipeline(), state, num_epochs=3, output_numpy=True)
    assert [row["x"].tolist() for row in resumed] == rest


def test_a_resumed_iterator_gives_rows_of_the_same_form():
    data = ds.NumpySlicesDataset((np.arange(8), np.arange(8) * 10), ["x", "y"], shuffle=False).batch(2)
    for kind in (data.create_tuple_iterator, data.create_dict_iterator):
        iterator = kind(num_epochs=3, output_numpy=True)
        first = next(iterator)
        second = next(ds.resume(data, iterator.state(), num_epochs=3, output_numpy=True))
        assert type(second) is type(first)
        x, y = (second["x"], second["y"]) if isinstance(second, dict) else second
        assert x.tolist() == [2, 3] and y.tolist() == [20, 30]


def test_a_cache_of_map_is_checked():
    data = ds.NumpySlicesDataset([1, 2], ["x"])
    with pytest.raises(TypeError, match="Argument cache with value 3 is not of type"):
        data.map(lambda x: x, "x", cache=3)


def test_a_position_serves_other_numbers_of_shards(seed):
    def share(shards, number):
        data = ds.NumpySlicesDataset(np.arange(32), "x", shuffle=True, num_shards=shards, shard_id=number)
        return data.map(scatter)

    iterators = [share(2, i).create_tuple_iterator(num_epochs=1, output_numpy=True) for i in range(2)]
    for iterator in iterators:
        for _ in range(4):
            next(iterator)
    state = iterators[0].state()
    left = [[row[0].tolist() for row in iterator] for iterator in iterators]
    order = [row for pair in zip(*left, strict=True) for row in pair]
    resumed = [ds.resume(share(4, i), state, 1, True, as_dict=False) for i in range(4)]
    shares = [[row[0].tolist() for row in iterator] for iterator in resumed]
    assert [row for group in zip(*shares, strict=True) for row in group] == order
    with pytest.raises(ValueError, match="cannot be divided among 3 shards"):
        ds.resume(share(3, 0), state)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_dropped_iterators_leave_nothing():
    def drop():
        iterator = numbers(1000).map(lambda x: x + 1).batch(4).create_tuple_iterator(output_numpy=True)
        next(iterator)

    drop()
    gc.collect()
    threads, files = threading.active_count(), descriptors()
    native = len(os.listdir("/proc/self/task"))
    for _ in range(200):
        drop()
    gc.collect()
    assert threading.active_count() == threads and descriptors() == files
    assert len(os.listdir("/proc/self/task")) == native


def test_an_iterator_survives_a_fork():
    iterator = numbers(1000).map(lambda x: x).create_tuple_iterator(output_numpy=True)
    next(iterator)
    child = os.fork()
    if child == 0:
        try:
            next(iterator)
        except RuntimeError:
            del iterator
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert next(iterator)[0].item() == 1


INTERRUPTED = """
import os, signal, sys, threading, time
import mindspore.dataset as ds

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it

def slow(x):
    time.sleep(60 if x == 3 else 0)
    return x

data = ds.NumpySlicesDataset(list(range(9)), shuffle=False)
data = data.map(slow, num_parallel_workers=int(sys.argv[1]))
iterator = data.create_tuple_iterator(num_epochs=1)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    for _ in iterator:
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(7)
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_reaches_the_program(workers):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, workers], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout == "interrupted\n" and done.returncode == 7, done.stderr


def test_the_interpreter_ends_with_iterators_alive():
    program = (
        "import mindspore.dataset as ds\n"
        "data = ds.NumpySlicesDataset(list(range(1000))).map(lambda x: x).repeat().batch(3)\n"
        "iterators = [data.create_tuple_iterator() for _ in range(3)]\n"
        "rows = [next(iterator) for iterator in iterators]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr


def test_figures_of_a_run_are_written(tmp_path):
    ds.config.set_enable_autotune(True, str(tmp_path / "figures"))
    try:
        data = ds.FakeImageDataset(6, shuffle=False).batch(2)
        assert len(list(data.create_tuple_iterator(num_epochs=1))) == 3
    finally:
        ds.config.set_enable_autotune(False)
    path = tmp_path / "figures_0.json"
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert figures["summary"][0]["rows"] == 6 and figures["summary"][-1]["stage"] == "output"
    assert ds.compare(ds.deserialize(json_filepath=str(path)), data)


def test_what_is_not_tuned_is_not_called_tuned(tmp_path, capfd):
    ds.config.set_autotune_interval(4711)
    try:
        assert "set_autotune_interval(4711)' has no effect" in capfd.readouterr().err
        ds.config.set_enable_autotune(True, str(tmp_path / "figures"))
        data = numbers(6).map(lambda x: x, num_parallel_workers=2, python_multiprocessing=True)
        assert values(data) == list(range(6))
        remark = json.loads((tmp_path / "figures_0.json").read_text())["remark"]
        assert "figures of a run, and its pipeline as it was given" in remark
    finally:
        ds.config.set_enable_autotune(False)
        ds.config.set_autotune_interval(0)
    assert "adjusts nothing" not in capfd.readouterr().err


def test_the_allocator_of_the_process_is_left_alone():
    """How the C library keeps memory is for the program to decide, not for a library it imports."""
    libraries = list(Path(ds.__file__).parents[1].rglob("*.so"))
    assert any("libmindspore_data" in library.name for library in libraries)
    for library in libraries:
        assert b"mallopt" not in library.read_bytes(), library.name


def test_rows_that_do_not_fit_a_batch_are_told_apart():
    class Growing:
        def __len__(self):
            return 8

        def __getitem__(self, index):
            return np.zeros(2 if index < 5 else 3), index

    data = ds.GeneratorDataset(Growing(), ["x", "y"], shuffle=False)
    assert values(data.project("y").batch(4)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(RuntimeError, match="First element had shape <2> and this element had shape <3>"):
        values(data.batch(4))
    assert [row[0].shape for row in data.padded_batch(4, pad_info={})] == [(4, 2), (4, 3)]


def test_bytes_of_a_record_outlive_their_iterator(tmp_path):
    from mindspore.mindrecord import FileWriter

    content = bytes(range(256)) * 8
    writer = FileWriter(str(tmp_path / "record"), 1)
    writer.add_schema({"data": {"type": "bytes"}, "label": {"type": "int32"}})
    writer.write_raw_data([{"data": content, "label": 1}])
    writer.commit()
    data = ds.MindDataset(str(tmp_path / "record"), shuffle=False)
    row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    del data
    gc.collect()
    assert row["data"].shape == (1,) and row["data"].tobytes() == content
    with pytest.raises(ValueError):  # it is the file itself
        row["data"][0] = b"x"


def test_pipelines_describe_themselves():
    data = ds.FakeImageDataset(4, shuffle=False).repeat(2).batch(2)
    described = ds.serialize(data)
    assert described["op_type"] == "Batch" and described["children"][0]["op_type"] == "Repeat"
    assert ds.compare(data, ds.deserialize(described))
    restored = ds.deserialize(described)
    assert len(restored) == 4 and restored.get_col_names() == data.get_col_names()

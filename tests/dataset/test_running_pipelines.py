# SPDX-License-Identifier: Apache-2.0
"""Pipelines at work: who makes rows when, what they hold, and how they end."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn


class Pictures:
    """Rows of some size, random access."""

    def __init__(self, rows, shape=(3, 224, 224)):
        self._rows = rows
        self._picture = np.zeros(shape, np.float32)

    def __len__(self):
        return self._rows

    def __getitem__(self, index):
        return self._picture, np.int32(index)


def tasks():
    return len(os.listdir("/proc/self/task"))


def run_program(text, *arguments, timeout=60):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture
def prefetch_memory():
    yield ds.config.set_prefetch_memory
    ds.config.set_prefetch_memory(256)


# A reader that comes back late.


def test_a_reader_slower_than_the_pipeline_gets_every_batch(prefetch_memory):
    prefetch_memory(10)
    data = ds.GeneratorDataset(Pictures(70), ["image", "label"], shuffle=False).batch(8)
    seen = []
    for _, label in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        seen += label.tolist()
        time.sleep(0.02)
    assert seen == list(range(70))


@pytest.mark.parametrize("sink", [False, True])
def test_training_goes_on_while_batches_fill_the_budget(prefetch_memory, sink):
    prefetch_memory(4)
    data = ds.GeneratorDataset(Pictures(40, (3, 64, 64)), ["image", "label"], shuffle=False)
    data = data.map(lambda x: x.reshape(-1), "image", num_parallel_workers=1).batch(8)
    net = nn.Dense(3 * 64 * 64, 4)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    data = data.map(lambda x: (x % 4).astype(np.int32), "label", num_parallel_workers=1)
    model = ms.Model(net, loss, nn.SGD(net.trainable_params(), 0.01))

    class Slow(ms.Callback):
        steps = 0

        def step_end(self, run_context):
            Slow.steps += 1
            time.sleep(0.02)

    model.train(2, data, [Slow()], dataset_sink_mode=sink)
    assert Slow.steps > 0


def switches(name):
    """How often threads of that name were woken."""
    total = 0
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        if fields["Name"].strip() == name:
            total += int(fields["voluntary_ctxt_switches"])
    return total


def test_idle_pipelines_sleep():
    sources = [
        ds.GeneratorDataset(list(range(100_000)), ["x"], shuffle=False),
        ds.GeneratorDataset(lambda: iter((i,) for i in range(100_000)), ["x"]),
        ds.NumpySlicesDataset(np.arange(100_000)).map(lambda x: x + 1, num_parallel_workers=1),
        ds.NumpySlicesDataset(np.arange(100_000)).map(lambda x: x + 1, num_parallel_workers=2).batch(3),
    ]
    iterators = [data.create_tuple_iterator(num_epochs=1) for data in sources]
    for iterator in iterators:
        next(iterator)
    deadline = time.monotonic() + 20
    while True:  # until all queues are full
        before = switches("data-driver")
        time.sleep(0.3)
        if switches("data-driver") == before > 0:
            return
        assert time.monotonic() < deadline


# Memory.


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["rows", "map", "batch", "processes"])
def test_large_rows_are_not_hoarded(kind, workers):
    """The budget and one batch, however large rows are; beside that what the reader has in hand, and the
    arrays of the user's functions."""
    program = """
        import os, sys, time, threading
        import numpy as np
        import mindspore.dataset as ds

        kind, workers, megabytes = sys.argv[1], int(sys.argv[2]), 40
        ds.config.set_prefetch_memory(60)

        class Source:
            def __len__(self): return 12
            def __getitem__(self, index): return np.full(megabytes << 18, index, np.float32)

        def same(x): return x + 1

        processes = kind == "processes"
        data = ds.GeneratorDataset(Source(), ["x"], shuffle=False, max_rowsize=-1,
                                   num_parallel_workers=workers, python_multiprocessing=processes)
        if kind != "rows":
            data = data.map(same, max_rowsize=-1, num_parallel_workers=workers,
                            python_multiprocessing=processes)
        if kind == "batch":
            data = data.batch(2)

        def memory():
            children = open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read().split()
            total = 0
            for process in ["self", *children]:
                try:
                    lines = open(f"/proc/{process}/smaps_rollup").read().splitlines()
                except OSError:
                    continue
                total += sum(int(line.split()[1]) for line in lines if line.startswith(("Pss:", "SwapPss:")))
            return total / 1024

        before, peak, ended = memory(), 0, threading.Event()

        def watch():
            global peak
            while not ended.wait(0.005):
                peak = max(peak, memory())

        watcher = threading.Thread(target=watch)
        watcher.start()
        rows = 0
        for row in data.create_tuple_iterator(num_epochs=1):
            rows += 1
            time.sleep(0.05)
        ended.set()
        watcher.join()
        print(rows, (peak - before) / megabytes)
    """
    done = run_program(program, kind, str(workers), timeout=120)
    assert done.returncode == 0, done.stderr
    rows, held = done.stdout.split()
    batch = 2 if kind == "batch" else 1
    assert int(rows) == 12 // batch
    budget, of_users = 1.5, {"rows": 1, "map": 2, "batch": 2, "processes": 3}[kind]
    assert float(held) <= budget + batch + batch + of_users + 0.3


# Errors.


class Failing:
    """Raises in the fourth row."""

    def __len__(self):
        return 100

    def __getitem__(self, index):
        if index == 3:
            raise ValueError("the fourth row is bad")
        return np.zeros(1 << 18, np.float32)


def failing_pipelines():
    def bad(x):
        raise ValueError("bad")

    numbers = ds.NumpySlicesDataset(np.arange(50), shuffle=False)
    return {
        "source": ds.GeneratorDataset(Failing(), ["x"], shuffle=False),
        "source in threads": ds.GeneratorDataset(
            Failing(), ["x"], shuffle=False, num_parallel_workers=2, python_multiprocessing=False
        ),
        "source in processes": ds.GeneratorDataset(Failing(), ["x"], shuffle=False, num_parallel_workers=2),
        "iterable": ds.GeneratorDataset(lambda: (1 // (3 - i) for i in range(9)), ["x"]),
        "map": numbers.map(bad, num_parallel_workers=2),
        "map in order": ds.NumpySlicesDataset(np.arange(50)).map(bad, num_parallel_workers=1),
        "batch": ds.NumpySlicesDataset(np.arange(50)).batch(2, per_batch_map=lambda x, info: bad(x)),
    }


@pytest.mark.parametrize("name", sorted(failing_pipelines()))
def test_an_iterator_closes_on_its_first_error(name):
    data = failing_pipelines()[name]
    list(ds.NumpySlicesDataset(np.arange(3)))  # whatever stays for good is there now
    before = tasks()
    iterator = data.create_tuple_iterator(num_epochs=1)
    with pytest.raises(RuntimeError) as first:
        for _ in iterator:
            pass
    assert tasks() <= before  # while the error, and with it the iterator, is alive
    with pytest.raises(RuntimeError) as again:
        next(iterator)
    assert str(again.value) == str(first.value)
    seen = weakref.ref(iterator)
    del iterator, first, again
    gc.collect()
    assert seen() is None


def test_many_failing_generators_leave_nothing():
    def fail_once():
        with pytest.raises(RuntimeError, match="the fourth row is bad"):
            for _ in ds.GeneratorDataset(Failing(), ["x"], shuffle=False).create_tuple_iterator(num_epochs=1):
                pass

    fail_once()
    gc.collect()
    before = tasks()
    iterators = len(ds.engine.iterators.ITERATORS_LIST)
    for _ in range(50):
        fail_once()
    gc.collect()
    assert tasks() == before
    assert len(ds.engine.iterators.ITERATORS_LIST) == iterators


# Ends.


@pytest.mark.parametrize("workers", [1, 2])
def test_stop_may_be_called_from_inside(workers):
    """By the user's function, on whichever thread it runs."""
    made = threading.Event()
    stopped = threading.Event()
    holder = []

    def stop_at_five(x):
        if x == 5:
            made.wait(10)
            holder[0].stop()
            holder[0].stop()
            stopped.set()
        return x

    before = tasks()
    data = ds.NumpySlicesDataset(np.arange(1000), shuffle=False).map(
        stop_at_five, num_parallel_workers=workers
    )
    holder.append(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    made.set()
    assert stopped.wait(20)
    with pytest.raises(RuntimeError, match="does not have a running C\\+\\+ pipeline"):
        next(holder[0])
    holder.clear()
    deadline = time.monotonic() + 10
    while tasks() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert tasks() <= before


@pytest.mark.parametrize("workers", [1, 2])
def test_the_last_reference_may_go_on_a_thread_of_the_pipeline(workers):
    gone = threading.Event()
    made = threading.Event()
    holder = []

    def drop_at_five(x):
        if x == 5:
            made.wait(10)
            holder.clear()
            gone.set()
        return x

    before = tasks()
    data = ds.NumpySlicesDataset(np.arange(1000), shuffle=False).map(
        drop_at_five, num_parallel_workers=workers
    )
    holder.append(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    made.set()
    assert gone.wait(20)
    deadline = time.monotonic() + 10
    while tasks() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert tasks() <= before


def test_several_threads_may_stop_an_iterator_that_is_being_read():
    data = ds.NumpySlicesDataset(np.arange(10)).map(lambda x: x, num_parallel_workers=2).repeat()
    for _ in range(10):
        iterator = data.create_tuple_iterator(output_numpy=True)
        together = threading.Barrier(4)

        def read(iterator=iterator, together=together):
            together.wait()
            with pytest.raises((RuntimeError, StopIteration)):
                while True:
                    next(iterator)

        def stop(iterator=iterator, together=together):
            together.wait()
            iterator.stop()

        threads = [threading.Thread(target=target) for target in (read, read, stop, stop)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive()


FORKED = """
    import gc, os, sys
    import numpy as np
    import mindspore.dataset as ds

    kind = sys.argv[1]
    if kind == "generator":
        data = ds.GeneratorDataset(list(range(10_000)), ["x"], shuffle=False).batch(2)
    elif kind == "threads":
        data = ds.NumpySlicesDataset(np.arange(10_000)).map(lambda x: x, num_parallel_workers=3).batch(2)
    elif kind == "processes":
        data = ds.GeneratorDataset(list(range(10_000)), ["x"], shuffle=False, num_parallel_workers=2)
    else:
        data = ds.NumpySlicesDataset(np.arange(10_000)).sync_wait("go", 3).map(lambda x: x)
    iterator = data.create_tuple_iterator(output_numpy=True)
    next(iterator)
    for _ in range(8):
        child = os.fork()
        if child == 0:
            assert sys.getrefcount(iterator) == 2
            del iterator
            gc.collect()
            rows = list(ds.NumpySlicesDataset(np.arange(5)).map(lambda x: x, num_parallel_workers=2))
            sys.exit(len(rows))  # in the usual way
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    next(iterator)
    print("done")
"""


@pytest.mark.parametrize("kind", ["generator", "threads", "processes", "waiting"])
def test_a_child_may_drop_an_inherited_iterator(kind):
    done = run_program(FORKED, kind)
    assert done.stdout == "done\n" and done.returncode == 0, done.stderr


INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    import mindspore.dataset as ds

    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it

    def slow(x):
        if x == 3:
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            time.sleep(60)
        return x

    numbers = list(range(9))
    data = {
        "pool": lambda: ds.NumpySlicesDataset(numbers, shuffle=False).map(slow, num_parallel_workers=2),
        "reader": lambda: ds.NumpySlicesDataset(numbers, shuffle=False).map(slow, num_parallel_workers=1),
        "pool below the reader": lambda: ds.GeneratorDataset(numbers, ["x"], shuffle=False).map(
            slow, num_parallel_workers=2).batch(2),
        "processes": lambda: ds.GeneratorDataset(numbers, ["x"], shuffle=False).map(
            lambda x: slow(x) if False else waits(x), num_parallel_workers=2, python_multiprocessing=True),
    }[sys.argv[1]]

    def waits(x):
        if x == 3:
            os.kill(parent, signal.SIGINT)
            time.sleep(60)
        return x

    parent = os.getpid()
    iterator = data().create_tuple_iterator(num_epochs=1)
    try:
        for _ in iterator:
            pass
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        os._exit(7)
"""


@pytest.mark.parametrize("place", ["pool", "reader", "pool below the reader", "processes"])
def test_an_interrupt_ends_a_wait_at_any_place(place):
    done = run_program(INTERRUPTED, place, timeout=30)
    assert done.stdout == "interrupted\n" and done.returncode == 7, done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("sink", ["", "sink"])
def test_an_interrupt_ends_a_training_that_waits_for_data(sink, workers):
    program = """
        import os, signal, sys, threading, time
        import numpy as np
        import mindspore as ms
        import mindspore.dataset as ds
        from mindspore import nn

        signal.signal(signal.SIGINT, signal.default_int_handler)

        class Rows:
            def __len__(self):
                return 40

            def __getitem__(self, index):
                if index == 20:
                    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
                    time.sleep(60)
                return np.ones(3, np.float32), np.int32(0)

        data = ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False, num_parallel_workers=int(sys.argv[2]),
                                   python_multiprocessing=False).batch(4)
        net = nn.Dense(3, 2)
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        model = ms.Model(net, loss, nn.SGD(net.trainable_params(), 0.01))
        try:
            model.train(1, data, dataset_sink_mode=bool(sys.argv[1]))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            os._exit(7)
    """
    done = run_program(program, sink, workers, timeout=40)
    assert done.stdout == "interrupted\n" and done.returncode == 7, done.stderr


def test_an_interrupt_while_a_row_is_awaited_leaves_the_pipeline_running():
    program = """
        import os, signal, threading, time
        import mindspore.dataset as ds

        signal.signal(signal.SIGINT, signal.default_int_handler)
        go, seen = threading.Event(), []

        def slow(x):
            if x == 2:
                while len(seen) < 2:
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGINT)
                go.wait(20)
            return x

        data = ds.NumpySlicesDataset(list(range(5)), shuffle=False).map(slow, num_parallel_workers=2)
        iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        while not go.is_set():
            try:
                while True:
                    seen.append(int(next(iterator)[0]))
            except KeyboardInterrupt:
                go.set()
        print(seen + [int(row[0]) for row in iterator])
    """
    done = run_program(program, timeout=30)
    assert done.stdout == "[0, 1, 2, 3, 4]\n", done.stderr


def test_signals_are_not_lost(monkeypatch):
    """A handler of the user's runs while a row is awaited."""
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.monotonic()))
    try:

        def slow(x):
            os.kill(os.getpid(), signal.SIGUSR1)
            deadline = time.monotonic() + 20
            while not seen and time.monotonic() < deadline:
                time.sleep(0.001)
            return x

        data = ds.NumpySlicesDataset(np.arange(1)).map(slow, num_parallel_workers=2)
        assert len(list(data.create_tuple_iterator(num_epochs=1))) == 1
        assert seen
    finally:
        signal.signal(signal.SIGUSR1, before)

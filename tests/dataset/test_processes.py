# SPDX-License-Identifier: Apache-2.0
"""The pool of worker processes alone, without a pipeline around it."""

from __future__ import annotations

import ctypes
import gc
import operator
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import numpy as np
import pytest

from mindspore.dataset.core import config
from mindspore.dataset.engine import _process_channel
from mindspore.dataset.engine._processes import ProcessPool


@pytest.fixture(autouse=True)
def _settings_kept():
    """Settings a test changes are put back."""
    seed, interval = config.get_seed(), config.get_multiprocessing_timeout_interval()
    yield
    config.set_seed(seed)
    config.set_enable_shared_mem(True)
    config.set_multiprocessing_timeout_interval(interval)


def same(x):
    return x


def pool_of(function, workers=1, **keywords):
    return ProcessPool(function, workers, what="map(test)", **keywords)


def children() -> set[int]:
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:
        return {int(pid) for pid in file.read().split()}


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


VALUES = [
    None,
    True,
    3,
    2.5,
    "täxt",
    b"bytes\x00",
    b"b" * 100_000,
    "s" * 100_000,
    (1, "two", 3.0),
    [1, [2, 3]],
    {"a": np.arange(3), "b": {"c": np.ones(20_000)}},
    np.float32(1.5),
    np.array(7, np.int64),
    np.empty((0, 3), np.float32),
    np.array(["a", "bcd"]),
    np.array([b"x", b"yz"]),
    np.arange(6, dtype=np.int16).reshape(2, 3),
    np.arange(30_000, dtype=np.float64).reshape(100, 300),
    np.asfortranarray(np.arange(30_000, dtype=np.float32).reshape(100, 300)),
    np.arange(60_000).reshape(200, 300)[::2, ::3],
    np.arange(3_000_000, dtype=np.uint8),
    np.array([object, None], dtype=object),
]


def assert_same(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
    elif isinstance(expected, dict):
        assert got.keys() == expected.keys()
        for key, value in expected.items():
            assert_same(got[key], value)
    else:
        assert got == expected


@pytest.mark.parametrize("shared_memory", [True, False])
def test_pool_keeps_every_kind_of_value(shared_memory):
    config.set_enable_shared_mem(shared_memory)
    with pool_of(same) as pool:
        for value in VALUES:
            assert_same(pool.call(value), value)
        for got, value in zip(pool.call_many([(value,) for value in VALUES]), VALUES, strict=True):
            assert_same(got, value)


def test_pool_sends_images():
    image_module = pytest.importorskip("PIL.Image")
    image = image_module.fromarray(
        np.arange(120 * 90 * 3, dtype=np.uint32).astype(np.uint8).reshape(120, 90, 3)
    )
    with pool_of(lambda image: image.rotate(180)) as pool:
        np.testing.assert_array_equal(np.asarray(pool.call(image)), np.asarray(image)[::-1, ::-1])


def test_pool_results_belong_to_the_caller():
    with pool_of(lambda number: np.full(50_000, number)) as pool:
        rows = [pool.call(number) for number in range(8)]
    assert [int(row[0]) for row in rows] == [int(row[-1]) for row in rows] == list(range(8))
    rows[0] += 1  # and may be written


def test_pool_results_of_one_exchange_are_apart():
    constant = np.zeros(20_000)
    with pool_of(lambda _: constant) as pool:
        first, second = pool.call_many([(1,), (2,)])
    first += 1
    assert second.max() == 0


def test_pool_arguments_belong_to_the_function():
    kept = []

    def keep(row):
        kept.append(row)
        return [int(row.min()) for row in kept]

    with pool_of(keep) as pool:
        results = [pool.call(np.full(50_000, number)) for number in range(4)]
    assert results[-1] == [0, 1, 2, 3]


def test_pool_grows_its_memory_and_warns_once(capfd):
    with pool_of(same, max_rowsize=1) as pool:
        for size in (100_000, 3_000_000, 5_000_000, 40_000_000, 10):
            row = np.arange(size, dtype=np.uint8)
            np.testing.assert_array_equal(pool.call(row), row)
    text = capfd.readouterr().err
    assert text.count("is larger than 'max_rowsize' = 1 MB (in)") == 1
    assert text.count("is larger than 'max_rowsize' = 1 MB (out)") == 1


def test_pool_without_limit_does_not_warn(capfd):
    with pool_of(same, max_rowsize=[-1, -1]) as pool:
        pool.call(np.zeros(40_000_000, np.uint8))
    assert "max_rowsize" not in capfd.readouterr().err


def test_pool_without_shared_memory_uses_the_socket(capfd, monkeypatch):
    def no_memory(size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_process_channel, "_make_area", no_memory)
    with pool_of(same) as pool:
        for _ in range(3):
            row = np.arange(500_000)
            np.testing.assert_array_equal(
                pool.call(
                    row,
                ),
                row,
            )
    assert capfd.readouterr().err.count("no shared memory could be had") == 1


def test_pool_runs_calls_beside_each_other():
    with pool_of(lambda _: (time.sleep(0.5), os.getpid())[1], 4) as pool:
        found = []
        threads = [threading.Thread(target=lambda n=n: found.append(pool.call(n))) for n in range(4)]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert time.monotonic() - begin < 1.8
    assert len(set(found)) == 4


# Exceptions.


class TwoPartError(Exception):
    """Pickles, but cannot be made again from its arguments."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def fails(number):
    values = {0: ValueError("bad row 0"), 1: TwoPartError(1, 2), 2: SystemExit(3), 3: KeyError("k")}
    if number in values:
        raise values[number]
    return number


def test_pool_raises_the_exception_with_the_users_frame():
    with pool_of(fails, 2) as pool:
        with pytest.raises(ValueError, match="bad row 0") as caught:
            pool.call(0)
        text = "".join(traceback.format_exception(caught.value))
        assert "in fails" in text and os.path.basename(__file__) in text and "_process_worker" not in text
        with pytest.raises(RuntimeError, match="(?s)TwoPartError: 1 and 2.*in fails"):
            pool.call(1)
        with pytest.raises(RuntimeError, match="SystemExit: 3"):
            pool.call(2)
        assert pool.call(9) == 9


def test_pool_returns_exceptions_of_single_calls():
    with pool_of(fails) as pool:
        results = pool.call_many([(7,), (0,), (8,), (3,)], return_exceptions=True)
        assert [results[0], results[2]] == [7, 8]
        assert isinstance(results[1], ValueError) and isinstance(results[3], KeyError)
        with pytest.raises(ValueError, match="bad row 0"):
            pool.call_many([(7,), (0,), (3,)])


def test_pool_survives_what_cannot_be_sent():
    with pool_of(lambda x: threading.Lock() if x == 1 else x) as pool:
        with pytest.raises(TypeError, match=r"map\(test\): an argument cannot be sent.*lock"):
            pool.call(threading.Lock())
        with pytest.raises(TypeError, match="returned by the function cannot be sent.*lock"):
            pool.call(1)
        assert pool.call(2) == 2


# Death and hangs.


def dies(how):
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "exit":
        os._exit(3)
    elif how == "crash":
        ctypes.string_at(0)
    return how


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("kill", "was killed by signal 9, possibly out of memory"),
        ("exit", "exited with code 3"),
        ("crash", "was killed by signal 11 (SIGSEGV), a crash in native code"),
    ],
)
def test_pool_tells_of_a_dead_worker(how, words):
    with pool_of(dies, 2) as pool, pool_of(same) as other:
        pids = pool.pids
        begin = time.monotonic()
        with pytest.raises(RuntimeError) as caught:
            pool.call(how)
        assert time.monotonic() - begin < 2
        assert words in str(caught.value)
        assert f"map(test): worker process 0 (pid {pids[0]})" in str(caught.value)
        with pytest.raises(RuntimeError, match="worker process 0"):
            pool.call("fine")
        assert other.call(1) == 1


@pytest.mark.parametrize("busy", [True, False])
def test_pool_tells_of_a_worker_killed_from_outside(busy):
    with pool_of(time.sleep, 2) as pool:
        victim = pool.pids[0]
        if busy:
            threading.Timer(0.2, os.kill, (victim, signal.SIGKILL)).start()
        else:
            os.kill(victim, signal.SIGKILL)
        begin = time.monotonic()
        with pytest.raises(RuntimeError, match=rf"worker process 0 \(pid {victim}\) was killed by signal 9"):
            pool.call(30)
        assert time.monotonic() - begin < 2


def test_pool_sees_death_behind_an_inherited_connection():
    def leave_heir():
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        os._exit(4)

    with pool_of(leave_heir) as pool:
        begin = time.monotonic()
        with pytest.raises(RuntimeError, match="exited with code 4"):
            pool.call()
        assert time.monotonic() - begin < 2


def test_pool_waiting_threads_learn_of_the_death():
    with pool_of(time.sleep) as pool:
        errors = []

        def call():
            try:
                pool.call(30)
            except RuntimeError as error:
                errors.append(str(error))

        threads = [threading.Thread(target=call) for _ in range(3)]
        for thread in threads:
            thread.start()
        os.kill(pool.pids[0], signal.SIGKILL)
        for thread in threads:
            thread.join(timeout=2)
        assert len(errors) == 3 and all("killed by signal 9" in error for error in errors)


def test_pool_shows_the_stack_of_a_silent_worker(capfd):
    config.set_multiprocessing_timeout_interval(1)

    def slow_function():
        time.sleep(2.8)
        return "done"

    with pool_of(slow_function) as pool:
        assert pool.call() == "done"
    text = capfd.readouterr().err
    assert text.count("waiting for data from worker process") >= 2 and "too slow" in text
    assert "in slow_function" in text and "worker process 0" in text


def test_pool_worker_ignores_keyboard_interrupt():
    with pool_of(same) as pool:
        pool.call(1)
        os.kill(pool.pids[0], signal.SIGINT)
        assert pool.call(2) == 2


# Isolation.


def test_pool_seeds_workers_by_their_number():
    config.set_seed(40)
    with pool_of(lambda: (random.random(), np.random.rand()), 2) as pool:
        got = [pool.call(), pool.call()]
    for number in range(2):
        random.seed(40 + number)
        np.random.seed(40 + number)
        assert got[number] == (random.random(), np.random.rand())


def test_pool_workers_differ_without_a_seed():
    config.set_seed(config.UNSET_SEED)
    with pool_of(lambda: (random.random(), np.random.rand()), 2) as pool:
        first, second = pool.call(), pool.call()
    assert first[0] != second[0] and first[1] != second[1]


def test_pool_seed_of_a_call_decides():
    draw = lambda: (random.random(), np.random.rand())  # noqa: E731
    with pool_of(draw, 1) as one, pool_of(draw, 3) as three:
        expected = one.call_many([()] * 6, seeds=list(range(6)))
        assert [three.call(seed=seed) for seed in range(6)] == expected


def test_pool_limits_threads_of_libraries(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "5")

    def threads():
        from mindspore import _c_expression

        return _c_expression.compute_threads(), os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]

    with pool_of(threads) as pool:
        assert pool.call() == (1, "1", "5")
    assert "OMP_NUM_THREADS" not in os.environ


def test_pool_function_may_use_operators():
    import mindspore as ms

    (ms.Tensor(np.ones((600, 600), np.float32)) @ ms.Tensor(np.ones((600, 600), np.float32))).asnumpy()
    with pool_of(lambda x: (ms.Tensor(x) @ ms.Tensor(x)).asnumpy()) as pool:
        np.testing.assert_array_equal(pool.call(np.ones((600, 600), np.float32)), np.full((600, 600), 600.0))


def test_pool_output_of_functions_is_not_lost(capfd):
    print("before")
    with pool_of(lambda: print("from the worker")) as pool:
        pool.call()
    assert capfd.readouterr().out == "before\nfrom the worker\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_pool_of_fresh_interpreters(method):
    with pool_of(operator.neg, 1, start_method=method) as pool:
        row = np.arange(100_000)
        np.testing.assert_array_equal(pool.call(row), -row)
        os.kill(pool.pids[0], signal.SIGKILL)
        with pytest.raises(RuntimeError, match="worker process 0 .* was killed by signal 9"):
            pool.call(1)


def run_script(folder, text):
    """A script of its own, because fresh interpreters import it again."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_fork_server_is_there_early_and_has_no_threads(tmp_path):
    done = run_script(
        tmp_path,
        """
        import os, time
        from multiprocessing import forkserver
        import numpy as np
        import mindspore.dataset as ds

        def parents(x):
            return np.array([x, os.getppid()])

        if __name__ == "__main__":
            before = dict(os.environ)
            ds.config.set_start_method("forkserver")
            assert dict(os.environ) == before
            server = forkserver._forkserver._forkserver_pid
            numbers = list(range(8))
            busy = ds.NumpySlicesDataset(numbers).map(lambda x: x, num_parallel_workers=2).repeat()
            running = busy.create_tuple_iterator()  # threads in this process
            next(running)
            data = ds.NumpySlicesDataset(numbers, shuffle=False).map(
                parents, num_parallel_workers=2, python_multiprocessing=True)
            rows = [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
            assert rows == [[number, server] for number in numbers], rows
            print(len(os.listdir(f"/proc/{server}/task")))
        """,
    )
    assert done.stdout == "1\n" and done.returncode == 0, done.stderr


def test_forks_beside_busy_threads_find_no_lock_held(tmp_path):
    """Every worker allocates, computes and logs, as threads of the parent do at the time of the fork."""
    done = run_script(
        tmp_path,
        """
        import threading
        import numpy as np
        import mindspore as ms
        import mindspore.dataset as ds
        from mindspore import log, ops
        from mindspore.dataset import vision
        from mindspore.dataset.engine._processes import ProcessPool

        shrink, turn = vision.Resize(16), vision.RandomHorizontalFlip()
        over = threading.Event()

        def work(number):
            picture = np.full((64, 48, 3), number % 200, np.uint8)
            log.info(f"picture {number}")
            shown = ops.relu(ms.Tensor(turn(shrink(picture)).astype(np.float32))).asnumpy()
            return int(shown.max())

        def be_busy(number):
            while not over.is_set():
                work(number)

        def read():
            pictures = ds.FakeImageDataset(20, shuffle=False)
            pictures = pictures.map([shrink, turn], "image", num_parallel_workers=2)
            while not over.is_set():
                for _ in pictures.create_tuple_iterator(num_epochs=1):
                    pass

        threads = [threading.Thread(target=be_busy, args=(i,)) for i in range(3)]
        threads += [threading.Thread(target=read)]
        for thread in threads:
            thread.start()
        for number in range(25):
            with ProcessPool(work, 2, what="map(work)") as pool:
                assert [pool.call(number) for _ in range(3)] == [number] * 3
        over.set()
        for thread in threads:
            thread.join()
        print("done")
        """,
    )
    assert done.stdout == "done\n" and done.returncode == 0, done.stderr


def test_pool_of_fresh_interpreters_needs_a_picklable_function():
    with pytest.raises(RuntimeError, match="cannot be sent to a process started with 'spawn'"):
        pool_of(lambda x: x, start_method="spawn")


# The end.


def test_pool_close_is_quick_and_can_be_repeated():
    def forever():
        while True:
            pass

    before = children()
    pool = pool_of(forever, 2)
    errors = []

    def call():
        try:
            pool.call()
        except RuntimeError as error:
            errors.append(str(error))

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(0.1)
    os.kill(pool.pids[1], signal.SIGSTOP)  # cannot even notice that it should go
    begin = time.monotonic()
    pool.close()
    assert time.monotonic() - begin < 2
    thread.join(timeout=1)
    assert errors == ["map(test): its worker processes were closed."]
    pool.close()
    with pytest.raises(RuntimeError, match="were closed"):
        pool.call()
    assert children() == before


def test_pools_that_are_dropped_leave_nothing():
    gc.collect()
    before, open_files = children(), len(os.listdir("/proc/self/fd"))
    for number in range(200):
        pool = pool_of(same, 2)
        if number % 2:
            pool.call(np.zeros(20_000))
        del pool
    assert children() == before
    assert len(os.listdir("/proc/self/fd")) == open_files


def test_pools_of_several_threads_do_not_mix():
    def work(results):
        for number in range(5):
            with pool_of(lambda x, number=number: x + number, 2) as pool:
                results.append(pool.call(10) == 10 + number)

    before, results = children(), []
    threads = [threading.Thread(target=work, args=(results,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [True] * 20
    assert children() == before


def test_pool_too_many_open_files_is_told():
    code = """
        import resource
        from mindspore.dataset.engine._processes import ProcessPool
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        try:
            ProcessPool(abs, 64, what="map(abs)")
        except RuntimeError as error:
            print(error)
    """
    result = run_program(code)
    assert "map(abs): cannot start worker process" in result and "ulimit -n" in result


def run_program(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=True
    )
    return result.stdout + result.stderr


def test_pool_ends_with_the_interpreter():
    code = """
        import threading, time
        from mindspore.dataset.engine._processes import ProcessPool
        pool = ProcessPool(time.sleep, 3, what="map(sleep)")
        def call():
            try:
                pool.call(100)
            except RuntimeError:
                pass
        threading.Thread(target=call, daemon=True).start()
        time.sleep(0.2)
        print(*pool.pids, time.time())
    """
    *pids, left = run_program(code).split()
    assert time.time() - float(left) < 2
    assert not any(is_running(int(pid)) for pid in pids)


def test_workers_end_when_the_parent_is_killed():
    code = """
        import threading, time
        from mindspore.dataset.engine._processes import ProcessPool
        def forever(_):
            while True:
                pass
        pool = ProcessPool(forever, 2, what="map(forever)")
        threading.Thread(target=pool.call, args=(1,), daemon=True).start()
        print(*pool.pids, flush=True)
        time.sleep(100)
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2 and all(is_running(pid) for pid in pids)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 3
    while any(is_running(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_running(pid) for pid in pids)
    parent.stdout.close()

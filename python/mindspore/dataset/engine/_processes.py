# SPDX-License-Identifier: Apache-2.0
"""Worker processes that call Python functions of users, so that these run beside each other.

A pool has one function. Threads hand it calls; each call goes to an idle worker, and the thread waits without
the interpreter lock. A worker that dies makes an exception in the thread that waits for it, and nothing else.
"""

from __future__ import annotations

import errno
import os
import pickle
import queue
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore import log

from ..core import config
from . import _profile
from ._process_channel import ChannelClosed, Refused
from ._process_handle import EXIT_SECONDS, WorkerHandle, fate, start_worker
from ._process_worker import Failure, WorkerSettings, flush_output

_MEBIBYTE = 1 << 20
_FULL_MEMORY = 0.85


def seed_of(*numbers: int) -> int:
    """One seed out of several numbers; the same on every machine."""
    return hash(numbers) % 2**64  # of whole numbers this does not change between programs


class _WorkerTraceback(Exception):
    """Cause of an exception from a worker: where it was raised there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


class _Crew:
    """The workers of a pool: who is idle, and whether all is well.

    It lives apart from the pool so that the pool's finalizer can end them.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.workers: list[WorkerHandle] = []
        self._idle: queue.SimpleQueue[WorkerHandle | None] = queue.SimpleQueue()
        self._owner = os.getpid()
        self._changing = threading.Lock()  # guards the two below
        self._closed = False
        self._failure: str | None = None

    def add(self, worker: WorkerHandle) -> None:
        """A worker that has started."""
        self.workers.append(worker)
        self._idle.put(worker)

    def take(self) -> WorkerHandle:
        """Waits for an idle worker; give it back with `put`."""
        worker = self._idle.get()
        if worker is None or self._closed or self._failure is not None:
            self._idle.put(None)  # for the next one who waits
            raise self.error()
        return worker

    def put(self, worker: WorkerHandle) -> None:
        """The worker is idle again."""
        self._idle.put(worker)

    def error(self) -> RuntimeError:
        """Why there are no workers."""
        if self._owner != os.getpid():
            return RuntimeError(f"{self.what}: its worker processes belong to another process.")
        with self._changing:
            return RuntimeError(self._failure or f"{self.what}: its worker processes were closed.")

    def lose(self, worker: WorkerHandle, reason: str | None = None) -> RuntimeError:
        """A worker is gone: nobody gets one any more. The exception to raise."""
        with self._changing:
            expected = self._closed or self._failure is not None
        if not expected:
            worker.hang_up()
            code = worker.wait(time.monotonic() + EXIT_SECONDS)
            ended = "closed its connection" if code in (None, 0) else fate(code)
            with self._changing:
                if not self._closed and self._failure is None:
                    self._failure = (
                        f"{self.what}: worker process {worker.number} (pid {worker.pid}) {reason or ended}. "
                        "The pipeline cannot go on; other pipelines are not touched."
                    )
            self._idle.put(None)
        return self.error()

    def close(self) -> None:
        """Ends all workers; can be called any number of times, by any thread."""
        if self._owner != os.getpid():
            return  # a copy made by a fork: they are not ours
        with self._changing:
            if self._closed:
                return
            self._closed = True
        self._idle.put(None)
        for worker in self.workers:
            worker.hang_up()
        deadline = time.monotonic() + EXIT_SECONDS
        for worker in self.workers:
            worker.end(deadline)
        self.workers.clear()


class ProcessPool:
    """Processes that call one function.

    Args:
        function: What they call. With the start method "fork" it need not be picklable.
        workers: How many processes.
        what: Names the operation in messages.
        max_rowsize: MiB of shared memory a row is expected to need at most, one number or [in, out]; -1 for
            no expectation. Larger rows work, with a warning.
        start_method: "fork", "spawn" or "forkserver"; None as configured.
    """

    def __init__(
        self,
        function: Callable,
        workers: int,
        *,
        what: str,
        max_rowsize: int | list[int] = 16,
        start_method: str | None = None,
    ) -> None:
        self._limits = list(max_rowsize) if isinstance(max_rowsize, (list, tuple)) else [max_rowsize] * 2
        self._warned: set[str] = set()
        self._crew = _Crew(what)
        self._finalizer = weakref.finalize(self, self._crew.close)
        try:
            self._start(function, workers, start_method or config.get_start_method())
        except BaseException:
            self.close()
            raise

    def _start(self, function: Callable, workers: int, method: str) -> None:
        seed = config.get_seed()
        shared_memory = config.get_enable_shared_mem()
        flush_output()
        self._check_host_memory()
        for number in range(workers):
            settings = WorkerSettings(
                number,
                None if seed == config.UNSET_SEED else seed,
                shared_memory,
                os.getpid() if method == "fork" else None,
            )
            try:
                self._crew.add(start_worker(function, settings, self._crew.what, method))
            except OSError as error:
                raise RuntimeError(self._start_failure(number, workers, error)) from error
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise RuntimeError(
                    f"{self._crew.what}: the function cannot be sent to a process started with '{method}': "
                    f"{error}. Define it at the top level of a module, or use the start method 'fork'."
                ) from error

    def _check_host_memory(self) -> None:
        used = _used_memory()
        if used > _FULL_MEMORY:
            self._warn_once(
                "host memory",
                f"{self._crew.what}: {used:.0%} of the machine's memory is in use. Lower "
                "'num_parallel_workers' or the prefetch size if processes are killed.",
            )

    def _start_failure(self, number: int, workers: int, error: OSError) -> str:
        hint = "Lower num_parallel_workers."
        if error.errno in (errno.EMFILE, errno.ENFILE):
            hint = "Raise the limit of open files (ulimit -n), or lower num_parallel_workers."
        return f"{self._crew.what}: cannot start worker process {number} of {workers}: {error}. {hint}"

    @property
    def pids(self) -> list[int]:
        """Process ids, by worker number."""
        return [worker.pid for worker in self._crew.workers]

    def call(self, *arguments: Any, seed: int | None = None) -> Any:
        """The function's result for these arguments.

        With `seed` the generators of `random` and `numpy.random` are set to it before, so that the result
        does not depend on which worker took the call.
        """
        return self._exchange([arguments], None if seed is None else [seed], False)[0]

    def call_many(
        self, calls: list[tuple], seeds: list[int] | None = None, return_exceptions: bool = False
    ) -> list[Any]:
        """Results for many tuples of arguments, computed by one worker in one exchange.

        With `return_exceptions` a call that raised has its exception in place of the result; otherwise the
        first exception is raised.
        """
        return self._exchange(calls, seeds, return_exceptions)

    def call_each(
        self, calls: list[tuple] | np.ndarray, seeds: list[int] | None = None, rows: int | None = None
    ) -> list[Any] | np.ndarray:
        """As `call_many`, with exceptions among the results. Calls that are packed rows, or the numbers of a
        source's rows, may be answered by packed rows; `rows` says how many then."""
        return self._exchange(calls, seeds, True, rows)

    def _exchange(
        self, calls: Any, seeds: list[int] | None, return_exceptions: bool, rows: int | None = None
    ) -> Any:
        crew = self._crew
        worker = crew.take()
        try:
            results, failures = worker.exchange((calls, seeds, return_exceptions))
        except ChannelClosed:
            raise crew.lose(worker) from None
        except Refused as refused:
            crew.put(worker)
            raise TypeError(
                f"{crew.what}: an argument cannot be sent to a worker process: {refused}"
            ) from refused.__cause__
        except Exception as error:  # the reply was read but cannot be unpickled
            crew.put(worker)
            raise RuntimeError(
                f"{crew.what}: the result cannot be read: {type(error).__name__}: {error}"
            ) from error
        except BaseException:  # Ctrl-C in the middle: question and answer would no longer match
            crew.lose(worker, "was interrupted")
            raise
        rows = len(calls) if rows is None else rows
        self._check_memory(worker, rows)
        self._check_time(worker, rows)
        crew.put(worker)
        if failures:
            self._raise(worker, results, failures, return_exceptions)
        return results

    def _raise(self, worker: WorkerHandle, results: list, failures: dict[int, Failure], keep: bool) -> None:
        exceptions = {number: _exception(failure, worker) for number, failure in failures.items()}
        if not keep or len(results) == 0:
            raise next(iter(exceptions.values()))
        for number, exception in exceptions.items():
            results[number] = exception

    def _check_memory(self, worker: WorkerHandle, rows: int) -> None:
        channel = worker.channel
        if channel.lacks_memory:
            self._warn_once(
                "memory",
                f"{self._crew.what}: no shared memory could be had; rows go through sockets, more slowly.",
            )
        for direction, size, limit in (
            ("in", channel.sent_bytes, self._limits[0]),
            ("out", channel.received_bytes, self._limits[1]),
        ):
            if limit >= 0 and size > max(limit, 1) * rows * _MEBIBYTE:
                self._warn_once(
                    direction,
                    f"{self._crew.what}: a row of {size / rows / _MEBIBYTE:.1f} MB is larger than "
                    f"'max_rowsize' = {limit} MB ({direction}). The shared memory of its workers grows; set "
                    "'max_rowsize' to what is needed, or to -1.",
                )

    def _check_time(self, worker: WorkerHandle, rows: int) -> None:
        seconds = worker.seconds_since_call() / max(rows, 1)
        if seconds > _profile.LATE_SECONDS:
            self._warn_once(
                "time",
                f"{self._crew.what}: a row took {seconds:.0f} s in worker process {worker.number}, which is "
                "too slow. Check whether the function can be made faster; 'num_parallel_workers' gives it "
                "more processes.",
            )

    def _warn_once(self, key: str, text: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            log.warning(text)

    def close(self) -> None:
        """Ends the processes; can be called any number of times."""
        self._finalizer()

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _used_memory() -> float:
    """Share of the machine's memory that cannot be had any more; 0 when unknown."""
    try:
        with open("/proc/meminfo") as file:
            sizes = {name: int(rest.split()[0]) for name, rest in (line.split(":") for line in file)}
        return 1 - sizes["MemAvailable"] / sizes["MemTotal"]
    except (OSError, KeyError, ValueError, IndexError):
        return 0.0


def _exception(failure: Failure, worker: WorkerHandle) -> Exception:
    """The exception to raise here for one raised in a worker."""
    if failure.pickled is None:
        error: Exception = RuntimeError(f"{failure.summary}\n\n{failure.traceback}")
    else:
        try:
            error = pickle.loads(failure.pickled)
        except Exception:
            error = RuntimeError(f"{failure.summary}\n\n{failure.traceback}")
    error._worker_traceback = failure.traceback
    error.__cause__ = _WorkerTraceback(
        f"In worker process {worker.number} (pid {worker.pid}):\n{failure.traceback}"
    )
    return error

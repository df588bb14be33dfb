# SPDX-License-Identifier: Apache-2.0
"""One worker process as its parent sees it: started, asked, watched, ended."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from mindspore import log

from ..core import config
from . import _profile
from ._process_channel import Channel, ChannelClosed
from ._process_worker import STACK_SIGNAL, WorkerSettings, run_spawned_worker, run_worker

_LIVENESS_SECONDS = 0.5  # how often a silent worker is looked at
EXIT_SECONDS = 1.0  # for a worker to go by itself once its connection is closed
_STACK_SECONDS = 1.0

_starting = threading.Lock()  # a fork must not inherit another worker's end of a connection
_workers: weakref.WeakSet[WorkerHandle] = weakref.WeakSet()


def _renew_lock() -> None:
    global _starting
    _starting = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class _ForkedProcess:
    """A child of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None
        self._reaped = threading.Lock()  # guards _code

    def exit_code(self) -> int | None:
        """As subprocess counts it, negative for a signal; None while it runs."""
        with self._reaped:
            if self._code is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:  # somebody else waits for all children, or SIGCHLD is ignored
                    self._code = _UNKNOWN_CODE
                else:
                    self._code = os.waitstatus_to_exitcode(status) if pid else None
            return self._code


class _SpawnedProcess:
    """A process of the multiprocessing module, which starts fresh interpreters."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self.pid = process.pid

    def exit_code(self) -> int | None:
        """As subprocess counts it, negative for a signal; None while it runs."""
        return self._process.exitcode


_UNKNOWN_CODE = 1 << 16


class WorkerHandle:
    """The parent's view of one worker process."""

    def __init__(self, number: int, what: str, shared_memory: bool) -> None:
        self.number = number
        self.busy = threading.Lock()  # guards the channel
        self._what = what
        self._process: _ForkedProcess | _SpawnedProcess | None = None
        self._called = 0.0
        self._warnings = 0
        self._told_late = False
        self._connection, self._other_end = socket.socketpair()
        self._connection.settimeout(_LIVENESS_SECONDS)
        self._channel = Channel(self._connection, shared_memory, self._look)
        self._stack_file = -1
        try:
            self._stack_file = _open_stack_file()
        except OSError:
            self.abandon()
            raise
        _workers.add(self)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def channel(self) -> Channel:
        """The connection."""
        return self._channel

    # Start.

    def fork(self, function: Callable, settings: WorkerSettings) -> None:
        """Starts the worker as a copy of this process."""
        with warnings.catch_warnings():
            # The child touches none of the other threads' things.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            try:
                for worker in list(_workers):
                    if worker is not self:
                        worker.abandon()
                self._connection.close()
                run_worker(function, self._other_end, self._stack_file, settings)
            finally:
                os._exit(1)
        self._process = _ForkedProcess(pid)
        self._other_end.close()

    def spawn(self, function: Callable, settings: WorkerSettings, method: str) -> None:
        """Starts the worker as a fresh interpreter; the function must be picklable."""
        process = multiprocessing.get_context(method).Process(
            target=run_spawned_worker,
            args=(function, self._other_end, settings),
            name=f"ms_data_{self.number}",
            daemon=True,
        )
        process.start()
        self._process = _SpawnedProcess(process)
        self._other_end.close()
        socket.send_fds(self._connection, [b"s"], [self._stack_file])

    # Calls.

    def exchange(self, request: Any) -> Any:
        """Sends a request and waits for the reply. ChannelClosed: the worker is gone."""
        with self.busy:
            self._called = time.monotonic()
            self._warnings = 0
            self._told_late = False
            self._channel.send(request)
            return self._channel.receive()

    def seconds_since_call(self) -> float:
        """How long ago the last request was sent."""
        return time.monotonic() - self._called

    def _look(self) -> None:
        """Called each time the worker has been silent for a while."""
        if self._process.exit_code() is not None:
            raise ChannelClosed("the process has ended")
        silent = self.seconds_since_call()
        if silent >= _profile.LATE_SECONDS and not self._told_late:
            self._told_late = True
            log.warning(
                f"{self._what}: worker process {self.number} (pid {self.pid}) is too slow: the pipeline has "
                f"been waiting for data from it for {silent:.0f} s. Make the function faster, or give it "
                "more processes with 'num_parallel_workers'."
            )
        interval = config.get_multiprocessing_timeout_interval()
        if silent >= interval * (self._warnings + 1) and config.get_enable_watchdog():
            self._warnings += 1
            log.warning(
                f"{self._what}: waiting for data from worker process {self.number} (pid {self.pid}) for more "
                f"than {silent:.0f} s: it is in an endless loop, waits for something itself, or is too slow. "
                "If it is only slow, use more workers (num_parallel_workers), do less per row, or raise the "
                "limit with "
                f"mindspore.dataset.config.set_multiprocessing_timeout_interval. It is here:\n{self._stack()}"
            )

    def _stack(self) -> str:
        """The Python stack of the worker at this moment."""
        try:
            os.ftruncate(self._stack_file, 0)
            os.lseek(self._stack_file, 0, os.SEEK_SET)  # the offset is shared with the worker
            os.kill(self.pid, STACK_SIGNAL)
            size, deadline = 0, time.monotonic() + _STACK_SECONDS
            while time.monotonic() < deadline:
                time.sleep(0.02)
                before, size = size, os.fstat(self._stack_file).st_size
                if size and size == before:
                    break
            text = os.pread(self._stack_file, size, 0).decode(errors="replace")
        except OSError as error:
            return f"(no stack: {error})"
        return text or "(no stack: the process does not react to signals)"

    # End.

    def hang_up(self) -> None:
        """Tells the worker to go; whoever waits for it is woken."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def wait(self, deadline: float) -> int | None:
        """Exit code, or None when the process is still there at `deadline`."""
        pause = 0.0005
        while (code := self._process.exit_code()) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(pause, left))
            pause = min(pause * 2, 0.05)
        return code

    def end(self, deadline: float) -> int:
        """Waits until `deadline`, then kills; no process is left. Exit code."""
        code = self.wait(deadline)
        if code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            code = self.wait(time.monotonic() + EXIT_SECONDS)
        # A thread that still waits must not find another file under the same descriptor.
        if self.busy.acquire(timeout=EXIT_SECONDS):
            self.abandon()
            self.busy.release()
        return _UNKNOWN_CODE if code is None else code

    def abandon(self) -> None:
        """Closes what this process holds of the worker."""
        _workers.discard(self)
        self._channel.close()
        self._connection.close()
        self._other_end.close()
        descriptor, self._stack_file = self._stack_file, -1
        if descriptor >= 0:
            os.close(descriptor)


def start_worker(function: Callable, settings: WorkerSettings, what: str, method: str) -> WorkerHandle:
    """A new worker process that calls `function`; `what` names the operation in messages."""
    with _starting:
        worker = WorkerHandle(settings.number, what, settings.shared_memory)
        try:
            if method == "fork":
                worker.fork(function, settings)
            else:
                worker.spawn(function, settings, method)
        except BaseException:
            worker.abandon()
            raise
    return worker


def _open_stack_file() -> int:
    try:
        return os.memfd_create("mindspore_stack", os.MFD_CLOEXEC)
    except (AttributeError, OSError):
        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())


def fate(code: int) -> str:
    """How a process ended, in words."""
    if code == _UNKNOWN_CODE:
        return "ended for a reason unknown"
    if code >= 0:
        return f"exited with code {code}"
    try:
        name = f" ({signal.Signals(-code).name})"
    except ValueError:
        name = ""
    if -code == signal.SIGKILL:
        return "was killed by signal 9, possibly out of memory"
    crash = -code in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)
    return f"was killed by signal {-code}{name}{', a crash in native code' if crash else ''}"

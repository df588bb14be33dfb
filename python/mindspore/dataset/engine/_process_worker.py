# SPDX-License-Identifier: Apache-2.0
"""What a worker process of the data pipeline does: calls one function, again and again."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import gc
import os
import pickle
import random
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.random as numpy_random  # here, and not lazily in every child

from mindspore import _c_data
from mindspore.common.seed import _DatasetSeed

from ..core._fork_server import THREAD_VARIABLES
from ..transforms._row_random import set_row_bits
from ._process_channel import Channel, ChannelClosed, Refused

STACK_SIGNAL = signal.SIGUSR2  # writes the Python stack into the file of the worker
_PARENT_CHECK_MS = 1000

# By a part of the library's file name: the variable by which users decide, and functions that set the number.
_THREAD_FUNCTIONS = {
    "openblas": (
        "OPENBLAS_NUM_THREADS",
        ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads"),
    ),
    "libmkl_rt": ("MKL_NUM_THREADS", ("MKL_Set_Num_Threads",)),
    "libgomp": ("OMP_NUM_THREADS", ("omp_set_num_threads",)),
    "libomp": ("OMP_NUM_THREADS", ("omp_set_num_threads",)),
    "libiomp": ("OMP_NUM_THREADS", ("omp_set_num_threads",)),
}


@dataclass
class WorkerSettings:
    """What a worker has to know besides its function."""

    number: int
    seed: int | None  # None: take one from the system
    shared_memory: bool
    parent: int | None  # process id; None: whoever is the parent at the start


@dataclass
class Failure:
    """An exception on its way to the other process."""

    pickled: bytes | None  # None: the exception cannot travel
    summary: str
    traceback: str


def describe(error: BaseException) -> Failure:
    """An exception as it can be sent."""
    trace = error.__traceback__
    own_file = __file__
    while trace is not None and trace.tb_frame.f_code.co_filename == own_file:
        trace = trace.tb_next  # the user's frames are what matters
    text = "".join(traceback.format_exception(type(error), error, trace))
    summary = traceback.format_exception_only(type(error), error)[-1].strip()
    pickled = None
    if isinstance(error, Exception):
        try:
            pickled = pickle.dumps(error, protocol=5)
            pickle.loads(pickled)  # classes with arguments of their own often fail only here
        except Exception:
            pickled = None
    return Failure(pickled, summary, text)


def run_worker(
    function: Callable, connection: socket.socket, stack_file: int, settings: WorkerSettings
) -> None:
    """The whole life of a worker; does not return."""
    code = 1
    try:
        _isolate(connection, stack_file, settings)
        code = _serve(function, Channel(connection, settings.shared_memory))
    except BaseException:
        traceback.print_exc()
    finally:
        flush_output()
        # Threads and destructors of the parent's objects must not be run from here.
        os._exit(code)


def run_spawned_worker(function: Callable, connection: socket.socket, settings: WorkerSettings) -> None:
    """As `run_worker` in a fresh interpreter; the stack file comes over the socket."""
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    run_worker(function, connection, descriptors[0], settings)


def _isolate(connection: socket.socket, stack_file: int, settings: WorkerSettings) -> None:
    gc.freeze()  # what came from the parent is not ours to collect
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends us
    faulthandler.register(STACK_SIGNAL, file=stack_file, all_threads=False)
    parent = settings.parent if settings.parent is not None else os.getppid()
    threading.Thread(target=_follow_parent, args=(connection, parent), daemon=True).start()
    sys.stdin = open(os.devnull)  # noqa: SIM115  (for as long as the process lives)
    with contextlib.suppress(OSError), open("/proc/self/comm", "w") as name:
        name.write(f"ms_data_{settings.number}")
    _limit_threads()
    if settings.seed is None:
        _set_seed(int.from_bytes(os.urandom(8), "little"))
    else:
        _set_seed(settings.seed + settings.number)
        _DatasetSeed.value = settings.seed + settings.number  # what functions see as the configured seed


def _set_seed(seed: int) -> None:
    random.seed(seed)
    numpy_random.seed(seed % 2**32)


class SeededCall:
    """Calls a function as a worker process does whose generators are set for every call; debug mode does.

    The generators of this process are as before afterwards.

    Args:
        function: What is called.
        seed_of: Makes the seed of a call out of its arguments.
    """

    def __init__(self, function: Callable, seed_of: Callable[..., int]) -> None:
        self._function = function
        self._seed_of = seed_of

    def __call__(self, *arguments: Any) -> Any:
        states = random.getstate(), numpy_random.get_state()
        _set_seed(self._seed_of(*arguments))
        try:
            return self._function(*arguments)
        finally:
            random.setstate(states[0])
            numpy_random.set_state(states[1])


def _follow_parent(connection: socket.socket, parent: int) -> None:
    """Ends the process when the parent hangs up or is gone, also in the middle of a call."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLRDHUP)
    while not poll.poll(_PARENT_CHECK_MS) and os.getppid() == parent:
        pass
    flush_output()
    os._exit(0)


def _limit_threads() -> None:
    """One thread for every numeric library, unless the user gave a number: many workers share the machine.

    OpenMP's threads also do not survive a fork, so that a team of more than one would wait forever.
    """
    user_set = {name for name in THREAD_VARIABLES if name in os.environ}
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    ours = sys.modules.get("mindspore._c_expression")
    if ours is not None:
        ours.set_compute_threads(1)
    images = sys.modules.get("cv2")
    if images is not None and images.getNumThreads() == os.cpu_count():
        images.setNumThreads(1)
    for path in _loaded_libraries():
        for part, (variable, functions) in _THREAD_FUNCTIONS.items():
            if part in os.path.basename(path) and variable not in user_set:
                _call_first(path, functions)


def _loaded_libraries() -> set[str]:
    try:
        with open("/proc/self/maps") as maps:
            lines = [line.split() for line in maps]
    except OSError:
        return set()
    return {fields[5] for fields in lines if len(fields) == 6 and ".so" in fields[5]}


def _call_first(path: str, functions: tuple[str, ...]) -> None:
    try:
        library = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
    except OSError:
        return
    for name in functions:
        if hasattr(library, name):
            getattr(library, name)(1)
            return


def flush_output() -> None:
    """Empties the buffers of the standard streams, whatever they are."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()


def _serve(function: Callable, channel: Channel) -> int:
    while True:
        try:
            calls, seeds, keep_going = channel.receive()
        except ChannelClosed:
            return 0
        except Exception as error:  # an argument that cannot be unpickled here
            reply = ([], {0: describe(error)})
        else:
            reply = _answer(function, calls, seeds, keep_going)
            del calls
        flush_output()
        try:
            _send(channel, reply)
        except ChannelClosed:
            return 0
        del reply  # while it waits, a worker holds no row


def _answer(
    function: Callable, calls: list[tuple] | np.ndarray, seeds: list[int] | None, keep_going: bool
) -> tuple:
    """Results and failures of calls: tuples of arguments, packed rows of them, or row numbers for a source.
    Those of the last two kinds are packed if all went well."""
    if not isinstance(calls, np.ndarray):
        results, failures = _call_all(function, calls, seeds, keep_going)
        return [_sendable(result) for result in results], failures
    if calls.dtype == np.int64:
        listed = [(number,) for number in calls.tolist()]
        pack = _c_data.packed_source_rows
    else:
        listed, keep_objects = _c_data.unpacked_calls(calls)
        pack = functools.partial(_c_data.packed_results, keep_objects=keep_objects)
    results, failures = _call_all(function, listed, seeds, keep_going)
    packed = None if failures else pack(results)
    return [_sendable(result) for result in results] if packed is None else packed, failures


def _call_all(function: Callable, calls: list[tuple], seeds: list[int] | None, keep_going: bool) -> tuple:
    """Results, and failures by the number of the call; without `keep_going` the first failure ends it."""
    results: list[Any] = []
    failures: dict[int, Failure] = {}
    for number, arguments in enumerate(calls):
        try:
            if seeds is not None:
                _set_seed(seeds[number])
                set_row_bits(seeds[number])
            results.append(function(*arguments))
        except BaseException as error:
            failures[number] = describe(error)
            if not keep_going:
                break
            results.append(None)
    return results, failures


def _sendable(value: Any) -> Any:
    """Arrays with gaps would be sent byte by byte inside the stream; packed ones travel by memory.

    An array that several calls return has to arrive as several, as if each call had been sent alone.
    """
    if isinstance(value, np.ndarray):
        return value.view() if value.flags.forc else np.ascontiguousarray(value)
    if type(value) in (tuple, list):
        return type(value)([_sendable(element) for element in value])
    return value


def _send(channel: Channel, reply: tuple) -> None:
    try:
        channel.send(reply)
    except Refused as refused:
        error = TypeError(f"The value returned by the function cannot be sent to the main process: {refused}")
        channel.send(([], {0: describe(error)}))

# SPDX-License-Identifier: Apache-2.0
"""A process without threads from which worker processes are forked."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing import forkserver

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def start_fork_server() -> None:
    """Starts the server of `multiprocessing`, if it does not run yet.

    It has this package loaded, so that a worker is there in some ten milliseconds instead of a second, and no
    thread beside its first: libraries that would start some when they are loaded are told not to.
    """
    multiprocessing.set_forkserver_preload(["mindspore.dataset"])
    unset = [name for name in THREAD_VARIABLES if name not in os.environ]
    for name in unset:
        os.environ[name] = "1"
    try:
        forkserver.ensure_running()
    finally:
        for name in unset:
            del os.environ[name]

# SPDX-License-Identifier: Apache-2.0
"""Processes of Python's `multiprocessing`, under the name that scripts know.

The package is safe to use in a forked process without help: its threads are made anew there.
"""

import multiprocessing as _processes
from multiprocessing import *  # noqa: F403
from multiprocessing import Process
from multiprocessing.pool import Pool

__all__ = sorted({*_processes.__all__, "Pool", "Process"})

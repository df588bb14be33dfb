# SPDX-License-Identifier: Apache-2.0
"""A forked child finds no lock that a thread of its parent held."""

import os
import threading

import mindspore as ms
from mindspore import log


def test_children_can_allocate_and_log():
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            ms.ops.zeros((300, 300)) + 1
            log.debug("nothing to see")

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(60):
            child = os.fork()
            if child == 0:
                total = float(ms.Tensor([1.0, 2.0]).asnumpy().sum())
                log.debug("from the child")
                os._exit(0 if total == 3 else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()

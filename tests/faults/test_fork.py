# SPDX-License-Identifier: Apache-2.0
"""A forked child finds no lock that a thread of its parent held."""

import os
import subprocess
import sys
import threading
import time

import numpy as np

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


def test_children_compute_what_takes_a_team_of_threads():
    """The team belongs to the parent; the child works alone instead of waiting for it."""
    image, filters = ms.ops.ones((4, 16, 64, 64)), ms.ops.ones((16, 16, 3, 3))
    large = ms.Tensor(np.ones((512, 512), np.float32))
    compiled = ms.jit(lambda x: ms.ops.matmul(x, x) * 2 + 1)

    def work() -> float:
        parts = [ms.ops.conv2d(image, filters), compiled(large), large + 1]
        return float(sum(part.asnumpy().sum() for part in parts))

    expected = work()
    child = os.fork()
    if child == 0:
        ms.set_context(runtime_num_threads=2)
        os._exit(0 if work() == expected else 1)
    for _ in range(300):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert ended and os.waitstatus_to_exitcode(status) == 0
    assert work() == expected


UNUSED_BEFORE = """
import os, mindspore as ms
child = os.fork()
if child == 0:
    ms.set_context(runtime_num_threads=2)
    ms.ops.ones((1 << 22,)) + 1
    os._exit(len(os.listdir("/proc/self/task")))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_children_have_teams_of_their_own_if_the_parent_had_none():
    done = subprocess.run([sys.executable, "-c", UNUSED_BEFORE], capture_output=True, text=True, timeout=60)
    assert int(done.stdout) > 1, done.stderr

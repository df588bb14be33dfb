# SPDX-License-Identifier: Apache-2.0
"""One side of the comparison: does what the parent asks, one line of JSON at a time.

Only one side works at any moment, so that neither the cores nor the caches are shared.
"""

from __future__ import annotations

import gc
import itertools
import json
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from cases import all_cases  # noqa: E402
from sides import SIDES  # noqa: E402


def time_calls(call, count: int) -> float:
    """Seconds of `count` calls."""
    start = time.perf_counter()
    for _ in itertools.repeat(None, count):
        call()
    return time.perf_counter() - start


def fitting_count(call, seconds: float) -> int:
    """How many calls take about that long; warms up on the way."""
    count = 1
    call()
    while True:
        took = time_calls(call, count)
        if took >= seconds / 4:
            return max(1, round(count * seconds / took))
        count = max(count * 2, min(count * 100, round(count * seconds / 4 / max(took, 1e-9))))


class Worker:
    """State between two requests."""

    def __init__(self, side: str, threads: int) -> None:
        self.side = SIDES[side]()
        self.side.set_threads(threads)
        self.cases = all_cases()
        self.call, self.count = None, 1

    def hello(self) -> dict:
        return {"version": self.side.version()}

    def prepare(self, name: str, seconds: float) -> dict:
        self.call = None
        gc.collect()
        self.side.restart()
        self.call = self.cases[name].build(self.side)
        self.count = fitting_count(self.call, seconds)
        return {"count": self.count}

    def measure(self) -> dict:
        gc.collect()
        gc.disable()
        took = time_calls(self.call, self.count)
        gc.enable()
        return {"seconds": took / self.count}


def serve(make_worker) -> None:
    """Makes a worker from the command line and answers what the parent asks it."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    worker = make_worker(sys.argv[1], int(sys.argv[2]))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # noqa: BLE001  (told to the parent)
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            traceback.print_exc()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    serve(Worker)

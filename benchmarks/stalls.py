# SPDX-License-Identifier: Apache-2.0
"""What a machine takes away by itself: how late a server of no cost would answer on it.

python benchmarks/stalls.py
"""

from __future__ import annotations

import multiprocessing
import os
import time

NOTICED = 20e-6  # seconds that a loop which does nothing stands still
LOAD = 0.7


def stalls_of(processor: int, seconds: float) -> list[tuple[float, float]]:
    """When a processor stood still for this process, and for how long."""
    os.sched_setaffinity(0, {processor})
    found = []
    begin = last = time.perf_counter()
    while last - begin < seconds:
        now = time.perf_counter()
        if now - last > NOTICED:
            found.append((last - begin, now - last))
        last = now
    return found


def answer_times(stalls: list[tuple[float, float]], service: float, seconds: float) -> list[float]:
    """Of questions that come evenly, one after the other, each of which needs `service` seconds."""
    times, free, first = [], 0.0, 0
    for number in range(int(seconds * LOAD / service)):
        asked = number * service / LOAD
        begin = max(asked, free)
        free = begin + service
        while first < len(stalls) and sum(stalls[first]) <= begin:
            first += 1
        while first < len(stalls) and stalls[first][0] < free:
            at, length = stalls[first]
            free += length - max(begin - at, 0.0)
            first += 1
        times.append(free - asked)
    return times


def tail_of_ideal(service: float, seconds: float = 4.0) -> float:
    """p99 of p50 of a server that costs nothing, at 70 % load, on the worst processor of this machine."""
    processors = sorted(os.sched_getaffinity(0))
    with multiprocessing.Pool(len(processors)) as pool:
        measured = pool.starmap(stalls_of, [(processor, seconds) for processor in processors])
    ratios = []
    for stalls in measured:
        times = sorted(answer_times(stalls, service, seconds))
        ratios.append(times[int(0.99 * len(times))] / times[len(times) // 2])
    return max(ratios)


if __name__ == "__main__":
    print(f"p99 is {tail_of_ideal(130e-6):.1f} times p50")

# SPDX-License-Identifier: Apache-2.0
"""How fast checkpoints are saved and loaded, beside the same bytes through plain system calls.

    python benchmarks/checkpoints.py --gib 3

Rounds are interleaved; times are medians, with the ratio of the best rounds beside them, because how long the
system takes for the same write varies several times over. Memory is what the process holds at most beyond the
parameters themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import mindspore as ms

MIB = 1 << 20


def resident() -> int:
    """Bytes of memory the process holds now."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


class Measured:
    """Seconds of a block, and the most memory it held beyond what was there before."""

    def __enter__(self):
        self._stop = threading.Event()
        self._before = self._most = resident()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        self._start = time.perf_counter()
        return self

    def _watch(self):
        while not self._stop.wait(0.002):
            self._most = max(self._most, resident())

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self._start
        self._stop.set()
        self._watcher.join()
        self.extra = max(self._most, resident()) - self._before


class Rounds(dict):
    """Everything that was measured, by name."""

    def note(self, name: str, value: float) -> None:
        """One more round."""
        self.setdefault(name, []).append(value)

    def figures(self) -> dict[str, float]:
        """One number for each name: the most of memory, the median of times."""
        return {
            name: max(values) if name.endswith("_mib") else statistics.median(values)
            for name, values in self.items()
        }

    def ratios(self) -> dict[str, float]:
        """How fast we are, as a part of the speed of plain system calls: by medians and by best rounds."""
        pairs = {"save": ("write_s", "save_s"), "load": ("read_s", "load_s")}
        pairs["cold_load"] = ("cold_read_s", "cold_load_s")
        made = {}
        for name, (plain, ours) in pairs.items():
            made[f"{name}_ratio"] = statistics.median(self[plain]) / statistics.median(self[ours])
            made[f"{name}_best_ratio"] = min(self[plain]) / min(self[ours])
        return made


def parameters(total: int) -> dict[str, ms.Parameter]:
    """Parameters as a large network has them: many small ones, some large, one of a quarter of all."""
    sizes = [total // 4] + [total // 16] * 11
    sizes += [(total - sum(sizes)) // 200] * 200
    made = {}
    for number, size in enumerate(sizes):
        values = np.full(size // 4, number, np.float32)
        made[f"layer{number}.weight"] = ms.Parameter(ms.Tensor(values), name=f"layer{number}.weight")
    return made


def raw_write(path: str, arrays: list[np.ndarray]) -> None:
    """The same bytes with write and fsync, to a new file that takes the place of the old one."""
    with open(path + ".new", "wb", buffering=0) as file:
        for array in arrays:
            view = memoryview(array).cast("B")
            while view:
                view = view[file.write(view) :]
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def raw_read(path: str) -> np.ndarray:
    """The file's bytes in memory of their own."""
    target = np.empty(os.path.getsize(path), np.uint8)
    with open(path, "rb", buffering=0) as file:
        view = memoryview(target)
        while view:
            view = view[file.readinto(view) :]
    return target


def evict(path: str) -> None:
    """Takes a file out of the system's memory, so that reading means the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def save_rounds(folder: str, total: int, ending: str, count: int) -> Rounds:
    """Times of saving and of writing the same bytes; the files stay."""
    made = parameters(total)
    arrays = [parameter.asnumpy() for parameter in made.values()]
    rounds = Rounds()
    for turn in range(count):
        actions = [
            ("save_s", lambda: ms.save_checkpoint(made, os.path.join(folder, f"x.{ending}"))),
            ("write_s", lambda: raw_write(os.path.join(folder, "raw"), arrays)),
        ]
        for name, action in actions[:: 1 if turn % 2 else -1]:
            os.sync()
            with Measured() as measured:
                action()
            rounds.note(name, measured.seconds)
            if name == "save_s":
                rounds.note("save_extra_mib", measured.extra / MIB)
    return rounds


def load_rounds(folder: str, total: int, ending: str, count: int) -> Rounds:
    """Times of loading and of reading, each in a process of its own: memory is new to it."""
    rounds = Rounds()
    paths = {"load": os.path.join(folder, f"x.{ending}"), "read": os.path.join(folder, "raw")}
    for kind in ("", "cold_"):
        for turn in range(count):
            for name in ("load", "read") if turn % 2 else ("read", "load"):
                if kind:
                    evict(paths[name])
                seconds, extra = in_worker(name, paths[name])
                rounds.note(f"{kind}{name}_s", seconds)
                if name == "load":
                    rounds.note("load_extra_mib", (extra - total) / MIB)
    for _ in range(count):
        rounds.note("one_parameter_ms", 1000 * in_worker("one", paths["load"])[0])
    return rounds


ACTIONS = {
    "load": ms.load_checkpoint,
    "one": lambda path: ms.load_checkpoint(path, choice_func=lambda name: name == "layer100.weight"),
    "read": raw_read,
}


def in_worker(action: str, path: str) -> tuple[float, float]:
    """Seconds and bytes of an action in a new process."""
    command = [sys.executable, os.path.abspath(__file__), "--worker", action, path]
    seconds, extra = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-2:]
    return float(seconds), float(extra)


def work(action: str, path: str) -> None:
    """What the new process does."""
    ms.Parameter(ms.Tensor(np.zeros(4, np.float32)), name="x")  # what is imported late
    with Measured() as measured:
        held = ACTIONS[action](path)
    print(measured.seconds, measured.extra)
    del held


def main() -> None:
    """Prints the figures of both formats, as text and if wanted as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gib", type=float, default=3.0, help="size of the checkpoint")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--folder", help="where the files go; default: the system's folder")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(*given.worker)
        return
    results = {}
    total = int(given.gib * (1 << 30)) // 4096 * 4096
    for ending in ("ckpt", "safetensors"):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            found = save_rounds(folder, total, ending, given.rounds)
            found.update(load_rounds(folder, total, ending, given.rounds))
        results[ending] = found.figures() | found.ratios()
        print(ending, *(f"{name}={value:.3g}" for name, value in results[ending].items()), sep="\n  ")
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

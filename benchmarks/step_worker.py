# SPDX-License-Identifier: Apache-2.0
"""One side of the comparison of training steps; speaks as worker.py does."""

from __future__ import annotations

import gc
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from worker import fitting_count, serve, time_calls  # noqa: E402

WARM_STEPS = 5


def _status(field: str) -> int:
    """A field of the process's status, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return 0


class Ours:
    """Our package, in PyNative mode or with a compiled step."""

    def __init__(self, graph: bool, threads: int) -> None:
        import networks_ours

        import mindspore
        from mindspore import _c_expression, hal

        _c_expression.set_compute_threads(threads)
        self.networks, self.hal, self.graph = networks_ours, hal, graph
        self.version = f"mindspore {mindspore.__version__}"

    def build(self, name: str):
        return self.networks.build_add(self.graph) if name == "add" else self.networks.build(name, self.graph)

    def forget_peak(self) -> None:
        self.hal.reset_peak_memory_stats()

    def peak(self) -> int:
        return self.hal.max_memory_allocated()

    @staticmethod
    def number(loss) -> float:
        return float(loss.asnumpy())


class Peer:
    """PyTorch, eager or with its compiler."""

    def __init__(self, channels_last: bool, threads: int, compiles: bool = False) -> None:
        import networks_torch
        import torch

        torch.set_num_threads(threads)
        self.networks, self.channels_last, self.compiles = networks_torch, channels_last, compiles
        self.version = f"torch {torch.__version__}"

    def build(self, name: str):
        if name == "add":
            return self.networks.build_add()
        return self.networks.build(name, self.channels_last, self.compiles)

    def forget_peak(self) -> None:
        pass

    def peak(self) -> None:
        return None

    @staticmethod
    def number(loss) -> float:
        return float(loss)


SIDES = {
    "pynative": lambda threads: Ours(False, threads),
    "graph": lambda threads: Ours(True, threads),
    "peer": lambda threads: Peer(False, threads),
    "peer channels last": lambda threads: Peer(True, threads),
    "peer compiled": lambda threads: Peer(False, threads, compiles=True),
    "peer compiled channels last": lambda threads: Peer(True, threads, compiles=True),
}


class StepWorker:
    """State between two requests."""

    def __init__(self, side: str, threads: int) -> None:
        self.side = SIDES[side](threads)
        self.call, self.count = None, 1

    def hello(self) -> dict:
        return {"version": self.side.version, "process": os.getpid()}

    def prepare(self, name: str, seconds: float) -> dict:
        self.call = self.side.build(name)
        for _ in range(3):
            self.call()
        self.count = fitting_count(self.call, seconds)
        return {"count": self.count}

    def measure(self) -> dict:
        gc.collect()
        gc.disable()
        processor = time.process_time()
        took = time_calls(self.call, self.count)
        processor = time.process_time() - processor
        gc.enable()
        return {"seconds": took / self.count, "wall": took, "processor": processor}

    def fresh(self, name: str) -> dict:
        """The first step of a new process, then some more: time, losses, memory above the bare package."""
        before = _status("VmRSS")
        call = self.side.build(name)
        start = time.perf_counter()
        losses = [self.side.number(call())]
        first = time.perf_counter() - start
        self.side.forget_peak()
        losses += [self.side.number(call()) for _ in range(WARM_STEPS)]
        return {
            "first_seconds": first,
            "losses": losses,
            "resident": _status("VmHWM") - before,
            "allocated": self.side.peak(),
        }


if __name__ == "__main__":
    serve(StepWorker)

# SPDX-License-Identifier: Apache-2.0
"""Asks servers of small and large models as fast as they answer, and writes SERVING_RESULTS.md.

    ninja -C build/dev serving_load
    python benchmarks/serving.py --load build/dev/serving_load --peer-python PYTHON

The peer's Python has PyTorch, FastAPI and uvicorn. Every server is a process of its own, and they take turns.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from stalls import LOAD, tail_of_ideal

HERE = pathlib.Path(__file__).parent
MOST_WAITING = 64  # requests, when the server is given more than it can do
CONNECTIONS = 32
NUMBERS = 500_000  # that a model with some work to do looks at
BODY = '{"instances":[{"x1":[[1.0,1.0],[1.0,1.0]],"x2":[[1.0,1.0],[1.0,1.0]]}]}'
REPLY = '{"instances":[{"y":[[2.0,2.0],[2.0,2.0]]}]}'
CONFIG = """
from mindspore_serving.server import register

model = register.declare_model(model_file="add.mindir", model_format="MindIR", with_batch_dim=False)


@register.register_method(output_names=["y"])
def add_common(x1, x2):
    return register.add_stage(model, x1, x2, outputs_count=1)
"""


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def make_servables(folder: pathlib.Path) -> None:
    """Folders of the servables "add", which adds two matrices, and "work", which takes its time to do so."""
    import numpy

    from mindspore import Parameter, Tensor, export, nn, ops

    class Add(nn.Cell):
        def construct(self, x1, x2):
            return x1 + x2

    class Work(nn.Cell):
        def __init__(self):
            super().__init__()
            self.numbers = Parameter(Tensor(numpy.linspace(0, 1, NUMBERS, dtype=numpy.float32)))

        def construct(self, x1, x2):
            return x1 + x2 + 0 * ops.sin(self.numbers * x1.sum()).sum()

    ones = Tensor(numpy.ones((2, 2), numpy.float32))
    for name, network in (("add", Add()), ("work", Work())):
        (folder / name / "1").mkdir(parents=True)
        (folder / name / "servable_config.py").write_text(CONFIG)
        export(network, ones, ones, file_name=str(folder / name / "1" / "add"), file_format="MINDIR")


def takes_connections(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


@contextlib.contextmanager
def running(command: list[str], folder: pathlib.Path, address: str):
    """A server, from the moment it says that it is ready and takes connections."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # the other processor is the server's, and ours
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment)
    try:
        line = process.stdout.readline()
        if "ready" not in line:
            raise SystemExit(f"a server did not start: {line}")
        while not takes_connections(address):
            time.sleep(0.05)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def ours(folder: pathlib.Path, rest: str, grpc: str):
    return running([sys.executable, str(HERE / "serving_ours.py"), str(folder), rest, grpc], folder, rest)


def peer(python: str, folder: pathlib.Path, rest: str):
    return running([python, str(HERE / "serving_peer.py"), rest], folder, rest)


class Load:
    """The program that asks."""

    def __init__(self, program: str, seconds: float) -> None:
        self.program, self.seconds = program, seconds

    def __call__(self, protocol: str, address: str, name: str, connections: int, rate: float = 0) -> dict:
        target = f"{name}:add_common" if protocol == "grpc" else f"/model/{name}:add_common"
        words = [self.program, protocol, address, target, connections, self.seconds, rate, BODY, REPLY]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


def rounds_of(options, load: Load, folder: pathlib.Path) -> dict[str, list[dict]]:
    """What was measured, by name, a number for each round."""
    found: dict[str, list[dict]] = {}

    def note(name: str, result: dict) -> None:
        found.setdefault(name, []).append(result)
        print(json.dumps({"case": name, **result}), flush=True)

    for _ in range(options.rounds):
        rest, grpc = free_address(), free_address()
        with ours(folder, rest, grpc):
            for protocol, address in (("grpc", grpc), ("rest", rest)):
                note(f"{protocol} alone", load(protocol, address, "add", 1))
                note(f"{protocol} full", load(protocol, address, "add", CONNECTIONS))
                full = load(protocol, address, "work", CONNECTIONS)
                note(f"{protocol} work", full)
                rate = full["right_per_second"]
                note("nothing", {"tail": tail_of_ideal(1 / rate, options.seconds)})
                note(f"{protocol} 70 %", load(protocol, address, "work", CONNECTIONS, LOAD * rate))
                note(f"{protocol} 3 times", load(protocol, address, "work", 4 * MOST_WAITING, 3 * rate))
        if options.peer_python:
            rest = free_address()
            with peer(options.peer_python, folder, rest):
                note("peer alone", load("rest", rest, "add", 1))
                note("peer full", load("rest", rest, "add", CONNECTIONS))
    return found


def page(options, found: dict[str, list[dict]]) -> str:
    def median(name: str, field: str) -> float:
        return statistics.median(result[field] for result in found[name])

    lines = []
    for protocol, name in (("grpc", "gRPC"), ("rest", "REST")):
        alone, full, work = f"{protocol} alone", f"{protocol} full", f"{protocol} work"
        steady, over = f"{protocol} 70 %", f"{protocol} 3 times"
        lines += [
            f"| {name}, one connection: half of the answers within | {median(alone, 'p50_us'):.0f} us |",
            f"| {name}, {CONNECTIONS} connections | {median(full, 'right_per_second'):,.0f} requests/s |",
            f"| {name}, model with work, {CONNECTIONS} connections "
            f"| {median(work, 'right_per_second'):,.0f} requests/s |",
            f"| {name}, 70 % of that: half, and all but 1 %, of the answers within "
            f"| {median(steady, 'p50_us'):.0f} us, {median(steady, 'p99_us'):.0f} us |",
            f"| {name}, three times that on {4 * MOST_WAITING} connections "
            f"| {median(over, 'right_per_second'):,.0f} requests/s |",
            f"| {name}, the others there: half, and all but 1 %, refused within "
            f"| {median(over, 'refused_p50_us'):.0f} us, {median(over, 'refused_p99_us'):.0f} us |",
        ]
    lines.append(
        "| A server that costs nothing, on this machine at 70 %: all but 1 % of the answers, of the half "
        f"| {median('nothing', 'tail'):.1f} times |"
    )
    if "peer full" in found:
        ratio = median("rest full", "right_per_second") / median("peer full", "right_per_second")
        lines += [
            f"| FastAPI and PyTorch, REST: one connection, {CONNECTIONS} connections "
            f"| {median('peer alone', 'p50_us'):.0f} us; "
            f"{median('peer full', 'right_per_second'):,.0f} requests/s |",
            f"| REST, {CONNECTIONS} connections: of FastAPI and PyTorch | {ratio:.1f} times |",
        ]
    text = [
        "# Servers of small models",
        "",
        f"Made by `benchmarks/serving.py`: medians of {options.rounds} rounds of {options.seconds:g} s on "
        f"{os.cpu_count()} processors, which the program that asks shares. The model adds two matrices of "
        f"four numbers; the one with work takes the sines of {NUMBERS:,} besides. Times are what the one who "
        f"asks sees, its own share and the model's included. At most {MOST_WAITING} requests may wait.",
        "",
        "| what | |",
        "|---|--:|",
        *lines,
        "",
    ]
    return "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--load", required=True, help="the program serving_load")
    parser.add_argument("--peer-python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    load = Load(str(pathlib.Path(options.load).resolve()), options.seconds)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_servables(folder)
        found = rounds_of(options, load, folder)
    (HERE / "SERVING_RESULTS.md").write_text(page(options, found))


if __name__ == "__main__":
    main()

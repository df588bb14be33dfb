# SPDX-License-Identifier: Apache-2.0
"""Workers that are killed under load: every request is answered, none of them wrong, nothing is left.

The short version runs with the other tests; the long one is a command::

    python tests/faults/test_serving_kills.py --kills 1000 --clients 8
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pytest

WORKERS = 2
START_SECONDS = 60
ANSWER_SECONDS = 60


def program(name: str) -> str:
    """A program of the package; an environment variable names another, as SERVING_SERVER does."""
    own = os.environ.get(name.upper())
    if own:
        return own
    import mindspore

    path = pathlib.Path(mindspore.__file__).parent / "bin" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return str(path)


def export_sum(folder: pathlib.Path) -> None:
    """A model of x1 + x2 for rows of three numbers, in batches of four."""
    import numpy

    import mindspore

    class Sum(mindspore.nn.Cell):
        """Nothing but an addition."""

        def construct(self, x1, x2):
            """The sum."""
            return x1 + x2

    example = mindspore.Tensor(numpy.ones((4, 3), numpy.float32))
    mindspore.export(Sum(), example, example, file_name=str(folder / "sum"), file_format="MINDIR")


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class ServedSum:
    """A server process with the model of `export_sum`."""

    def __init__(self, folder: pathlib.Path) -> None:
        """Starts it and waits until it is ready."""
        version = folder / "1"
        version.mkdir()
        export_sum(version)
        self.port = free_port()
        stage = {"model": 0, "subgraph": 0, "inputs": [[0, 0], [0, 1]], "outputs": 1, "tag": "m"}
        method = {"name": "sum", "inputs": ["x1", "x2"], "outputs": ["y"], "stages": [stage]}
        model = {"files": ["sum.mindir"], "format": "MindIR", "with_batch_dim": True}
        servable = {
            "name": "sum",
            "folder": str(folder),
            "models": [model | {"without_batch_dim_inputs": []}],
            "functions": [],
            "methods": [method | {"results": [[1, 0]]}],
        }
        log = str(folder / "workers.log")
        command = [program("serving_worker")]
        served = {
            "servable": servable,
            "version": 1,
            "folder": str(version),
            "model_workers": {"command": command, "count": WORKERS, "log_file": log},
            "function_workers": {"command": command, "count": 0},
        }
        config = {"servables": [served], "rest": {"address": f"127.0.0.1:{self.port}"}}
        (folder / "config.json").write_text(json.dumps(config))
        with (folder / "server.log").open("w") as own_log:
            self.process = subprocess.Popen(
                [program("serving_server"), str(folder / "config.json")],
                stdout=own_log,
                stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + START_SECONDS
        while (folder / "server.log").read_text().count("ready") == 0:
            assert self.process.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < end, "the server does not become ready"
            time.sleep(0.01)

    def connect(self) -> http.client.HTTPConnection:
        """A connection to it."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)

    def status(self) -> dict:
        """What it says of itself."""
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", "/status")
            return json.load(connection.getresponse())

    def workers(self) -> list[int]:
        """Process numbers of the workers that are there."""
        (version,) = self.status()["versions"]
        return [worker["process"] for worker in version["workers"] if worker["process"]]

    def descriptors(self) -> int:
        """How many it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident_mib(self) -> float:
        """Its memory."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise AssertionError("the server is gone")

    def stop(self) -> int:
        """Asks it to end; its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


class Asker(threading.Thread):
    """A client that asks for sums it knows until it is told to stop, and keeps count."""

    def __init__(self, server: ServedSum, seed: int, over: threading.Event) -> None:
        """Does not start yet."""
        super().__init__()
        self.server, self.over, self.random = server, over, random.Random(seed)
        self.right = self.failed = 0
        self.trouble: str | None = None

    def run(self) -> None:
        """Asks; ends early at the first answer that should not be."""
        connection = self.server.connect()
        try:
            while not self.over.is_set() and self.trouble is None:
                self.ask(connection)
        except Exception as problem:  # whatever it is, the test tells of it
            self.trouble = f"no answer: {problem!r}"
        connection.close()

    def ask(self, connection: http.client.HTTPConnection) -> None:
        """One request of one to nine instances."""
        numbers = [
            [self.random.randrange(1000) / 4 for _ in range(6)] for _ in range(self.random.randint(1, 9))
        ]
        instances = [{"x1": row[:3], "x2": row[3:]} for row in numbers]
        connection.request("POST", "/model/sum:sum", json.dumps({"instances": instances}))
        reply = json.load(connection.getresponse())
        if "error_msg" in reply:
            reply = {"instances": [reply] * len(numbers)}
        if len(reply.get("instances", [])) != len(numbers):
            self.trouble = f"{len(numbers)} instances, but {reply}"
            return
        for row, answer in zip(numbers, reply["instances"], strict=True):
            if "error_msg" in answer:
                self.failed += 1
                # It ran there, or nobody was left to run it for seconds: both have this reason.
                if "servable is not available: " not in answer["error_msg"]:
                    self.trouble = answer["error_msg"]
            elif answer["y"] == [a + b for a, b in zip(row[:3], row[3:], strict=True)]:
                self.right += 1
            else:
                self.trouble = f"{row} became {answer}"


def kill_under_load(kills: int, clients: int, pause: float, seed: int = 1) -> dict:
    """Kills workers at random while clients ask. What came of it."""
    choice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        server = ServedSum(pathlib.Path(folder))
        try:
            over = threading.Event()
            askers = [Asker(server, seed * 1000 + i, over) for i in range(clients)]
            before = server.descriptors(), server.resident_mib()
            for asker in askers:
                asker.start()
            begin = time.monotonic()
            killed: set[int] = set()
            done = 0
            while done < kills and not any(asker.trouble for asker in askers):
                workers = server.workers()
                if workers:
                    victim = choice.choice(workers)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(victim, signal.SIGKILL)
                        killed.add(victim)
                        done += 1
                time.sleep(choice.uniform(0, 2 * pause))
            over.set()
            for asker in askers:
                asker.join()
            seconds = time.monotonic() - begin
            # The last that was killed comes back, too; the server may not have missed it yet.
            end = time.monotonic() + START_SECONDS
            while len(workers := server.workers()) < WORKERS or killed.intersection(workers):
                if time.monotonic() > end:
                    break
                time.sleep(0.05)
            after = server.descriptors(), server.resident_mib()
            restarts = sum(w["restarts"] for w in server.status()["versions"][0]["workers"])
            status = server.stop()
            return {
                "kills": done,
                "seconds": round(seconds, 1),
                "right": sum(asker.right for asker in askers),
                "failed": sum(asker.failed for asker in askers),
                "troubles": [asker.trouble for asker in askers if asker.trouble],
                "workers": len(workers),
                "restarts": restarts,
                "descriptors": [before[0], after[0]],
                "resident_mib": [round(before[1], 1), round(after[1], 1)],
                "exit_status": status,
                "left": [pid for pid in workers if os.path.exists(f"/proc/{pid}")],
            }
        finally:
            server.process.kill()
            server.process.wait()


def check(result: dict) -> None:
    """What has to hold whatever was killed when."""
    assert result["troubles"] == []
    assert result["right"] > 0
    assert result["workers"] == WORKERS
    assert result["exit_status"] == 0
    assert result["left"] == []
    # A connection or two that is just being closed.
    assert result["descriptors"][1] <= result["descriptors"][0] + 4


def test_serving_kills_answer_every_request():
    """Some dozen kills."""
    check(kill_under_load(kills=20, clients=4, pause=0.1))


def main() -> None:
    """As many as one likes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0.05, help="mean seconds between two")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    result = kill_under_load(options.kills, options.clients, options.pause, options.seed)
    print(json.dumps(result))
    try:
        check(result)
    except AssertionError as problem:
        sys.exit(f"failed: {problem}")


if __name__ == "__main__":
    main()

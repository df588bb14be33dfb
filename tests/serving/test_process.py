# SPDX-License-Identifier: Apache-2.0
"""The life of a server: signals, workers that end, what is left behind, commands."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import requests
from serving_place import ADD, free_address

from mindspore_serving.client import Client

ONES = np.ones((2, 2), np.float32)
SECONDS = 60


def children(process, but=()):
    """Processes that a process has started and that have not ended, but for some."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == process and state != "Z" and int(name) not in but:
            found.append(int(name))
    return found


def has_python(process):
    with open(f"/proc/{process}/maps") as file:
        return "libpython" in file.read() or "python" in os.path.basename(os.readlink(f"/proc/{process}/exe"))


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def answers(address):
    try:
        return requests.get(f"http://{address}/v2/health/ready", timeout=5).status_code == 200
    except requests.ConnectionError:
        return False


def script(servables, address, rest=""):
    """A script that starts a server, and goes on."""
    code = f"""
    from mindspore_serving import server
    server.start_servables(server.ServableStartConfig({str(servables.folder)!r}, "add", device_ids=0))
    server.start_restful_server({address!r})
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code) + rest], cwd=servables.folder, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("rest", ["", "import time; time.sleep(1000)"])
def test_a_signal_ends_server_and_workers(servables, number, rest):
    servables.write(ADD)
    address = free_address()
    process = script(servables, address, rest)
    wait_for(lambda: answers(address))
    workers = children(process.pid)
    assert len(workers) == 1
    process.send_signal(number)
    error = process.communicate(timeout=SECONDS)[1].decode()
    if not rest or number == signal.SIGTERM:
        assert (process.returncode, error) == (0, "")
    else:
        assert "KeyboardInterrupt" in error
    wait_for(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))


def test_a_server_that_is_killed_leaves_no_worker(servables):
    servables.write(ADD)
    address = free_address()
    process = script(servables, address)
    wait_for(lambda: answers(address))
    workers = children(process.pid)
    process.kill()
    process.communicate(timeout=SECONDS)
    wait_for(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))


@pytest.fixture
def others():
    """What this process has started in other tests: helpers of multiprocessing stay to its end."""
    return children(os.getpid())


def test_a_worker_that_is_killed_is_replaced(servables, others):
    servables.write(ADD).start()
    client = servables.client()
    inputs = {"x1": ONES, "x2": ONES}
    assert "y" in client.infer(inputs)[0]
    (worker,) = children(os.getpid(), others)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: isinstance(client.infer(inputs), list))
    assert children(os.getpid(), others) != [worker]


def test_nothing_is_left_in_the_folder_but_logs(servables, others):
    servables.write(ADD).start(servables.config(device_ids=(0, 1)))
    names = {"log_add_device0_version1.log", "log_add_device1_version1.log"}
    assert set(os.listdir("serving_logs")) == names
    servables.close()
    assert set(os.listdir(".")) == {"add", "serving_logs"}
    wait_for(lambda: not children(os.getpid(), others))


def test_the_command_serves_without_python(servables):
    servables.write(ADD)
    rest, grpc = free_address(), free_address()
    command = [sys.executable, "-m", "mindspore_serving", "serve", str(servables.folder)]
    process = subprocess.Popen([*command, "--rest", rest, "--grpc", grpc], cwd=servables.folder)
    try:
        wait_for(lambda: answers(rest))
        with Client(grpc, "add", "add") as client:
            assert (client.infer({"x1": ONES, "x2": ONES})[0]["y"] == 2).all()
        processes = [process.pid, *children(process.pid)]
        assert len(processes) == 2
        assert not any(map(has_python, processes))
    finally:
        process.terminate()
        assert process.wait(SECONDS) == 0


def test_commands_that_only_tell(servables):
    servables.write(ADD)
    command = [sys.executable, "-m", "mindspore_serving"]

    def told(*words):
        return subprocess.run([*command, *words], capture_output=True, text=True, cwd=servables.folder)

    described = json.loads(told("describe", str(servables.folder / "add")).stdout)
    assert described["methods"][0]["name"] == "add"
    assert told("version").stdout.count(".") == 2
    nothing = told("serve", str(servables.folder))
    assert (nothing.returncode, nothing.stderr) == (
        1,
        "mindspore_serving: nothing to listen at: give --rest or --grpc\n",
    )


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("absent",), 1, "mindspore_serving: there is no folder '.*absent'\n$"),
        ((".", "--max-requests", "0"), 2, "--max-requests: must be a whole number, at least 1, but got '0'"),
        ((".", "--workers", "-3"), 2, "--workers: must be a whole number, at least 1, but got '-3'"),
        ((".", "--stage-workers", "x"), 2, "--stage-workers: must be a whole number, at least 0"),
    ],
)
def test_mistakes_in_commands(servables, words, code, text):
    servables.write(ADD)
    command = [sys.executable, "-m", "mindspore_serving", "serve", "--rest", free_address(), *words]
    told = subprocess.run(command, capture_output=True, text=True, cwd=servables.folder, timeout=SECONDS)
    assert told.returncode == code
    assert re.search(text, told.stderr) and "Traceback" not in told.stderr


def test_scripts_of_old_releases(servables):
    from mindspore_serving import master, worker

    servables.write(ADD)
    worker.start_servable_in_master(str(servables.folder), "add", device_id=0)
    ip, port = free_address().split(":")
    master.start_grpc_server(ip, int(port))
    with Client(ip, int(port), "add", "add") as client:
        assert (client.infer({"x1": ONES, "x2": ONES})[0]["y"] == 2).all()
    with pytest.raises(RuntimeError, match="start_servable_in_master"):
        worker.start_servable(str(servables.folder), "add")

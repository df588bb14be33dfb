# SPDX-License-Identifier: Apache-2.0
"""Servers, clients and commands killed at any moment: the next start works, and so does the next epoch.

MYCEL_STRESS_SECONDS=500 kills 500 times.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import doomed_clients
import numpy as np
import pytest
from conftest import ADMIN

ROUNDS = max(6, int(float(os.environ.get("MYCEL_STRESS_SECONDS", "2"))))
SEED = int(os.environ.get("MYCEL_STRESS_SEED", "0")) or 17
MOST_SECONDS_OF_A_START = 5
PHASES = ("start", "stop", *doomed_clients.KINDS)


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory):
    """What the pipelines read, and what they have to deliver."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("doomed")
    numbers = np.random.default_rng(3)
    (folder / "pictures" / "a").mkdir(parents=True)
    for number in range(48):
        pixels = numbers.integers(0, 255, (130 + number, 200, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / "pictures" / "a" / f"{number:02}.jpg", quality=40)
    (folder / "lines.txt").write_text("".join(f"line {number}\n" for number in range(5000)))
    for kind in doomed_clients.KINDS:
        rows = doomed_clients.digests(doomed_clients.pipeline(kind, folder, None))
        (folder / f"{kind}.json").write_text(json.dumps(rows))
    return folder


class Place:
    """One port in a folder of its own, and the clients of its server."""

    def __init__(self, root: pathlib.Path, data_folder: pathlib.Path, port: int) -> None:
        self.root, self.data_folder, self.port = root, data_folder, port
        self.spill = root / "spill"
        self.spill.mkdir()
        self.maker = subprocess.Popen(
            [sys.executable, doomed_clients.__file__, str(data_folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, *words: str) -> subprocess.Popen:
        """Begins a command, which may be killed."""
        return subprocess.Popen(
            [str(ADMIN), *words, "-p", str(self.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def admin(self, *words: str) -> str:
        """What a command says that has to succeed."""
        process = self.begin(*words)
        text, errors = process.communicate(timeout=60)
        assert process.returncode == 0, (words, text, errors)
        return text

    def start(self) -> tuple[bool, float]:
        """The next start after a kill: whether a new server was made, and how long that took."""
        begin = time.monotonic()
        process = self.begin("--start", "-s", str(self.spill))
        _, errors = process.communicate(timeout=60)
        seconds = time.monotonic() - begin
        if process.returncode != 0:
            assert "already up and running" in errors, errors
        return process.returncode == 0, seconds

    def session(self) -> int:
        return int(self.admin("-g").split()[-1])

    def client(self, kind: str, session: int) -> int:
        """A process that runs a pipeline of that kind."""
        self.maker.stdin.write(f"{kind} {self.port} {session}\n")
        self.maker.stdin.flush()
        return int(self.maker.stdout.readline())

    def servers(self) -> list[int]:
        """Processes that are servers of this port, or about to become one."""
        return [pid for pid, words in _processes() if "cache_server" in words[0] and str(self.port) in words]

    def left(self) -> list[str]:
        """Files of servers, without their logs."""
        names = (self.root / "servers").glob("*/cache_server*")
        return [str(path) for path in (*names, *self.spill.iterdir())]

    def expect_right_rows(self) -> None:
        """Two correct epochs of every kind, in this process."""
        session = self.session()
        for kind in doomed_clients.KINDS:
            cache = doomed_clients.cache_of(kind, self.port, session)
            rows = doomed_clients.digests(doomed_clients.pipeline(kind, self.data_folder, cache))
            assert rows == json.loads((self.data_folder / f"{kind}.json").read_text()), kind
        assert not (self.data_folder / "wrong").exists(), "a client read rows that are not right"
        self.admin("-d", str(session))

    def close(self) -> None:
        self.maker.kill()
        self.maker.wait()
        for pid in self.servers():
            end(pid)


def _processes() -> list[tuple[int, list[str]]]:
    """Ids and words of all processes that can be looked at."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                found.append((int(entry.name), (entry / "cmdline").read_bytes().decode().split("\0")))
    return found


def end(pid: int) -> None:
    """kill -9, which comes too late for some."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def memory_of_caches(pids: list[int]) -> list[str]:
    """Anonymous memory of caches that the processes hold open or mapped."""
    found = []
    for pid in pids:
        folder = pathlib.Path(f"/proc/{pid}")
        with contextlib.suppress(OSError):
            found += [os.readlink(path) for path in (folder / "fd").iterdir()]
            found += (folder / "maps").read_text().splitlines()
    return [name for name in found if "memfd:mycel-cache" in name]


def users_of(folder: pathlib.Path) -> list[int]:
    """Processes whose servers are in that folder, dead or alive; what they began has the same environment."""
    found = []
    for pid, _ in _processes():
        with contextlib.suppress(OSError):
            if str(folder).encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
    return found


def moment(choice: random.Random, longest: float) -> None:
    """Any moment of the next seconds, the first ones more often."""
    time.sleep(0.0005 * (longest / 0.0005) ** choice.random())


def kill_something(place: Place, choice: random.Random, phase: str) -> None:
    """Brings the server into that phase and kills it, what uses it, or both."""
    if phase == "start":
        for pid in place.servers():
            end(pid)
        command = place.begin("--start", "-s", str(place.spill))
        moment(choice, 0.2)
    else:
        place.start()
        session = place.session()
        kinds = [phase] * 2 if phase != "stop" else choice.sample(doomed_clients.KINDS, 2)
        clients = [place.client(kind, session) for kind in kinds]
        moment(choice, 1.0)
        command = place.begin("--stop") if phase == "stop" else None
        if command is not None:
            moment(choice, 0.1)
    victims = choice.choice(("server", "others", "both"))
    if victims != "others":
        for pid in place.servers():
            end(pid)
    if victims != "server":
        if command is not None:
            command.kill()
        for pid in clients if phase != "start" else []:
            end(pid)
    if command is not None:
        command.communicate()


def test_an_epoch_is_right_after_any_kill(tmp_path, data_folder, monkeypatch):
    monkeypatch.setenv("MYCEL_CACHE_DIR", str(tmp_path / "servers"))
    port = random.SystemRandom().randint(20000, 60000)
    place = Place(tmp_path, data_folder, port)
    choice = random.Random(SEED)
    longest, made = 0.0, 0
    try:
        for number in range(ROUNDS):
            kill_something(place, choice, PHASES[number % len(PHASES)])
            is_new, seconds = place.start()
            assert seconds < MOST_SECONDS_OF_A_START
            longest = max(longest, seconds)
            made += is_new
            place.expect_right_rows()
            assert memory_of_caches([os.getpid()]) == [], "a closed pipeline keeps memory"
        place.admin("--stop")
        print(f"{ROUNDS} kills, {made} new servers, longest start {longest:.2f} s")
    finally:
        place.close()
    assert place.left() == []
    assert [name for name in os.listdir("/dev/shm") if "mycel" in name] == []
    deadline = time.monotonic() + 5  # clients of a server that is gone end by themselves
    while users_of(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert users_of(tmp_path) == []

# SPDX-License-Identifier: Apache-2.0
"""A cache server for tests, and small data sets."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mindspore
import mindspore.dataset as ds

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sources"))

ADMIN = Path(mindspore.__file__).parent / "bin" / "cache_admin"


class Server:
    """A server of its own for the tests that ask for it."""

    def __init__(self, *options: str) -> None:
        self.options = options
        self.port = 0
        self.pid = 0

    def admin(self, *words: str, check: bool = True) -> str:
        command = [str(ADMIN), *words, "-p", str(self.port)]
        return subprocess.run(command, check=check, capture_output=True, text=True, timeout=60).stdout

    def start(self) -> Server:
        for _ in range(20):  # a port may be in use
            self.port = random.SystemRandom().randint(20000, 60000)
            text = self.admin("--start", *self.options, check=False)
            found = re.search(r"process id (\d+)", text)
            if found:
                self.pid = int(found.group(1))
                return self
        raise RuntimeError("the cache server does not start")

    def restart(self) -> None:
        """Another one on the same port."""
        text = self.admin("--start", *self.options)
        self.pid = int(re.search(r"process id (\d+)", text).group(1))

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def session(self) -> int:
        return int(self.admin("-g").split()[-1])

    def cache(self, session: int | None = None, **options) -> ds.DatasetCache:
        return ds.DatasetCache(session or self.session(), port=self.port, **options)

    def listed(self, session: int) -> list[list[str]]:
        """Lines of the list of sessions: id, rows in memory, rows on disk."""
        lines = [line.split() for line in self.admin("--list_sessions").splitlines()]
        return [line[1:4] for line in lines if line and line[0] == str(session)]


@pytest.fixture(scope="session", autouse=True)
def _folder(tmp_path_factory):
    if not ADMIN.exists():
        pytest.skip("the cache server was not built")
    before = os.environ.get("MYCEL_CACHE_DIR")
    os.environ["MYCEL_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["MYCEL_CACHE_DIR"]
    else:
        os.environ["MYCEL_CACHE_DIR"] = before


@pytest.fixture(scope="session")
def server(_folder, tmp_path_factory):
    running = Server("-s", str(tmp_path_factory.mktemp("spill"))).start()
    yield running
    running.admin("--stop", check=False)


@pytest.fixture
def own_server(_folder):
    """One that the test may kill; it does not spill."""
    running = Server().start()
    yield running
    running.admin("--stop", check=False)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """A folder with twelve pictures of two classes."""
    from PIL import Image

    root = tmp_path_factory.mktemp("pictures")
    numbers = np.random.default_rng(5)
    for name in "ab":
        (root / name).mkdir()
        for number in range(6):
            pixels = numbers.integers(0, 255, (24 + number, 30, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(root / name / f"{number}.jpg")
    return str(root)


@pytest.fixture(scope="session")
def lines(tmp_path_factory):
    """A file of ten lines of text."""
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_text("".join(f"line {number}\n" for number in range(10)))
    return str(path)


@pytest.fixture(scope="session")
def records(tmp_path_factory):
    """Two TFRecord files of three rows each."""
    from tiny_files import tf_example, tf_record

    folder = tmp_path_factory.mktemp("records")
    paths = []
    for part in range(2):
        path = folder / f"{part}.tfrecord"
        rows = (tf_record(tf_example(x=[3 * part + row])) for row in range(3))
        path.write_bytes(b"".join(rows))
        paths.append(str(path))
    return paths

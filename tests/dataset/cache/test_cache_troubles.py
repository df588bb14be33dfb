# SPDX-License-Identifier: Apache-2.0
"""Pipelines whose server has trouble: a full disk, no memory, another version, folders that are gone."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest
from cached_rows import expect_same, first_column, folder_rows, refusal_of, rows_of
from conftest import Server
from test_cache_losses import BUILD

import mindspore.dataset as ds
from mindspore.dataset import vision

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
DISK_MB = 4

VERSION = 2  # of the protocol, see cache/client/handshake.h


@pytest.fixture
def small_disk(tmp_path):
    """A file system of a few MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def spilling_server(_folder, small_disk):
    running = Server("-s", str(small_disk)).start()
    yield running
    running.admin("--stop", check=False)


@pytest.fixture(scope="module")
def large_pictures(tmp_path_factory):
    """Decoded they are 12 MB: some fit in memory, some on the small disk, and some nowhere."""
    import numpy as np
    from PIL import Image

    folder = tmp_path_factory.mktemp("large") / "pictures"
    (folder / "a").mkdir(parents=True)
    numbers = np.random.default_rng(7)
    for number in range(40):
        pixels = numbers.integers(0, 255, (250, 400, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / "a" / f"{number:02}.jpg", quality=30)
    return str(folder)


@pytest.fixture(scope="module")
def long_lines(tmp_path_factory):
    """12 MB of text."""
    path = tmp_path_factory.mktemp("long") / "lines.txt"
    path.write_text("".join(f"{number:06}" * 500 + "\n" for number in range(4000)))
    return str(path)


def timed(seconds: float):
    """Goes on for so long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        yield


def free_bytes(folder: pathlib.Path) -> int:
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


def decoded(path: str, cache: ds.DatasetCache | None) -> ds.Dataset:
    return folder_rows(path).map(vision.Decode(), "image", cache=cache)


@as_root
def test_rows_that_fit_nowhere_come_from_the_source(spilling_server, small_disk, large_pictures):
    expected = rows_of(decoded(large_pictures, None))
    empty = free_bytes(small_disk)
    cache = spilling_server.cache(size=1, spilling=True)
    data = decoded(large_pictures, cache)
    for _ in range(3):
        expect_same(rows_of(data, epochs=2), expected * 2)
    figures = cache.get_stat()
    assert 1 <= figures.num_mem_cached <= 3
    assert 8 <= figures.num_disk_cached <= 13
    assert free_bytes(small_disk) < 400_000
    assert list(small_disk.iterdir()) == []
    spilling_server.admin("-d", str(cache.session_id))
    del data, cache
    assert free_bytes(small_disk) == empty, "dropped rows keep their disk"


@as_root
def test_a_stream_that_fits_nowhere_is_an_error_that_says_so(spilling_server, small_disk, long_lines):
    session = spilling_server.session()
    empty = free_bytes(small_disk)
    for _ in range(2):  # the same once more: nothing is left of the first attempt
        cache = spilling_server.cache(session, size=1, spilling=True)
        data = ds.TextFileDataset(long_lines, shuffle=False, cache=cache)
        with pytest.raises(RuntimeError, match=r"Out of memory\. The cache server is running out of spill"):
            rows_of(data)
        assert free_bytes(small_disk) == empty
    # The server goes on, and a cache that fits works.
    data = ds.TextFileDataset(long_lines, shuffle=False, num_samples=500)
    cached = ds.TextFileDataset(
        long_lines, shuffle=False, num_samples=500, cache=spilling_server.cache(session)
    )
    expect_same(rows_of(cached, epochs=2), rows_of(data, epochs=2))


@as_root
def test_a_disk_that_others_fill_while_rows_are_spilled(spilling_server, small_disk, large_pictures):
    expected = rows_of(decoded(large_pictures, None))
    cache = spilling_server.cache(size=1, spilling=True)
    iterator = decoded(large_pictures, cache).create_tuple_iterator(num_epochs=2, output_numpy=True)
    rows = [next(iterator) for _ in range(6)]
    with contextlib.suppress(OSError), open(small_disk / "others", "wb", buffering=0) as file:
        while file.write(bytes(65536)) == 65536:
            pass
    rows += [row for _ in range(2) for row in iterator]
    expect_same(rows, expected * 2)
    (small_disk / "others").unlink()


@as_root
def test_killed_servers_leave_no_rows_on_disk(spilling_server, small_disk, large_pictures):
    empty = free_bytes(small_disk)
    for _ in range(3):
        cache = spilling_server.cache(size=1, spilling=True)
        rows_of(decoded(large_pictures, cache))
        assert cache.get_stat().num_disk_cached > 5
        spilling_server.kill()
        spilling_server.restart()
        del cache
        assert free_bytes(small_disk) == empty
        assert list(small_disk.iterdir()) == []


def test_a_server_whose_folder_is_removed(pictures, tmp_path, monkeypatch):
    monkeypatch.setenv("MYCEL_CACHE_DIR", str(tmp_path / "servers"))
    server = Server().start()
    session = server.session()
    data = folder_rows(pictures, cache=server.cache(session)).repeat()
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    shutil.rmtree(tmp_path / "servers")
    with pytest.raises(RuntimeError) as raised:
        for _ in timed(10):
            next(iterator)
    assert f"Cache server with port {server.port} is unreachable." in str(raised.value)
    assert f"cache_admin --start -p {server.port}" in str(raised.value)
    server.restart()
    assert len(first_column(folder_rows(pictures, cache=server.cache()))) == 12
    server.admin("--stop")


def test_a_server_of_another_version(pictures, tmp_path, monkeypatch):
    monkeypatch.setenv("MYCEL_CACHE_DIR", str(tmp_path / "servers"))
    server = Server().start()
    session = server.session()
    path = next((tmp_path / "servers").glob(f"*/cache_server_p{server.port}"))
    server.kill()
    frame = struct.Struct("<8sIIQQ")
    with socket.socket(socket.AF_UNIX) as listening:
        path.unlink(missing_ok=True)
        listening.bind(str(path))
        listening.listen()

        def refuse() -> None:
            with listening.accept()[0] as end:
                assert frame.unpack(end.recv(frame.size))[:3] == (b"MYCELROW", VERSION, 0)
                end.sendall(frame.pack(b"MYCELROW", 7, 2, 0, 0))

        thread = threading.Thread(target=refuse)
        thread.start()
        said = refusal_of(folder_rows(pictures, cache=server.cache(session)))
        thread.join()
    assert f"The cache server on port {server.port} speaks version 7 of the protocol" in said
    assert f"Restart it with 'cache_admin --stop -p {server.port}'" in said


def test_a_client_of_another_version_is_told_the_servers(own_server, pictures):
    folder = pathlib.Path(os.environ["MYCEL_CACHE_DIR"])
    path = next(folder.glob(f"*/cache_server_p{own_server.port}"))
    frame = struct.Struct("<8sIIQQ")
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(10)
        end.connect(str(path))
        end.sendall(frame.pack(b"MYCELROW", 7, 0, 0, 0))
        assert frame.unpack(end.recv(frame.size)) == (b"MYCELROW", VERSION, 2, 0, 0)
        assert end.recv(1) == b""
    assert len(first_column(folder_rows(pictures, cache=own_server.cache()))) == 12


def test_rows_that_are_there_need_no_answer(pictures, own_server):
    """A hung server: what is cached is read on, and what ends the server ends the wait for it."""
    expected = rows_of(folder_rows(pictures))
    cache = own_server.cache()
    data = folder_rows(pictures, cache=cache)
    expect_same(rows_of(data), expected)
    cache.get_stat()
    iterator = data.repeat(20).create_tuple_iterator(num_epochs=1, output_numpy=True)
    rows = [next(iterator)]
    os.kill(own_server.pid, signal.SIGSTOP)
    rows += list(iterator)
    expect_same(rows, expected * 20)
    own_server.admin("--stop")
    own_server.restart()
    expect_same(rows_of(folder_rows(pictures, cache=own_server.cache())), expected)


def test_a_cache_beside_others_that_hold_the_memory(pictures, _folder):
    server = Server("-r", "0.000001").start()  # of the machine's memory: some kilobytes
    try:
        said = refusal_of(folder_rows(pictures, cache=server.cache(size=1)))
        assert "Out of memory, please destroy some sessions" in said
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        said = refusal_of(folder_rows(pictures, cache=server.cache(size=total)))
        assert "Out of memory. Requesting cache size" in said
        assert "while available system memory" in said
    finally:
        server.admin("--stop")


def test_a_stream_that_does_not_fit_in_memory_is_an_error(long_lines, own_server):
    data = ds.TextFileDataset(long_lines, shuffle=False, cache=own_server.cache(size=1))
    with pytest.raises(
        RuntimeError, match=r"Out of memory\. No enough storage for cache server to cache data\."
    ):
        rows_of(data)


FORKING_BUILD = """
import os, sys, time
import mindspore.dataset as ds
from mindspore.dataset import transforms

@transforms.not_random
def slow(x):
    child = os.fork()
    if child != 0:
        print(child, flush=True)
    time.sleep(600)
    os._exit(0)

port, session, lines = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
data = ds.TextFileDataset(lines, shuffle=False)
data = data.map(slow, "text", cache=ds.DatasetCache(session, port=port), num_parallel_workers=1)
list(data.create_tuple_iterator(num_epochs=1))
"""


def test_a_fork_of_a_dead_builder_does_not_keep_its_turn(lines, own_server):
    session = own_server.session()
    command = [sys.executable, "-c", FORKING_BUILD, str(own_server.port), str(session), lines]
    builder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    fork = int(builder.stdout.readline())
    try:
        builder.kill()
        builder.wait()
        deadline = time.monotonic() + 5
        while json.loads(own_server.admin("--server_info", "--json"))["clients"] != 0:
            assert time.monotonic() < deadline, "the server takes the fork for the builder"
        os.kill(fork, 0)  # it is still there, and has the connection
    finally:
        os.kill(fork, signal.SIGKILL)
        builder.stdout.close()


def test_ctrl_c_ends_the_wait_for_another_builder(lines, own_server):
    command = [sys.executable, "-c", BUILD, str(own_server.port), str(own_server.session()), lines]
    with subprocess.Popen([*command, "hang"], stdout=subprocess.PIPE, text=True) as builder:
        assert builder.stdout.readline() == "row\n"
        with subprocess.Popen([*command, "run"], stderr=subprocess.PIPE, text=True) as waiting:
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(1.5)
            waiting.send_signal(signal.SIGINT)
            try:
                assert "KeyboardInterrupt" in waiting.communicate(timeout=10)[1]
            finally:
                waiting.kill()
                builder.kill()


FEW_DESCRIPTORS = """
import os, resource, sys
import mindspore.dataset as ds

port, session, lines = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
opened = len(os.listdir("/proc/self/fd"))
for spare in (0, 4, 8, 16, 24, 32, 40):
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + spare, hard))
    try:
        data = ds.TextFileDataset(lines, shuffle=False, cache=ds.DatasetCache(session, port=port))
        print(len(list(data.create_tuple_iterator(num_epochs=1))))
    except RuntimeError as error:
        print(next(line for line in str(error).splitlines() if line.startswith("[ERROR]")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
data = ds.TextFileDataset(lines, shuffle=False, cache=ds.DatasetCache(session, port=port))
print(len(list(data.create_tuple_iterator(num_epochs=1))))
"""


def test_a_program_without_free_descriptors_is_told_so(lines, own_server):
    command = [sys.executable, "-c", FEW_DESCRIPTORS, str(own_server.port), str(own_server.session()), lines]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done
    said = done.stdout.splitlines()
    assert said[-1] == "10"
    assert "no descriptor is left for the cache" in said[0]
    for line in said[1:]:
        assert line == "10" or "no descriptor is left" in line, said

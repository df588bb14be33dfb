# SPDX-License-Identifier: Apache-2.0
"""Servers and sessions that go away while pipelines use them."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from cached_rows import expect_same, first_column, folder_rows, rows_of

import mindspore.dataset as ds


def read_on(iterator):
    """What ends the iterator, and how long that takes."""
    begin = time.monotonic()
    with pytest.raises(RuntimeError) as raised:
        for _ in range(100_000):
            next(iterator)
    return str(raised.value), time.monotonic() - begin


def test_killed_server(pictures, lines, own_server):
    for make in (
        lambda cache: folder_rows(pictures, cache=cache),
        lambda cache: ds.TextFileDataset(lines, cache=cache),
    ):
        session = own_server.session()
        iterator = make(own_server.cache(session)).repeat().create_tuple_iterator(num_epochs=1)
        for _ in range(15):
            next(iterator)
        own_server.kill()
        text, seconds = read_on(iterator)
        assert f"Network error. Cache server with port {own_server.port} is unreachable." in text
        assert f"session {session}" in text and f"cache_admin --start -p {own_server.port}" in text
        assert seconds < 5
        own_server.restart()


def test_a_new_server_serves_the_same_script(pictures, own_server):
    expected = rows_of(folder_rows(pictures))
    expect_same(rows_of(folder_rows(pictures, cache=own_server.cache())), expected)
    own_server.kill()
    own_server.restart()
    for _ in range(2):
        expect_same(rows_of(folder_rows(pictures, cache=own_server.cache())), expected)


def test_destroyed_session(pictures, lines, own_server):
    for make in (
        lambda cache: folder_rows(pictures, cache=cache),
        lambda cache: ds.TextFileDataset(lines, cache=cache),
    ):
        cache = own_server.cache()
        iterator = make(cache).repeat().create_tuple_iterator(num_epochs=1)
        for _ in range(15):
            next(iterator)
        own_server.admin("-d", str(cache.session_id))
        text, seconds = read_on(iterator)
        assert "Cache id" in text and "not found" in text and str(cache.session_id) in text
        assert seconds < 5


def test_bypass_of_a_killed_server(pictures, own_server, capfd):
    expected = rows_of(folder_rows(pictures))
    data = folder_rows(pictures, cache=own_server.cache(on_failure="bypass")).repeat(40)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    rows = [next(iterator) for _ in range(3)]
    own_server.kill()
    rows += list(iterator)
    expect_same(rows, expected * 40)
    assert capfd.readouterr().err.count("rows come from the source instead") <= 1
    # Nor does the next pipeline need a server.
    assert len(first_column(folder_rows(pictures, cache=own_server.cache(1, on_failure="bypass")))) == 12
    assert capfd.readouterr().err.count("rows come from the source instead") == 1


def test_a_build_that_is_given_up_leaves_the_turn_to_others(lines, own_server):
    session = own_server.session()
    ds.TextFileDataset(lines, cache=own_server.cache(session)).create_tuple_iterator(num_epochs=1).stop()
    data = ds.TextFileDataset(lines, shuffle=False, cache=own_server.cache(session))
    assert len(first_column(data)) == 10


BUILD = """
import os, signal, sys, time
import mindspore.dataset as ds
from mindspore.dataset import transforms

@transforms.not_random
def slow(x):
    print("row", flush=True)
    if sys.argv[4] == "hang":
        time.sleep(600)
    if sys.argv[4] == "stop":
        sys.argv[4] = "run"
        os.kill(os.getpid(), signal.SIGSTOP)
    return x

port, session, lines = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
data = ds.TextFileDataset(lines, shuffle=False)
data = data.map(slow, "text", cache=ds.DatasetCache(session, port=port), num_parallel_workers=1)
print(len(list(data.create_tuple_iterator(num_epochs=1))))
"""


def test_a_builder_that_dies_leaves_the_turn_to_others(lines, own_server):
    command = [sys.executable, "-c", BUILD, str(own_server.port), str(own_server.session()), lines]
    builder = subprocess.Popen([*command, "hang"], stdout=subprocess.PIPE, text=True)
    assert builder.stdout.readline() == "row\n"
    waiting = subprocess.Popen([*command, "run"], stdout=subprocess.PIPE, text=True)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(1.5)
    builder.kill()
    builder.communicate()
    assert waiting.communicate(timeout=60)[0].split()[-1] == "10"


def test_a_builder_that_stands_still_leaves_the_turn_to_others(lines, own_server):
    command = [sys.executable, "-c", BUILD, str(own_server.port), str(own_server.session()), lines]
    builder = subprocess.Popen([*command, "stop"], stdout=subprocess.PIPE, text=True)
    os.waitid(os.P_PID, builder.pid, os.WSTOPPED)
    heir = subprocess.run([*command, "run"], stdout=subprocess.PIPE, text=True, timeout=120, check=True)
    assert heir.stdout.split()[-1] == "10"
    builder.send_signal(signal.SIGCONT)
    assert builder.communicate(timeout=60)[0].split()[-1] == "10"
    assert builder.returncode == 0


READ = """
import sys
import mindspore.dataset as ds
from mindspore.dataset import transforms

port, session, lines = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
data = ds.TextFileDataset(lines, shuffle=False).repeat(1_000_000)
data = data.map(transforms.Duplicate(), "text", ["text", "more"], cache=ds.DatasetCache(session, port=port))
data = data.map(lambda x: x, "text", num_parallel_workers=1)  # so that the reader runs the pipeline
try:
    next(data.create_tuple_iterator(num_epochs=1))
except KeyboardInterrupt:
    print("interrupted")
"""


def start_reader(server, session, lines):
    """A process that fills a cache for a long time, or waits for the one that does."""
    command = [sys.executable, "-c", READ, str(server.port), str(session), lines]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def wait_for_clients(server, count):
    while json.loads(server.admin("--server_info", "--json"))["clients"] < count:
        time.sleep(0.02)


@pytest.mark.parametrize("waiting", [False, True])
def test_interrupted_readers(waiting, lines, own_server):
    session = own_server.session()
    readers = []
    for number in range(1, 3 if waiting else 2):
        readers.append(start_reader(own_server, session, lines))
        wait_for_clients(own_server, number)
    begin = time.monotonic()
    readers[-1].send_signal(signal.SIGINT)
    assert readers[-1].communicate(timeout=60)[0] == "interrupted\n"
    assert time.monotonic() - begin < 5
    readers[0].kill()
    readers[0].communicate()


def test_stopped_readers_keep_what_was_stored(pictures, own_server):
    cache = own_server.cache()
    data = folder_rows(pictures, cache=cache)
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    iterator.stop()
    assert 1 <= cache.get_stat().num_mem_cached <= 12
    assert len(first_column(data)) == 12
    assert cache.get_stat().num_mem_cached == 12

# SPDX-License-Identifier: Apache-2.0
"""Whatever ends a writer, its file is the old one or the new one, whole, and nothing else stays.

The short version runs with the other tests; the long one is a command::

    python tests/faults/test_writers.py --writer ckpt --kills 200 --mib 200
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import ctypes
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import stat
import sys
import tempfile
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from writers import WRITERS, Writer, content, version_in

NOBODY = 65534


def files_below(folder: str) -> list[str]:
    """Paths of all files, from the folder on."""
    return sorted(
        os.path.relpath(os.path.join(where, name), folder)
        for where, _, names in os.walk(folder)
        for name in names
    )


def check_nothing_else(writer: Writer, folder: str) -> None:
    """In the folder lie the files of one write and nothing else."""
    found = files_below(folder)
    assert len(found) == len(writer.leaves), found
    for pattern in writer.leaves:
        assert any(re.fullmatch(pattern, name) for name in found), (pattern, found)


@contextlib.contextmanager
def place(writer: Writer, mib: float):
    """A folder that anybody may reach, with version 0 in it."""
    outer = tempfile.mkdtemp()
    folder = os.path.join(outer, "folder")
    try:
        os.chmod(outer, 0o755)
        os.mkdir(folder)
        path = os.path.join(folder, writer.file)
        writer.write(path, content(0, mib))
        yield path
    finally:
        for where, folders, _ in os.walk(outer):
            for name in folders:
                os.chmod(os.path.join(where, name), 0o755)
        shutil.rmtree(outer)


def told_by_child(writer: Writer, path: str, arrays: dict, prepare=lambda: None) -> str:
    """Writes in a process of its own; the error it ended with as "class: text", or nothing."""
    write = writer.prepared(arrays)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        told = ""
        try:
            prepare()
            write(path)
        except BaseException as failure:
            told = f"{type(failure).__name__}: {failure}"
        os.write(writing, told.encode()[:60000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        text = told.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "the writer crashed"
    return text


# ---- killed -----------------------------------------------------------------------------------------------


def await_file(folder: str, before: list[str], child: int) -> None:
    """Returns when there is an unfinished file that was not there before, or the child is at its end."""
    state = pathlib.Path(f"/proc/{child}/stat")
    while state.read_text().rpartition(")")[2].split()[0] != "Z":
        if any(".part." in name for name in files_below(folder) if name not in before):
            return


def kill_while_writing(writer: Writer, path: str, arrays: dict, delay: float, with_file: bool) -> None:
    """Starts to write in another process, and kills it after a while, or a while after its file is there."""
    write, before = writer.prepared(arrays), files_below(os.path.dirname(path))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.write(writing, b"x")
            write(path)
        os._exit(0)
    os.read(reading, 1)
    if with_file:
        await_file(os.path.dirname(path), before, child)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading), os.close(writing)


def run(writer: Writer, kills: int, mib: float, seed: int = 3) -> collections.Counter:
    """How often the old and how often the new content was there after a kill."""
    chance = random.Random(seed)
    outcomes: collections.Counter = collections.Counter()
    with place(writer, mib) as path:
        folder = os.path.dirname(path)
        start = time.perf_counter()
        writer.write(path, content(0, mib))
        duration = time.perf_counter() - start
        current = 0
        for number in range(kills):
            with_file = number % 2 == 0
            delay = chance.uniform(0, (0.4 if with_file else 1.2) * duration)
            kill_while_writing(writer, path, content(current + 1, mib), delay, with_file)
            found = version_in(writer, path, mib)
            assert found in (current, current + 1), (found, current)
            outcomes["new" if found > current else "old"] += 1
            current = found
            unfinished = sum(".part." in name for name in files_below(folder))
            assert unfinished <= len(writer.leaves)  # the next writer removed what the last one left
            outcomes["unfinished"] += unfinished
        writer.write(path, content(current + 1, mib))
        assert version_in(writer, path, mib) == current + 1
        check_nothing_else(writer, folder)
    return outcomes


@pytest.mark.parametrize("name", WRITERS)
def test_a_killed_writer_leaves_the_old_content_or_the_new(name):
    outcomes = run(WRITERS[name], 5, 3)
    assert outcomes["old"] + outcomes["new"] == 5


# ---- no room, no permission, no place ---------------------------------------------------------------------


def limit_files(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 100, 500_000])
@pytest.mark.parametrize("name", WRITERS)
def test_files_that_cannot_grow(name, size):
    writer = WRITERS[name]
    with place(writer, 1) as path:
        told = told_by_child(writer, path, content(1, 1), lambda: limit_files(size))
        assert told.startswith("OSError"), told
        assert "File too large" in told and "net" in told, told
        assert version_in(writer, path, 1) == 0
        check_nothing_else(writer, os.path.dirname(path))


@contextlib.contextmanager
def small_disk(folder: str, kib: int):
    """A file system of its own under the folder; skips the test where that is not allowed."""
    system = ctypes.CDLL(None, use_errno=True)
    if system.mount(b"none", folder.encode(), b"tmpfs", 0, f"size={kib}k".encode()) != 0:
        pytest.skip("this process may not mount file systems")
    try:
        yield
    finally:
        system.umount2(folder.encode(), 2)  # also while something is open


@pytest.mark.parametrize("name", WRITERS)
def test_full_disk(name, tmp_path):
    writer = WRITERS[name]
    folder = tmp_path / "disk"
    folder.mkdir()
    with small_disk(str(folder), 1536):
        path = str(folder / writer.file)
        writer.write(path, content(0, 1))
        told = told_by_child(writer, path, content(1, 1))
        assert told.startswith("OSError") and "No space left on device" in told, told
        assert version_in(writer, path, 1) == 0
        check_nothing_else(writer, str(folder))


def become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


@pytest.mark.parametrize("name", WRITERS)
def test_read_only_folders(name):
    writer = WRITERS[name]
    with place(writer, 0.1) as path:
        for where, folders, _ in os.walk(os.path.dirname(path)):
            for inner in [where, *(os.path.join(where, folder) for folder in folders)]:
                os.chmod(inner, 0o555)
        told = told_by_child(writer, path, content(1, 0.1), become_nobody)
        assert told.startswith("PermissionError") and "net" in told, told
        assert version_in(writer, path, 0.1) == 0
        check_nothing_else(writer, os.path.dirname(path))


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_under_the_name(name):
    writer = WRITERS[name]
    with place(writer, 0.1) as path:
        os.unlink(path)
        os.mkdir(path)
        told = told_by_child(writer, path, content(1, 0.1))
        assert told.startswith("IsADirectoryError") and path in told, told
        others = [left for left in files_below(os.path.dirname(path)) if ".part." in left]
        assert os.listdir(path) == [] and others == []


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_is_not_there(name):
    writer = WRITERS[name]
    with place(writer, 0.1) as path:
        inner = os.path.join(os.path.dirname(path), "more", "and more", writer.file).replace(" ", "_")
        told = told_by_child(writer, inner, content(1, 0.1))
        if writer.makes_folders:
            assert told == "" and version_in(writer, inner, 0.1) == 1
        else:
            assert told.startswith("FileNotFoundError"), told


# ---- what is left behind ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITERS)
def test_leftovers_of_killed_writers_go(name):
    """Also those of a process with the same number, as the only one in a container has it every time."""
    writer = WRITERS[name]
    with place(writer, 0.1) as path:
        folder = os.path.dirname(path)
        kept = ["other.part.1.2", "notes.txt", f"{writer.file}.part", f"{writer.file}.part.x.1"]
        left = [f"{writer.file}.part.{process}.{i}" for process in (1, os.getpid()) for i in range(3)]
        for file in [*kept, *left]:
            pathlib.Path(folder, file).write_bytes(b"x")
        writer.write(path, content(1, 0.1))
        assert version_in(writer, path, 0.1) == 1
        assert not set(left) & set(os.listdir(folder))
        for file in kept:
            assert pathlib.Path(folder, file).read_bytes() == b"x"


def test_an_unfinished_file_in_use_stays():
    from mindspore.train._export.atomic_file import atomic_file

    with place(WRITERS["ckpt"], 0.1) as path:
        with atomic_file(path) as file:
            file.write(b"slow")
            WRITERS["ckpt"].write(path, content(1, 0.1))
            assert any(".part." in name for name in os.listdir(os.path.dirname(path)))
        assert pathlib.Path(path).read_bytes() == b"slow"  # the last one to finish


@pytest.mark.parametrize("name", ["MindIR in parts", "ONNX in parts"])
def test_the_model_and_its_data_are_of_one_version(name):
    """The older data stay until the new model is in place; then nothing refers to them."""
    writer = WRITERS[name]
    with place(writer, 0.1) as path:
        folder = os.path.dirname(path)
        data = [files_below(folder)[-1]]
        for version in (1, 2, 3):
            writer.write(path, content(version, 0.1))
            assert version_in(writer, path, 0.1) == version
            check_nothing_else(writer, folder)
            data.append(next(file for file in files_below(folder) if "data" in file))
        assert data[0] == data[2] != data[1] == data[3]


# ---- models that get smaller or larger --------------------------------------------------------------------

SIZES = {"MindIR": ("net.mindir", "net_graph.mindir"), "ONNX": ("net.onnx", "net.onnx")}


def write_as(kind: str, is_large: bool, folder: str, version: int, mib: float = 0.1) -> None:
    """Exports a version of a model, in the form of large models or in that of small ones."""
    writer = WRITERS[f"{kind} in parts" if is_large else kind]
    writer.write(os.path.join(folder, writer.file), content(version, mib))


def versions(kind: str, folder: str, mib: float = 0.1) -> dict[str, int]:
    """The versions of the models that there are, by file."""
    found = {}
    for file in dict.fromkeys(SIZES[kind]):
        if os.path.exists(os.path.join(folder, file)):
            found[file] = version_in(WRITERS[kind], os.path.join(folder, file), mib)
    return found


@pytest.mark.parametrize("kind", SIZES)
def test_models_that_become_small_and_large_leave_nothing(kind, tmp_path):
    folder = str(tmp_path)
    for version, is_large in enumerate([True, False, True, True, False, False, True]):
        write_as(kind, is_large, folder, version)
        assert versions(kind, folder) == {SIZES[kind][is_large]: version}
        check_nothing_else(WRITERS[f"{kind} in parts" if is_large else kind], folder)
        assert os.path.isdir(os.path.join(folder, "net_variables")) == (is_large and kind == "MindIR")


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("kind", SIZES)
def test_killed_while_a_model_becomes_small_or_large(kind, is_large):
    """There is always a whole model: the new one if its file is there, else the old one."""
    chance, mib = random.Random(5), 3
    writer = WRITERS[f"{kind} in parts" if is_large else kind]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(6):
            write_as(kind, not is_large, folder, 2 * number, mib)
            path = os.path.join(folder, writer.file)
            delay = chance.uniform(0, 0.02)
            kill_while_writing(writer, path, content(2 * number + 1, mib), delay, number % 2 == 0)
            found = versions(kind, folder, mib)
            old, new = (SIZES[kind][one] for one in (not is_large, is_large))
            assert found in ({old: 2 * number}, {new: 2 * number + 1}, {old: 2 * number, new: 2 * number + 1})
        for last in (False, True):
            write_as(kind, last, folder, 99, mib)
            check_nothing_else(WRITERS[f"{kind} in parts" if last else kind], folder)


@pytest.mark.parametrize("kind", SIZES)
def test_a_failing_export_takes_nothing_away(kind):
    for is_large in (False, True):
        writer = WRITERS[f"{kind} in parts" if is_large else kind]
        with tempfile.TemporaryDirectory() as folder:
            write_as(kind, not is_large, folder, 1)
            before = files_below(folder)
            path = os.path.join(folder, writer.file)
            assert told_by_child(writer, path, content(2, 0.1), lambda: limit_files(100))
            assert versions(kind, folder) == {SIZES[kind][not is_large]: 1}
            assert files_below(folder) == before


def test_data_of_others_stay(tmp_path):
    """Files that only have such names, and models whose files only look like parts."""
    folder = str(tmp_path)
    others = [
        "net.onnx.data",
        "net.onnx.2.data",
        "net.onnx.x.data",
        "net_variables/data_1",
        "net_variables/mine",
    ]
    (tmp_path / "net_variables").mkdir()
    for file in others:
        (tmp_path / file).write_bytes(b"somebody's")
    write_as("MindIR", False, folder, 1)
    os.rename(tmp_path / "net.mindir", tmp_path / "net_graph.mindir")  # a model of that name, in one file
    for kind in ("ONNX", "MindIR"):
        write_as(kind, False, folder, 2)
    assert version_in(WRITERS["MindIR"], str(tmp_path / "net_graph.mindir"), 0.1) == 1
    for kind in ("ONNX", "MindIR"):
        for is_large in (True, False):
            write_as(kind, is_large, folder, 3)
    for file in others:
        assert (tmp_path / file).read_bytes() == b"somebody's"
    assert not (tmp_path / "net_graph.mindir").exists()  # in parts, it was ours


def test_data_of_another_program_go_with_its_model(tmp_path):
    write_as("ONNX", True, str(tmp_path), 1)
    data = tmp_path / "net.onnx.data"
    data.write_bytes(data.read_bytes()[:-20])  # without our mark
    write_as("ONNX", False, str(tmp_path), 2)
    assert files_below(str(tmp_path)) == ["net.onnx"]


def test_modes():
    """Weights may only be read by their owner, as checkpoints always were; converted arrays by everybody."""
    modes = {}
    for name, writer in WRITERS.items():
        with place(writer, 0.1) as path:
            modes[name] = stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    assert modes["convert to npz"] == 0o644 & ~mask
    assert {modes[name] for name in ("ckpt", "safetensors", "MindIR", "MindIR in parts")} == {0o400}
    assert {modes[name] for name in ("ONNX", "ONNX in parts")} == {0o600}


def main() -> None:
    """The long version."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writer", choices=WRITERS, action="append", help="default: all")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--mib", type=float, default=200)
    given = parser.parse_args()
    for name in given.writer or WRITERS:
        print(name, dict(run(WRITERS[name], given.kills, given.mib)), flush=True)


if __name__ == "__main__":
    main()

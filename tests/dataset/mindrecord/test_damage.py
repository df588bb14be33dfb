# SPDX-License-Identifier: Apache-2.0
"""Files that are missing, damaged or cut short, and programs that end while they write."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import struct
import subprocess
import sys
import textwrap

import pytest

from mindspore.mindrecord import FileReader, FileWriter

SCHEMA = {"label": {"type": "int32"}, "name": {"type": "string"}, "image": {"type": "bytes"}}


def write(path, count=20, overwrite=False):
    writer = FileWriter(str(path), overwrite=overwrite)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMA)
    writer.write_raw_data([{"label": i, "name": str(i), "image": bytes([i]) * 100} for i in range(count)])
    writer.commit()


def labels(path):
    return [row["label"] for row in FileReader(str(path)).get_next()]


def with_header(content, change):
    """The file with another header."""
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes((1 << 14) - 8 - len(text)) + content[1 << 14 :]


def test_index_is_made_anew(tmp_path):
    write(tmp_path / "a")
    with sqlite3.connect(tmp_path / "a.db") as database:
        good = database.execute("SELECT * FROM INDEXES").fetchall()
    write(tmp_path / "other", 19)
    stale = (tmp_path / "other.db").read_bytes()
    for damage in (None, b"", b"no database", stale, (tmp_path / "a.db").read_bytes()[:5000]):
        if damage is None:
            os.remove(tmp_path / "a.db")
        else:
            (tmp_path / "a.db").write_bytes(damage)
        assert labels(tmp_path / "a") == list(range(20))
        with sqlite3.connect(tmp_path / "a.db") as database:
            assert database.execute("SELECT * FROM INDEXES").fetchall() == good


def test_missing_files(tmp_path):
    with pytest.raises(RuntimeError, match="is not exists"):
        FileReader(str(tmp_path / "nothing"))
    os.mkdir(tmp_path / "folder")
    with pytest.raises(RuntimeError, match="should be a regular file"):
        FileReader(str(tmp_path / "folder"))


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "the size of mindrecord file: 0 is smaller"),
        (b"1234567", "smaller than the lower limit: 8"),
        (b"s" * 100, "header is larger than the upper limit"),
        (struct.pack("<Q", 1000) + b"{}", "failed to read the header content"),
        (struct.pack("<Q", 0), "failed to parse the header content"),
        (struct.pack("<Q", 3) + b"{]}", "failed to parse the header content"),
        (struct.pack("<Q", 40000) + b"[" * 40000, "128 levels"),
    ],
)
def test_files_that_are_no_mindrecord(tmp_path, content, words):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(RuntimeError, match=words):
        FileReader(str(tmp_path / "a"))


def set_page(name, value, page=0):
    return lambda header: header["page"][page].__setitem__(name, value)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda header: header.pop("page"), "'page' is missing"),
        (lambda header: header.update(version="4.0"), "4.0"),
        (lambda header: header.update(header_size=1 << 40), "header_size"),
        (lambda header: header.update(page_size=-4), "page_size"),
        (lambda header: header.update(shard_addresses=["../../etc/passwd"]), "base names"),
        (lambda header: header["schema"][0]["schema"].update(label={"type": "number"}), "'label'"),
        (set_page("page_size", 1 << 40), "page_size"),
        (set_page("page_size", 30000), "cut short|the page at 30000"),
        (set_page("page_id", 7), "page_id"),
        (set_page("end_row_id", 1 << 39), "cannot hold"),
        (set_page("end_row_id", 19), "rows end at"),
        (set_page("start_row_id", 3), "must begin at 0"),
        (set_page("page_type_id", 5), "page_type_id"),
        (set_page("row_group_ids", [{"id": 9, "offset": 0}], 1), "row groups"),
        (set_page("row_group_ids", [{"id": 0, "offset": 1 << 50}], 1), "offset"),
        (set_page("row_group_ids", [{"id": 0, "offset": 5}], 1), "Invalid"),
        (set_page("page_type", "NEW", 1), "page_type"),
    ],
)
def test_headers_that_lie(tmp_path, change, words):
    write(tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    os.remove(tmp_path / "a.db")
    (tmp_path / "a").write_bytes(with_header(content, change))
    with pytest.raises(RuntimeError, match=words):
        labels(tmp_path / "a")


def test_lengths_that_lie(tmp_path):
    write(tmp_path / "a")
    good = (tmp_path / "a").read_bytes()
    for offset in (1 << 14, (1 << 14) + (1 << 15)):
        for length in (99, 1 << 20, 1 << 62, (1 << 64) - 1, (1 << 64) - 8):
            (tmp_path / "a").write_bytes(good[:offset] + struct.pack("<Q", length) + good[offset + 8 :])
            with pytest.raises(RuntimeError, match="Invalid"):
                labels(tmp_path / "a")
    (tmp_path / "a").write_bytes(good[:-1])
    with pytest.raises(RuntimeError, match="cut short"):
        labels(tmp_path / "a")


def test_random_damage_gives_rows_or_errors(tmp_path):
    write(tmp_path / "a")
    good = (tmp_path / "a").read_bytes()
    places = [i for i, byte in enumerate(good) if byte]
    chance = random.Random(7)
    for _ in range(300):
        bad = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            bad[chance.choice(places)] = chance.randrange(256)
        (tmp_path / "a").write_bytes(bad[: chance.choice([len(bad), chance.randrange(len(bad))])])
        with contextlib.suppress(RuntimeError, UnicodeDecodeError):
            labels(tmp_path / "a")


WRITE_FOREVER = """
    import sys
    from mindspore.mindrecord import FileWriter
    if sys.argv[2] == "new":
        writer = FileWriter(sys.argv[1], overwrite=True)
        types = {"label": "int32", "name": "string", "image": "bytes"}
        writer.add_schema({name: {"type": kind} for name, kind in types.items()})
    else:
        writer = FileWriter.open_for_append(sys.argv[1])
    print("ready", flush=True)
    for i in range(int(sys.argv[3])):
        writer.write_raw_data([{"label": i, "name": "x", "image": bytes(20000)} for _ in range(20)])
    writer.commit()
"""


def start(path, kind, batches=1 << 30, **arguments):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITE_FOREVER), str(path), kind, str(batches)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **arguments,
    )


@pytest.mark.parametrize("kind", ["new", "append"])
def test_killed_writer_leaves_the_old_files(tmp_path, kind):
    write(tmp_path / "a")
    process = start(tmp_path / "a", kind)
    assert process.stdout.readline() == "ready\n"
    while not any(file.stat().st_size > 5 << 20 for file in tmp_path.glob("a.part.*")):
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert labels(tmp_path / "a") == list(range(20))
    assert list(tmp_path.glob("a.part.*"))
    write(tmp_path / "a", 5, overwrite=True)
    assert labels(tmp_path / "a") == list(range(5))
    assert sorted(os.listdir(tmp_path)) == ["a", "a.db"]


@pytest.mark.parametrize("kind", ["new", "append"])
def test_full_disk_leaves_the_old_files(tmp_path, kind):
    """A limit of the file size stands for the end of the disk."""
    write(tmp_path / "a")

    def limit():
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30 << 20, 30 << 20))

    process = start(tmp_path / "a", kind, 100, preexec_fn=limit)
    _, errors = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "File too large" in errors
    assert labels(tmp_path / "a") == list(range(20))
    assert sorted(os.listdir(tmp_path)) == ["a", "a.db"]


# Files that somebody cuts short while they are read.

CUT = """
import os, sys
import numpy as np
import mindspore.dataset as ds
from mindspore.mindrecord import FileReader

path, way, size = sys.argv[1], sys.argv[2], int(sys.argv[3])

def text_of(read):
    try:
        read()
    except RuntimeError as error:
        return str(error)
    return "no error"

def pipeline():
    data = ds.MindDataset(path, shuffle=False)
    if way == "decoded":
        return data.map(lambda image: np.frombuffer(image.tobytes(), np.uint8).sum(), "image",
                        num_parallel_workers=2)
    return data.batch(2) if way == "batch" else data

def read_pipeline():
    rows = 0
    for row in pipeline().create_dict_iterator(num_epochs=1, output_numpy=True):
        rows += 1
        if rows == 2:
            os.truncate(path, size)
        int(row["label"].sum() + (len(row["image"].tobytes()) if way == "view" else 0))
        if way == "view":
            sum(row["image"].tobytes())  # the user touches the file itself

def read_reader():
    reader = FileReader(path)
    for number, row in enumerate(reader.get_next()):
        if number == 2:
            os.truncate(path, size)
        sum(row["image"])

print(text_of(read_reader if way == "reader" else read_pipeline))
"""


@pytest.mark.parametrize("way", ["view", "rows", "batch", "decoded", "reader"])
@pytest.mark.parametrize("left", [1, 5000, 0.5, -1])
def test_a_file_cut_short_during_an_epoch_is_an_error_that_names_it(tmp_path, way, left):
    path = str(tmp_path / "cut")
    writer = FileWriter(path, 1)
    writer.add_schema({"image": {"type": "bytes"}, "label": {"type": "int32"}})
    writer.write_raw_data([{"image": bytes([1 + i % 250]) * 60_000, "label": i} for i in range(400)])
    writer.commit()
    whole = os.path.getsize(path)
    size = int(whole * left) if isinstance(left, float) else left if left > 0 else whole + left
    done = subprocess.run(
        [sys.executable, "-c", CUT, path, way, str(size)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if way == "reader" and left == -1:
        return  # only a byte that is no row's is gone
    assert f"the mindrecord file was changed while it was read: {path}" in done.stdout

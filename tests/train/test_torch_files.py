# SPDX-License-Identifier: Apache-2.0
"""Files of PyTorch: what is read from them, and that nothing in them runs."""

from __future__ import annotations

import io
import pathlib
import zipfile

import numpy as np
import pytest
import torch_pickles as made

from mindspore import _c_expression as _c

WEIGHTS = np.arange(12, dtype=np.float32)
COUNTS = np.array([7, -1], np.int64)
STORAGES = {"0": WEIGHTS, "1": COUNTS}


def read(folder: pathlib.Path, content: bytes):
    path = folder / "file.pth"
    path.write_bytes(content)
    return _c.read_torch_file(str(path))


def state_dict(old: bool = False) -> bytes:
    of = lambda *more, **named: made.tensor(*more, old=old, **named)  # noqa: E731
    return made.ordered(
        {
            "weight": of("0", "float32", (3, 4), (4, 1), count=12),
            "turned": of("0", "float32", (4, 3), (1, 4), count=12),
            "stepped": of("0", "float32", (2,), (5,), offset=1, count=12),
            "repeated": of("0", "float32", (2, 3), (0, 1), count=12),
            "empty": of("0", "float32", (0, 3), (3, 1), count=12),
            "scalar": of("1", "int64", (), (), offset=1, count=2),
        }
    )


@pytest.mark.parametrize("layout", ["archive", "packed", "sequence"])
def test_layouts(tmp_path, layout):
    old = layout == "sequence"
    content = (
        made.sequence(state_dict(old), STORAGES)
        if old
        else made.archive(state_dict(), STORAGES, packed=layout == "packed")
    )
    found = {key: value.asnumpy() for key, value in read(tmp_path, content).items()}
    matrix = WEIGHTS.reshape(3, 4)
    expected = {
        "weight": matrix,
        "turned": matrix.T,
        "stepped": WEIGHTS[[1, 6]],
        "repeated": np.stack([WEIGHTS[:3]] * 2),
        "empty": np.zeros((0, 3), np.float32),
        "scalar": np.int64(-1),
    }
    assert list(found) == list(expected)
    for key, value in expected.items():
        np.testing.assert_array_equal(found[key], value)
        assert found[key].dtype == value.dtype


def test_plain_values(tmp_path):
    parts = [
        made.integer(2**70),
        made.integer(-(2**33)),
        b"G\x3f\xf8" + bytes(6),
        b"\x88",
        b"N",
        made.text("ü"),
        made.call(made.name("_codecs", "encode"), made.text("\x00ÿ"), made.text("latin1")),
        made.call(made.name("torch", "Size"), made.row(made.integer(2), made.integer(3))),
        made.call(made.name("torch", "device"), made.text("cuda:1")),
        made.call(made.name("builtins", "set"), b"](" + made.integer(1) + b"e"),
        b"](" + made.integer(5) + b"e",
    ]
    expected = (2**70, -(2**33), 1.5, True, None, "ü", b"\x00\xff", (2, 3), "cuda:1", {1}, [5])
    assert read(tmp_path, made.archive(made.row(*parts), {})) == expected


def test_the_same_object_twice_stays_one(tmp_path):
    shared = b"](" + made.integer(1) + b"eq\x05"
    first, second = read(tmp_path, made.archive(made.row(shared, b"h\x05"), {}))
    assert first is second


HOSTILE = {
    "a call": made.call(made.name("posix", "system"), made.text("touch {}")),
    "a call by two texts": made.text("os") + made.text("system") + b"\x93" + made.row(made.text("x")) + b"R",
    "eval": made.call(made.name("builtins", "eval"), made.text("1")),
    "getattr": made.call(made.name("builtins", "getattr"), made.text("x"), made.text("y")),
    "a class of PyTorch": made.name("torch.nn.modules.linear", "Linear") + b")\x81",
    "INST": b"(iposix\nsystem\n",
    "OBJ": b"(" + made.name("collections", "OrderedDict") + b"o",
    "NEWOBJ": made.name("collections", "OrderedDict") + b")\x81",
    "EXT1": b"\x82\x01",
    "PERSID": b"Pkey\n",
    "unknown": b"\xff",
    "a call of a text": made.text("x") + made.row() + b"R",
    "a call of a tensor": made.tensor("0", "float32", (1,), (1,)) + made.row() + b"R",
    "state of a number": made.integer(1) + b"}b",
    "pickle in a pickle": made.call(made.name("torch.storage", "_load_from_bytes"), made.text("x")),
    "list in itself": b"]q\x01h\x01a",
    "deep": b"]" * 5000 + b"a" * 4999,
    "no value": b"",
    "no mark": b"t",
    "memory": b"h\x09",
    "long number": b"\x8b" + b"\xff\xff\xff\x7f",
    "outside": made.tensor("0", "float32", (13,), (1,)),
    "far outside": made.tensor("0", "float32", (2,), (2**62,)),
    "negative": made.tensor("0", "float32", (-1,), (1,)),
    "negative offset": made.tensor("0", "float32", (1,), (1,), offset=-1),
    "huge": made.tensor("0", "float32", (2**40,), (0,)),
    "endless": made.tensor("0", "float32", (2**62, 2**62), (0, 0)),
    "no storage": made.tensor("9", "float32", (1,), (1,)),
    "a storage alone": made.row(made.text("storage"), made.name("torch", "FloatStorage")) + b"Q",
    "objects of NumPy": made.call(made.name("numpy", "dtype"), made.text("O8")),
}


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_hostile_pickles_are_refused(tmp_path, case):
    with pytest.raises(ValueError, match=r"refused|damaged|nested|missing|storage|NumPy|large"):
        read(tmp_path, made.archive(HOSTILE[case], STORAGES))


def test_the_name_that_is_refused_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"'posix\.system', which is not data; nothing of the file was run"):
        read(tmp_path, made.archive(HOSTILE["a call"], {}))


@pytest.mark.parametrize("layout", ["archive", "sequence"])
def test_files_cut_short_are_refused(tmp_path, layout):
    whole = (
        made.archive(state_dict(), STORAGES)
        if layout == "archive"
        else made.sequence(state_dict(True), STORAGES)
    )
    for length in range(0, len(whole) - 1, 7):
        with pytest.raises(ValueError, match="cannot be read as a file of PyTorch"):
            read(tmp_path, whole[:length])


@pytest.mark.parametrize("layout", ["archive", "sequence"])
def test_changed_bytes_never_crash(tmp_path, layout):
    whole = (
        made.archive(state_dict(), STORAGES, packed=True)
        if layout == "archive"
        else made.sequence(state_dict(True), STORAGES)
    )
    generator = np.random.default_rng(1)
    for _ in range(400):
        changed = bytearray(whole)
        for place in generator.integers(0, len(whole), generator.integers(1, 4)):
            changed[place] = generator.integers(0, 256)
        try:
            read(tmp_path, bytes(changed))
        except (ValueError, TypeError, MemoryError):
            continue


def test_tricks_of_archives(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a/data.pkl", made.pickle(b"N"))
        file.writestr("other", b"")
    whole = out.getvalue()
    for changed in (
        whole.replace(b"other", b"a/dat"),  # names in two places differ, or are there twice
        whole.replace(b"a/data.pkl", b"a/data.pkx"),
        whole + b"more",
        whole[:-22],
    ):
        if changed != whole and b"data.pkx" in changed:
            with pytest.raises(ValueError, match=r"no entry 'data\.pkl'"):
                read(tmp_path, changed)
            continue
        try:
            read(tmp_path, changed)
        except ValueError as error:
            assert "cannot be read" in str(error)  # noqa: PT017

# SPDX-License-Identifier: Apache-2.0
"""Files of PyTorch made to do harm: pickles that want to run something or grow, tricks of archives."""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np
import torch_pickles as made

STORAGE = {"0": np.arange(12, dtype=np.float32)}
ONE_TENSOR = made.tensor("0", "float32", (3,), (1,))


def packed_in(body: bytes) -> bytes:
    """A file with that pickle."""
    return made.archive(body, STORAGE)


def doubled(rounds: int, first: bytes, last: bytes) -> bytes:
    """A tuple of two of a tuple of two ..., in a few bytes each."""
    return first + b"".join(b"q" + bytes([i]) + b"h" + bytes([i]) + b"\x86" for i in range(rounds)) + last


def many_calls(function: bytes, arguments: bytes, count: int) -> bytes:
    """One list of arguments, given to many calls."""
    return function + b"q\x01" + b"0" + arguments + b"q\x02" + b"0" + b"](" + b"h\x01h\x02R" * count + b"e"


ORDERED = made.name("collections", "OrderedDict")
RUNNING = {
    "a call of the system": made.call(made.name("posix", "system"), made.text("true")),
    "eval": made.call(made.name("builtins", "eval"), made.text("1")),
    "global by two texts": made.text("os") + made.text("system") + b"\x93",
    "INST": b"(iposix\nsystem\n",
    "OBJ": b"(" + ORDERED + b"o",
    "NEWOBJ": ORDERED + b")\x81",
    "NEWOBJ_EX": ORDERED + b")}\x92",
    "EXT1": b"\x82\x01",
    "EXT2": b"\x83\x01\x00",
    "EXT4": b"\x84\x01\x00\x00\x00",
    "PERSID": b"Pname\n",
    "next buffer": b"\x97",
    "pickle in a pickle": made.call(made.name("torch.storage", "_load_from_bytes"), b"C\x02N."),
    "protocol 9": b"\x80\x09N",
    "unknown instruction": b"\xfe",
}


def pickles_that_grow() -> dict[str, bytes]:
    """Small pickles that become large, or take for ever."""
    pair = made.row(made.text("k"), b"N") + b"q\x03" + b"0"
    pairs = b"](" + b"h\x03" * 4000 + b"e"
    wide = b"(" + b"N" * 8000 + b"t"
    keys = b"".join(made.text(f"k{i}") + b"h\x05" for i in range(300))
    level = lambda inner: inner + b"q\x05" + b"0" + b"}(" + keys + b"u"  # noqa: E731
    wrapper = made.name("torch._tensor", "_rebuild_from_type_v2")
    repeated = made.tensor("0", "float32", (1 << 24,), (0,), count=12)
    return {
        "list in itself": b"]q\x01h\x01a",
        "dict in itself": b"}q\x01" + made.text("x") + b"h\x01s",
        "key that holds itself": b"]q\x01h\x01\x85q\x02a}h\x02Ns",
        "deep": b"]" * 5000 + b"a" * 4999,
        "marks": b"(" * 5000,
        "no value": b"",
        "text of 4 GiB": b"X\xff\xff\xff\xffx",
        "text of 2^64 bytes": b"\x8d" + b"\xff" * 8,
        "number of 2 GiB": b"\x8b\xff\xff\xff\x7f",
        "memory that is not there": b"j\xff\xff\xff\x7f",
        "key without an end": doubled(90, b")", b"q\x60" + b"0}h\x60Ns"),
        "set without an end": doubled(90, b")", b"q\x60" + b"0\x8f(h\x60\x90"),
        "set by a call": made.call(made.name("builtins", "set"), doubled(90, b")", b"q\x60" + b"0](h\x60e")),
        "calls of one long list": pair + many_calls(ORDERED, pairs + b"\x85", 4000),
        "calls of one long tuple": many_calls(made.name("torch", "Size"), wide, 4000),
        "dicts of one dict": level(level(level(level(b"}")))),
        "bytes of a length": made.call(made.name("builtins", "bytearray"), made.integer(1 << 34)),
        "bytes of a list": made.call(made.name("builtins", "bytearray"), b"]"),
        "wrapper around itself": b"]q\x01("
        + wrapper
        + b"Nh\x01e0"
        + made.call(wrapper, wrapper, b"N", b"h\x01"),
        "many tensors of 64 MiB": b"](" + repeated * 20 + b"e",
    }


WRONG = {
    "NumPy objects": made.call(made.name("numpy", "dtype"), made.text("O8")),
    "NumPy fields": made.call(made.name("numpy", "dtype"), made.text("f8,O8")),
    "NumPy giants": made.call(made.name("numpy", "dtype"), made.text("f8,(1000000000,)f8")),
    "encoded list": made.call(made.name("_codecs", "encode"), b"]", made.text("latin1")),
    "complex of texts": made.call(made.name("builtins", "complex"), b"]", b"]"),
    "key that cannot be one": b"}]Ns",
    "tensor outside": made.tensor("0", "float32", (13,), (1,)),
    "tensor far outside": made.tensor("0", "float32", (2,), (1 << 62,)),
    "tensor before": made.tensor("0", "float32", (1,), (1,), offset=-1),
    "tensor without an end": made.tensor("0", "float32", (1 << 62, 1 << 62), (0, 0)),
    "tensor of 4 TiB": made.tensor("0", "float32", (1 << 40,), (0,)),
    "tensor of no storage": made.tensor("9", "float32", (1,), (1,)),
    "a thousand axes": made.tensor("0", "float32", (1,) * 1000, (0,) * 1000),
    "storage alone": made.row(made.text("storage"), made.name("torch", "FloatStorage")) + b"Q",
    "storage that is a text": made.text("x") + b"Q",
    "no weights": made.row(made.integer(1)),
}


def zip_tricks() -> dict[str, bytes]:
    """Archives that contradict themselves or grow."""
    whole = packed_in(made.ordered({"w": ONE_TENSOR}))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("net/data.pkl", made.pickle(b"](" + b"N" * (40 << 20) + b"e"))
    bomb = out.getvalue()
    end = whole.rindex(b"PK\x05\x06")
    place = whole.index(b"PK\x01\x02")

    def patched(offset: int, kind: str, value: int) -> bytes:
        return whole[:offset] + struct.pack(kind, value) + whole[offset + struct.calcsize(kind) :]

    return {
        "bomb": bomb,
        "no directory": whole[:place],
        "directory past the end": patched(end + 16, "<I", 0x7FFFFFFF),
        "too many entries": patched(end + 10, "<H", 0xFFFF),
        "long directory elsewhere": whole[:end]
        + struct.pack("<IIQI", 0x07064B50, 0, 1 << 60, 1)
        + whole[end:],
        "entry past the end": patched(place + 42, "<I", 0x7FFFFFF0),
        "entry of another size": patched(place + 24, "<I", 3),
        "entry of 4 GiB": patched(place + 20, "<I", 0xFFFFFFFE),
        "unknown packing": patched(place + 10, "<H", 93),
        "encrypted": patched(place + 8, "<H", 1),
        "names that differ": whole.replace(b"net/data.pkl", b"net/data.pkx", 1),
        "no pickle": whole.replace(b"data.pkl", b"data.pkx"),
        "two of one name": made.archive(b"N", {**STORAGE, "1": STORAGE["0"]}).replace(b"data/1", b"data/0"),
        "empty archive": b"PK\x05\x06" + bytes(18),
    }


def torch() -> dict[str, bytes]:
    """Files of PyTorch."""
    old = made.sequence(made.ordered({"w": made.tensor("0", "float32", (3,), (1,), old=True)}), STORAGE)
    whole = packed_in(made.ordered({"w": ONE_TENSOR}))
    return {
        **{name: packed_in(body) for name, body in {**RUNNING, **WRONG, **pickles_that_grow()}.items()},
        **zip_tricks(),
        **{f"cut at {part} of 8": whole[: len(whole) * part // 8] for part in range(8)},
        **{f"older layout cut at {part} of 8": old[: len(old) * part // 8] for part in range(1, 8)},
        "older layout, storage of 2^63": old[: -len(STORAGE["0"].tobytes()) - 8] + struct.pack("<q", -1),
        "another magic": made.pickle(made.integer(1 << 70)) + old,
    }

# SPDX-License-Identifier: Apache-2.0
"""Files that were made to do harm, one list for each reader; kept as what makes them: bytes say nothing.

Each reader must answer each of its files with a ValueError, a RuntimeError or a NotImplementedError, soon and
without much memory::

    python tests/faults/hostile_files.py read torch        # a line of JSON for each file
    python tests/faults/hostile_files.py seeds folder      # as inputs of src/formats/readers_fuzz.cc
"""

from __future__ import annotations

import io
import json
import pathlib
import struct
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "train"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mindir_messages as mir
import onnx_wire as wire
from hostile_pickles import torch

ERRORS = (ValueError, RuntimeError, NotImplementedError)
FUZZED = {"torch": 0, "safetensors": 1, "ckpt": 2, "mindir": 3, "onnx": 4}


# ---- messages ----------------------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """A number as messages hold it."""
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def block(field: int, content: bytes) -> bytes:
    """A field with a length."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def bad_messages(whole: bytes) -> dict[str, bytes]:
    """What can be wrong with any message."""
    deep = b""
    for _ in range(3000):
        deep = block(1, deep)
    return {
        "nothing but a tag": b"\x0a",
        "length past the end": b"\x0a" + varint(1 << 40) + b"x",
        "length of 2^63": b"\x0a" + varint(1 << 63) + b"x",
        "endless number": b"\x08" + b"\xff" * 40,
        "number of eleven bytes": b"\x08" + b"\x80" * 10 + b"\x01",
        "field zero": b"\x02\x00",
        "field past 2^29": varint(1 << 40) + b"\x00",
        "group": b"\x0b\x0c",
        "unknown wire": b"\x0f",
        "deep": deep,
        "zeros": bytes(64),
        "ones": b"\xff" * 64,
        **{f"cut at {part} of 8": whole[: len(whole) * part // 8] for part in range(1, 8)},
    }


# ---- .ckpt -------------------------------------------------------------------------------------------------


def record(name: bytes, dims, kind: bytes, content: bytes, packed: bool = False) -> bytes:
    """A parameter."""
    if packed:
        sizes = block(1, b"".join(varint(size & (1 << 64) - 1) for size in dims))
    else:
        sizes = b"".join(b"\x08" + varint(size & (1 << 64) - 1) for size in dims)
    return block(1, block(1, name) + block(2, sizes + block(2, kind) + block(3, content)))


def map_record(name: bytes, rows: int, kind: bytes, count: int = 3) -> bytes:
    """A slice of a map parameter."""
    array = block(1, b"\x08" + varint(rows & (1 << 64) - 1) + block(2, kind) + block(3, bytes(8)))
    return block(1, block(1, name) + block(3, array * count))


def ckpt() -> dict[str, bytes]:
    """Checkpoints."""
    whole = record(b"w", [2, 3], b"Float32", bytes(24)) + record(b"s", [], b"Int32", bytes(4))
    return {
        **bad_messages(whole),
        "shape past memory": record(b"w", [1 << 40, 1 << 40], b"Float32", bytes(4)),
        "shape with a wrapped product": record(b"w", [1 << 32, 1 << 32], b"Float32", b""),
        "negative shape": record(b"w", [-2, -2], b"Float32", bytes(16)),
        "shape larger than the content": record(b"w", [1 << 28], b"Float32", bytes(4)),
        "shape smaller than the content": record(b"w", [1], b"Float32", bytes(64)),
        "a thousand axes": record(b"w", [1] * 1000, b"Float32", bytes(4)),
        "packed axes": record(b"w", [1] * 1000, b"Float32", bytes(4), packed=True),
        "unknown type": record(b"w", [1], b"Float7", bytes(4)),
        "type of the library": record(b"w", [1], b"object", bytes(8)),
        "name that is no text": record(b"\xff\xfe", [1], b"Float32", bytes(4)),
        "text that is none": record(b"t", [0], b"str", b"\xff" * 7),
        "text past Unicode": record(b"t", [0], b"str", b"\xff\xff\xff\x7f"),
        "two arrays of one name": record(b"w", [1], b"Float32", bytes(4)) * 2,
        "slices of two shapes": record(b"w", [2], b"Float32", bytes(4))
        + record(b"w", [3], b"Int8", bytes(6)),
        "no value": block(1, block(1, b"w")),
        "map of objects": map_record(b"m", 1, b"O"),
        "map of fields": map_record(b"m", 1, b"f8,O8"),
        "map of huge arrays": map_record(b"m", 1, b"(1000000000,)f8"),
        "map with one array": map_record(b"m", 1, b"int64", 1),
        "map with five arrays": map_record(b"m", 1, b"int64", 5),
        "map with too many rows": map_record(b"m", (1 << 63) - 1, b"int64") * 3,
        "map of minus one row": map_record(b"m", -1, b"int64"),
        "checksum alone": b"crc_num" + bytes(10),
        "checksum of 80 bits": whole + b"crc_num" + b"\xff" * 10,
        "head of an encrypted file": struct.pack("<I", 0x7F3A5ED8) + bytes(60),
        "encrypted and cut": struct.pack("<I", 0x7F3A5ED9) + struct.pack("<iii", 1 << 30, 16, 0),
    }


# ---- .safetensors ------------------------------------------------------------------------------------------


def tensors_file(header, data: bytes = b"", length: int | None = None) -> bytes:
    """A file with a header of any kind."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def safetensors() -> dict[str, bytes]:
    """Safetensors files."""
    one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    other = {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}
    whole = tensors_file({"x": one}, bytes(8))
    described = json.dumps(one).encode()
    described_x = b'{"x":' + described + b"}"
    return {
        **{f"cut at {part} of 8": whole[: len(whole) * part // 8] for part in range(8)},
        "header of 2^63 bytes": tensors_file(b"{}", length=1 << 63),
        "header past the end": tensors_file(b"{}", length=50),
        "header that wraps": tensors_file(b"{}", length=(1 << 64) - 4),
        "no object": tensors_file([1, 2]),
        "deep": tensors_file(b'{"x":' * 3000),
        "deep list": tensors_file(b"[" * 3000),
        "open text": tensors_file(b'{"x'),
        "bad escape": tensors_file(b'{"\\u12'),
        "two keys": tensors_file(b'{"x":' + described + b',"x":' + described + b"}", bytes(8)),
        "overlap": tensors_file({"x": one, "y": other}, bytes(12)),
        "the same place": tensors_file({"x": one, "y": one}, bytes(8)),
        "gap": tensors_file({"x": other}, bytes(12)),
        "rest": tensors_file({"x": one}, bytes(9)),
        "backwards": tensors_file({"x": {**one, "data_offsets": [8, 0]}}, bytes(8)),
        "past the end": tensors_file({"x": {**one, "data_offsets": [0, 1 << 62]}}, bytes(8)),
        "negative place": tensors_file({"x": {**one, "data_offsets": [-8, 0]}}, bytes(8)),
        "place that is no number": tensors_file({"x": {**one, "data_offsets": ["0", "8"]}}, bytes(8)),
        "place past 64 bits": tensors_file(described_x.replace(b"8]", b"1e300]"), bytes(8)),
        "wrapped product": tensors_file({"x": {**one, "shape": [1 << 62, 4]}}, bytes(8)),
        "negative axis": tensors_file({"x": {**one, "shape": [-2]}}, bytes(8)),
        "a thousand axes": tensors_file({"x": {**one, "shape": [1] * 1000}}, bytes(8)),
        "unknown type": tensors_file({"x": {**one, "dtype": "Q9"}}, bytes(8)),
        "no type": tensors_file({"x": {"shape": [2], "data_offsets": [0, 8]}}, bytes(8)),
        "array that is a number": tensors_file({"x": 3}, bytes(8)),
        "metadata that is no text": tensors_file({"__metadata__": {"a": {"b": 1}}}),
        "metadata that is a list": tensors_file({"__metadata__": ["a"]}),
        "name that is no text": tensors_file(b'{"\xff\xfe":' + described + b"}", bytes(8)),
    }


# ---- .npz --------------------------------------------------------------------------------------------------


def array_file(header: str, content: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """An .npy file with a header of any kind."""
    text = header.encode() + b"\n"
    size = struct.pack("<H" if version == b"\x01\x00" else "<I", len(text))
    return b"\x93NUMPY" + version + size + text + content


def arrays_file(entries: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of arrays."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return out.getvalue()


def npz() -> dict[str, bytes]:
    """Archives of arrays."""
    described = "{'descr': '%s', 'fortran_order': False, 'shape': %s}"

    def one(kind: str, shape: str, content: bytes = bytes(8)) -> bytes:
        return arrays_file({"x.npy": array_file(described % (kind, shape), content)})

    whole = one("<f4", "(2,)")
    return {
        **{f"cut at {part} of 8": whole[: len(whole) * part // 8] for part in range(8)},
        "objects": one("|O", "(1,)"),
        "texts": one("<U3", "(1,)", bytes(12)),
        "fields": one("<f4,O", "(1,)"),
        "shape of 8 TiB": one("<f8", "(1099511627776,)"),
        "shape past 64 bits": one("<f8", "(1208925819614629174706176,)"),
        "negative shape": one("<f8", "(-4,)"),
        "shape that is a call": one("<f8", "__import__('os').system('true')"),
        "shape that is a text": one("<f8", "'x'"),
        "short content": one("<f8", "(4,)"),
        "deep header": arrays_file({"x.npy": array_file("(" * 5000)}),
        "version 9": arrays_file({"x.npy": array_file("{}", version=b"\x09\x00")}),
        "no array": arrays_file({"x.npy": b"text"}),
        "damaged content": whole.replace(bytes(8), b"12345678"),
    }


# ---- MindIR and ONNX ---------------------------------------------------------------------------------------


def nested_graphs(count: int) -> dict:
    """Graphs that lie in each other."""
    graphs = []
    for i in range(count):
        used = f"g{i - 1}:y" if i else "top:x"
        inner = [mir.call(f"g{i}:y", "Add:1", used, used)]
        if i + 1 < count:
            inner.append(mir.call(f"g{i}:z", f"g{i + 1}"))
        graphs.append(mir.graph(f"g{i}", [], inner, inner[-1]["name"]))
    top = mir.graph("top", [mir.tensor_input("top:x", (2,))], [mir.call("top:out", "g0")], "top:out")
    return mir.model(top, graphs, [mir.primitive("Add")])


def begins_inside() -> dict:
    """A graph to begin with that needs the argument of one that it calls."""
    inner = mir.graph("inner", [], [mir.call("inner:y", "Add:1", "around:x", "around:x")], "inner:y")
    outer = [mir.call("around:y", "inner")]
    around = mir.graph("around", [mir.tensor_input("around:x", (2,))], outer, "around:y")
    top = mir.graph("top", [mir.tensor_input("top:x", (2,))], [mir.call("top:y", "inner")], "top:y")
    return mir.model(top, [inner, around], [mir.primitive("Add")])


def deep_value(levels: int) -> dict:
    """A tuple in a tuple in a tuple ..."""
    value = mir.integer(1)
    for _ in range(levels):
        value = {"name": "value", "type": 20, "values": [value]}
    return value


def mindir() -> dict[str, bytes]:
    """MindIR files."""

    def changed(change) -> bytes:
        message = mir.linear()
        change(message["graph"])
        return mir.encoded(message)

    def elsewhere(**place) -> bytes:
        def change(graph):
            parameter = graph["parameter"][0]
            parameter.pop("raw_data")
            parameter["external_data"] = {"location": "data", "offset": 0, "length": 48, **place}

        return changed(change)

    return {
        **bad_messages(mir.encoded(mir.linear())),
        "needs itself": changed(lambda g: g["node"][1].update(input=["top:w", "top:end:8"])),
        "defined twice": changed(lambda g: g["node"].append(g["node"][1])),
        "graph that calls itself first": changed(lambda g: g.update(name="Load:1")),
        "parameter past memory": changed(lambda g: g["parameter"][0].update(dims=[1 << 40, 1 << 40])),
        "parameter of negative shape": changed(lambda g: g["parameter"][0].update(dims=[-4, -3])),
        "parameter without data": changed(lambda g: g["parameter"][0].pop("raw_data")),
        "parameter of type 99": changed(lambda g: g["parameter"][0].update(data_type=99)),
        "no result": changed(lambda g: g.update(output=[])),
        "result that is nothing": changed(lambda g: g.update(output=[{"name": "none"}])),
        "node without a result": changed(lambda g: g["node"].append({"op_type": "REF::Load:1"})),
        "deep values": changed(lambda g: g["node"][2]["attribute"].append(deep_value(150))),
        "graphs in graphs": mir.encoded(nested_graphs(1500)),
        "begins inside a graph": mir.encoded(begins_inside()),
        "data outside": elsewhere(location="../secret"),
        "data of the system": elsewhere(location="/etc/hostname"),
        "data in a folder": elsewhere(location="."),
        "data before the file": elsewhere(offset=-64),
        "data past the file": elsewhere(offset=1 << 62),
        "data that is not there": elsewhere(location="none"),
        "name with a zero byte": elsewhere(location="a\0b"),
    }


def doubled_functions(count: int) -> list[dict]:
    """Functions that call the next one twice."""
    found = []
    for i in range(count):
        inner = f"F{i + 1}" if i + 1 < count else "F0"
        nodes = [wire.node(inner, ["a"], ["b"], domain="own"), wire.node(inner, ["b"], ["c"], domain="own")]
        found.append({"name": f"F{i}", "domain": "own", "input": ["a"], "output": ["c"], "node": nodes})
    return found


def onnx() -> dict[str, bytes]:
    """ONNX files."""
    weight = {"dims": [3], "data_type": 1, "name": "w", "raw_data": bytes(12)}
    add = wire.node("Add", ["x", "w"], ["y"])

    def with_weight(nodes=(add,), **more) -> bytes:
        return wire.model(list(nodes), [wire.value("x", (3,))], [wire.value("y")], [{**weight, **more}])

    def elsewhere(**place) -> bytes:
        entries = [{"key": key, "value": value} for key, value in {"location": "data", **place}.items()]
        entry = {key: value for key, value in weight.items() if key != "raw_data"}
        stored = {**entry, "data_location": 1, "external_data": entries}
        return wire.model([add], [wire.value("x", (3,))], [wire.value("y")], [stored])

    inner = {"node": [wire.node("Exp", ["x"], ["d"])], "output": [wire.value("d")]}
    for level in range(60):
        branch = wire.node("If", ["x"], [f"b{level}"], then_branch=inner, else_branch={"output": []})
        inner = {"node": [branch], "output": [wire.value(f"b{level}")]}
    call = wire.node("F0", ["x"], ["y"], domain="own")
    functions = doubled_functions(40)
    return {
        **bad_messages(with_weight()),
        "functions that double": wire.model(
            [call], [wire.value("x", (3,))], [wire.value("y")], [], functions=functions
        ),
        "deep branches": wire.model(inner["node"], [wire.value("x", (3,))], [wire.value("b59")], [weight]),
        "shape past memory": with_weight(dims=[1 << 62, 1 << 62]),
        "negative shape": with_weight(dims=[-3]),
        "a thousand axes": with_weight(dims=[1] * 1000),
        "unknown type": with_weight(data_type=99),
        "short content": with_weight(dims=[1 << 28]),
        "cycle": with_weight([wire.node("Add", ["x", "b"], ["y"]), wire.node("Add", ["x", "y"], ["b"])]),
        "two of one name": with_weight([add, wire.node("Exp", ["x"], ["y"])]),
        "value from nowhere": with_weight([wire.node("Add", ["x", "z"], ["y"])]),
        "no operators": wire.encode({"ir_version": 8, "graph": {"name": "g"}}),
        "version 999": wire.model([add], [wire.value("x", (3,))], [wire.value("y")], [weight], opset=999),
        "data outside": elsewhere(location="../secret"),
        "data of the system": elsewhere(location="/etc/hostname"),
        "data before the file": elsewhere(offset="-4"),
        "data past the file": elsewhere(offset=str(1 << 62)),
        "place of many digits": elsewhere(offset="9" * 10000),
        "place that is none": elsewhere(offset="many"),
    }


FILES = {"ckpt": ckpt, "safetensors": safetensors, "torch": torch, "npz": npz, "mindir": mindir, "onnx": onnx}


# ---- readers -----------------------------------------------------------------------------------------------


def reader(kind: str):
    """What reads a file of this kind."""
    import mindspore as ms
    from mindspore.train._onnx.importer import load_onnx

    return {"mindir": ms.load, "onnx": load_onnx}.get(kind, ms.load_checkpoint)


def peak_mib(restart: bool = False) -> float:
    """The most memory this process had since the last restart."""
    if restart:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def read_all(kind: str) -> None:
    """Prints what became of each file; a name alone first, so that a crash tells where it was."""
    read = reader(kind)
    ending = {"torch": "pth"}.get(kind, kind)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "inner", f"net.{ending}")
        path.parent.mkdir()
        for name, content in FILES[kind]().items():
            print(json.dumps({"begun": name}), flush=True)
            path.write_bytes(content)
            before, start = peak_mib(restart=True), time.perf_counter()
            outcome, is_refused = "accepted", False
            try:
                read(str(path))
            except BaseException as failure:
                outcome = f"{type(failure).__name__}: {failure}"[:300]
                is_refused = isinstance(failure, ERRORS) and not isinstance(failure, UnicodeError)
            told = {"case": name, "outcome": outcome, "refused": is_refused, "bytes": len(content)}
            told |= {"seconds": time.perf_counter() - start, "mib": peak_mib() - before}
            print(json.dumps(told), flush=True)


def write_seeds(folder: str) -> None:
    """Writes the files as inputs of the fuzzer, whose first byte chooses the reader."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for kind, number in FUZZED.items():
        for i, content in enumerate(FILES[kind]().values()):
            if len(content) <= 1 << 16:
                pathlib.Path(folder, f"{kind}_{i:03}").write_bytes(bytes([number]) + content)


if __name__ == "__main__":
    {"read": read_all, "seeds": write_seeds}[sys.argv[1]](sys.argv[2])

# SPDX-License-Identifier: Apache-2.0
"""ONNX messages as dicts, read and written by hand from the table of fields in the ONNX specification."""

from __future__ import annotations

import struct

# field -> (name, kind); a kind in capitals is a message, a list stands for a repeated field
FIELDS = {
    "MODEL": {
        1: ("ir_version", "int"),
        2: ("producer_name", "text"),
        3: ("producer_version", "text"),
        7: ("graph", "GRAPH"),
        8: ("opset_import", ["OPSET"]),
        25: ("functions", ["FUNCTION"]),
    },
    "OPSET": {1: ("domain", "text"), 2: ("version", "int")},
    "GRAPH": {
        1: ("node", ["NODE"]),
        2: ("name", "text"),
        5: ("initializer", ["TENSOR"]),
        11: ("input", ["VALUE"]),
        12: ("output", ["VALUE"]),
    },
    "NODE": {
        1: ("input", ["text"]),
        2: ("output", ["text"]),
        3: ("name", "text"),
        4: ("op_type", "text"),
        5: ("attribute", ["ATTRIBUTE"]),
        7: ("domain", "text"),
    },
    "ATTRIBUTE": {
        1: ("name", "text"),
        2: ("f", "float"),
        3: ("i", "int"),
        4: ("s", "bytes"),
        5: ("t", "TENSOR"),
        6: ("g", "GRAPH"),
        7: ("floats", ["float"]),
        8: ("ints", ["int"]),
        9: ("strings", ["bytes"]),
        20: ("type", "int"),
        21: ("ref_attr_name", "text"),
    },
    "TENSOR": {
        1: ("dims", ["int"]),
        2: ("data_type", "int"),
        4: ("float_data", ["float"]),
        5: ("int32_data", ["int"]),
        7: ("int64_data", ["int"]),
        8: ("name", "text"),
        9: ("raw_data", "bytes"),
        10: ("double_data", ["double"]),
        11: ("uint64_data", ["int"]),
        13: ("external_data", ["ENTRY"]),
        14: ("data_location", "int"),
    },
    "ENTRY": {1: ("key", "text"), 2: ("value", "text")},
    "VALUE": {1: ("name", "text"), 2: ("type", "TYPE")},
    "TYPE": {1: ("tensor_type", "TENSOR_TYPE")},
    "TENSOR_TYPE": {1: ("elem_type", "int"), 2: ("shape", "SHAPE")},
    "SHAPE": {1: ("dim", ["DIM"])},
    "DIM": {1: ("dim_value", "int"), 2: ("dim_param", "text")},
    "FUNCTION": {
        1: ("name", "text"),
        4: ("input", ["text"]),
        5: ("output", ["text"]),
        6: ("attribute", ["text"]),
        7: ("node", ["NODE"]),
        10: ("domain", "text"),
    },
}
_WIRE = {"int": 0, "double": 1, "float": 5}


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def encode(message: dict, kind: str = "MODEL") -> bytes:
    """The bytes of a message."""
    numbers = {name: (number, form) for number, (name, form) in FIELDS[kind].items()}
    out = b""
    for name, value in message.items():
        number, form = numbers[name]
        for item in value if isinstance(form, list) else [value]:
            one = form[0] if isinstance(form, list) else form
            out += _varint(number << 3 | _WIRE.get(one, 2)) + _payload(item, one)
    return out


def _payload(value, form: str) -> bytes:
    if form == "int":
        return _varint(value)
    if form in ("float", "double"):
        return struct.pack("<f" if form == "float" else "<d", value)
    content = value if form == "bytes" else value.encode() if form == "text" else encode(value, form)
    return _varint(len(content)) + content


def decode(content: bytes, kind: str = "MODEL") -> dict:
    """The message of some bytes; a field or wire type that the table does not know is an error."""
    message: dict = {}
    at = 0
    while at < len(content):
        tag, at = _read_varint(content, at)
        name, form = FIELDS[kind][tag >> 3]
        one = form[0] if isinstance(form, list) else form
        assert tag & 7 == _WIRE.get(one, 2), (kind, name, tag & 7)
        value, at = _read(content, at, one)
        if isinstance(form, list):
            message.setdefault(name, []).append(value)
        else:
            assert name not in message, (kind, name)
            message[name] = value
    return message


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value - (1 << 64) if value >> 63 else value, at


def _read(content: bytes, at: int, form: str):
    if form == "int":
        return _read_varint(content, at)
    if form in ("float", "double"):
        size = 4 if form == "float" else 8
        return struct.unpack("<f" if size == 4 else "<d", content[at : at + size])[0], at + size
    length, at = _read_varint(content, at)
    part = content[at : at + length]
    assert len(part) == length
    return (part if form == "bytes" else part.decode() if form == "text" else decode(part, form)), at + length


# ---- short forms for tests ----------------------------------------------------------------------------


def value(name: str, shape=None, kind: int = 1) -> dict:
    """An input or output; lengths that are texts may be any."""
    described: dict = {"elem_type": kind}
    if shape is not None:
        dims = [{"dim_param": size} if isinstance(size, str) else {"dim_value": size} for size in shape]
        described["shape"] = {"dim": dims}
    return {"name": name, "type": {"tensor_type": described}}


def node(kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes) -> dict:
    """A node; attributes by the type of their value."""
    made = {"input": inputs, "output": outputs, "name": f"{kind} {outputs[0]}", "op_type": kind}
    made["attribute"] = [_attribute(name, item) for name, item in attributes.items()]
    return {**made, "domain": domain} if domain else made


def _attribute(name: str, item) -> dict:
    if isinstance(item, dict):
        field, number = ("g", 5) if "node" in item or "output" in item else ("t", 4)
    elif isinstance(item, list):
        field, number = ("ints", 7) if all(isinstance(part, int) for part in item) else ("floats", 6)
    else:
        field, number = {float: ("f", 1), int: ("i", 2), bytes: ("s", 3)}[type(item)]
    return {"name": name, field: item, "type": number}


def model(
    nodes: list, inputs: list, outputs: list, initializers: tuple = (), opset: int = 17, **more
) -> bytes:
    """A whole file."""
    graph = {
        "node": nodes,
        "name": "made by hand",
        "initializer": list(initializers),
        "input": inputs,
        "output": outputs,
    }
    imports = [{"domain": "", "version": opset}]
    return encode({"ir_version": 8, "graph": graph, "opset_import": imports, **more})

# SPDX-License-Identifier: Apache-2.0
"""Small MindIR messages for tests."""

from __future__ import annotations

import numpy as np

from mindspore import _c_expression as _c

FLOAT32, INT32 = 1, 6
_TYPES = {np.dtype(np.float32): FLOAT32, np.dtype(np.int32): INT32}
UMONAD = {"name": "value", "type": 23}


def integer(value: int) -> dict:
    return {"name": "value", "type": 7, "i": value}


def truth(value: bool) -> dict:
    return {"name": "value", "type": 9, "i": int(value)}


def array(value) -> dict:
    return {"name": "value", "type": 19, "tensors": [{**stored(value), "name": "value0"}]}


def stored(value) -> dict:
    value = np.asarray(value)
    return {"dims": list(value.shape), "data_type": _TYPES[value.dtype], "raw_data": value.tobytes()}


def tensor_input(name: str, dims, data_type: int = FLOAT32) -> dict:
    return {"name": name, "tensor": [{"dims": list(dims), "data_type": data_type}]}


def monad_input(name: str) -> dict:
    return {"name": name, "denotation": "UMonadType"}


def constant(name: str, attribute: dict) -> dict:
    return {"output": [name], "name": name, "op_type": "Constant", "attribute": [attribute]}


def call(name: str, callee: str, *inputs: str) -> dict:
    return {"input": list(inputs), "output": [name], "name": name, "op_type": f"REF::{callee}"}


def primitive(op_type: str, is_function: bool = True, attributes=()) -> dict:
    kind = 2 if is_function else 1
    return {"name": f"{op_type}:1", "op_type": op_type, "prim_type": kind, "attribute": list(attributes)}


def graph(name: str, inputs, nodes, output: str, parameters=()) -> dict:
    stored_parameters = [
        {**stored(value), "name": f"{name}:{key}", "ref_key": key} for key, value in parameters
    ]
    return {
        "name": name,
        "input": list(inputs),
        "node": list(nodes),
        "output": [{"name": output}],
        "parameter": stored_parameters,
    }


def model(top: dict, functions=(), primitives=(), **fields) -> dict:
    return {
        "ir_version": "0.1.1",
        "producer_name": "MindSpore",
        "model_version": "2.3.0",
        "graph": top,
        "functions": list(functions),
        "little_endian": True,
        "primitives": list(primitives),
        "mind_ir_version": 2,
        **fields,
    }


def encoded(message: dict) -> bytes:
    return _c.encode_message("mindir", message)


def written(path, message: dict) -> str:
    path.write_bytes(encoded(message))
    return str(path)


WEIGHT = np.arange(12, dtype=np.float32).reshape(4, 3) / 8 - 0.5
BIAS = np.array([0.5, -1.0, 2.0], np.float32)


def linear() -> dict:
    """relu(x @ w + b), as a network with two parameters is exported."""
    nodes = [
        constant("u", UMONAD),
        call("top:w:1", "Load:1", "top:w", "u"),
        constant("no", truth(False)),
        call("top:product:2", "MatMul:1", "top:x", "top:w:1", "no", "no"),
        call("top:b:3", "Load:1", "top:fc.b", "u"),
        constant("format", integer(0)),
        call("top:sum:4", "BiasAdd:1", "top:product:2", "top:b:3", "format"),
        call("top:out:5", "ReLU:1", "top:sum:4"),
        call("top:loads:6", "MakeTuple:1", "top:w:1", "top:b:3"),
        call("top:state:7", "UpdateState:1", "u", "top:loads:6"),
        call("top:end:8", "Depend:1", "top:out:5", "top:state:7"),
    ]
    top = graph("top", [tensor_input("top:x", (2, 4))], nodes, "top:end:8", [("w", WEIGHT), ("fc.b", BIAS)])
    functions = [primitive(name) for name in ("MatMul", "BiasAdd", "ReLU")]
    plain = [primitive(name, False) for name in ("Load", "MakeTuple", "UpdateState", "Depend")]
    return model(top, primitives=[*functions, *plain])


def loop() -> dict:
    """while i < n: x = x + 1; i = i + 1 — and x, by graphs that call each other."""
    header = graph(
        "header",
        [tensor_input("header:x", (2,)), tensor_input("header:i", (), INT32)],
        [
            call("header:less", "Less:1", "header:i", "top:n"),
            call("header:body", "Partial:1", "body", "header:x", "header:i"),
            call("header:after", "Partial:1", "after", "header:x"),
            call("header:choice", "Switch:1", "header:less", "header:body", "header:after"),
            call("header:out", "header:choice"),
        ],
        "header:out",
    )
    body = graph(
        "body",
        [tensor_input("body:x", (2,)), tensor_input("body:i", (), INT32)],
        [
            constant("one", array(np.float32(1))),
            call("body:x1", "Add:1", "body:x", "one"),
            constant("step", array(np.int32(1))),
            call("body:i1", "Add:1", "body:i", "step"),
            call("body:again", "header", "body:x1", "body:i1"),
            constant("u", UMONAD),
            call("body:state", "UpdateState:1", "u", "body:again"),
            call("body:out", "Depend:1", "body:again", "body:state"),
        ],
        "body:out",
    )
    after = graph("after", [tensor_input("after:x", (2,))], [], "after:x")
    top = graph(
        "top",
        [tensor_input("top:x", (2,)), tensor_input("top:n", (), INT32)],
        [constant("zero", array(np.int32(0))), call("top:out", "header", "top:x", "zero")],
        "top:out",
    )
    functions = [primitive(name) for name in ("Add", "Less")]
    plain = [primitive(name, False) for name in ("Partial", "Switch", "UpdateState", "Depend")]
    return model(top, [header, body, after], [*functions, *plain])


def branches() -> dict:
    """x * 2 if sum(x) > 0 else x - 1; the branches take x from the graph around them."""
    positive = graph("yes", [], [call("yes:out", "Mul:1", "top:x", "top:two")], "yes:out")
    negative = graph("no", [], [call("no:out", "Sub:1", "top:x", "one")], "no:out")
    nodes = [
        call("top:out", "top:choice"),
        call("top:choice", "Switch:1", "top:test", "yes", "no"),
        call("top:two", "Add:1", "one", "one"),
        constant("one", array(np.float32(1))),
        constant("zero", array(np.float32(0))),
        constant("axis", {"name": "value", "type": 20}),
        constant("false", truth(False)),
        call("top:sum", "ReduceSum:1", "top:x", "axis", "false", "false"),
        call("top:test", "Greater:1", "top:sum", "zero"),
    ]
    top = graph("top", [tensor_input("top:x", (3,))], nodes, "top:out")
    functions = [primitive(name) for name in ("Mul", "Sub", "Add", "ReduceSum", "Greater")]
    return model(top, [positive, negative], [*functions, primitive("Switch", False)])

# SPDX-License-Identifier: Apache-2.0
"""Loops of networks that come from MindIR files, written again: as ONNX and as MindIR."""

from __future__ import annotations

import mindir_messages as mir
import numpy as np
import onnx_wire
import pytest
from looping_networks import CASES, inputs_of
from mindir_messages import call
from test_exported_loops import check, onnx_kinds

import mindspore as ms
from mindspore import Tensor, nn
from mindspore.train._onnx.importer import load_onnx


@pytest.fixture(autouse=True)
def _mode_as_before():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("name", CASES)
def test_loops_of_mindir_files_in_onnx(tmp_path, name):
    net, folder = CASES[name][0](), str(tmp_path)
    ms.export(net, *inputs_of(name)[0], file_name=f"{folder}/net", file_format="MINDIR")
    ms.convert_model(f"{folder}/net.mindir", f"{folder}/net.onnx", "ONNX")
    message = onnx_wire.decode((tmp_path / "net.onnx").read_bytes())
    assert "Loop" in onnx_kinds(message["graph"])
    check(lambda: load_onnx(tmp_path / "net.onnx"), net, name)


@pytest.mark.parametrize("name", ["growing", "nested", "leaving both", "in a branch", "refining"])
def test_loops_of_mindir_files_in_mindir(tmp_path, name):
    net, folder = CASES[name][0](), str(tmp_path)
    inputs = inputs_of(name)[0]
    ms.export(net, *inputs, file_name=f"{folder}/net", file_format="MINDIR")
    read = nn.GraphCell(ms.load(f"{folder}/net.mindir"))
    ms.export(read, *inputs, file_name=f"{folder}/again", file_format="MINDIR")
    check(lambda: nn.GraphCell(ms.load(f"{folder}/again.mindir")), net, name)


# ---- graphs of other writers ------------------------------------------------------------------------------


def read_as_onnx(folder, message: dict):
    """The network of a MindIR message, converted; and its ONNX message."""
    mir.written(folder / "net.mindir", message)
    ms.convert_model(str(folder / "net.mindir"), str(folder / "net.onnx"), "ONNX")
    return load_onnx(folder / "net.onnx"), onnx_wire.decode((folder / "net.onnx").read_bytes())


def counted(net, n: int) -> list[float]:
    return net(Tensor([1.0, -1.0]), Tensor(n, ms.int32)).asnumpy().tolist()


def turn_on_no() -> dict:
    """The loop is left when the answer is yes."""
    message = mir.loop()
    nodes = {node["output"][0]: node for node in message["functions"][0]["node"]}
    nodes["header:less"]["op_type"] = "REF::GreaterEqual:1"
    nodes["header:choice"]["input"] = ["header:less", "header:after", "header:body"]
    message["primitives"].append(mir.primitive("GreaterEqual"))
    return message


def head_without_a_choice() -> dict:
    """A turn ends with the call of a graph that only calls another one."""
    message = mir.loop()
    inputs = [mir.tensor_input("entry:x", (2,)), mir.tensor_input("entry:i", (), mir.INT32)]
    entry = mir.graph("entry", inputs, [call("entry:out", "header", "entry:x", "entry:i")], "entry:out")
    for graph in (message["graph"], *message["functions"]):
        for node in graph["node"]:
            if node["op_type"] == "REF::header":
                node["op_type"] = "REF::entry"
    message["functions"].append(entry)
    return message


@pytest.mark.parametrize("make", [mir.loop, turn_on_no, head_without_a_choice])
def test_forms_of_loops(tmp_path, make):
    net, message = read_as_onnx(tmp_path, make())
    assert "Loop" in onnx_kinds(message["graph"])
    for n in (0, 1, 7):
        assert counted(net, n) == [1 + n, n - 1]


def test_a_turn_that_leaves_the_loop(tmp_path):
    """if i > 3: return x * x, in the middle of a turn."""
    message = mir.loop()
    body = message["functions"][1]
    going_on = mir.graph("going", [], [call("going:out", "header", "body:x1", "body:i1")], "going:out")
    leaving = mir.graph("leaving", [], [call("leaving:out", "Mul:1", "body:x1", "body:x1")], "leaving:out")
    body["node"] = [
        *body["node"][:4],
        mir.constant("three", mir.array(np.int32(3))),
        call("body:late", "Less:1", "three", "body:i"),
        call("body:choice", "Switch:1", "body:late", "leaving", "going"),
        call("body:out", "body:choice"),
    ]
    message["functions"] += [going_on, leaving]
    message["primitives"].append(mir.primitive("Mul"))
    net, converted = read_as_onnx(tmp_path, message)
    assert "Loop" in onnx_kinds(converted["graph"])
    assert [counted(net, n)[0] for n in (0, 3, 4, 5, 6)] == [1, 4, 5, 36, 36]


def test_what_turns_do_not_change_is_no_variable(tmp_path):
    """Graphs that pass everything on as arguments, as ours do: weights stand outside of the loop."""
    net = CASES["refining"][0]()
    ms.export(net, *inputs_of("refining")[0], file_name=str(tmp_path / "refining"), file_format="MINDIR")
    ms.convert_model(str(tmp_path / "refining.mindir"), str(tmp_path / "net.onnx"), "ONNX")
    ms.export(net, *inputs_of("refining")[0], file_name=str(tmp_path / "own"), file_format="ONNX")
    sizes = []
    for name in ("net", "own"):
        graph = onnx_wire.decode((tmp_path / f"{name}.onnx").read_bytes())["graph"]
        sizes.append([len(node["input"]) for node in graph["node"] if node["op_type"] == "Loop"])
    assert sizes[0] == sizes[1]


def test_recursion_is_no_loop(tmp_path):
    """f(i) = x if i < 1 else f(i - 1) + x."""
    head = mir.graph(
        "f",
        [mir.tensor_input("f:i", (), mir.INT32)],
        [
            mir.constant("one", mir.array(np.int32(1))),
            call("f:less", "Less:1", "f:i", "one"),
            call("f:choice", "Switch:1", "f:less", "stop", "more"),
            call("f:out", "f:choice"),
        ],
        "f:out",
    )
    more = [
        call("more:i", "Sub:1", "f:i", "one"),
        call("more:f", "f", "more:i"),
        call("more:out", "Add:1", "more:f", "top:x"),
    ]
    functions = [head, mir.graph("stop", [], [], "top:x"), mir.graph("more", [], more, "more:out")]
    inputs = [mir.tensor_input("top:x", (2,)), mir.tensor_input("top:n", (), mir.INT32)]
    top = mir.graph("top", inputs, [call("top:out", "f", "top:n")], "top:out")
    primitives = [mir.primitive(name) for name in ("Add", "Sub", "Less")]
    message = mir.model(top, functions, [*primitives, mir.primitive("Switch", False)])
    with pytest.raises(RuntimeError, match="'f' of the MindIR file calls itself before it ends"):
        read_as_onnx(tmp_path, message)
    assert not (tmp_path / "net.onnx").exists()


def test_a_choice_of_layers(tmp_path):
    layers = ("Tanh", "Abs", "Neg")
    functions = [
        mir.graph(
            name,
            [mir.tensor_input(f"{name}:x", (2,))],
            [call(f"{name}:y", f"{name}:1", f"{name}:x")],
            f"{name}:y",
        )
        for name in layers
    ]
    nodes = [
        call("top:all", "MakeTuple:1", *layers),
        call("top:one", "switch_layer:1", "top:n", "top:all"),
        call("top:out", "top:one", "top:x"),
    ]
    inputs = [mir.tensor_input("top:x", (2,)), mir.tensor_input("top:n", (), mir.INT32)]
    primitives = [mir.primitive(name, False) for name in ("MakeTuple", "switch_layer", *layers)]
    net, _ = read_as_onnx(
        tmp_path, mir.model(mir.graph("top", inputs, nodes, "top:out"), functions, primitives)
    )
    expected = [np.tanh([1, -1]).tolist(), [1, 1], [-1, 1]]
    for n in (0, 1, 2, -1, -3):
        np.testing.assert_allclose(counted(net, n), expected[n], rtol=1e-6)

# SPDX-License-Identifier: Apache-2.0
"""Files of networks with loops whose number of turns depends on values."""

from __future__ import annotations

import threading

import looping_networks
import numpy as np
import pytest
import test_mindir_export
import test_onnx_export
from looping_networks import CASES, arrays, floats, inputs_of, whole

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.train._onnx.importer import load_onnx


def check(load, net, name: str) -> None:
    """What was read gives the same as the network, in both modes."""
    outputs = [arrays(net(*inputs)) for inputs in inputs_of(name)]
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        read = load()
        for inputs, wanted in zip(inputs_of(name), outputs, strict=True):
            for got, expected in zip(arrays(read(*inputs)), wanted, strict=True):
                assert got.shape == expected.shape
                np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture(autouse=True)
def _mode_as_before():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def onnx_kinds(graph: dict) -> set[str]:
    """Kinds of nodes, also inside others."""
    found = {node["op_type"] for node in graph["node"]}
    inner = [entry["g"] for node in graph["node"] for entry in node.get("attribute", []) if "g" in entry]
    return found.union(*map(onnx_kinds, inner))


@pytest.mark.parametrize("name", CASES)
def test_loops_in_mindir(tmp_path, name):
    net = CASES[name][0]()
    model = test_mindir_export.exported(tmp_path, net, *inputs_of(name)[0])
    assert {entry["op_type"] for entry in model["primitives"]} >= {"Switch", "Partial"}
    check(lambda: nn.GraphCell(ms.load(str(tmp_path / "net.mindir"))), net, name)


@pytest.mark.parametrize("name", CASES)
def test_loops_in_onnx(tmp_path, name):
    net = CASES[name][0]()
    message = test_onnx_export.exported(tmp_path, net, *inputs_of(name)[0])
    assert "Loop" in onnx_kinds(message["graph"])
    check(lambda: load_onnx(tmp_path / "net.onnx"), net, name)


@pytest.mark.parametrize("name", ["choosing", "refining"])
def test_loops_are_written_in_graph_mode(tmp_path, name):
    net = CASES[name][0]()
    ms.set_context(mode=ms.GRAPH_MODE)
    test_onnx_export.exported(tmp_path, net, *inputs_of(name)[0])
    check(lambda: load_onnx(tmp_path / "net.onnx"), net, name)


def test_what_stands_in_a_loop(tmp_path):
    graph = test_onnx_export.exported(tmp_path, looping_networks.growing, floats(1, 2))["graph"]
    assert [node["op_type"] for node in graph["node"]] == ["ReduceSum", "Less", "Loop"]
    loop = graph["node"][-1]
    assert loop["input"][0] == ""
    (body,) = (entry["g"] for entry in loop["attribute"])
    assert [node["op_type"] for node in body["node"]] == ["Mul", "Add", "ReduceSum", "Less"]
    assert [len(body[part]) for part in ("input", "output")] == [3, 2]
    model = test_mindir_export.exported(tmp_path, looping_networks.growing, floats(1, 2))
    assert len(model["functions"]) == 3
    ends = ["_end", "_loop", "_turn"]
    assert sorted("_" + one["name"].rpartition("_")[2] for one in model["functions"]) == ends


def test_weights_stand_in_a_file_once(tmp_path):
    net = looping_networks.Refining()
    graph = test_onnx_export.exported(tmp_path, net, floats([1, 2, 3]))["graph"]
    names = [entry["name"] for entry in graph["initializer"]]
    assert sorted(name for name in names if "constant" not in name) == ["dense.bias", "dense.weight", "limit"]
    model = test_mindir_export.exported(tmp_path, net, floats([1, 2, 3]))
    keys = sorted(entry["ref_key"] for entry in model["graph"]["parameter"])
    assert keys == ["dense.bias", "dense.weight", "limit"]


def test_a_loop_before_a_branch_runs_once(tmp_path):
    graph = test_onnx_export.exported(tmp_path, looping_networks.branch_behind, floats(1, 2))["graph"]
    assert [node["op_type"] for node in graph["node"]].count("Loop") == 1
    branches = [entry["g"] for entry in graph["node"][-1]["attribute"]]
    assert not any("Loop" in onnx_kinds(branch) for branch in branches)


def test_loops_over_numbers_are_written_if_they_decide(tmp_path):
    def three_times(x):
        i = 0
        while i < 3:
            x = x * 2 if x.sum() > 0 else x + 1
            i += 1
        return x

    graph = test_onnx_export.exported(tmp_path, three_times, floats(1, 2))["graph"]
    assert {"Loop", "If"} <= onnx_kinds(graph)
    read = load_onnx(tmp_path / "net.onnx")
    for x in (floats(1, 2), floats(-3, 2)):
        np.testing.assert_allclose(read(x).asnumpy(), three_times(x).asnumpy(), rtol=1e-6)


def test_loops_that_need_numbers_stay_rows_of_turns(tmp_path):
    layers = nn.CellList([nn.Dense(3, 3), nn.Dense(3, 3)])

    class Layered(nn.Cell):
        """Takes layers by number."""

        def __init__(self):
            super().__init__()
            self.layers = layers

        def construct(self, x):
            """As long as it is small."""
            for i in range(2):
                x = self.layers[i](x)
                if x.sum() > 1:
                    break
            return x

    net = Layered()
    graph = test_onnx_export.exported(tmp_path, net, floats([1, 2, 3]))["graph"]
    assert "Loop" not in onnx_kinds(graph)
    read = load_onnx(tmp_path / "net.onnx")
    for x in (floats([1, 2, 3]), floats([-1, -2, -3])):
        np.testing.assert_allclose(read(x).asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)


# ---- what cannot be written --------------------------------------------------------------------------------


def changing_shape(x):
    while x.sum() < 10:
        x = ops.concat((x, x))
    return x


def changing_type(x):
    while x.sum() < 10:
        x = (x + 1).astype(ms.float16)
    return x


def changing_kind(x):
    last = None
    while x.sum() < 10:
        x = x + 1
        last = x
    return last


def collecting(x):
    found = []
    while x.sum() < 10:
        x = x + 1
        found.append(x)
    return found[-1]


def looking_back(x):
    found = [x]
    i = 0
    while i < x.max():
        found.append(found[-1] * 2)
        i += 1
    return x * i


def writing_elsewhere(x):
    rows = x * 2

    def write():
        rows[0] = rows[0] + 1

    while x.sum() < 10:
        write()
        x = x + rows
    return x


def writing_into_a_constant(x):
    rows = ops.zeros((3,), ms.float32)

    def write():
        rows[0] = rows[0] + 1

    while x.sum() < 10:
        write()
        x = x + rows
    return x


class Scratch(nn.Cell):
    """Writes into a tensor of its own in its loop."""

    def __init__(self):
        super().__init__()
        self.rows = Tensor(np.zeros(3, np.float32))

    def construct(self, x):
        """Grows."""
        while x.sum() < 10:
            self.rows[0] = self.rows[0] + 1
            x = x + self.rows
        return x


def reading_values(x):
    while x.sum() < 10:
        x = x * float(x.max()) + 1
    return x


def by_number(x):
    layers = [ops.relu, ops.exp]
    i = 0
    while x.sum() < 10:
        x = layers[i % 2](x) + 1
        i += 1
    return x


class Keeping(nn.Cell):
    """Assigns an attribute in its loop."""

    def __init__(self):
        super().__init__()
        self.last = None

    def construct(self, x):
        """Grows."""
        while x.sum() < 10:
            x = x + 1
            self.last = x
        return x


class Writing(nn.Cell):
    """Writes to a parameter in its loop."""

    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0.0), name="count")

    def construct(self, x):
        """Grows."""
        while x.sum() < 10:
            x = x + 1
            ops.assign_add(self.count, Tensor(1.0))
        return x


HERE = r"test_exported_loops\.py:\d+"


@pytest.mark.parametrize(
    ("net", "text"),
    [
        (
            changing_shape,
            rf"in the loop at .*{HERE}, the variable 'x' is .*\(3,\) before a turn and .*\(6,\)",
        ),
        (changing_type, rf"the loop at .*{HERE}, the variable 'x' is .*Float32.* and .*Float16"),
        (changing_kind, rf"the loop at .*{HERE}, the variable 'last' is something else after a turn"),
        (collecting, rf"the loop at .*{HERE} changes 'found'"),
        (looking_back, rf"the loop at .*{HERE} changes 'found'"),
        (writing_elsewhere, rf"the loop at .*{HERE} writes into a tensor from outside"),
        (writing_into_a_constant, rf"the loop at .*{HERE} writes into a tensor from outside"),
        (Scratch(), rf"writes to parameters .*{HERE}|'rows'"),
        (reading_values, "depends on values it computes"),
        (by_number, "cannot be exported: .*"),
        (Keeping(), rf"the loop at .*{HERE} assigns self.last"),
        (Writing(), rf"writes to parameters .*{HERE}"),
    ],
)
@pytest.mark.parametrize("kind", [test_mindir_export, test_onnx_export], ids=["mindir", "onnx"])
def test_loops_that_cannot_be_written(tmp_path, net, text, kind):
    with pytest.raises(RuntimeError, match=text):
        kind.exported(tmp_path, net, floats(1, 2, -3))
    assert not list(tmp_path.iterdir())


def test_the_network_is_as_it_was(tmp_path):
    net = looping_networks.Deep()
    test_onnx_export.exported(tmp_path, net, floats([1, 2, 3]))
    assert all("construct" not in cell.__dict__ for _, cell in net.cells_and_names())


def test_other_threads_see_values(tmp_path):
    stop, wrong = threading.Event(), []

    def look():
        no, yes = Tensor([0]), Tensor([2.0])
        while not stop.is_set():
            wrong.extend([1] * (bool(no) or not bool(yes)))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(3):
            test_onnx_export.exported(tmp_path, looping_networks.choosing, floats(1, 2, 3))
    finally:
        stop.set()
        thread.join()
    assert not wrong
    assert bool(Tensor([0])) is False


def test_source_that_is_not_known(tmp_path):
    names: dict = {}
    exec("def unknown(x):\n    while x.sum() < 10:\n        x = x + 1\n    return x", names)
    with pytest.raises(
        RuntimeError, match=r"more than 32 ways, the last time at .* cannot be exported. Choose"
    ):
        test_onnx_export.exported(tmp_path, names["unknown"], floats(1, 2))


def test_numbers_of_turns_are_not_limited(tmp_path, each_mode):
    def many(x, n):
        for _ in range(n):
            x = x + 1
        return x

    for kind, load in (
        (test_mindir_export, lambda: nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))),
        (test_onnx_export, lambda: load_onnx(tmp_path / "net.onnx")),
    ):
        kind.exported(tmp_path, many, floats(1, 2), whole(2))
        np.testing.assert_array_equal(load()(floats(1, 2), whole(1500)).asnumpy(), [1501, 1502])

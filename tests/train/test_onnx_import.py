# SPDX-License-Identifier: Apache-2.0
"""ONNX files as networks: how values are stored, control flow, versions of operators."""

from __future__ import annotations

import numpy as np
import pytest
from onnx_wire import model, node, value

import mindspore as ms
from mindspore import Tensor, nn
from mindspore.train._onnx.importer import load_onnx

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
KINDS = {np.float32: 1, np.int64: 7, np.int32: 6, np.bool_: 9}


def loaded(folder, content: bytes):
    path = folder / "model.onnx"
    path.write_bytes(content)
    return load_onnx(str(path))


def stored(name: str, array) -> dict:
    array = np.asarray(array)
    kind = KINDS[array.dtype.type]
    return {"dims": list(array.shape), "data_type": kind, "name": name, "raw_data": array.tobytes()}


def run(net, *inputs):
    found = net(*(Tensor(item) for item in inputs))
    return [part.asnumpy() for part in (found if isinstance(found, tuple) else (found,))]


def one(folder, kind, *arrays, constants=(), opset=17, outputs=1, **attributes):
    """The results of one node; arrays are inputs of the network, constants follow them."""
    names = [f"x{i}" for i in range(len(arrays))]
    more = ["" if item is None else f"c{i}" for i, item in enumerate(constants)]
    results = [f"y{i}" for i in range(outputs)]
    inputs = [
        value(name, array.shape, KINDS[array.dtype.type]) for name, array in zip(names, arrays, strict=True)
    ]
    kept = [stored(name, item) for name, item in zip(more, constants, strict=True) if name]
    content = model(
        [node(kind, [*names, *more], results, **attributes)], inputs, [value(r) for r in results], kept, opset
    )
    return run(loaded(folder, content), *arrays)


def ints(*numbers):
    return np.array(numbers, np.int64)


# ---- what stands in files ------------------------------------------------------------------------------

STORED = {
    "raw": {"dims": [3], "data_type": 1, "raw_data": np.array([1, 2, 3], np.float32).tobytes()},
    "float_data": {"dims": [3], "data_type": 1, "float_data": [1.0, 2.0, 3.0]},
    "double_data": {"dims": [3], "data_type": 11, "double_data": [1.0, 2.0, 3.0]},
    "int64_data": {"dims": [3], "data_type": 7, "int64_data": [1, 2, 3]},
    "int32_data": {"dims": [3], "data_type": 6, "int32_data": [1, 2, 3]},
    "int8 in int32_data": {"dims": [3], "data_type": 3, "int32_data": [1, 2, 3]},
    "uint64_data": {"dims": [3], "data_type": 13, "uint64_data": [1, 2, 3]},
    "half in int32_data": {
        "dims": [3],
        "data_type": 10,
        "int32_data": np.array([1, 2, 3], np.float16).view(np.uint16).tolist(),
    },
    "bfloat16 in int32_data": {"dims": [3], "data_type": 16, "int32_data": [0x3F80, 0x4000, 0x4040]},
    "bfloat16 raw": {
        "dims": [3],
        "data_type": 16,
        "raw_data": np.array([0x3F80, 0x4000, 0x4040], np.uint16).tobytes(),
    },
}


@pytest.mark.parametrize("form", STORED)
def test_forms_of_tensors(form, tmp_path):
    content = model(
        [node("Cast", ["w"], ["wide"], to=1), node("Add", ["x", "wide"], ["y"])],
        [value("x", (3,))],
        [value("y")],
        [{**STORED[form], "name": "w"}],
    )
    np.testing.assert_array_equal(run(loaded(tmp_path, content), X[0])[0], X[0] + [1, 2, 3])


def test_tensor_in_another_file(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "weights.bin").write_bytes(b"\0" * 64 + X[1].tobytes())
    entries = {"location": "parts/weights.bin", "offset": "64", "length": "12"}
    weight = {
        "dims": [3],
        "data_type": 1,
        "name": "w",
        "data_location": 1,
        "external_data": [{"key": key, "value": item} for key, item in entries.items()],
    }
    content = model([node("Mul", ["x", "w"], ["y"])], [value("x", (3,))], [value("y")], [weight])
    np.testing.assert_array_equal(run(loaded(tmp_path, content), X[0])[0], X[0] * X[1])


def test_parameters_are_trainable_and_keep_their_names(tmp_path, each_mode):
    content = model(
        [node("Gemm", ["x", "layer/w:0", "b"], ["y"], transB=1)],
        [value("x", ("rows", 3))],
        [value("y")],
        [stored("layer/w:0", X), stored("b", np.ones(2, np.float32)), stored("unused", ints(3))],
    )
    net = loaded(tmp_path, content)
    assert [parameter.name for parameter in net.trainable_params()] == ["layer/w:0", "b"]
    gradients = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor(X))
    np.testing.assert_allclose(gradients[1].asnumpy(), [2, 2])
    net.trainable_params()[1].set_data(Tensor(np.zeros(2, np.float32)))
    np.testing.assert_allclose(run(net, X)[0], X @ X.T, rtol=1e-5)


def test_inputs_by_position_and_name(tmp_path, each_mode):
    content = model([node("Sub", ["a", "b"], ["y"])], [value("a", (3,)), value("b", (3,))], [value("y")])
    net = loaded(tmp_path, content)
    assert net.input_names == ("a", "b")
    assert net.output_names == ("y",)
    first, second = Tensor(X[0]), Tensor(X[1])
    for found in (net(first, second), net(first, b=second), net(b=second, a=first)):
        np.testing.assert_array_equal(found.asnumpy(), X[0] - X[1])
    for wrong, kind, text in [
        (lambda: net(first), ValueError, "'b' of the network is missing"),
        (lambda: net(first, second, first), ValueError, "takes 2 inputs"),
        (lambda: net(first, second, c=first), ValueError, "no input 'c'"),
        (lambda: net(first, Tensor(X)), ValueError, r"'b' must have shape \(3,\)"),
        (lambda: net(first, Tensor([1, 2, 3], ms.int32)), TypeError, "'b' must have type Float32"),
    ]:
        with pytest.raises(kind, match=text):
            wrong()


def test_network_is_a_cell_of_others(tmp_path, each_mode):
    content = model(
        [node("MatMul", ["x", "w"], ["y"])], [value("x", (2, 3))], [value("y")], [stored("w", X.T.copy())]
    )
    net = nn.SequentialCell(loaded(tmp_path, content), nn.ReLU())
    np.testing.assert_allclose(run(net, X)[0], np.maximum(X @ X.T, 0), rtol=1e-5)


# ---- control flow ------------------------------------------------------------------------------------------


def graph(nodes, inputs, outputs) -> dict:
    return {"node": nodes, "name": "inner", "input": inputs, "output": outputs}


def test_branches(tmp_path, each_mode):
    content = model(
        [
            node("ReduceSum", ["x"], ["total"], keepdims=0),
            node("Greater", ["total", "zero"], ["up"]),
            node(
                "If",
                ["up"],
                ["y"],
                then_branch=graph([node("Add", ["x", "total"], ["t"])], [], [value("t")]),
                else_branch=graph([node("Neg", ["x"], ["e"])], [], [value("e")]),
            ),
        ],
        [value("x", (3,))],
        [value("y")],
        [stored("zero", np.array(0, np.float32))],
    )
    net = loaded(tmp_path, content)
    for row in (X[0], -X[0], X[0]):
        expected = row + row.sum() if row.sum() > 0 else -row
        np.testing.assert_allclose(run(net, row)[0], expected)


def loop(count) -> bytes:
    body = graph(
        [
            node("Add", ["state", "x"], ["next"]),
            node("ReduceSum", ["next"], ["total"], keepdims=0),
            node("Less", ["total", "limit"], ["more"]),
        ],
        [value("turn", (), 7), value("go", (), 9), value("state", (3,))],
        [value("more"), value("next"), value("total")],
    )
    return model(
        [node("Loop", [count, "", "x"], ["last", "totals"], body=body)],
        [value("x", (3,))],
        [value("last"), value("totals")],
        [stored("limit", np.array(20, np.float32)), stored("often", ints(3).reshape(()))],
    )


@pytest.mark.parametrize(("count", "turns"), [("often", 3), ("", 9)])
def test_loops(tmp_path, each_mode, count, turns):
    last, totals = run(loaded(tmp_path, loop(count)), X[0])
    np.testing.assert_allclose(last, X[0] * (turns + 1))
    np.testing.assert_allclose(totals, X[0].sum() * np.arange(2, turns + 2))


def test_scan(tmp_path, each_mode):
    body = graph(
        [node("Add", ["sum", "row"], ["next"]), node("Identity", ["next"], ["shown"])],
        [value("sum"), value("row")],
        [value("next"), value("shown")],
    )
    content = model(
        [node("Scan", ["start", "x"], ["last", "sums"], body=body, num_scan_inputs=1)],
        [value("start", (3,)), value("x", (2, 3))],
        [value("last"), value("sums")],
    )
    last, sums = run(loaded(tmp_path, content), np.zeros(3, np.float32), X)
    np.testing.assert_allclose(sums, np.cumsum(X, 0))
    np.testing.assert_allclose(last, X.sum(0))


def test_functions_of_the_file(tmp_path, each_mode):
    scaled = {
        "name": "Scaled",
        "domain": "own",
        "input": ["a"],
        "output": ["b"],
        "attribute": ["slope"],
        "node": [
            {
                "op_type": "LeakyRelu",
                "input": ["a"],
                "output": ["b"],
                "attribute": [{"name": "alpha", "ref_attr_name": "slope", "type": 1}],
            }
        ],
    }
    content = model(
        [node("Scaled", ["x"], ["y"], domain="own", slope=0.5)],
        [value("x", (2, 3))],
        [value("y")],
        functions=[scaled],
    )
    np.testing.assert_allclose(run(loaded(tmp_path, content), X)[0], np.where(X > 0, X, X / 2))


def test_shapes_computed_in_the_graph(tmp_path, each_mode):
    content = model(
        [
            node("Shape", ["x"], ["shape"]),
            node("Gather", ["shape", "zero"], ["rows"], axis=0),
            node("Mul", ["rows", "two"], ["double"]),
            node("Unsqueeze", ["double", "axis"], ["listed"]),
            node("Concat", ["listed", "rest"], ["wanted"], axis=0),
            node("Reshape", ["x", "wanted"], ["y"]),
        ],
        [value("x", ("rows", "columns"))],
        [value("y")],
        [
            stored("zero", ints(0).reshape(())),
            stored("two", ints(2).reshape(())),
            stored("axis", ints(0)),
            stored("rest", ints(-1)),
        ],
    )
    net = loaded(tmp_path, content)
    for rows in (2, 4):
        x = np.arange(rows * 6, dtype=np.float32).reshape(rows, 6)
        np.testing.assert_array_equal(run(net, x)[0], x.reshape(2 * rows, 3))


# ---- operators and versions ---------------------------------------------------------------------------


@pytest.mark.parametrize("opset", [13, 17, 18, 21])
def test_axes_as_attribute_and_as_input(tmp_path, opset):
    if opset < 18:
        found = one(tmp_path, "ReduceMax", X, opset=opset, axes=[1], keepdims=0)
    else:
        found = one(tmp_path, "ReduceMax", X, constants=[ints(1)], opset=opset, keepdims=0)
    np.testing.assert_array_equal(found[0], X.max(1))


CASES = {
    "Clip below": ("Clip", [None, np.array(1, np.float32)], {}, np.minimum(X, 1)),
    "Slice backwards": ("Slice", [ints(-1), ints(-9), ints(1), ints(-2)], {}, X[:, ::-2]),
    "Slice far": ("Slice", [ints(1), ints(2**62), ints(0)], {}, X[1:]),
    "Pad edge": ("Pad", [ints(1, 0, 0, 2)], {"mode": b"edge"}, np.pad(X, ((1, 0), (0, 2)), "edge")),
    "Pad axes": ("Pad", [ints(1, 1), None, ints(1)], {"opset": 18}, np.pad(X, ((0, 0), (1, 1)))),
    "Expand both ways": ("Expand", [ints(2, 1, 1)], {}, np.broadcast_to(X, (2, 2, 3))),
    "Reshape zero": ("Reshape", [ints(0, 3, 1)], {}, X.reshape(2, 3, 1)),
    "Gather": ("Gather", [ints(2, -1)], {"axis": 1}, X[:, [2, -1]]),
    "Tile": ("Tile", [ints(2, 1)], {}, np.tile(X, (2, 1))),
    "CumSum": ("CumSum", [ints(1)], {"reverse": 1}, np.cumsum(X[:, ::-1], 1)[:, ::-1]),
    "Transpose": ("Transpose", [], {}, X.T),
    "Flatten": ("Flatten", [], {"axis": 0}, X.reshape(1, 6)),
    "HardSigmoid": ("HardSigmoid", [], {}, np.clip(0.2 * X + 0.5, 0, 1)),
    "Hardmax": ("Hardmax", [], {}, (X.max(1, keepdims=True) == X).astype(np.float32)),
    "ReduceL2": ("ReduceL2", [], {"axes": [0]}, np.sqrt((X**2).sum(0, keepdims=True))),
    "Trilu": ("Trilu", [ints(0).reshape(())], {"upper": 0}, np.tril(X)),
    "Mod": ("Mod", [np.array(2, np.float32)], {"fmod": 1}, np.fmod(X, 2)),
    "Gelu": ("Gelu", [], {"approximate": b"tanh", "opset": 20}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_operators(name, tmp_path, each_mode):
    kind, constants, options, expected = CASES[name]
    if expected is None:
        expected = 0.5 * X * (1 + np.tanh(np.sqrt(2 / np.pi) * (X + 0.044715 * X**3)))
    found = one(tmp_path, kind, X, constants=constants, **options)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_split_by_number_of_outputs(tmp_path):
    found = one(tmp_path, "Split", X, opset=18, outputs=2, axis=1, num_outputs=2)
    np.testing.assert_array_equal(found[0], X[:, :2])
    np.testing.assert_array_equal(found[1], X[:, 2:])


def test_resize_by_scales(tmp_path, each_mode):
    image = X.reshape(1, 1, 2, 3)
    scales = np.array([1, 1, 2, 2], np.float32)
    found = one(tmp_path, "Resize", image, constants=[None, scales], mode=b"nearest")[0]
    np.testing.assert_array_equal(found, image.repeat(2, 2).repeat(2, 3))
    half = np.array([1, 1, 1, 2], np.float32)
    found = one(tmp_path, "Resize", image, constants=[None, half], mode=b"linear")[0]
    where = np.clip((np.arange(6) + 0.5) / 2 - 0.5, 0, 2)
    expected = [[np.interp(where, np.arange(3), row) for row in X]]
    np.testing.assert_allclose(found, [expected], rtol=1e-5)


def test_gated_unit_that_resets_first(tmp_path, each_mode):
    rng = np.random.default_rng(3)
    x, w, r = (rng.standard_normal(s).astype(np.float32) for s in ((3, 2, 4), (1, 6, 4), (1, 6, 2)))
    found = one(tmp_path, "GRU", x, constants=[w, r], hidden_size=2, outputs=2)
    sigmoid = lambda a: 1 / (1 + np.exp(-a))  # noqa: E731
    state = np.zeros((2, 2))
    for step in x:
        given = step @ w[0].T
        update = sigmoid(given[:, :2] + state @ r[0, :2].T)
        reset = sigmoid(given[:, 2:4] + state @ r[0, 2:4].T)
        fresh = np.tanh(given[:, 4:] + (reset * state) @ r[0, 4:].T)
        state = (1 - update) * fresh + update * state
    np.testing.assert_allclose(found[1][0], state, rtol=1e-4, atol=1e-5)

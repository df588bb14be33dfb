# SPDX-License-Identifier: Apache-2.0
"""Networks loaded from MindIR files give what was exported."""

from __future__ import annotations

import mindir_messages as mir
import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn

call = mir.call
X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
LINEAR = np.maximum(X @ mir.WEIGHT + mir.BIAS, 0)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def network(path, message, **options):
    return nn.GraphCell(ms.load(mir.written(path / "net.mindir", message)), **options)


def test_linear(tmp_path, mode):
    net = network(tmp_path, mir.linear())
    for _ in range(3):
        np.testing.assert_allclose(net(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)
    assert [(p.name, p.shape) for p in net.get_parameters()] == [("w", (4, 3)), ("fc.b", (3,))]
    net.graph_parameters[1].set_data(Tensor(np.zeros(3, np.float32)))
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), np.maximum(X @ mir.WEIGHT, 0), rtol=1e-6)


def test_gradient_of_parameters(tmp_path, mode):
    net = network(tmp_path, mir.linear())
    grad = ms.value_and_grad(lambda x: net(x).sum(), None, list(net.get_parameters()))
    _, (weight, bias) = grad(Tensor(X))
    passed = (LINEAR > 0).astype(np.float32)
    np.testing.assert_allclose(weight.asnumpy(), X.T @ passed, rtol=1e-5)
    np.testing.assert_allclose(bias.asnumpy(), passed.sum(0), rtol=1e-5)


def test_params_init(tmp_path):
    graph = ms.load(mir.written(tmp_path / "net.mindir", mir.linear()))
    other = nn.GraphCell(graph, params_init={"w": Tensor(mir.WEIGHT * 2), "unknown": Tensor(1.0)})
    np.testing.assert_allclose(
        other(Tensor(X)).asnumpy(), np.maximum(X @ mir.WEIGHT * 2 + mir.BIAS, 0), rtol=1e-6
    )
    np.testing.assert_allclose(nn.GraphCell(graph)(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)


def test_model_predicts(tmp_path):
    model = ms.train.Model(network(tmp_path, mir.linear()))
    np.testing.assert_allclose(model.predict(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)


@pytest.mark.parametrize("sign", [1, -1])
def test_branches_see_the_graph_around_them(tmp_path, mode, sign):
    x = sign * np.array([1, 2, 3], np.float32)
    expected = x * 2 if sign > 0 else x - 1
    np.testing.assert_array_equal(network(tmp_path, mir.branches())(Tensor(x)).asnumpy(), expected)


@pytest.mark.parametrize("count", [0, 1, 2000])
def test_loop(tmp_path, mode, count):
    net = network(tmp_path, mir.loop())
    x = np.array([1, -1], np.float32)
    result = net(Tensor(x), Tensor(count, ms.int32))
    np.testing.assert_array_equal(result.asnumpy(), x + count)


def test_recursion_that_does_not_end(tmp_path):
    nodes = [call("f:again", "f", "f:x"), call("f:out", "Add:1", "f:again", "f:x")]
    function = mir.graph("f", [mir.tensor_input("f:x", (2,))], nodes, "f:out")
    top = mir.graph("top", [mir.tensor_input("top:x", (2,))], [call("top:out", "f", "top:x")], "top:out")
    net = network(tmp_path, mir.model(top, [function], [mir.primitive("Add")]))
    with pytest.raises(RuntimeError, match="call depth limit"):
        net(Tensor(np.ones(2, np.float32)))


def test_reading_a_parameter_before_it_is_written(tmp_path, mode):
    nodes = [
        mir.constant("u", mir.UMONAD),
        call("top:old", "Load:1", "top:count", "u"),
        call("top:u1", "UpdateState:1", "u", "top:old"),
        call("top:add", "AssignAdd:1", "top:count", "top:x", "top:u1"),
        call("top:u2", "UpdateState:1", "top:u1", "top:add"),
        call("top:new", "Load:1", "top:count", "top:u2"),
        call("top:pair", "MakeTuple:1", "top:old", "top:new"),
        call("top:u3", "UpdateState:1", "top:u2", "top:new"),
        call("top:out", "Depend:1", "top:pair", "top:u3"),
    ]
    zero = np.zeros(1, np.float32)
    top = mir.graph("top", [mir.tensor_input("top:x", (1,))], nodes, "top:out", [("count", zero)])
    plain = [mir.primitive(name, False) for name in ("Load", "MakeTuple", "UpdateState", "Depend")]
    net = network(tmp_path, mir.model(top, primitives=[mir.primitive("AssignAdd"), *plain]))
    seen = [tuple(float(one.asnumpy()[0]) for one in net(Tensor([2.0]))) for _ in range(3)]
    assert seen == [(0, 2), (2, 4), (4, 6)]


def test_a_parameter_as_result_is_a_copy(tmp_path, mode):
    nodes = [mir.constant("u", mir.UMONAD), call("top:out", "Load:1", "top:w", "u")]
    top = mir.graph("top", [], nodes, "top:out", [("w", mir.WEIGHT)])
    net = network(tmp_path, mir.model(top, primitives=[mir.primitive("Load", False)]))
    result = net()
    assert type(result) is Tensor
    net.graph_parameters[0].set_data(Tensor(np.zeros((4, 3), np.float32)))
    np.testing.assert_array_equal(result.asnumpy(), mir.WEIGHT)


def test_attribute_form_and_choice_of_layers(tmp_path, mode):
    graphs = [
        mir.graph(
            name,
            [mir.tensor_input(f"{name}:x", (2, 2))],
            [call(f"{name}:y", f"{name}:1", f"{name}:x")],
            f"{name}:y",
        )
        for name in ("Tanh", "Softmax")
    ]
    nodes = [
        call("top:all", "MakeTuple:1", "Tanh", "Softmax"),
        call("top:one", "switch_layer:1", "top:n", "top:all"),
    ]
    nodes.append(call("top:out", "top:one", "top:x"))
    inputs = [mir.tensor_input("top:x", (2, 2)), mir.tensor_input("top:n", (), mir.INT32)]
    axis = {"name": "axis", "type": 20, "values": [{"type": 7, "ints": [0]}]}
    plain = [
        mir.primitive("MakeTuple", False),
        mir.primitive("switch_layer", False),
        mir.primitive("Tanh", False),
    ]
    net = network(
        tmp_path,
        mir.model(
            mir.graph("top", inputs, nodes, "top:out"),
            graphs,
            [*plain, mir.primitive("Softmax", False, [axis])],
        ),
    )
    x = np.array([[0, 1], [2, 3]], np.float32)
    np.testing.assert_allclose(net(Tensor(x), Tensor(0, ms.int32)).asnumpy(), np.tanh(x), rtol=1e-5)
    expected = np.exp(x) / np.exp(x).sum(0)
    np.testing.assert_allclose(net(Tensor(x), Tensor(1, ms.int32)).asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("version", "number", "expected"),
    [
        ("2.3.0", 48, ms.complex64),
        ("2.7.0", 51, ms.complex64),
        ("2.10.0", 52, ms.complex128),
        ("2.3.0", 42, ms.float16),
    ],
)
def test_numbers_of_types(tmp_path, version, number, expected):
    nodes = [mir.constant("type", mir.integer(number)), call("top:out", "Cast:1", "top:x", "type")]
    top = mir.graph("top", [mir.tensor_input("top:x", (2,))], nodes, "top:out")
    net = network(tmp_path, mir.model(top, primitives=[mir.primitive("Cast")], model_version=version))
    assert net(Tensor([1.0, 2.0])).dtype == expected


NONE, AXIS, NUMBER = {"name": "value", "type": 25}, mir.integer(1), {"name": "value", "type": 1, "f": 0.5}
NUMBERS = np.array([[1, -2, 3], [4, 0, -6]], np.float32)


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("SumExt", [AXIS, mir.truth(True), NONE], NUMBERS.sum(1, keepdims=True)),
        ("MeanExt", [NONE, mir.truth(False), mir.integer(44)], NUMBERS.astype(np.float64).mean()),
        ("Muls", [NUMBER], NUMBERS * 0.5),
        ("AddScalar", [NUMBER, mir.integer(2)], NUMBERS + 1),
        ("ClampScalar", [NONE, NUMBER], np.minimum(NUMBERS, 0.5)),
        ("DivMods", [NUMBER, mir.integer(2)], np.floor(NUMBERS / 0.5)),
        ("TransposeExtView", [mir.integer(0), AXIS], NUMBERS.T),
        ("SliceExt", [AXIS, mir.integer(0), mir.integer(2), mir.integer(1)], NUMBERS[:, :2]),
        ("ArgMaxExt", [AXIS, mir.truth(False)], NUMBERS.argmax(1)),
        ("Argmax", [AXIS, mir.integer(34)], NUMBERS.argmax(1).astype(np.int32)),
        ("ReduceMax", [AXIS, mir.truth(False)], NUMBERS.max(1)),
    ],
)
def test_arguments_in_the_order_of_the_definition(tmp_path, mode, name, others, expected):
    names = [f"argument{number}" for number in range(len(others))]
    nodes = [mir.constant(*pair) for pair in zip(names, others, strict=True)]
    nodes.append(call("top:out", f"{name}:1", "top:x", *names))
    top = mir.graph("top", [mir.tensor_input("top:x", (2, -1))], nodes, "top:out")
    result = network(tmp_path, mir.model(top, primitives=[mir.primitive(name)]))(Tensor(NUMBERS)).asnumpy()
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert result.dtype == expected.dtype


def test_sparse_results(tmp_path, mode):
    kind = {"name": "shape", "type": 31}
    shape = {"name": "value", "type": 20, "values": [{"type": 7, "ints": [3]}, {"type": 7, "ints": [4]}]}
    made = {**call("top:out", "MakeTuple:1", "top:i", "top:v", "shape"), "attribute": [kind]}
    inputs = [mir.tensor_input("top:i", (2, 2), mir.INT32), mir.tensor_input("top:v", (2,))]
    top = mir.graph("top", inputs, [mir.constant("shape", shape), made], "top:out")
    net = network(tmp_path, mir.model(top, primitives=[mir.primitive("MakeTuple", False)]))
    indices, values = np.array([[0, 1], [2, 3]], np.int32), np.array([5, 7], np.float32)
    result = net(Tensor(indices), Tensor(values))
    assert isinstance(result, ms.COOTensor)
    assert tuple(result.shape) == (3, 4)
    np.testing.assert_array_equal(result.values.asnumpy(), values)


def test_old_form(tmp_path, mode):
    """No table of primitives: nodes name operators, and texts tell where attributes are."""
    shape = {
        "ref_attr_name": "shape:shape1,",
        "tensors": [{"dims": [2, 3], "data_type": 1, "name": "shape1"}],
    }
    permutation = {
        "name": "value",
        "type": 7,
        "ints": [1, 0],
        "ref_attr_name": "scalar:Tuple[value1,value2,],",
    }
    nodes = [
        mir.constant("perm", permutation),
        {"input": ["top:x", "perm"], "output": ["top:t"], "op_type": "Transpose", "attribute": [shape]},
        {"input": ["top:t", "top:t"], "output": ["top:out"], "name": "other", "op_type": "TensorAdd"},
    ]
    top = mir.graph("top", [mir.tensor_input("top:x", (3, 2))], nodes, "top:out")
    message = {"ir_version": "0.1.0", "producer_name": "MindSpore", "model_version": "1.1.0", "graph": top}
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(network(tmp_path, message)(Tensor(x)).asnumpy(), x.T * 2)


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"type": 25}, None),
        ({"type": 8, "s": "né".encode()}, "né"),
        ({"type": 13, "i": -1}, 2**64 - 1),
        (
            {
                "type": 20,
                "values": [{"type": 7, "ints": [3]}, {"type": 21, "values": [{"type": 9, "ints": [1]}]}],
            },
            (3, [True]),
        ),
        ({"type": 22, "values": [{"name": "k", "values": [{"type": 11, "doubles": [0.25]}]}]}, {"k": 0.25}),
        ({"type": 7, "ints": [1, 2], "ref_attr_name": "scalar:List[value1,Tuple[value2,],],"}, [1, (2,)]),
        ({"type": 7, "ref_attr_name": "scalar:Tuple[]"}, ()),
        ({"type": 19, "tensors": [{"data_type": 17, "name": "value0"}]}, ms.float64),
    ],
    ids=["none", "text", "uint64", "tuple", "dict", "old list", "old empty", "type"],
)
def test_constants(tmp_path, attribute, expected):
    top = mir.graph("top", [], [mir.constant("c", {"name": "value", **attribute})], "c")
    assert network(tmp_path, mir.model(top)).construct() == expected


@pytest.mark.parametrize(
    ("inputs", "error", "text"),
    [
        ((), RuntimeError, "takes 1 inputs"),
        ((Tensor(X), Tensor(X)), RuntimeError, "takes 1 inputs"),
        ((X,), TypeError, "'x' should be a Tensor"),
        ((Tensor(X.astype(np.float16)),), TypeError, "Float32"),
        ((Tensor(X[:1]),), ValueError, r"\(2, 4\)"),
    ],
)
def test_inputs_are_checked(tmp_path, inputs, error, text):
    with pytest.raises(error, match=text):
        network(tmp_path, mir.linear())(*inputs)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"params_init": 3}, TypeError),
        ({"params_init": {1: Tensor(1.0)}}, TypeError),
        ({"params_init": {"w": 1}}, TypeError),
        ({"params_init": {"w": Tensor(1.0)}}, ValueError),
        ({"obf_random_seed": 3}, NotImplementedError),
    ],
)
def test_options_are_checked(tmp_path, options, error):
    with pytest.raises(error):
        network(tmp_path, mir.linear(), **options)


def test_not_a_graph():
    with pytest.raises(TypeError, match="FuncGraph"):
        nn.GraphCell(3)


@pytest.mark.parametrize("name", ["Custom", "PyFunc", "TensorDump", "os.system", "NoSuchOperator"])
def test_operators_that_files_cannot_reach(tmp_path, name):
    top = mir.graph(
        "top", [mir.tensor_input("top:x", (1,))], [call("top:out", f"{name}:1", "top:x")], "top:out"
    )
    net = network(tmp_path, mir.model(top, primitives=[mir.primitive(name, False)]))
    with pytest.raises(NotImplementedError, match=name):
        net(Tensor([1.0]))


@pytest.mark.parametrize(("number", "expected"), [(0, [10, 2, 20]), (1, [11, 2, 23])])
def test_scatters_number_their_choices_in_their_own_way(tmp_path, number, expected):
    """1 is "add" there, and "mean" where losses are reduced."""
    nodes = [
        mir.constant("places", mir.array(np.array([0, 2], np.int32))),
        mir.constant("values", mir.array(np.array([10, 20], np.float32))),
        mir.constant("axis", mir.integer(0)),
        mir.constant("choice", mir.integer(number)),
        call("top:out", "TensorScatterElements:1", "top:x", "places", "values", "axis", "choice"),
    ]
    top = mir.graph("top", [mir.tensor_input("top:x", (3,))], nodes, "top:out")
    net = network(tmp_path, mir.model(top, primitives=[mir.primitive("TensorScatterElements")]))
    np.testing.assert_array_equal(net(Tensor(np.array([1, 2, 3], np.float32))).asnumpy(), expected)

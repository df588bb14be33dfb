# SPDX-License-Identifier: Apache-2.0
"""What stands in ONNX files that networks are written to."""

from __future__ import annotations

import os

import numpy as np
import onnx_wire
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.train._onnx import files
from mindspore.train._onnx.importer import load_onnx


class Small(nn.Cell):
    """Convolution, normalisation, pool and dense layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="pad", padding=(1, 0, 2, 1), stride=2, has_bias=True)
        self.norm = nn.BatchNorm2d(2)
        self.drop = nn.Dropout(p=0.5)
        self.dense = nn.Dense(2, 3)

    def construct(self, image):
        """Scores."""
        x = ops.relu(self.norm(self.conv(image)))
        return self.dense(self.drop(x.mean((2, 3))))


def tensor(*shape):
    return Tensor(np.random.default_rng(1).standard_normal(shape).astype(np.float32))


def exported(folder, net, *inputs, name="net", **options) -> dict:
    path = os.path.join(folder, name)
    ms.export(net, *inputs, file_name=path, file_format="ONNX", **options)
    with open(path + ".onnx", "rb") as file:
        return onnx_wire.decode(file.read())


def attributes(node: dict) -> dict:
    values = {}
    for entry in node.get("attribute", []):
        kind = {1: "f", 2: "i", 3: "s", 4: "t", 6: "floats", 7: "ints", 8: "strings"}[entry["type"]]
        values[entry["name"]] = entry.get(kind, [])
    return values


def test_file_says_what_it_is(tmp_path):
    message = exported(tmp_path, Small(), tensor(1, 1, 6, 6))
    assert message["ir_version"] == 8
    assert message["opset_import"] == [{"domain": "", "version": 17}]
    assert message["producer_name"] == "Mycel"
    assert message["graph"]["name"] == "Small"


def test_inputs_and_outputs(tmp_path):
    graph = exported(tmp_path, Small(), tensor(1, 1, 6, 6))["graph"]
    assert graph["input"] == [onnx_wire.value("image", (1, 1, 6, 6))]
    assert graph["output"] == [onnx_wire.value("output", (1, 3))]


def test_parameters_keep_names_and_values(tmp_path):
    net = Small()
    graph = exported(tmp_path, net, tensor(1, 1, 6, 6))["graph"]
    stored = {entry["name"]: entry for entry in graph["initializer"]}
    for parameter in net.get_parameters():
        entry = stored[parameter.name]
        assert entry["dims"] == list(parameter.shape)
        assert entry["data_type"] == 1
        assert entry["raw_data"] == parameter.asnumpy().tobytes()


def test_nodes_stand_after_what_they_read(tmp_path):
    graph = exported(tmp_path, Small(), tensor(1, 1, 6, 6))["graph"]
    defined = {entry["name"] for entry in [*graph["input"], *graph["initializer"]]}
    names = set()
    for node in graph["node"]:
        assert {name for name in node["input"] if name} <= defined
        assert defined.isdisjoint(node["output"])
        defined.update(node["output"])
        assert node["name"] not in names
        names.add(node["name"])
    assert {entry["name"] for entry in graph["output"]} <= defined


def test_convolution(tmp_path):
    graph = exported(tmp_path, Small(), tensor(1, 1, 6, 6))["graph"]
    conv = next(node for node in graph["node"] if node["op_type"] == "Conv")
    assert conv["input"] == ["image", "conv.weight", "conv.bias"]
    assert attributes(conv) == {
        "kernel_shape": [3, 3],
        "pads": [1, 2, 0, 1],
        "strides": [2, 2],
        "dilations": [1, 1],
        "group": 1,
    }


def test_kinds_of_nodes(tmp_path):
    graph = exported(tmp_path, Small(), tensor(1, 1, 6, 6))["graph"]
    kinds = [node["op_type"] for node in graph["node"]]
    assert kinds == ["Conv", "BatchNormalization", "Relu", "ReduceMean", "Gemm"]


def test_numbers_have_the_type_of_their_neighbours(tmp_path):
    half = Tensor(np.ones(3, np.float16))
    graph = exported(tmp_path, lambda x, n: (x * 2.5, n + 1), half, Tensor(np.ones(3, np.int32)))["graph"]
    types = {entry["data_type"] for entry in graph["initializer"]}
    assert types == {10, 6}
    assert [entry["name"] for entry in graph["input"]] == ["x", "n"]
    assert [entry["name"] for entry in graph["output"]] == ["output_0", "output_1"]


def test_what_nobody_reads_is_not_written(tmp_path):
    graph = exported(tmp_path, lambda x: ops.max_pool2d(ops.topk(x, 2)[0], 1), tensor(1, 1, 4, 4))["graph"]
    read = {name for node in graph["node"] for name in node["input"]}
    assert {entry["name"] for entry in graph["initializer"]} <= read
    assert all(len(node["output"]) == 1 for node in graph["node"] if node["op_type"] == "MaxPool")


def test_result_that_is_an_input_or_given_twice(tmp_path):
    def passing(x):
        y = ops.exp(x)
        return x, y, y

    exported(tmp_path, passing, tensor(2))
    found = load_onnx(str(tmp_path / "net.onnx"))(tensor(2))
    for got, expected in zip(found, passing(tensor(2)), strict=True):
        np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_results_and_inputs_that_have_nothing_to_do_with_each_other(tmp_path):
    outside = Tensor(np.array([1, 2], np.int32))

    def unrelated(x, unused):
        return ops.ones((2, 2)), ops.exp(x), outside, Tensor([True, False])

    exported(tmp_path, unrelated, tensor(2), tensor(3, 1))
    net = load_onnx(str(tmp_path / "net.onnx"))
    assert net.input_names == ("x", "unused")
    found, expected = net(tensor(2), tensor(3, 1)), unrelated(tensor(2), None)
    for got, wanted in zip(found, expected, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-6)


def test_functions_compiled_before(tmp_path, each_mode):
    @ms.jit
    def doubled(pair, times=2):
        return pair[0] * times + pair[1]

    exported(tmp_path, doubled, (tensor(2), tensor(2)), 3)
    net = load_onnx(str(tmp_path / "net.onnx"))
    assert net.input_names == ("pair_0", "pair_1")
    np.testing.assert_allclose(net(tensor(2), tensor(2)).asnumpy(), tensor(2).asnumpy() * 4, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(("lost.mindir", "x", "ONNX"), "does not exist"), (("lost.mindir", "x", "AIR"), "must be 'ONNX'")],
)
def test_converting_what_cannot_be(arguments, text):
    with pytest.raises(ValueError, match=text):
        ms.convert_model(*arguments)


def test_mindir_file_becomes_an_onnx_file(tmp_path):
    net = Small().set_train(False)
    ms.export(net, tensor(1, 1, 6, 6), file_name=str(tmp_path / "net"), file_format="MINDIR")
    ms.convert_model(str(tmp_path / "net.mindir"), str(tmp_path / "net"), "ONNX")
    found = load_onnx(str(tmp_path / "net.onnx"))(tensor(1, 1, 6, 6))
    np.testing.assert_allclose(found.asnumpy(), net(tensor(1, 1, 6, 6)).asnumpy(), rtol=1e-5, atol=1e-6)


def test_network_is_written_as_after_training_and_stays_as_it_was(tmp_path):
    net = Small().set_train()
    net.norm.training = False
    kinds = [node["op_type"] for node in exported(tmp_path, net, tensor(1, 1, 6, 6))["graph"]["node"]]
    assert "Dropout" not in kinds
    assert net.training and net.drop.training
    assert not net.norm.training


def test_large_weights_lie_in_a_second_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST_IN_ONE_FILE", 100)
    net = nn.Dense(40, 30)
    graph = exported(tmp_path, net, tensor(2, 40), name="big")["graph"]
    weight = next(entry for entry in graph["initializer"] if entry["name"] == "weight")
    place = {entry["key"]: entry["value"] for entry in weight["external_data"]}
    assert place == {"location": "big.onnx.data", "offset": "0", "length": "4800"}
    assert weight["data_location"] == 1
    assert "raw_data" not in weight
    data = (tmp_path / "big.onnx.data").read_bytes()
    assert data == net.weight.asnumpy().tobytes() + files.DATA_MARK
    assert sorted(os.listdir(tmp_path)) == ["big.onnx", "big.onnx.data"]
    found = load_onnx(str(tmp_path / "big.onnx"))(tensor(2, 40))
    np.testing.assert_allclose(found.asnumpy(), net(tensor(2, 40)).asnumpy(), rtol=1e-5, atol=1e-6)


def test_encryption_by_a_function(tmp_path):
    def turned(content, key):
        assert key == b"key"
        return content[::-1]

    path = str(tmp_path / "net.onnx")
    ms.export(nn.ReLU(), tensor(2), file_name=path, file_format="ONNX", enc_key=b"key", enc_mode=turned)
    with open(path, "rb") as file:
        assert onnx_wire.decode(file.read()[::-1])["graph"]["node"][0]["op_type"] == "Relu"


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"file_format": "PTH"}, ValueError, "'file_format' must be one of"),
        ({"file_format": "AIR"}, NotImplementedError, "AIR"),
        ({"file_name": "a b"}, ValueError, "'file_name' must consist of"),
        ({"file_name": "folder/"}, ValueError, "not end with a slash"),
        ({"file_name": 3}, TypeError, "'file_name' must be a str"),
        ({"enc_key": "text"}, ValueError, "'enc_key' must be bytes"),
        ({"enc_key": b"key"}, ValueError, "'enc_mode' must be a function"),
    ],
)
def test_wrong_arguments(tmp_path, monkeypatch, arguments, kind, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=text):
        ms.export(nn.ReLU(), tensor(2), **{"file_name": "net", "file_format": "ONNX", **arguments})
    assert os.listdir(tmp_path) == []


def test_operator_without_counterpart_is_named(tmp_path):
    with pytest.raises(TypeError, match=r"no counterpart of 'erfinv' \(first at .*test_onnx_export.py:\d+\)"):
        exported(tmp_path, lambda x: ops.erfinv(x), tensor(2))
    assert os.listdir(tmp_path) == []


def test_networks_that_keep_state_are_refused(tmp_path):
    count = ms.Parameter(Tensor(np.zeros(2, np.float32)), name="count")

    def counting(x):
        count[0] = x[0]
        return count * x

    with pytest.raises(TypeError, match="it changes 'count', and files keep no state"):
        exported(tmp_path, counting, tensor(2))


def test_network_that_looks_at_values_is_refused(tmp_path):
    def choosing(x):
        return x + 1 if float(x.sum()) > 0 else x - 1

    with pytest.raises(RuntimeError, match="cannot be exported"):
        exported(tmp_path, choosing, tensor(2))


def test_failing_write_leaves_the_old_file(tmp_path):
    exported(tmp_path, nn.ReLU(), tensor(2))
    before = (tmp_path / "net.onnx").read_bytes()

    def failing(content, key):
        raise OSError("no space")

    path = str(tmp_path / "net")
    with pytest.raises(OSError, match="no space"):
        ms.export(nn.Tanh(), tensor(2), file_name=path, file_format="ONNX", enc_key=b"k", enc_mode=failing)
    assert (tmp_path / "net.onnx").read_bytes() == before
    assert os.listdir(tmp_path) == ["net.onnx"]


@pytest.mark.parametrize("options", [{"custom_func": print}, {"enc_key": b"0" * 16}, {"enc_mode": "DES"}])
def test_options_that_onnx_files_do_not_have(tmp_path, options):
    with pytest.raises(ValueError, match="'custom_func' is for MindIR|'enc_mode' must be"):
        ms.export(
            nn.Dense(2, 2),
            Tensor(np.ones((1, 2), np.float32)),
            file_name=str(tmp_path / "net"),
            file_format="ONNX",
            **options,
        )
    assert os.listdir(tmp_path) == []

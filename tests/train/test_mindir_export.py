# SPDX-License-Identifier: Apache-2.0
"""What stands in MindIR files that networks are written to."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, _c_expression, dataset, nn, ops
from mindspore.train._mindir import export_files


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


def decoded(path) -> dict:
    with open(path, "rb") as file:
        return _c_expression.decode_message("mindir", file.read(), "the file is damaged")


def exported(folder, net, *inputs, name="net", **options) -> dict:
    path = os.path.join(folder, name)
    ms.export(net, *inputs, file_name=path, file_format="MINDIR", **options)
    return decoded(path + ".mindir")


def check_same(net, path, *inputs, **options):
    if isinstance(net, nn.Cell):
        net.set_train(False)
    found = nn.GraphCell(ms.load(str(path), **options))(*inputs)
    np.testing.assert_allclose(found.asnumpy(), net(*inputs).asnumpy(), rtol=1e-5, atol=1e-6)


def kinds(model: dict) -> list[str]:
    calls = [node["op_type"] for node in model["graph"]["node"] if node["op_type"] != "Constant"]
    table = {entry["name"]: entry["op_type"] for entry in model["primitives"]}
    return [table[call] for call in (one.removeprefix("REF::") for one in calls) if call in table]


def attribute_of(model: dict, kind: str, name: str):
    primitive = next(entry for entry in model["primitives"] if entry["op_type"] == kind)
    entry = next(one for one in primitive["attribute"] if one["name"] == name)
    if "values" in entry:
        return tuple(value["ints"][0] for value in entry["values"])
    return bytes(entry["s"]).decode() if "s" in entry else entry.get("i", entry.get("f"))


# ---- the message ----------------------------------------------------------------------------------------


def test_file_says_what_it_is(tmp_path):
    model = exported(tmp_path, Small(), tensor(1, 1, 6, 6))
    assert model["producer_name"] == "MindSpore"
    assert model["model_version"] == ms.__version__.partition("+")[0]
    assert (model["ir_version"], model["mind_ir_version"], model["little_endian"]) == ("0.1.1", 1, True)


def test_inputs_and_outputs(tmp_path):
    graph = exported(tmp_path, Small(), tensor(1, 1, 6, 6))["graph"]
    (given,), (result,) = graph["input"], graph["output"]
    assert given == {"name": "Small_construct:image", "tensor": [{"dims": [1, 1, 6, 6], "data_type": 1}]}
    assert result["tensor"] == [{"dims": [1, 3], "data_type": 1}]


def test_parameters_keep_names_and_values(tmp_path):
    net = Small()
    stored = {
        entry["ref_key"]: entry for entry in exported(tmp_path, net, tensor(1, 1, 6, 6))["graph"]["parameter"]
    }
    for parameter in net.get_parameters():
        entry = stored[parameter.name]
        assert entry["name"] == f"Small_construct:{parameter.name}"
        assert entry["dims"] == list(parameter.shape)
        assert bytes(entry["raw_data"]) == parameter.asnumpy().tobytes()


def test_nodes_stand_after_what_they_use(tmp_path):
    model = exported(tmp_path, Small(), tensor(1, 1, 6, 6))
    graph = model["graph"]
    primitives = {entry["name"] for entry in model["primitives"]}
    known = {entry["name"] for entry in [*graph["input"], *graph["parameter"]]}
    for node in graph["node"]:
        assert set(node.get("input", ())) <= known
        assert node["output"] == [node["name"]]
        assert node["name"] not in known
        assert node["op_type"] == "Constant" or node["op_type"].removeprefix("REF::") in primitives
        known.add(node["name"])
    assert graph["output"][0]["name"] in known


def test_kinds_of_primitives(tmp_path):
    model = exported(tmp_path, Small(), tensor(1, 1, 6, 6))
    assert kinds(model) == [
        *["Conv2D", "BiasAdd", "BatchNorm", "TupleGetItem", "ReLU", "ReduceMean", "MatMul", "BiasAdd"]
    ]


def test_attributes_of_primitives(tmp_path):
    model = exported(tmp_path, Small(), tensor(1, 1, 6, 6))
    assert attribute_of(model, "Conv2D", "pad") == (1, 0, 2, 1)
    assert attribute_of(model, "Conv2D", "stride") == (1, 1, 2, 2)
    assert attribute_of(model, "Conv2D", "format") == "NCHW"
    assert attribute_of(model, "BatchNorm", "is_training") == 0
    assert attribute_of(model, "MatMul", "transpose_b") == 1


def test_results_of_calls_have_types(tmp_path):
    model = exported(tmp_path, lambda x: ops.topk(x, 2), tensor(2, 5))
    call = next(node for node in model["graph"]["node"] if "TopK" in node["op_type"])
    (kind,) = call["attribute"]
    assert kind["name"] == "shape"
    assert [value["tensors"][0]["data_type"] for value in kind["values"]] == [1, 6]
    assert [value["tensors"][0]["dims"] for value in kind["values"]] == [[2, 2], [2, 2]]


def test_equal_constants_are_written_once(tmp_path):
    model = exported(tmp_path, lambda x: (x * 2.5 + 1) * 2.5 + 1, tensor(3))
    assert sum(node["op_type"] == "Constant" for node in model["graph"]["node"]) == 2


def test_two_files_of_one_network_are_equal(tmp_path):
    net = Small()
    for name in ("one", "two"):
        exported(tmp_path, net, tensor(1, 1, 6, 6), name=name)
    assert (tmp_path / "one.mindir").read_bytes() == (tmp_path / "two.mindir").read_bytes()


def test_how_inputs_lie_in_memory_does_not_matter(tmp_path):
    """Views, and one tensor for two inputs, stand for tensors of their shape."""

    class Difference(nn.Cell):
        def construct(self, x, y):
            return ops.softmax(x, -1) - y

    x = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    others = (x.transpose(0, 2, 1), x[:, :, ::2], x[0].broadcast_to((5, 3, 4)), x)
    for number, given in enumerate(others):
        path = str(tmp_path / f"difference{number}")
        ms.export(Difference(), given, given, file_name=path, file_format="MINDIR")
        loaded = nn.GraphCell(ms.load(path + ".mindir"))
        np.testing.assert_array_equal(loaded(given, given), Difference()(given, given))
        np.testing.assert_array_equal(loaded(given, given * 2), Difference()(given, given * 2))


def test_result_that_is_an_input_or_given_twice(tmp_path):
    outside = Tensor(np.array([1, 2], np.int32))

    def passing(x, unused):
        y = ops.exp(x)
        return x, y, y, outside, ops.ones((2, 2))

    exported(tmp_path, passing, tensor(2), tensor(3))
    found = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(tensor(2), tensor(3))
    for got, wanted in zip(found, passing(tensor(2), None), strict=True):
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.int32, np.int64, np.uint8, np.bool_])
def test_types(tmp_path, dtype):
    x = Tensor(np.array([1, 0, 2]).astype(dtype))
    model = exported(tmp_path, lambda x: ops.concat((x, x)), x)
    assert model["graph"]["input"][0]["tensor"] == model["graph"]["input"][0]["tensor"]
    found = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(x)
    assert found.dtype == x.dtype
    assert found.asnumpy().tolist() == 2 * x.asnumpy().tolist()


# ---- the file ---------------------------------------------------------------------------------------------


def test_file_may_only_be_read(tmp_path):
    for _ in range(2):  # the second replaces the first
        exported(tmp_path, Small(), tensor(1, 1, 6, 6))
        assert stat.S_IMODE(os.stat(tmp_path / "net.mindir").st_mode) == 0o400
    assert os.listdir(tmp_path) == ["net.mindir"]


def test_network_is_written_as_after_training_and_stays_as_it_was(tmp_path):
    net = Small().set_train()
    net.norm.training = False
    model = exported(tmp_path, net, tensor(1, 1, 6, 6))
    assert "Dropout" not in kinds(model)
    assert net.training and net.drop.training
    assert not net.norm.training


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_encrypted_files(tmp_path, mode):
    net, key = Small(), b"0123456789ABCDEF"
    path = str(tmp_path / "net.mindir")
    ms.export(net, tensor(1, 1, 6, 6), file_name=path, file_format="MINDIR", enc_key=key, enc_mode=mode)
    check_same(net, path, tensor(1, 1, 6, 6), dec_key=key, dec_mode=mode)
    with pytest.raises(RuntimeError, match="Load MindIR failed"):
        ms.load(path)
    with pytest.raises(RuntimeError, match="decrypt failed"):
        ms.load(path, dec_key=b"0123456789ABCDEX", dec_mode=mode)


def test_encryption_by_a_function(tmp_path):
    net, path = Small(), str(tmp_path / "net.mindir")

    def turned(content, key):
        return bytes(byte ^ key[0] for byte in content)

    def turned_back(path, key):
        with open(path, "rb") as file:
            return turned(file.read(), key)

    options = {"enc_key": b"k", "enc_mode": turned}
    ms.export(net, tensor(1, 1, 6, 6), file_name=path, file_format="MINDIR", **options)
    check_same(net, path, tensor(1, 1, 6, 6), dec_key=b"k", dec_mode=turned_back)


def test_a_function_changes_the_head(tmp_path):
    def change(model):
        assert model.producer_name == "MindSpore"
        model.producer_name = "somebody"
        model.user_info["author"] = "me"
        model.user_info["steps"] = "12"

    model = exported(tmp_path, nn.ReLU(), tensor(2), custom_func=change)
    assert model["producer_name"] == "somebody"
    assert {entry["key"]: entry["value"] for entry in model["user_info"]} == {"author": "me", "steps": "12"}


@pytest.mark.parametrize("as_input", [False, True])
def test_operations_of_a_dataset(tmp_path, as_input):
    images = {"image": np.zeros((4, 8, 8, 3), np.uint8)}
    data = dataset.NumpySlicesDataset(images).map(dataset.vision.Resize((4, 4)), ["image"])
    data = data.map(dataset.vision.HWC2CHW(), ["image"]).batch(2)
    given, options = (data, {}) if as_input else (next(iter(data))[0], {"dataset": data})
    model = exported(tmp_path, lambda x: x.astype(ms.float32), given, **options)
    assert model["graph"]["input"][0]["tensor"][0]["dims"] == [2, 3, 4, 4]
    first, second = model["preprocessor"]["op"]
    assert json.loads(first["operations"])[0]["tensor_op_name"] == "Resize"
    assert json.loads(second["operations"])[0]["tensor_op_name"] == "HWC2CHW"
    assert json.loads(first["input_columns"]) == ["image"]


# ---- weights in files of their own ----------------------------------------------------------------------


@pytest.mark.parametrize("key", [None, b"0123456789ABCDEF"], ids=["plain", "encrypted"])
@pytest.mark.parametrize("largest", [1 << 40, 300], ids=["one file", "several"])
def test_large_weights(tmp_path, monkeypatch, key, largest):
    monkeypatch.setattr(export_files, "LARGEST_IN_ONE_FILE", 100)
    monkeypatch.setattr(export_files, "LARGEST_DATA_FILE", largest)
    net, path = nn.SequentialCell(nn.Dense(5, 7), nn.Dense(7, 3)), str(tmp_path / "net")
    count = 1 if largest > 300 else 3
    for first in (0, count, 0):  # each replaces the one before, whose data stay until then
        ms.export(net, tensor(2, 5), file_name=path, file_format="MINDIR", enc_key=key)
        assert sorted(os.listdir(tmp_path)) == ["net_graph.mindir", "net_variables"]
        assert sorted(os.listdir(tmp_path / "net_variables")) == [f"data_{first + i}" for i in range(count)]
        options = {"dec_key": key} if key else {}
        check_same(net, tmp_path / "net_graph.mindir", tensor(2, 5), **options)


def test_places_of_large_weights(tmp_path, monkeypatch):
    monkeypatch.setattr(export_files, "LARGEST_IN_ONE_FILE", 100)
    net = nn.Dense(5, 7)
    ms.export(net, tensor(2, 5), file_name=str(tmp_path / "big"), file_format="MINDIR")
    stored = {
        entry["ref_key"]: entry for entry in decoded(tmp_path / "big_graph.mindir")["graph"]["parameter"]
    }
    assert all("raw_data" not in entry for entry in stored.values())
    content = (tmp_path / "big_variables" / "data_0").read_bytes()
    assert content[0] == 1 and not any(content[1:64])
    assert len(content) == 64 + 64 + 192
    for name, offset, length in (("bias", 64, 28), ("weight", 128, 140)):
        place = {"location": "big_variables/data_0", "offset": offset, "length": length}
        assert stored[name]["external_data"] == place
        data = net.parameters_dict()[name].asnumpy().tobytes()
        assert content[offset : offset + length] == data
    assert stat.S_IMODE(os.stat(tmp_path / "big_variables" / "data_0").st_mode) == 0o400


# ---- errors -----------------------------------------------------------------------------------------------


STRAY = Parameter(tensor(3), name="stray")


class Foreign(nn.Cell):
    """Uses a parameter that no cell has."""

    def construct(self, x):
        """Sum."""
        return x + STRAY


def test_parameter_of_nobody(tmp_path):
    with pytest.raises(ValueError, match="'stray' does not belong to the network 'Foreign'"):
        exported(tmp_path, Foreign(), tensor(3))
    assert not os.listdir(tmp_path)


def test_operator_without_primitive(tmp_path):
    with pytest.raises(TypeError, match=r"no primitive for 'fourier' \(first at .*test_mindir_export.py:\d+"):
        exported(tmp_path, lambda x: ops.real(ops.fft(x)), tensor(4))


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"enc_key": "text"}, ValueError, "'enc_key' must be bytes"),
        ({"enc_key": b"short"}, ValueError, "'enc_key' does not suit 'enc_mode' AES-GCM"),
        ({"enc_key": b"k" * 16, "enc_mode": "ROT13"}, ValueError, "'enc_mode' must be one of"),
        ({"custom_func": 3}, TypeError, "'custom_func' must be a function"),
        ({"custom_func": lambda model: model.user_info.update(a=1)}, TypeError, "must be str"),
        ({"incremental": "yes"}, TypeError, "'incremental' must be a bool"),
        ({"obf_config": {"obf_ratio": 0.1}}, NotImplementedError, "not obfuscated"),
        ({"other": 1}, ValueError, "no option 'other'"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_options_that_are_wrong(tmp_path, options, kind, text):
    with pytest.raises(kind, match=text):
        exported(tmp_path, nn.ReLU(), tensor(2), **options)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "form", "kind"),
    [("net", "TFLITE", ValueError), ("a b", "MINDIR", ValueError), ("net/", "MINDIR", ValueError),
     (3, "MINDIR", TypeError), ("net", "AIR", NotImplementedError)],
)  # fmt: skip
def test_names_and_formats_that_are_wrong(name, form, kind):
    with pytest.raises(kind, match="For 'export'"):
        ms.export(nn.ReLU(), tensor(2), file_name=name, file_format=form)

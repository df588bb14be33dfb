# SPDX-License-Identifier: Apache-2.0
"""Every argument of the functions around checkpoints, and the entries that are easily lost."""

from __future__ import annotations

import inspect
import json
import os
import pathlib
import struct

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint
from mindspore.train import _checkpoint_formats as formats
from mindspore.train import _checkpoint_save as saving

SIGNATURES = {
    ms.save_checkpoint: {
        "integrated_save": True,
        "async_save": False,
        "append_dict": None,
        "enc_key": None,
        "enc_mode": "AES-GCM",
        "choice_func": None,
        "crc_check": False,
        "format": "ckpt",
    },
    ms.load_checkpoint: {
        "net": None,
        "strict_load": False,
        "filter_prefix": None,
        "dec_key": None,
        "dec_mode": "AES-GCM",
        "specify_prefix": None,
        "choice_func": None,
        "crc_check": False,
        "remove_redundancy": False,
        "format": "ckpt",
    },
    ms.load_checkpoint_async: {
        "net": None,
        "strict_load": False,
        "filter_prefix": None,
        "dec_key": None,
        "dec_mode": "AES-GCM",
        "specify_prefix": None,
        "choice_func": None,
    },
    ms.load_param_into_net: {"strict_load": False, "remove_redundancy": False},
}


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda one: one.__name__)
def test_signatures(function):
    found = inspect.signature(function).parameters.values()
    optional = [(one.name, one.default) for one in found if one.default is not one.empty]
    assert optional == list(SIGNATURES[function].items())


def entries(**arrays) -> list[dict]:
    return [{"name": name, "data": Tensor(array)} for name, array in arrays.items()]


ONE = entries(w=np.ones(3, np.float32))


def metadata_of(path) -> dict:
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length))["__metadata__"]


# ---- saving -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [True, "thread", "process"])
@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
def test_written_meanwhile(tmp_path, how, kind):
    path = str(tmp_path / f"net.{kind}")
    save_checkpoint(ONE, path, async_save=how, format=kind, crc_check=True)
    saving.wait_for_async_save()
    assert list(load_checkpoint(path, crc_check=True)) == ["w"]


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"async_save": "fork"}, ValueError, "can only be 'process' or 'thread'"),
        ({"async_save": None}, TypeError, "must be bool or str"),
        ({"remove_redundancy": 1}, ValueError, "remove_redundancy"),
        ({"format": "safetensors", "incremental": True}, ValueError, "incremental"),
        ({"format": "safetensors", "global_step_num": 3}, ValueError, "global_step_num"),
        ({"format": "npz"}, ValueError, "must be one of"),
        ({"enc_mode": 1}, ValueError, "enc_mode"),
        ({"enc_key": b""}, ValueError, "16, 24 or 32 bytes"),
    ],
)
def test_settings_that_are_refused(tmp_path, settings, error, text):
    with pytest.raises(error, match=text):
        save_checkpoint(ONE, str(tmp_path / "net"), **settings)
    assert os.listdir(tmp_path) == []


def test_a_place_that_cannot_be_is_told_at_once_and_in_the_log(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(saving.logger, "critical", lambda text, *values: said.append(text % values))
    for how in (False, True):
        with pytest.raises(FileNotFoundError, match="net.ckpt"):
            save_checkpoint(ONE, str(tmp_path / "none" / "net.ckpt"), async_save=how)
    assert len(said) == 2 and "Failed to save the checkpoint file" in said[0]


@pytest.mark.parametrize("value", [True, False])
def test_safetensors_tell_of_removed_redundancy(tmp_path, value):
    path = str(tmp_path / "net.safetensors")
    save_checkpoint(ONE, path, remove_redundancy=value)
    assert metadata_of(path)["remove_redundancy"] == str(value)
    assert list(load_checkpoint(path, remove_redundancy=value)) == ["w"]
    save_checkpoint(ONE, path)
    assert "remove_redundancy" not in metadata_of(path)


@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
def test_of_two_entries_of_one_name_the_last_counts(tmp_path, kind):
    path = str(tmp_path / f"net.{kind}")
    twice = [*entries(a=np.zeros(2, np.float32), b=np.ones(1)), *entries(a=np.ones(5, np.int32))]
    save_checkpoint(twice, path, append_dict={"b": 3.5}, format=kind)
    found = load_checkpoint(path)
    assert sorted(found) == ["a", "b"]
    np.testing.assert_array_equal(found["a"].asnumpy(), np.ones(5, np.int32), strict=True)
    assert float(found["b"]) == 3.5


def test_choice_does_not_touch_what_is_appended(tmp_path):
    path = str(tmp_path / "net.ckpt")
    save_checkpoint(ONE, path, choice_func=lambda name: False, append_dict={"epoch_num": 2})
    assert list(load_checkpoint(path)) == ["epoch_num"]


def test_kinds_of_objects(tmp_path):
    path = str(tmp_path / "net.ckpt")
    net = nn.Dense(2, 3)
    whole = [parameter.name for parameter in net.get_parameters()]
    for given in (net, list(net.get_parameters()), {p.name: p for p in net.get_parameters()}):
        save_checkpoint(given, path, integrated_save=False)
        assert list(load_checkpoint(path)) == whole
    save_checkpoint({"w": net.weight, "note": "text"}, path)
    assert load_checkpoint(path)["note"] == "text"


@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1)], ids=str)
def test_shapes_that_are_easily_lost(tmp_path, kind, shape):
    path = str(tmp_path / f"net.{kind}")
    arrays = {name: np.ones(shape, name) for name in ("float32", "int8", "bool", "float16")}
    save_checkpoint(entries(**arrays), path, format=kind, crc_check=True)
    found = load_checkpoint(path, crc_check=True)
    assert sorted(found) == sorted(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name].asnumpy(), array, strict=True)


# ---- loading ----------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    """A file with entries of four names."""
    path = str(tmp_path / "net.ckpt")
    arrays = dict.fromkeys(("conv.weight", "conv.bias", "dense.weight", "other"), np.ones(2, np.float32))
    save_checkpoint(entries(**arrays), path)
    return path


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"filter_prefix": "conv"}, ["dense.weight", "other"]),
        ({"filter_prefix": ["conv", "other"]}, ["dense.weight"]),
        ({"specify_prefix": ("conv", "o")}, ["conv.weight", "conv.bias", "other"]),
        ({"specify_prefix": "conv", "filter_prefix": "conv.b"}, ["conv.weight"]),
        ({"specify_prefix": "other", "choice_func": lambda name: False}, ["other"]),
        ({"choice_func": lambda name: name.endswith("weight")}, ["conv.weight", "dense.weight"]),
        (
            {"choice_func": lambda name: 0 if name == "other" else 1},
            ["conv.weight", "conv.bias", "dense.weight"],
        ),
    ],
)
def test_selections(path, settings, names):
    assert list(load_checkpoint(path, **settings)) == names
    assert list(ms.load_checkpoint_async(path, **settings).result()) == names


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"filter_prefix": 3}, TypeError),
        ({"filter_prefix": []}, ValueError),
        ({"filter_prefix": ["a", 3]}, TypeError),
        ({"specify_prefix": ""}, ValueError),
        ({"specify_prefix": ("a", "")}, ValueError),
        ({"specify_prefix": "nothing"}, ValueError),
        ({"choice_func": lambda name: 1 // 0}, ValueError),
        ({"dec_key": "text"}, ValueError),
        ({"dec_key": b"0" * 16}, ValueError),
        ({"dec_mode": 3}, ValueError),
        ({"crc_check": 1}, ValueError),
        ({"remove_redundancy": 1}, ValueError),
        ({"format": "safetensors"}, ValueError),
        ({"net": nn.Dense(2, 2), "strict_load": 1}, TypeError),
    ],
    ids=str,
)
def test_arguments_of_loading(path, settings, error):
    with pytest.raises(error):
        load_checkpoint(path, **settings)


def test_a_file_without_a_checksum_is_told(path, monkeypatch):
    said = []
    monkeypatch.setattr(formats.logger, "warning", lambda text, *values: said.append(text % values))
    assert len(load_checkpoint(path, crc_check=True)) == 4
    assert len(said) == 1 and "do not contain the crc code" in said[0]


def test_a_lazy_selection_reads_nothing_else(path):
    """An array that is damaged does not matter to who does not want it."""
    file = pathlib.Path(path)
    content = file.read_bytes().replace(b"Float32", b"Float77", 1)
    file.chmod(0o600)
    file.write_bytes(content)
    assert list(load_checkpoint(path, choice_func=lambda name: name == "other")) == ["other"]
    with pytest.raises(ValueError, match="Float77"):
        load_checkpoint(path)


def test_redundancy_belongs_to_parallel_training(path):
    with pytest.raises(TypeError, match="remove_redundancy"):
        load_param_into_net(nn.Dense(2, 2), load_checkpoint(path), remove_redundancy=True)


# ---- map parameters ---------------------------------------------------------------------------------------


def block(field: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([field << 3 | 2, len(content)]) + content


def map_slice(keys, values) -> bytes:
    arrays = [np.array(keys, np.int32), np.array(values, np.float32), np.zeros(len(keys), np.int32)]
    body = b""
    for array in arrays:
        dims = b"".join(bytes([8, length]) for length in array.shape)
        body += block(1, dims + block(2, array.dtype.name.encode()) + block(3, array.tobytes()))
    return block(1, block(1, b"table") + block(3, body))


def test_slices_of_a_map_parameter_are_joined(tmp_path):
    path = tmp_path / "net.ckpt"
    path.write_bytes(map_slice([1, 5], [[1, 2], [3, 4]]) + map_slice([7], [[5, 6]]))
    keys, values, states = load_checkpoint(str(path))["table"]
    assert keys.tolist() == [1, 5, 7] and states.shape == (3,)
    np.testing.assert_array_equal(values, np.float32([[1, 2], [3, 4], [5, 6]]))
    net = nn.Dense(1, 1)
    missing, unused = load_param_into_net(net, load_checkpoint(str(path)))
    assert len(missing) == 2 and unused == ["table"]


def test_scalars_of_older_files(tmp_path):
    path = tmp_path / "net.ckpt"
    tensor = bytes([8, 0]) + block(2, b"Int32") + block(3, struct.pack("<i", 7))
    path.write_bytes(block(1, block(1, b"step") + block(2, tensor)))
    found = load_checkpoint(str(path))["step"]
    assert found.shape == () and int(found) == 7 and isinstance(found, Parameter)

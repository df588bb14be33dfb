# SPDX-License-Identifier: Apache-2.0
"""Checkpoints in other formats than .ckpt, and what is said of parameters that are not in a file."""

from __future__ import annotations

import json
import os
import stat
import struct
import zlib

import numpy as np
import pytest
import torch_pickles as made

import mindspore as ms
from mindspore import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint
from mindspore.train import CheckpointConfig
from mindspore.train import _checkpoint_into_net as into_net

ARRAYS = {"b.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.array(3, np.int64)}


def entries(arrays=None) -> list[dict]:
    return [{"name": name, "data": Tensor(value)} for name, value in (arrays or ARRAYS).items()]


def header_of(path) -> dict:
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length))


@pytest.mark.parametrize(
    ("name", "settings", "written"),
    [
        ("x", {"format": "safetensors"}, "x.safetensors"),
        ("x.safetensors", {"format": "safetensors"}, "x.safetensors"),
        ("x.safetensors", {}, "x.safetensors"),
        ("x", {}, "x.ckpt"),
        ("x.ckpt", {"format": "safetensors"}, "x.ckpt.safetensors"),
    ],
)
def test_format_by_argument_and_ending(tmp_path, name, settings, written):
    save_checkpoint(entries(), str(tmp_path / name), **settings)
    assert os.listdir(tmp_path) == [written]
    assert stat.S_IMODE(os.stat(tmp_path / written).st_mode) == 0o400
    found = load_checkpoint(str(tmp_path / written))
    assert sorted(found) == sorted(ARRAYS)
    for key, value in ARRAYS.items():
        assert isinstance(found[key], Parameter) and found[key].name == key
        np.testing.assert_array_equal(found[key].asnumpy(), value, strict=True)


def test_what_is_appended_to_safetensors(tmp_path):
    path = str(tmp_path / "x.safetensors")
    append = {"epoch_num": 3, "rate": 0.5, "flag": True, "text": "grün", "empty": ""}
    save_checkpoint(entries(), path, append_dict=append, crc_check=True)
    found = load_checkpoint(path, crc_check=True)
    assert {name: found[name] for name in ("text", "empty")} == {"text": "grün", "empty": ""}
    assert (found["epoch_num"].dtype, int(found["epoch_num"])) == (ms.int64, 3)
    assert bool(found["flag"]) and float(found["rate"]) == 0.5
    metadata = header_of(path)["__metadata__"]
    assert metadata["format"] == "ms" and metadata["text"] == "grün"


def test_the_checksum_is_that_of_other_writers(tmp_path):
    path = str(tmp_path / "x.safetensors")
    arrays = {**ARRAYS, "minus": np.array(-1, np.int32), "flag": np.array(True)}
    save_checkpoint(entries(arrays), path, crc_check=True)
    expected = 0
    for name in sorted(arrays):  # a whole number without axes counts as that many zero bytes
        value = arrays[name]
        content = bytes(3) if name == "a" else value.tobytes()
        expected = zlib.crc32(content, zlib.crc32(name.encode(), expected))
    assert header_of(path)["__metadata__"]["crc_num"] == str(expected)


def test_a_damaged_safetensors_file_is_noticed(tmp_path):
    path = tmp_path / "x.safetensors"
    save_checkpoint(entries(), str(path), crc_check=True)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)
    load_checkpoint(str(path))
    with pytest.raises(ValueError, match="crc check is failed"):
        load_checkpoint(str(path), crc_check=True)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"enc_key": b"0123456789abcdef"}, "cannot be encrypted"),
        ({"enc_mode": "AES-CBC"}, "cannot be encrypted"),
        ({"append_dict": {"crc_num": "1"}}, "belongs to the format"),
        ({"append_dict": {"a": "1"}}, "belongs to a parameter"),
    ],
)
def test_what_safetensors_cannot_hold(tmp_path, settings, match):
    with pytest.raises(ValueError, match=match):
        save_checkpoint(entries(), str(tmp_path / "x"), format="safetensors", **settings)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("call", [save_checkpoint, load_checkpoint])
def test_unknown_formats_are_refused(tmp_path, call):
    arguments = ([], str(tmp_path / "x")) if call is save_checkpoint else (str(tmp_path / "x.ckpt"),)
    with pytest.raises(ValueError, match="'format' must be one of"):
        call(*arguments, format="onnx")
    with pytest.raises(ValueError, match="'format' must be one of"):
        CheckpointConfig(format="pth")


def test_the_ending_must_suit_the_format(tmp_path):
    save_checkpoint(entries(), str(tmp_path / "x.ckpt"))
    with pytest.raises(ValueError, match="should end with '.safetensors'"):
        load_checkpoint(str(tmp_path / "x.ckpt"), format="safetensors")
    with pytest.raises(ValueError, match="should end with '.ckpt'"):
        load_checkpoint(str(tmp_path / "x.zip"))


def test_npz_files(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, **ARRAYS)
    found = load_checkpoint(str(path), choice_func=lambda name: name != "a")
    assert list(found) == ["b.weight"]
    np.testing.assert_array_equal(found["b.weight"].asnumpy(), ARRAYS["b.weight"], strict=True)
    path.write_bytes(b"no archive")
    with pytest.raises(ValueError, match="cannot be read as .npz"):
        load_checkpoint(str(path))
    np.savez(path, x=np.array([object()]))
    with pytest.raises(ValueError, match="cannot be read as .npz"):
        load_checkpoint(str(path))


@pytest.mark.parametrize("ending", ["pth", "pt", "bin"])
def test_files_of_pytorch(tmp_path, ending):
    tied = made.tensor("0", "float32", (2, 3), (3, 1), count=6)
    body = made.ordered({"module.weight": tied, "module.tied": tied})
    path = tmp_path / f"x.{ending}"
    path.write_bytes(made.archive(body, {"0": ARRAYS["b.weight"].ravel()}))
    found = load_checkpoint(str(path))
    assert list(found) == ["weight", "tied"]
    found["tied"].set_data(Tensor(np.zeros((2, 3), np.float32)))
    np.testing.assert_array_equal(found["weight"].asnumpy(), ARRAYS["b.weight"])
    with pytest.raises(ValueError, match="only .ckpt files are encrypted"):
        load_checkpoint(str(path), dec_key=b"0123456789abcdef")


@pytest.mark.parametrize("old", ["ckpt", "safetensors"])
def test_folders_from_one_format_to_the_other(tmp_path, old):
    new = "safetensors" if old == "ckpt" else "ckpt"
    convert = ms.ckpt_to_safetensors if old == "ckpt" else ms.safetensors_to_ckpt
    source, target = tmp_path / "source", tmp_path / "target"
    for place in ("top", "inner/one", "inner/left_out"):
        (source / place).parent.mkdir(parents=True, exist_ok=True)
        save_checkpoint(entries(), str(source / place), append_dict={"text": "x"}, format=old)
    convert(str(source), str(target), {"a": "z"}, "top|one")
    found = sorted(str(path.relative_to(target)) for path in target.rglob("*.*"))
    assert found == [f"inner/one.{new}", f"top.{new}"]
    loaded = load_checkpoint(str(target / found[0]))
    assert sorted(loaded) == ["b.weight", "text", "z"]
    convert(str(source / f"top.{old}"))
    assert (source / f"top.{new}").exists()
    for arguments in ((str(tmp_path / "nothing"),), (str(source / f"top.{new}"),), (str(source), "x.y")):
        with pytest.raises(ValueError, match="must be a"):
            convert(*arguments)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)


class Wrapped(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone = Net()


def warnings_of(monkeypatch, net, renamed, strict=False) -> tuple[str, list[str]]:
    said = []
    monkeypatch.setattr(into_net.logger, "warning", lambda text, *values: said.append(text % values))
    names, _ = load_param_into_net(net, renamed, strict)
    return "\n".join(said), names


def weights(rename) -> dict:
    found = {}
    for parameter in Net().get_parameters():
        name = rename(parameter.name)
        found[name] = Parameter(parameter.value(), name=name)
    return found


def test_a_prefix_the_file_lacks_is_named(monkeypatch):
    said, names = warnings_of(monkeypatch, Wrapped(), weights(lambda name: name))
    assert len(names) == 5 and "['backbone.conv.weight'," in said and " are not loaded." in said
    assert "has 'backbone.' in front" in said and "5 parameters in the 'net'" in said


def test_a_prefix_the_network_lacks_is_named(monkeypatch):
    said, names = warnings_of(monkeypatch, Net(), weights(lambda name: "backbone." + name), strict=True)
    assert len(names) == 5 and "lacks 'backbone.'" in said


def test_names_of_other_frameworks_and_near_names(monkeypatch):
    renames = {"norm.gamma": "norm.weight", "conv.weight": "conv1.weight", "norm.moving_mean": "q"}
    said, names = warnings_of(monkeypatch, Net(), weights(lambda name: renames.get(name, name)))
    assert sorted(names) == sorted(renames)
    assert "'norm.gamma' Float32[4] may be 'norm.weight' Float32[4], a name of other frameworks" in said
    assert "'conv.weight' Float32[4, 3, 3, 3] may be 'conv1.weight' Float32[4, 3, 3, 3]" in said
    assert "'norm.moving_mean' Float32[4]: no name of the 'parameter_dict' is like it" in said
    assert "that no parameter has: 'conv1.weight' Float32[4, 3, 3, 3]," in said

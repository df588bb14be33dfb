# SPDX-License-Identifier: Apache-2.0
"""`mindspore.tools.convert` and `mindspore.tools.ckpt`."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest

import mindspore as ms
from mindspore import nn
from mindspore.tools import ckpt, convert
from mindspore.tools._weights import read_weights, write_weights

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "train"))
import torch_pickles as made


def network() -> nn.Cell:
    ms.set_seed(1)
    return nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(18, 3))


def torch_file(path, prefix: str = "", names=("conv", "bn", "fc"), inside: str | None = None) -> dict:
    """A state dict of that network as PyTorch saves it."""
    generator = np.random.default_rng(2)
    conv, norm, dense = names
    shapes = {
        f"{conv}.weight": (2, 1, 3, 3),
        f"{norm}.weight": (2,),
        f"{norm}.bias": (2,),
        f"{norm}.running_mean": (2,),
        f"{norm}.running_var": (2,),
        f"{norm}.num_batches_tracked": (),
        f"{dense}.weight": (3, 18),
        f"{dense}.bias": (3,),
    }
    arrays, entries = {}, {}
    for i, (name, shape) in enumerate(shapes.items()):
        kind = "int64" if name.endswith("tracked") else "float32"
        arrays[name] = np.asarray(generator.random(shape) * 4, kind)
        strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
        entries[prefix + name] = made.tensor(str(i), kind, shape, strides, count=arrays[name].size)
    body = made.ordered(entries)
    if inside:
        body = b"}(" + made.text("epoch") + made.integer(3) + made.text(inside) + body + b"u"
    storages = {str(i): array for i, array in enumerate(arrays.values())}
    path.write_bytes(made.archive(body, storages))
    return arrays


@pytest.mark.parametrize("kind", ["ckpt", "safetensors", "npz"])
def test_weights_survive_every_format(tmp_path, kind):
    weights = {
        "a": ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)),
        "b.c": ms.Tensor(3, ms.int64),
        "half": ms.Tensor([1.5, 2.5], ms.float16),
    }
    path = str(tmp_path / f"w.{kind}")
    write_weights(path, weights)
    found = read_weights(path)
    assert sorted(found) == sorted(weights)
    for name, value in weights.items():
        np.testing.assert_array_equal(found[name].asnumpy(), value.asnumpy())
        assert found[name].dtype == value.dtype


def test_weights_of_a_mindir_file(tmp_path):
    net = network()
    image = ms.Tensor(np.ones((1, 1, 3, 3), np.float32))
    ms.export(net, image, file_name=str(tmp_path / "net"), file_format="MINDIR")
    convert.convert(str(tmp_path / "net.mindir"), str(tmp_path / "net.ckpt"))
    loaded = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert loaded
    for name, value in loaded.items():
        np.testing.assert_array_equal(value.asnumpy(), net.parameters_dict()[name].asnumpy())
    (tmp_path / "bad.mindir").write_bytes(b"no model")
    with pytest.raises(ValueError, match=r"bad\.mindir"):
        convert.convert(str(tmp_path / "bad.mindir"))


@pytest.mark.parametrize("inside", [None, "state_dict", "model", "whatever"])
@pytest.mark.parametrize("prefix", ["", "module."])
def test_weights_of_pytorch_find_their_places(tmp_path, inside, prefix):
    arrays = torch_file(tmp_path / "net.pth", prefix, inside=inside)
    net = network()
    matching = convert.load_weights_into(net, str(tmp_path / "net.pth"))
    assert not matching.missing
    assert list(matching.unused.values()) == ["not needed"]
    ours = {"0": "conv", "1": "bn", "3": "fc", "gamma": "weight", "beta": "bias"}
    ours |= {"moving_mean": "running_mean", "moving_variance": "running_var"}
    for name, parameter in net.parameters_dict().items():
        theirs = ".".join(ours.get(part, part) for part in name.split("."))
        np.testing.assert_array_equal(parameter.asnumpy(), arrays[theirs])
    assert {match.how for match in matching.matches} == {"order"}


def test_names_come_before_order(tmp_path):
    torch_file(tmp_path / "net.pth", names=("0", "1", "3"))
    hows = {
        match.target: match.how for match in convert.convert(str(tmp_path / "net.pth"), net=network()).matches
    }
    assert hows["0.weight"] == "name"
    assert hows["1.gamma"] == hows["1.moving_variance"] == "synonym"


def test_a_map_decides(tmp_path):
    write_weights(str(tmp_path / "w.npz"), {"x": ms.Tensor([1.0]), "y": ms.Tensor([2.0])})
    (tmp_path / "map.json").write_text(json.dumps({"first": "y", "second": "x"}))
    arguments = [
        str(tmp_path / "w.npz"),
        str(tmp_path / "w.safetensors"),
        "--map",
        str(tmp_path / "map.json"),
    ]
    assert convert.main(arguments) == 0
    found = read_weights(str(tmp_path / "w.safetensors"))
    assert {name: float(value) for name, value in found.items()} == {"first": 2.0, "second": 1.0}


def test_what_does_not_fit_is_told_and_nothing_written(tmp_path, capsys, monkeypatch):
    write_weights(str(tmp_path / "w.npz"), {"0.weight": ms.Tensor(np.ones((5, 1, 3, 3), np.float32))})
    monkeypatch.setattr(convert, "_network", lambda _: network())
    arguments = [str(tmp_path / "w.npz"), str(tmp_path / "w.ckpt"), "--net", "x:y"]
    assert convert.main(arguments) == 1
    output = capsys.readouterr().out
    assert "'0.weight' has the shape (5, 1, 3, 3), not (2, 1, 3, 3)" in output
    assert "0 matched, 7 missing, 1 unused" in output
    assert not (tmp_path / "w.ckpt").exists()
    assert convert.main([*arguments, "--partial"]) == 0


def test_verify_compares_outputs(tmp_path, monkeypatch, capsys):
    net = network().set_train(False)
    write_weights(str(tmp_path / "w.ckpt"), net.parameters_dict())
    inputs = ms.ops.ones((1, 1, 3, 3))
    stored = {"input_0": inputs, "output_0": net(inputs)}
    write_weights(str(tmp_path / "io.npz"), stored)
    monkeypatch.setattr(convert, "_network", lambda _: network())
    paths = [
        str(tmp_path / "w.ckpt"),
        str(tmp_path / "o.ckpt"),
        "--net",
        "x:y",
        "--verify",
        str(tmp_path / "io.npz"),
    ]
    assert convert.main(paths) == 0
    assert "outputs agree" in capsys.readouterr().out
    write_weights(str(tmp_path / "io.npz"), {**stored, "output_0": net(inputs) + 1})
    assert convert.main(paths) == 1
    assert "differ by up to" in capsys.readouterr().err


def test_ckpt_commands(tmp_path, capsys):
    first, second = str(tmp_path / "a.ckpt"), str(tmp_path / "b.safetensors")
    weights = {"w": ms.Tensor([1.0, 2.0]), "n": ms.Tensor([np.nan]), "k": ms.Tensor(3, ms.int32)}
    write_weights(first, weights)
    write_weights(second, {**weights, "w": ms.Tensor([1.0, 2.5]), "extra": ms.Tensor([0.0])})
    assert ckpt.main(["ls", first]) == 0
    assert "3 arrays, 4 elements, 16 B" in capsys.readouterr().out
    assert ckpt.main(["stats", first]) == 0
    assert "1.5" in capsys.readouterr().out
    assert ckpt.main(["diff", first, first]) == 0
    assert "all equal" in capsys.readouterr().out
    assert ckpt.main(["diff", first, second]) == 1
    output = capsys.readouterr().out
    assert "1 of 2 elements, by up to 0.5" in output
    assert "only in" in output
    assert ckpt.main(["verify", second]) == 0
    assert ckpt.main(["ls", str(tmp_path / "none.ckpt")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_damaged_file_is_told(tmp_path, capsys):
    path = tmp_path / "w.ckpt"
    net = network()
    ms.save_checkpoint(net, str(path), crc_check=True)
    assert ckpt.main(["verify", str(path)]) == 0
    assert "the checksum fits" in capsys.readouterr().out
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(bytes(content))
    assert ckpt.main(["verify", str(path)]) == 2

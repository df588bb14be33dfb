# SPDX-License-Identifier: Apache-2.0
"""MindIR files: encryption, split forms, damage, and what a file may not do."""

from __future__ import annotations

import os

import mindir_messages as mir
import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn
from mindspore import _c_expression as _c

X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
LINEAR = np.maximum(X @ mir.WEIGHT + mir.BIAS, 0)
KEY = b"0123456789ABCDEF"


@pytest.mark.parametrize("cipher", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_encrypted(tmp_path, cipher):
    path = tmp_path / "net.mindir"
    path.write_bytes(_c.encrypt_envelope(mir.encoded(mir.linear()), KEY, cipher))
    net = nn.GraphCell(ms.load(str(path), dec_key=KEY, dec_mode=cipher))
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)
    other = "AES-CBC" if cipher == "AES-GCM" else "AES-GCM"
    for options in ({}, {"dec_key": b"1" * 16, "dec_mode": cipher}, {"dec_key": KEY, "dec_mode": other}):
        with pytest.raises(RuntimeError, match="Load MindIR failed"):
            ms.load(str(path), **options)


def test_a_wrong_key_is_named_even_when_its_padding_fits(tmp_path, unnoticed_key):
    path = tmp_path / "net.mindir"
    path.write_bytes(_c.encrypt_envelope(mir.encoded(mir.linear()), KEY, "AES-CBC"))
    key = unnoticed_key(path.read_bytes(), "AES-CBC")
    with pytest.raises(RuntimeError, match="values of the arguments 'dec_key' and 'dec_mode'"):
        ms.load(str(path), dec_key=key, dec_mode="AES-CBC")


def test_decrypted_by_a_function(tmp_path):
    path = tmp_path / "net.mindir"
    path.write_bytes(mir.encoded(mir.linear())[::-1])

    def decrypt(name, key):
        assert key == KEY
        with open(name, "rb") as file:
            return file.read()[::-1]

    net = nn.GraphCell(ms.load(str(path), dec_key=KEY, dec_mode=decrypt))
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)


def split_model(folder, location="net_variables/data_0", encrypt=None, **place):
    """The linear network with its parameters in a file of their own."""
    message, content = mir.linear(), b"\1" + bytes(63)
    pieces = [content]
    for parameter in message["graph"]["parameter"]:
        data = parameter.pop("raw_data")
        offset = sum(map(len, pieces))
        parameter["external_data"] = {"location": location, "offset": offset, "length": len(data), **place}
        pieces.append(data + bytes(-len(data) % 64))
    (folder / "net_variables").mkdir()
    encrypt = encrypt or (lambda plain: plain)
    (folder / "net_variables" / "data_0").write_bytes(b"".join(map(encrypt, pieces)))
    path = folder / "net_graph.mindir"
    path.write_bytes(encrypt(mir.encoded(message)))
    return str(path)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_split(tmp_path, is_encrypted):
    encrypt = (lambda plain: _c.encrypt_envelope(plain, KEY, "AES-GCM")) if is_encrypted else None
    path = split_model(tmp_path, encrypt=encrypt)
    net = nn.GraphCell(ms.load(path, **({"dec_key": KEY} if is_encrypted else {})))
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)


def test_older_split(tmp_path):
    message = mir.linear()
    parameters = message["graph"].pop("parameter")
    (tmp_path / "net_variables").mkdir()
    for number, parameter in enumerate(parameters):
        part = _c.encode_message("mindir graph", {"name": "part", "parameter": [parameter]})
        (tmp_path / "net_variables" / f"data_{number}").write_bytes(part)
    net = nn.GraphCell(ms.load(mir.written(tmp_path / "net_graph.mindir", message)))
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), LINEAR, rtol=1e-6)


@pytest.mark.parametrize(
    "place",
    [
        {"location": "../secret"},
        {"location": "net_variables/../../secret"},
        {"location": "/etc/hostname"},
        {"location": ""},
        {"location": "net_variables"},
        {"location": "net_variables/data_7"},
        {"location": "link"},
        {"offset": -64},
        {"offset": 1 << 40},
        {"length": 1},
        {"length": -1},
    ],
    ids=str,
)
def test_data_must_be_where_it_may_be(tmp_path, place):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"\1" + bytes(500))
    os.symlink(tmp_path / "secret", folder / "link")
    with pytest.raises(RuntimeError, match="Load MindIR failed"):
        ms.load(split_model(folder, **place))


def changed(**fields):
    message = mir.linear()
    message.update(fields)
    return {key: value for key, value in message.items() if value is not None}


def with_graph(change):
    message = mir.linear()
    change(message["graph"])
    return message


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (changed(producer_name=None), "producer_name"),
        (changed(model_version=None), "model_version"),
        (changed(mind_ir_version=9), "form 9"),
        (changed(little_endian=False), "byte order"),
        (changed(graph=None), "no graph"),
        (changed(primitives=[]), "'top:w:1', there is nothing called 'Load:1'"),
        (
            with_graph(lambda g: g.update(parameter=[])),
            "'top:w:1' of the graph 'top', there is nothing called 'top:w'",
        ),
        (with_graph(lambda g: g.update(output=[])), "no result"),
        (with_graph(lambda g: g["node"].append(g["node"][1])), "defined twice"),
        (with_graph(lambda g: g["node"][1].update(input=["top:w", "top:end:8"])), "needs itself"),
        (with_graph(lambda g: g["parameter"][0].update(dims=[5, 3])), "should have 60 bytes"),
        (with_graph(lambda g: g["parameter"][0].update(dims=[-4, -3])), "negative"),
        (with_graph(lambda g: g["parameter"][0].update(dims=[1 << 40, 1 << 40])), "should have"),
        (with_graph(lambda g: g["parameter"][0].update(data_type=99)), "data type 99"),
    ],
)
def test_mistakes_are_named(tmp_path, message, text):
    with pytest.raises(RuntimeError, match="Load MindIR failed") as raised:
        ms.load(mir.written(tmp_path / "net.mindir", message))
    assert text in str(raised.value)


@pytest.mark.parametrize("make", [mir.linear, mir.loop], ids=["linear", "loop"])
def test_damaged_files_are_refused_or_harmless(tmp_path, make):
    content = mir.encoded(make())
    path = tmp_path / "net.mindir"
    random = np.random.RandomState(7)
    cut = [content[:length] for length in range(0, len(content), 17)]
    flipped = []
    for _ in range(150):
        data = bytearray(content)
        data[random.randint(len(data))] ^= 1 << random.randint(8)
        flipped.append(bytes(data))
    for data in [*cut, *flipped]:
        path.write_bytes(data)
        try:
            ms.load(str(path))
        except RuntimeError as failure:
            assert "Load MindIR failed" in str(failure)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (3, {}),
        ("net.txt", {}),
        ("none.mindir", {}),
        ("net.mindir", {"dec_key": "text"}),
        ("net.mindir", {"dec_mode": 3}),
    ],
)
def test_arguments_of_load(tmp_path, name, options):
    mir.written(tmp_path / "net.mindir", mir.linear())
    with pytest.raises(ValueError):
        ms.load(str(tmp_path / name) if isinstance(name, str) else name, **options)

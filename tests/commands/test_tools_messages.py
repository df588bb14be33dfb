# SPDX-License-Identifier: Apache-2.0
"""What `mindspore.tools.convert` and `mindspore.tools.ckpt` say to somebody who uses them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
from mindspore import nn
from mindspore.tools import ckpt, convert
from mindspore.tools._weights import read_weights, write_weights

KEY = b"0123456789abcdef"
WEIGHTS = {
    "dense.weight": ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "half": ms.Tensor([1.5, -2.5], ms.bfloat16),
    "step": ms.Tensor(7, ms.int32),
    "none": ms.Tensor(np.zeros((0, 4), np.float32)),
}


@pytest.fixture
def file(tmp_path):
    """A checkpoint with arrays, a number and a text."""
    path = str(tmp_path / "net.ckpt")
    entries = [{"name": name, "data": value} for name, value in WEIGHTS.items()]
    ms.save_checkpoint(entries, path, append_dict={"note": "x" * 100, "epoch_num": 3}, crc_check=True)
    return path


def said(capsys, main, *arguments) -> tuple[int, str, str]:
    try:
        status = main(list(map(str, arguments)))
    except SystemExit as ended:
        status = ended.code
    output = capsys.readouterr()
    return status, output.out, output.err


# ---- ckpt -------------------------------------------------------------------------------------------------


def test_help_tells_all(capsys):
    for main in (ckpt.main, convert.main):
        status, text, _ = said(capsys, main, "--help")
        assert status == 0 and "Exit status" in text
    for command in ("ls", "stats", "verify", "diff"):
        status, text, _ = said(capsys, ckpt.main, command, "--help")
        assert status == 0
        for option in ("--format", "--key-file", "--key-mode"):
            assert option in text
    assert said(capsys, ckpt.main)[0] == 2 and said(capsys, ckpt.main, "open", "x.ckpt")[0] == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [("lost.ckpt", "does not exist"), ("folder.ckpt", "is a folder"), ("net.zip", "should end with one of")],
)
@pytest.mark.parametrize("command", ["ls", "stats", "verify"])
def test_paths_that_are_wrong(tmp_path, capsys, name, text, command):
    (tmp_path / "folder.ckpt").mkdir()
    (tmp_path / "net.zip").write_bytes(b"")
    status, _, errors = said(capsys, ckpt.main, command, tmp_path / name)
    assert status == 2 and text in errors and name in errors


def test_files_of_another_format(tmp_path, capsys):
    for ending in ("ckpt", "safetensors", "npz", "pth", "onnx"):
        path = tmp_path / f"net.{ending}"
        path.write_bytes(b"this is no file of weights at all, whatever it is called")
        status, _, errors = said(capsys, ckpt.main, "ls", path)
        assert status == 2 and str(path) in errors and "Traceback" not in errors


def test_listing_shows_texts_and_numbers(file, capsys):
    status, text, _ = said(capsys, ckpt.main, "ls", file)
    assert status == 0 and "5 arrays, 10 elements" in text
    lines = {line.split()[0]: line for line in text.splitlines()}
    assert lines["step"].endswith("7") and lines["epoch_num"].endswith("3")
    assert "100 chars" in lines["note"] and "..." in lines["note"] and "BFloat16" in lines["half"]


def test_statistics_and_checksum(file, capsys):
    assert said(capsys, ckpt.main, "verify", file)[1] == "6 entries, the checksum fits\n"
    status, text, _ = said(capsys, ckpt.main, "stats", file)
    assert status == 0 and "2.5" in text and "-" in text


def test_differences_of_texts_and_of_what_is_no_number(file, tmp_path, capsys):
    other = str(tmp_path / "other.ckpt")
    changed = {**WEIGHTS, "half": ms.Tensor([1.5, np.nan], ms.bfloat16)}
    entries = [{"name": name, "data": value} for name, value in changed.items()]
    ms.save_checkpoint(entries, other, append_dict={"note": "y", "epoch_num": 3})
    status, text, _ = said(capsys, ckpt.main, "diff", file, other, "--tolerance", "1000")
    assert status == 1 and "4 entries are equal, 2 differ" in text
    assert "1 of 2 elements, by up to nan" in text and "and 'y'" in text


def test_encrypted_files(tmp_path, capsys):
    path, key = str(tmp_path / "net.ckpt"), tmp_path / "key"
    key.write_bytes(KEY)
    ms.save_checkpoint([{"name": "w", "data": WEIGHTS["half"]}], path, enc_key=KEY, enc_mode="AES-CBC")
    status, _, errors = said(capsys, ckpt.main, "ls", path)
    assert status == 2 and "encrypted" in errors and "--key-file" in errors and "\n  at " not in errors
    options = ("--key-file", key, "--key-mode", "AES-CBC")
    assert said(capsys, ckpt.main, "ls", path, *options)[0] == 0
    assert "1 entries" in said(capsys, ckpt.main, "verify", path, *options)[1]


def test_a_reader_that_has_seen_enough(tmp_path):
    path = str(tmp_path / "net.npz")
    write_weights(path, {f"w{i}": ms.Tensor([1.0]) for i in range(2000)})
    command = f"{sys.executable} -m mindspore.tools.ckpt ls {path} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("name") and done.stderr == ""


# ---- convert ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["ckpt", "safetensors", "npz", "pth", "pt", "bin"])
def test_every_target(file, tmp_path, capsys, ending):
    target = tmp_path / f"new.{ending}"
    status, text, _ = said(capsys, convert.main, file, target)
    assert status == 0 and f"wrote 5 arrays to {target}" in text
    found = read_weights(str(target))
    for name, value in WEIGHTS.items():
        assert found[name].shape == value.shape
        assert ending == "npz" or found[name].dtype == value.dtype
        np.testing.assert_array_equal(found[name].float().asnumpy(), value.float().asnumpy())


def test_weights_called_like_an_argument(tmp_path):
    write_weights(str(tmp_path / "w.npz"), {"file": ms.Tensor([1.0]), "a/b": ms.Tensor([2.0])})
    assert sorted(read_weights(str(tmp_path / "w.npz"))) == ["a/b", "file"]


@pytest.mark.parametrize(
    ("target", "options", "text"),
    [
        ("net.onnx", (), "cannot be written"),
        ("net.what", (), "should end with one of"),
        ("net.npz", ("--to", "ckpt"), "of the format 'npz', not 'ckpt'"),
        ("none/net.npz", (), "No such file or directory"),
        ("net.npz", ("--verify", "io.npz"), "--verify needs --net"),
        ("net.npz", ("--net", "no_such_module:net"), "cannot be imported"),
        ("net.npz", ("--net", "json:nothing"), "has no 'nothing'"),
        ("net.npz", ("--net", "json:JSONEncoder"), "not a Cell"),
        ("net.npz", ("--map", "lost.json"), "lost.json"),
        ("net.npz", ("--map", "text.json"), "is no JSON"),
        ("net.npz", ("--map", "list.json"), "JSON object"),
        ("net.npz", ("--map", "wrong.json"), "'dense.weigth', which .* does not have; is it 'dense.weight'?"),
    ],
    ids=str,
)
def test_requests_that_are_wrong(file, tmp_path, monkeypatch, capsys, target, options, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.json").write_text("names")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "wrong.json").write_text(json.dumps({"w": "dense.weigth"}))
    before = sorted(path.name for path in tmp_path.iterdir())
    status, _, errors = said(capsys, convert.main, file, target, *options)
    assert status == 1
    with pytest.raises(AssertionError, match=text):
        raise AssertionError(errors)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_missing_ending_is_added(file, tmp_path, capsys):
    status, text, _ = said(capsys, convert.main, file, tmp_path / "new", "--to", "torch")
    assert status == 0 and (tmp_path / "new.pth").exists() and "new.pth" in text


def test_nothing_is_written_when_outputs_differ(tmp_path, monkeypatch, capsys):
    net = nn.Dense(3, 2)
    write_weights(str(tmp_path / "w.npz"), net.parameters_dict())
    monkeypatch.setattr(convert, "_network", lambda _: nn.Dense(3, 2))
    stored = {"input_0": ms.ops.ones((1, 3)), "output_0": net(ms.ops.ones((1, 3))) + 1}
    arguments = (tmp_path / "w.npz", tmp_path / "o.ckpt", "--net", "x", "--verify", tmp_path / "io.npz")
    for arrays, text in ((stored, "differ by up to"), ({"x": stored["input_0"]}, "arrays called 'input_0'")):
        write_weights(str(tmp_path / "io.npz"), arrays)
        status, _, errors = said(capsys, convert.main, *arguments)
        assert status == 1 and text in errors and not (tmp_path / "o.ckpt").exists()


def test_inputs_stand_in_the_order_of_their_numbers(tmp_path):
    class Weighted(nn.Cell):
        def construct(self, *inputs):
            return sum((place + 1) * value for place, value in enumerate(inputs))

    inputs = {f"input_{i}": ms.Tensor([float(i * i)]) for i in range(12)}
    write_weights(str(tmp_path / "io.npz"), {**inputs, "output_0": Weighted()(*inputs.values())})
    assert convert.verify(Weighted(), str(tmp_path / "io.npz")) == 0

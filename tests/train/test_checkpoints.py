# SPDX-License-Identifier: Apache-2.0
"""Checkpoint files: what goes in comes out, and nothing that can happen to them does harm."""

import os
import random
import stat
import time
from pathlib import Path

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
NUMBERS = ["bool", *INTEGERS, "float16", "float32", "float64", "complex64"]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 3)
        self.norm = nn.BatchNorm1d(3)

    def construct(self, x):
        return self.norm(self.dense(x))


def as_dict(**arrays):
    return {name: Parameter(Tensor(array), name=name) for name, array in arrays.items()}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "net.ckpt")


def test_every_type_comes_back(path):
    arrays = {name: (np.arange(-6, 6).reshape(3, 4) * 1.5).astype(name) for name in NUMBERS}
    arrays["scalar"], arrays["empty"] = np.float32(2.5), np.zeros((0, 3), np.float32)
    entries = [{"name": name, "data": Tensor(array)} for name, array in arrays.items()]
    entries.append({"name": "half", "data": Tensor(arrays["float32"], ms.bfloat16)})
    entries.append({"name": "columns", "data": Tensor(arrays["float32"]).T})  # not contiguous
    save_checkpoint(entries, path)
    loaded = load_checkpoint(path)
    assert list(loaded) == [*arrays, "half", "columns"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name].asnumpy(), array, strict=True)
    assert loaded["half"].dtype == ms.bfloat16
    np.testing.assert_array_equal(loaded["columns"].asnumpy(), arrays["float32"].T)
    assert all(isinstance(value, Parameter) and value.requires_grad for value in loaded.values())


def test_appended_entries_and_choice(path):
    text = "grün \U0001f600"
    generator = ms.Generator()
    extra = {"epoch": 3, "rate": 0.25, "done": True, "note": text, "none": "", "state": generator}
    save_checkpoint(Net(), path, append_dict=extra, choice_func=lambda name: name.startswith("dense"))
    loaded = load_checkpoint(path)
    assert list(loaded) == ["dense.weight", "dense.bias", *extra]
    assert (loaded["note"], loaded["none"]) == (text, "")
    assert loaded["epoch"].dtype == ms.int64 and loaded["rate"].dtype == ms.float32
    assert loaded["done"].dtype == ms.bool_ and loaded["epoch"].shape == ()
    assert int(loaded["epoch"]) == 3 and float(loaded["rate"]) == 0.25 and bool(loaded["done"])
    np.testing.assert_array_equal(loaded["state"].asnumpy(), generator.get_state().asnumpy())
    assert list(load_checkpoint(path, choice_func=lambda name: name == "epoch")) == ["epoch"]
    assert list(load_checkpoint(path, specify_prefix=("dense", "r"))) == [
        "dense.weight",
        "dense.bias",
        "rate",
    ]
    assert "note" not in load_checkpoint(path, filter_prefix="n")
    with pytest.raises(ValueError, match="is empty after filter"):
        load_checkpoint(path, specify_prefix="x")


@pytest.mark.parametrize("mode, length", [("AES-GCM", 16), ("AES-GCM", 32), ("AES-CBC", 24), ("SM4-CBC", 16)])
def test_encryption(path, mode, length):
    key = bytes(range(length))
    save_checkpoint(as_dict(w=np.ones(3, np.float32)), path, enc_key=key, enc_mode=mode)
    assert b"Float32" not in Path(path).read_bytes()
    np.testing.assert_array_equal(
        load_checkpoint(path, dec_key=key, dec_mode=mode)["w"].asnumpy(), np.ones(3)
    )
    with pytest.raises(ValueError, match="encrypted"):
        load_checkpoint(path)
    with pytest.raises(ValueError):
        load_checkpoint(path, dec_key=bytes(length), dec_mode=mode)


def test_a_wrong_key_is_named_even_when_its_padding_fits(path, unnoticed_key):
    save_checkpoint(as_dict(w=np.ones(3, np.float32)), path, enc_key=bytes(16), enc_mode="AES-CBC")
    key = unnoticed_key(Path(path).read_bytes(), "AES-CBC")
    with pytest.raises(ValueError, match="pass the correct 'dec_key'"):
        load_checkpoint(path, dec_key=key, dec_mode="AES-CBC")


def test_checksums(path):
    save_checkpoint(as_dict(w=np.ones(3, np.float32)), path, crc_check=True)
    assert len(load_checkpoint(path, crc_check=True)) == 1 and ms.check_checkpoint(path)
    content = bytearray(Path(path).read_bytes())
    content[-20] ^= 1
    os.chmod(path, 0o600)
    Path(path).write_bytes(content)
    assert len(load_checkpoint(path)) == 1 and not ms.check_checkpoint(path)
    with pytest.raises(ValueError, match="crc check is failed"):
        load_checkpoint(path, crc_check=True)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"save_obj": 1}, TypeError),
        ({"save_obj": [Tensor(1.0)]}, TypeError),
        ({"save_obj": [{"name": 1, "data": Tensor(1.0)}]}, TypeError),
        ({"save_obj": {"a": 1}}, TypeError),
        ({"ckpt_file_name": 3}, TypeError),
        ({"integrated_save": 1}, TypeError),
        ({"async_save": 1}, TypeError),
        ({"append_dict": [1]}, TypeError),
        ({"append_dict": {"a": [1]}}, TypeError),
        ({"enc_key": "text"}, ValueError),
        ({"enc_key": b"short"}, ValueError),
        ({"enc_key": b"0" * 16, "enc_mode": "DES"}, ValueError),
        ({"enc_key": b"0" * 16, "crc_check": True}, ValueError),
        ({"crc_check": 1}, ValueError),
    ],
)
def test_arguments_of_saving(path, arguments, error):
    defaults = {"save_obj": as_dict(a=np.ones(1)), "ckpt_file_name": path}
    with pytest.raises(error):
        save_checkpoint(**{**defaults, **arguments})
    assert not os.path.exists(path)


def test_places(tmp_path, path):
    with pytest.raises(IsADirectoryError, match="is a directory"):
        save_checkpoint(Net(), str(tmp_path))
    with pytest.raises(FileNotFoundError):
        save_checkpoint(Net(), str(tmp_path / "missing" / "net.ckpt"))
    save_checkpoint(Net(), path.removesuffix(".ckpt"))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o400
    save_checkpoint([], path)  # over a file that may only be read
    with pytest.raises(ValueError, match="is empty after filter"):
        load_checkpoint(path)
    assert os.listdir(tmp_path) == ["net.ckpt"]


@pytest.mark.parametrize(
    "name, error, text",
    [
        (1, TypeError, "must be string"),
        ("net", ValueError, "ckpt"),
        ("no.ckpt", ValueError, "does not exist"),
    ],
)
def test_names_of_files_to_load(name, error, text):
    with pytest.raises(error, match=text):
        load_checkpoint(name)


def test_damaged_files(path):
    """Every cut and many flipped bytes: a ValueError that names the file, or values; never a crash."""
    save_checkpoint(Net(), path, append_dict={"text": "abc", "n": 1})
    content = Path(path).read_bytes()
    os.chmod(path, 0o600)
    rng = random.Random(1)
    damaged = [content[:length] for length in range(len(content))]
    for _ in range(400):
        changed = bytearray(content)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        damaged.append(bytes(changed))
    damaged += [rng.randbytes(rng.randint(1, 200)) for _ in range(100)]
    refused = 0
    for content in damaged:
        Path(path).write_bytes(content)
        try:
            load_checkpoint(path)
        except ValueError as failure:
            refused += 1
            assert "net.ckpt" in str(failure) or "is empty after" in str(failure)
    assert refused > len(damaged) // 2


class TestIntoNetworks:
    def test_all(self, path):
        source, target = Net(), Net()
        save_checkpoint(source, path, append_dict={"n": 1, "text": "x"})
        loaded = load_checkpoint(path, target)
        for ours, theirs in zip(target.get_parameters(), source.get_parameters(), strict=True):
            np.testing.assert_array_equal(ours.asnumpy(), theirs.asnumpy())
        assert load_param_into_net(target, loaded) == ([], ["n", "text"])

    def test_prefixes(self):
        values = {"outer." + p.name: Parameter(p.value() + 1, name=p.name) for p in Net().get_parameters()}
        values["other"] = Parameter(Tensor(1.0))
        net = Net()
        missing, unused = load_param_into_net(net, values)
        assert missing == [] and unused == list(values)
        np.testing.assert_array_equal(net.dense.bias.asnumpy(), values["outer.dense.bias"].asnumpy())
        assert len(load_param_into_net(Net(), values, strict_load=True)[0]) == 6

    @pytest.mark.parametrize(
        "array, text",
        [
            (np.ones((3, 3), np.float32), "should have the same shape as .* But got its shape"),
            (np.ones((3, 2), np.int32), "should have the same type as"),
        ],
    )
    def test_what_does_not_fit(self, array, text):
        with pytest.raises(RuntimeError, match=text):
            load_param_into_net(Net(), {"dense.weight": Parameter(Tensor(array))})

    def test_what_is_converted(self):
        net = Net()
        values = as_dict(**{"dense.weight": np.full((3, 2), 0.5, np.float16)})
        values.update(as_dict(**{"dense.bias": np.ones((3, 1, 1), np.float32)}))
        missing, unused = load_param_into_net(net, values)
        assert len(missing) == 4 and unused == []
        assert net.dense.weight.dtype == ms.float32 and net.dense.bias.shape == (3,)
        assert float(net.dense.weight.sum()) == 3.0
        with pytest.raises(RuntimeError, match="same type"):
            load_param_into_net(net, values, strict_load=True)

    @pytest.mark.parametrize(
        "net, values", [(1, {}), (None, 1), (None, {"a": Tensor(1.0)}), (None, {1: "x"})]
    )
    def test_types(self, net, values):
        with pytest.raises(TypeError):
            load_param_into_net(net or Net(), values)


def test_threads_write_what_was_there_when_they_began(path):
    net = Net()
    before = net.dense.weight.asnumpy().copy()
    save_checkpoint(net, path, async_save=True)
    net.dense.weight.set_data(Tensor(before + 1))
    while ms.async_ckpt_thread_status():
        time.sleep(0.01)
    np.testing.assert_array_equal(load_checkpoint(path)["dense.weight"].asnumpy(), before)
    assert list(ms.load_checkpoint_async(path, net).result()) == [p.name for p in net.get_parameters()]
    np.testing.assert_array_equal(net.dense.weight.asnumpy(), before)
    with pytest.raises(ValueError):
        ms.load_checkpoint_async(path + "x.ckpt").result()


def test_slices_of_parameters_are_merged():
    slices = [Parameter(Tensor(np.full((1, 2), i, np.float32)), name="w") for i in range(4)]
    assert ms.merge_sliced_parameter(slices).shape == (4, 2)
    merged = ms.merge_sliced_parameter(slices, {"w": [[2, 2], [1, 0]]}).asnumpy()
    np.testing.assert_array_equal(merged, [[0, 0, 1, 1], [2, 2, 3, 3]])


def test_who_saves_what():
    from mindspore.train._utils import get_parameter_redundancy, remove_param_redundancy

    layout = {
        "rows": ([2, 2], [1, -1], [4, 4]),
        "whole": ([2, 2], [-1], [8]),
        "both": ([2, 2], [1, 0], [4, 4]),
    }
    same = get_parameter_redundancy(layout)
    assert same["rows"] == ((0, 1), (2, 3)) and same["whole"] == ((0, 1, 2, 3),)
    assert same["both"] == ((0,), (1,), (2,), (3,))
    savers = remove_param_redundancy(same)
    assert sum("rows" in names for names in savers.values()) == 2
    assert sum("whole" in names for names in savers.values()) == 1
    assert all("both" in names for names in savers.values()) and len(savers) == 4

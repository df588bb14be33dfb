# SPDX-License-Identifier: Apache-2.0
"""Map parameters: rows by key, and their records in checkpoints, read by the tables of the format."""

from __future__ import annotations

import copy
import os
import pathlib
import pickle
import zlib

import numpy as np
import pytest
from test_checkpoint_bytes import CONTENT, DIMS, TAG, TYPE, VALUE, fields

import mindspore as ms
from mindspore import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint
from mindspore.experimental import MapParameter

MAP, ARRAY = 3, 1
KEY = b"0123456789abcdef"


def keys(*numbers: int, dtype=ms.int32) -> Tensor:
    return Tensor(np.array(numbers), dtype)


def content(table: MapParameter) -> dict[int, list]:
    found, rows = table.get_data()
    return dict(zip(found.asnumpy().tolist(), rows.asnumpy().tolist(), strict=True))


def filled(name: str = "table", rows: int = 3, **options) -> MapParameter:
    table = MapParameter(name=name, value_shape=2, default_value="zeros", **options)
    numbers = range(10, 10 + rows)
    table.put(keys(*numbers), Tensor(np.array([[n, -n] for n in numbers], np.float32).reshape(-1, 2)))
    return table


TABLE = filled()


class Net(nn.Cell):
    """A map parameter between others."""

    def __init__(self, rows: int = 3):
        super().__init__()
        self.first = Parameter(Tensor([1.0, 2.0]), name="first")
        self.table = filled("table", rows)
        self.last = Parameter(Tensor([3], ms.int32), name="last")


def map_records(data: bytes) -> list[tuple[str, list[tuple[str, list[int], bytes]]]]:
    """Name and arrays of every record of a map; the fields must stand as the format says."""
    found = []
    for number, value in fields(data):
        assert number == VALUE
        (tag, name), (kind, message) = fields(value)
        assert tag == TAG
        if kind != MAP:
            continue
        arrays = []
        for field, tensor in fields(message):
            assert field == ARRAY
            *dims, (type_field, type_name), (content_field, array) = fields(tensor)
            assert (type_field, content_field) == (TYPE, CONTENT) and {f for f, _ in dims} == {DIMS}
            arrays.append((type_name.decode(), [size for _, size in dims], array))
        found.append((name.decode(), arrays))
    return found


# ---- rows -----------------------------------------------------------------------------------------------


def test_get_put_and_erase():
    table = filled()
    got = table.get(keys(11, 99, 11))
    assert got.asnumpy().tolist() == [[11, -11], [0, 0], [11, -11]] and got.dtype == ms.float32
    assert 99 in content(table) and len(table) == 4
    assert table.get(keys(5), insert_default_value=False).asnumpy().tolist() == [[0, 0]]
    assert 5 not in content(table)
    assert table.erase(keys(10, 7)) is table and sorted(content(table)) == [11, 12, 99]
    table[keys(1)] = Tensor([[5.0, 6.0]])
    assert table[keys(1)].asnumpy().tolist() == [[5, 6]]
    table.put(Tensor([[1, 2], [3, 1]], ms.int32), Tensor(np.arange(8).reshape(2, 2, 2), ms.float32))
    assert content(table)[1] == [6, 7]  # the last of a key counts
    assert table.get(Tensor([[2], [3]], ms.int32)).shape == (2, 1, 2)


def test_many_rows_against_a_dict():
    chance = np.random.default_rng(1)
    table, known = MapParameter(value_shape=(), default_value=7, key_dtype=ms.int64, name="t"), {}
    for step in range(300):
        some = chance.integers(-50, 50, chance.integers(0, 8))
        if step % 3 == 0:
            table.erase(Tensor(some, ms.int64))
            for key in some.tolist():
                known.pop(key, None)
        else:
            table.put(Tensor(some, ms.int64), Tensor(some * 2 + step, ms.float32))
            known.update(zip(some.tolist(), (some * 2.0 + step).tolist(), strict=True))
    assert content(table) == known
    assert table.get(Tensor([1000], ms.int64)).asnumpy().tolist() == [7]


def test_kinds_of_default_rows():
    rows = {
        name: MapParameter(value_shape=400, default_value=name).get(keys(1)).asnumpy()
        for name in ("zeros", "ones", "normal", 2.5)
    }
    assert (rows["zeros"] == 0).all() and (rows["ones"] == 1).all() and (rows[2.5] == 2.5).all()
    assert 0.005 < rows["normal"].std() < 0.02


def test_copies_have_rows_of_their_own():
    table = filled()
    copies = [table.clone(), copy.deepcopy(table), pickle.loads(pickle.dumps(table))]
    table.erase(keys(10, 11, 12))
    for one in copies:
        assert isinstance(one, MapParameter) and one.name == "table" and sorted(content(one)) == [10, 11, 12]
    assert len(table.clone("ones")) == 0 and table.clone("ones").default_value == "ones"


def test_exports_tell_what_has_changed():
    table = filled()
    assert table.export_data()[2].tolist() == [0, 0, 0]
    table.put(keys(11), Tensor([[8.0, 9.0]]))
    table.erase(keys(12))
    found, rows, states = table.export_data(incremental=True)
    assert dict(zip(found.tolist(), states.tolist(), strict=True)) == {11: 1, 12: 2}
    assert rows.tolist() == [[8, 9], [0, 0]]
    assert table.export_data(incremental=True)[0].size == 0
    other = filled()
    other.import_data((found, rows, states))
    assert content(other) == content(table)
    assert other.export_slice_data()[3] is True
    assert other.export_bytes()[0] == other.get_keys().asnumpy().tobytes()


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: MapParameter(key_dtype=ms.float32), TypeError, "whole numbers"),
        (lambda: MapParameter(value_dtype=ms.bfloat16), TypeError, "BFloat16"),
        (lambda: MapParameter(value_shape="a"), TypeError, "value_shape"),
        (lambda: MapParameter(default_value="foo"), ValueError, "foo"),
        (lambda: MapParameter(size=3), TypeError, "size"),
        (lambda: MapParameter(key_tensor=keys(1)), ValueError, "value_tensor"),
        (lambda: filled().put(keys(1), Tensor([1.0])), ValueError, r"\(1, 2\)"),
        (lambda: filled().get(Tensor([1.0])), TypeError, "Int32"),
        (lambda: filled().get([1]), TypeError, "list"),
        (lambda: filled().set_data(Tensor([1.0, 2.0])), TypeError, "import_data"),
        (lambda: filled().import_data(([1], [[1.0]], [0])), ValueError, r"\(2,\)"),
        (lambda: ms.grad(lambda x: filled().get(keys(1)).sum() * x)(Tensor(1.0)), RuntimeError, "gradient"),
        (lambda: ms.jit(TABLE.get)(keys(1)), RuntimeError, "PyNative"),
    ],
)
def test_mistakes(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


# ---- files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 3, 100])
def test_records_are_those_of_the_format(tmp_path, rows):
    net, path = Net(rows), tmp_path / "net.ckpt"
    save_checkpoint(net, str(path), crc_check=True)
    data, mark, stated = path.read_bytes()[:-17], path.read_bytes()[-17:-10], path.read_bytes()[-10:]
    assert mark == b"crc_num" and int.from_bytes(stated, "big") == zlib.crc32(data)
    assert [fields(value)[0][1] for _, value in fields(data)] == [b"first", b"table", b"last"]
    ((name, arrays),) = map_records(data)
    found, values = net.table.get_data()
    assert name == "table" and arrays == [
        ("int32", [rows], found.asnumpy().tobytes()),
        ("float32", [rows, 2], values.asnumpy().tobytes()),
        ("int32", [rows], bytes(4 * rows)),
    ]


@pytest.mark.parametrize("async_save", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"crc_check": True}, {"enc_key": KEY}, {"enc_key": KEY, "enc_mode": "SM4-CBC"}]
)
def test_networks_with_maps_come_back(tmp_path, options, async_save):
    net, path = Net(), str(tmp_path / "net.ckpt")
    save_checkpoint(net, path, async_save=async_save, **options)
    expected = content(net.table)
    net.table.erase(keys(10))  # after the call, also while another thread writes
    ms.train.serialization.wait_for_async_save()
    reading = {"crc_check": "crc_check" in options}
    if "enc_key" in options:
        reading = {"dec_key": KEY, "dec_mode": options.get("enc_mode", "AES-GCM")}
    loaded = load_checkpoint(path, **reading)
    assert list(loaded) == ["first", "table", "last"]
    assert [array.dtype.name for array in loaded["table"]] == ["int32", "float32", "int32"]
    other = Net(7)
    other.first.set_data(Tensor([0.0, 0.0]))
    assert load_param_into_net(other, loaded) == ([], [])
    assert content(other.table) == expected and other.first.asnumpy().tolist() == [1, 2]


def test_what_is_chosen_is_saved_and_loaded(tmp_path):
    path = str(tmp_path / "net.ckpt")
    save_checkpoint(Net(), path, choice_func=lambda name: name != "table")
    assert list(load_checkpoint(path)) == ["first", "last"]
    other = Net(1)
    assert load_param_into_net(other, load_checkpoint(path)) == (["table"], [])
    save_checkpoint(Net(), path)
    assert list(load_checkpoint(path, choice_func=lambda name: name == "table")) == ["table"]
    assert sorted(content(other.table)) == [10]


def test_changes_alone(tmp_path):
    """A whole file, and then the changes since; a save that fails loses none of them."""
    net, whole, change = Net(), str(tmp_path / "whole.ckpt"), str(tmp_path / "change.ckpt")
    save_checkpoint(net, whole)
    net.table.put(keys(50), Tensor([[5.0, 0.0]]))
    net.table.erase(keys(10))
    with pytest.raises(FileNotFoundError):
        save_checkpoint(net, str(tmp_path / "no" / "folder.ckpt"), incremental=True)
    save_checkpoint(net, change, incremental=True)
    assert sorted(load_checkpoint(change)["table"][0].tolist()) == [10, 50]
    other = Net(0)
    for path in (whole, change):
        load_param_into_net(other, load_checkpoint(path))
    assert content(other.table) == content(net.table)
    save_checkpoint(net, change, incremental=True)  # nothing has changed since
    load_param_into_net(other, load_checkpoint(change))
    assert content(other.table) == content(net.table)


def test_lists_dicts_and_several_slices(tmp_path):
    path = str(tmp_path / "net.ckpt")
    for saved in ([filled()], {"table": filled()}, [{"name": "table", "data": filled()}]):
        save_checkpoint(saved, path)
        assert load_checkpoint(path)["table"][0].tolist() == [10, 11, 12]
    os.chmod(path, 0o600)
    file = pathlib.Path(path)
    file.write_bytes(file.read_bytes() * 2)  # a further slice
    assert load_checkpoint(path)["table"][1].shape == (6, 2)


def test_what_does_not_fit(tmp_path):
    path = str(tmp_path / "net.safetensors")
    with pytest.raises(ValueError, match=r"'table'.*'safetensors'"):
        save_checkpoint(Net(), path)
    assert not os.path.exists(path)
    wide = [np.array([1], np.int32), np.ones((1, 3), np.float32), np.zeros(1, np.int32)]
    with pytest.raises(RuntimeError, match=r"table.*\(2,\).*\(3,\)"):
        load_param_into_net(Net(), {"table": wide})
    long_keys = [np.array([1], np.int64), np.ones((1, 2), np.float32), np.zeros(1, np.int32)]
    net = Net()
    load_param_into_net(net, {"table": long_keys})
    assert content(net.table) == {1: [1, 1]}
    with pytest.raises(RuntimeError, match="int64"):
        load_param_into_net(Net(), {"table": long_keys}, strict_load=True)
    long_keys[0][0] = 1 << 40
    with pytest.raises(RuntimeError, match="do not fit the type int32"):
        load_param_into_net(Net(), {"table": long_keys})
    with pytest.raises(RuntimeError, match="is a map parameter"):
        load_param_into_net(Net(), {"table": Parameter(Tensor([1.0, 2.0]))})
    with pytest.raises(RuntimeError, match="is a map parameter"):
        load_param_into_net(Net(), {"first": filled()})
    assert load_param_into_net(Net(), {"first": wide})[1] == ["first"]

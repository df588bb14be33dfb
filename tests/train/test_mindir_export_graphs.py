# SPDX-License-Identifier: Apache-2.0
"""MindIR files of networks with inputs of unknown size, with a state, and with decisions."""

from __future__ import annotations

import numpy as np
import pytest
from test_mindir_export import attribute_of, check_same, exported, kinds, tensor

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

# ---- unknown sizes ----------------------------------------------------------------------------------------


def unknown(*shape, dtype=ms.float32):
    return Tensor(shape=list(shape), dtype=dtype)


def growing(x):
    while x.sum() < 100:
        x = (x.reshape(-1) * 2 + 1).reshape((x.shape[0], -1))
    return x[:, :2].reshape(-1)


def turning(x):
    if x.reshape(-1).sum() > 0:
        return x - x.mean(1, keep_dims=True)
    return x.reshape((x.shape[0], 2, 2)).transpose((0, 2, 1)).reshape((x.shape[0], 4))


OPEN = {
    "rows": (lambda: nn.Dense(3, 2), unknown(None, 3), [tensor(4, 3), tensor(1, 3)]),
    "three axes": (lambda: nn.Dense(3, 2), unknown(None, 4, 3), [tensor(6, 4, 3)]),
    "images": (
        lambda: nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2, 2), nn.Flatten()),
        unknown(None, 3, 8, 8),
        [tensor(2, 3, 8, 8), tensor(3, 3, 8, 8)],
    ),
    "planes": (lambda: nn.Conv2d(3, 4, 3), unknown(1, 3, None, None), [tensor(1, 3, 9, 12)]),
    "slices": (lambda: lambda x: x[:, 1:] * x[:-1, :1].sum(), unknown(None, 4), [tensor(6, 4)]),
    "choice": (lambda: lambda x: ops.where(x > 0, x, -1.0), unknown(None, 4), [tensor(6, 4)]),
    "norm": (lambda: nn.LayerNorm((4,)), unknown(None, None, 4), [tensor(2, 3, 4), tensor(5, 1, 4)]),
    "loop": (lambda: growing, unknown(None, 4), [tensor(3, 4) + 2, tensor(1, 4) + 2, tensor(9, 4) + 2]),
    "decision": (lambda: turning, unknown(None, 4), [tensor(3, 4), -tensor(3, 4), tensor(1, 4)]),
}


@pytest.mark.parametrize("name", OPEN)
def test_inputs_of_unknown_size(tmp_path, name):
    make, given, inputs = OPEN[name]
    net = make()
    model = exported(tmp_path, net, given)
    assert model["graph"]["input"][0]["tensor"][0]["dims"] == list(given.shape)
    for x in inputs:
        check_same(net, tmp_path / "net.mindir", x)


def test_unknown_sizes_told_before(tmp_path):
    net = nn.Dense(3, 2)
    net.set_inputs(unknown(None, 3))
    model = exported(tmp_path, net, tensor(2, 3))
    assert model["graph"]["input"][0]["tensor"][0]["dims"] == [-1, 3]


@pytest.mark.parametrize(
    "function", [lambda x: x + ops.arange(x.shape[0]).astype(ms.float32), lambda x: ops.unstack(x)]
)
def test_what_depends_on_an_unknown_size(tmp_path, function):
    with pytest.raises(RuntimeError, match="unknown size: .* depends on the size"):
        exported(tmp_path, function, unknown(None))


def test_padding_that_depends_on_an_unknown_size(tmp_path):
    """'same' puts a line around images on both sides if their size is odd, and on one if it is even."""
    net = nn.Conv2d(3, 4, 3, stride=2, pad_mode="same")
    with pytest.raises(RuntimeError, match="unknown size: an argument of 'Conv2D' depends on the size"):
        exported(tmp_path, net, unknown(1, 3, None, None))


@pytest.mark.parametrize("size", [7, 8])
def test_maxima_of_windows_in_the_mode_same_are_one_primitive(tmp_path, size):
    net, image = nn.MaxPool2d(3, 2, pad_mode="same"), tensor(2, 3, size, size)
    model = exported(tmp_path, net, image)
    assert kinds(model) == ["MaxPool"]
    assert attribute_of(model, "MaxPool", "pad_mode") == "SAME"
    check_same(net, tmp_path / "net.mindir", image)


def test_shapes_that_small_images_share(tmp_path):
    """Three halvings leave one element of images of 5 and of 7, but not of larger ones."""
    halvings = [nn.Conv2d(2, 2, 3, stride=2, pad_mode="pad", padding=1) for _ in range(3)]
    net = nn.SequentialCell(*halvings)
    with pytest.raises(RuntimeError, match="unknown size: .* depends on the size"):
        exported(tmp_path, lambda x: net(x).reshape((-1, *net(x).shape[1:3])), unknown(1, 2, None, None))


def test_network_that_takes_short_inputs_only(tmp_path):
    def short(x):
        if x.shape[0] > 12:
            raise ValueError("too long")
        return x * 2

    exported(tmp_path, short, unknown(None, 2))
    check_same(short, tmp_path / "net.mindir", tensor(12, 2))


@pytest.mark.parametrize("function", [lambda x: x[:, : x.shape[0]] * 2, lambda x: x[: x.shape[0] // 2] * 2])
def test_ends_of_slices_that_depend_on_an_unknown_size(tmp_path, function):
    """Where they stand from the end of the axis is not the same for all sizes."""
    with pytest.raises(RuntimeError, match="unknown size: .* depends on the size"):
        exported(tmp_path, function, unknown(None, 40))


# ---- networks with a state ------------------------------------------------------------------------------


class Remembering(nn.Cell):
    """Writes to its parameters whenever it runs."""

    def __init__(self):
        super().__init__()
        self.last = Parameter(tensor(3), name="last")
        self.total = Parameter(Tensor(np.zeros(3, np.float32)), name="total")

    def construct(self, x):
        """The last value and the new one, and a sum of all."""
        change = x - self.last
        ops.assign(self.last, x * 2)
        self.total += x
        self.total[0] = 5.0
        return change + self.last, self.total * 1


def test_parameters_that_are_written(tmp_path, each_mode):
    net, x = Remembering(), tensor(3)
    before = [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    exported(tmp_path, net, x)
    for parameter, value in zip(net.get_parameters(), before, strict=True):
        np.testing.assert_array_equal(parameter.asnumpy(), value)
    read = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    for step in range(3):
        for got, wanted in zip(read(x + step), net(x + step), strict=True):
            np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-6)


# ---- networks that decide ---------------------------------------------------------------------------------


class Deciding(nn.Cell):
    """What it does depends on values it computes and is given."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)

    def construct(self, x, more):
        """One of four."""
        y = self.dense(x)
        if y.sum() > 0:
            y = y * 2
        else:
            y = ops.exp(x)
        if more[0]:
            y = self.dense(y) + 10
        return y, x


def test_both_sides_of_an_if(tmp_path, each_mode):
    net = Deciding()
    model = exported(tmp_path, net, tensor(2, 3), Tensor([1]))
    assert kinds(model)[-3:] == ["Partial", "Partial", "Switch"]
    assert len(model["functions"]) == 6
    assert sorted(entry["ref_key"] for entry in model["graph"]["parameter"]) == ["dense.bias", "dense.weight"]
    read = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    for sign in (1, -1):
        for more in (0, 3):
            inputs = tensor(2, 3) * sign, Tensor([more])
            for got, wanted in zip(read(*inputs), net(*inputs), strict=True):
                np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def asking(x):
    for limit in (1, 2, 3, 4, 5, 6):
        x[0] = x[1] + 1 if x.sum() < limit else x[1] - 1
    return x


def reading(x):
    return x * float(x.sum())


def uneven(x):
    return x if x.sum() > 0 else x.sum()


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (
            asking,
            r"more than 32 ways, the last time at .*test_mindir_export_graphs.py:\d+.*assigns items of x",
        ),
        (reading, r"depends on values it computes, the first of them at .*test_mindir_export_graphs.py:\d+"),
        (uneven, "another type or shape when an 'if' is answered otherwise"),
    ],
)
def test_decisions_that_cannot_be_written(tmp_path, function, text):
    with pytest.raises(RuntimeError, match=text):
        exported(tmp_path, function, tensor(2))


@pytest.mark.parametrize("dtype", [ms.float32, ms.bfloat16, ms.int32])
def test_parameters_are_as_they_were(tmp_path, dtype):
    """Whatever the network writes to them while it is recorded, of large ones too."""

    class Counting(nn.Cell):
        """Writes to a parameter and has others."""

        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor(3, dtype), name="count")
            self.many = Parameter(Tensor(np.arange(3 << 20), ms.float32), name="many")
            self.none = Parameter(Tensor(np.zeros((0, 3), np.float32)), name="none")

        def construct(self, x):
            """Counts."""
            ops.assign_add(self.count, Tensor(1, dtype))
            ops.assign(self.many, self.many + 1)
            return x + self.count.astype(ms.float32) + self.many[5]

    net = Counting()
    ms.export(net, Tensor([1.0]), file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert net.count.astype(ms.float32).asnumpy() == 3 and net.count.dtype == dtype
    np.testing.assert_array_equal(net.many.asnumpy(), np.arange(3 << 20, dtype=np.float32))


@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_what_is_done_otherwise_with_one_row_is_told(tmp_path, capfd, file_format):
    def asking(x):
        return x * 2 if x.shape[0] > 1 else x.sum(axis=1)

    def plain(x):
        return (x - x.mean(axis=0)).reshape((x.shape[0], -1)) * 2

    asking.__name__ += file_format  # the same warning is given once
    for function, is_told in ((asking, True), (plain, False)):
        ms.export(
            function,
            Tensor(shape=[None, 3], dtype=ms.float32),
            file_name=str(tmp_path / "net"),
            file_format=file_format,
        )
        told = capfd.readouterr().err
        assert ("computes something else if axes of unknown size have one element" in told) == is_told

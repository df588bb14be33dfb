# SPDX-License-Identifier: Apache-2.0
"""Calls of cells that do not fit: declared inputs, places of errors, rehearsals."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"], autouse=True)
def mode(request):
    """Runs every test in both modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def _ones(*shape, dtype=ms.float32) -> Tensor:
    return Tensor(np.ones(shape), dtype)


class _Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.norm = nn.BatchNorm2d(6)
        self.head = nn.SequentialCell(nn.ReLU(), nn.Dense(24, 10))
        self.pool = nn.MaxPool2d(2, 2)
        self.seen = Parameter(Tensor(0, ms.int32), name="seen", requires_grad=False)

    def construct(self, x, part="conv1"):
        ops.assign_add(self.seen, Tensor(1, ms.int32))
        return getattr(self, part)(x)


# ---- places of errors --------------------------------------------------------------------------

PLACES = [
    ("conv1", (28, 28), ValueError, "network.conv1", "Conv2d", "(N, 1, H, W)"),
    ("conv1", (2, 3, 28, 28), RuntimeError, "network.conv1", "Conv2d", "(N, 1, H, W)"),
    ("norm", (2, 6), ValueError, "network.norm", "BatchNorm2d", "(N, 6, H, W)"),
    ("norm", (2, 5, 4, 4), ValueError, "network.norm", "BatchNorm2d", "(N, 6, H, W)"),
    ("head", (3, 20), ValueError, "network.head.1", "Dense", "(*, 24)"),
    ("pool", (3,), ValueError, "network.pool", "MaxPool2d", "(N, C, H, W)"),
]


@pytest.mark.parametrize(("part", "shape", "error", "path", "layer", "expected"), PLACES)
def test_errors_name_the_layer(part, shape, error, path, layer, expected):
    with pytest.raises(error) as caught:
        _Network()(_ones(*shape), part)
    text = str(caught.value)
    assert f"'{path}'" in text and layer in text and expected in text and str(shape) in text


def test_wrappers_are_not_part_of_the_path():
    net = _Network()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    with pytest.raises(ValueError, match=r"'network.conv1'"):
        step(_ones(28, 28), _ones(2))


def test_errors_of_users_stay_as_they_are():
    class Refusing(nn.Cell):
        def construct(self, x):
            raise ValueError("not today")

    with pytest.raises(ValueError) as caught:
        nn.SequentialCell(nn.ReLU(), Refusing())(_ones(2))
    assert str(caught.value) == "not today"


# ---- declared inputs ---------------------------------------------------------------------------


class _Sum(nn.Cell):
    def construct(self, x, y, scale=1.0):
        return (x.sum() + y.sum()) * scale


def _declared(**shapes):
    net = _Sum()
    net.set_inputs(**{name: Tensor(shape=shape, dtype=ms.float32) for name, shape in shapes.items()})
    return net


def test_calls_fit_what_was_declared():
    net = _declared(x=[None, 3])
    assert float(net(_ones(2, 3), _ones(1))) == 7
    assert float(net(_ones(5, 3), _ones(7, 7))) == 64
    with pytest.raises(ValueError, match="dims of 1th input"):
        net(_ones(2, 4), _ones(1))
    with pytest.raises(ValueError, match="dims of 1th input"):
        net(_ones(2, 3, 1), _ones(1))
    with pytest.raises(TypeError, match="1th type should be Tensor"):
        net(_ones(2, 3, dtype=ms.float16), _ones(1))


def test_declarations_by_position():
    net = _Sum()
    net.set_inputs(Tensor(dtype=ms.float32), Tensor(shape=[None], dtype=ms.float32), 2.0)
    assert float(net(_ones(2, 2), _ones(3), 2.0)) == 14
    with pytest.raises(ValueError, match="3th input"):
        net(_ones(2, 2), _ones(3), 3.0)
    assert len(net.get_inputs()) == 3


def test_symbols_are_kept():
    length = ms.Symbol(min=2, max=8, divisor=2, unique=True)
    net = _declared(x=[length, 3], y=[length])
    assert float(net(_ones(4, 3), _ones(4))) == 16
    for x, y in (((3, 3), 3), ((10, 3), 10), ((4, 3), 6)):
        with pytest.raises(ValueError, match="Symbol"):
            net(_ones(*x), _ones(y))


def test_wrong_declarations():
    tensor = Tensor(shape=[None], dtype=ms.float32)
    with pytest.raises(ValueError, match="should only set inputs or kwargs"):
        _Sum().set_inputs(tensor, y=tensor)
    with pytest.raises(ValueError, match="valid key is"):
        _Sum().set_inputs(z=tensor)
    with pytest.raises(ValueError, match="number of inputs"):
        _Sum().set_inputs(tensor)


# ---- rehearsals --------------------------------------------------------------------------------


def test_compiling_computes_nothing():
    net = _Network()
    net.compile(_ones(1, 1, 28, 28))
    assert int(net.seen) == 0
    with pytest.raises(ValueError, match="network.conv1"):
        net.compile(_ones(28, 28))
    with pytest.raises(TypeError, match="requires"):
        net.compile()
    optimizer = nn.Adam(net.trainable_params())
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    before = net.conv1.weight.asnumpy().copy()
    step.compile(_ones(1, 1, 28, 28), _ones(1, 6, 24, 24))
    np.testing.assert_array_equal(net.conv1.weight.asnumpy(), before)
    step(_ones(1, 1, 28, 28), _ones(1, 6, 24, 24))
    assert int(net.seen) == 1 and (net.conv1.weight.asnumpy() != before).any()


# ---- small things ------------------------------------------------------------------------------


def test_little_used_names():
    net = _Network()
    net.generate_scope()
    assert net.head[1].get_scope() == "head/1"
    net.update_cell_prefix()
    assert net.conv1.param_prefix == "conv1"
    assert net.cls_name == "_Network"
    net.cls_name = "Other"
    assert net.cls_name == "Other"
    assert net.set_broadcast_flag() is net and net.conv1.broadcast_flag
    assert net.cast_inputs((_ones(2), 3), ms.float16)[0].dtype == ms.float16
    assert net.infer_param_pipeline_stage() == net.trainable_params()
    net.check_names()
    assert net.jit_config_dict == {} and net.parameter_layout_dict == {}
    with pytest.raises(TypeError, match="params"):
        net.load_parameter_slice([])
    with pytest.raises(TypeError, match="pipeline_segment"):
        net.pipeline_segment = "1"


def test_forgotten_constructor():
    class Forgetful(nn.Cell):
        def __init__(self):
            self.a = 1

        def construct(self):
            return self.a

    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
        Forgetful()()


def test_primitives_for_subclasses():
    class Scaled(nn.Conv2d):
        def construct(self, x):
            return self.bias_add(self.conv2d(x, self.weight * 2), self.bias)

    net = Scaled(2, 3, 3, has_bias=True, bias_init="ones")
    x = Tensor(np.random.RandomState(0).randn(1, 2, 5, 5), ms.float32)
    plain = nn.Conv2d(2, 3, 3, weight_init=net.weight)(x)
    np.testing.assert_allclose(net(x).asnumpy(), 2 * plain.asnumpy() + 1, 1e-4, 1e-5)


def test_attributes_of_subclasses_win():
    class Own(nn.Dense):
        def __init__(self):
            super().__init__(2, 3)
            self.matmul = ops.MatMul()
            self.bias_add = nn.ReLU()

    net = Own()
    assert not net.matmul.transpose_b and isinstance(net.bias_add, nn.ReLU)
    assert nn.Dense(2, 3).matmul.transpose_b


def test_lists_of_cells_grow():
    cells = nn.CellList([nn.Dense(2, 2)])
    cells += [nn.Dense(2, 3)]
    assert [p.name for p in cells.get_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]


@pytest.mark.parametrize("kind", [ms.float64, ms.int32])
def test_inputs_of_another_type_than_the_parameters(kind):
    with pytest.raises(TypeError, match=r"parameters are Float32: pass x\.astype\(mindspore\.float32\)"):
        nn.Dense(4, 2)(Tensor(np.ones((2, 4)), kind))


def test_numbers_of_rows_are_not_told_to_become_floats():
    with pytest.raises(TypeError) as caught:
        nn.Embedding(4, 2)(Tensor(np.ones(3), ms.float64))
    assert "astype" not in str(caught.value)

# SPDX-License-Identifier: Apache-2.0
"""Cell: attributes, names, iteration, flags, calls, text, copies."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.api import _cell_graph_executor


def parameter(name=None, value=1.0):
    return Parameter(Tensor([value]), name=name)


class Leaf(nn.Cell):
    def __init__(self, name="own"):
        super().__init__()
        self.w = parameter(name)

    def construct(self, x):
        return x * self.w


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bias = parameter("explicit")
        self.a = Leaf()
        self.layers = nn.SequentialCell(Leaf(), Leaf())
        self.bn = nn.BatchNorm2d(2)

    def construct(self, x):
        return self.layers(self.a(x)) + self.bias


def names(cell):
    return [p.name for p in cell.get_parameters()]


def test_names_follow_attributes():
    net = Net()
    assert names(net) == [
        "explicit",
        "a.w",
        "layers.0.w",
        "layers.1.w",
        "bn.moving_mean",
        "bn.moving_variance",
        "bn.gamma",
        "bn.beta",
    ]
    assert names(nn.BatchNorm2d(2)) == ["mean", "variance", "gamma", "beta"]
    assert [path for path, _ in net.parameters_and_names()][0] == "bias"


def test_nesting_repeats_the_prefix():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = Net()

    assert names(Outer())[:2] == ["net.bias", "net.a.w"]


def test_auto_prefix_off_keeps_names():
    class Wrapper(nn.Cell):
        def __init__(self, net):
            super().__init__(auto_prefix=False)
            self.net = net

    assert names(Wrapper(Leaf())) == ["own"]


def test_unnamed_parameter_takes_the_attribute():
    assert names(Leaf(None)) == ["w"]


def test_cell_under_two_names():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Leaf()
            self.b = self.a

    net = Shared()
    assert [(path, p.name) for path, p in net.parameters_and_names()] == [("a.w", "b.w")]
    assert [path for path, _ in net.cells_and_names()] == ["", "a"]
    assert len(net.cells()) == 1


def test_duplicate_names_are_resolved_at_the_first_call():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a, self.b = parameter("s"), parameter("s")

        def construct(self, x):
            return x * self.a * self.b

    net = Two()
    assert list(net.parameters_dict()) == ["s"]
    net(Tensor([1.0]))
    assert names(net) == ["a", "b"]


def test_lists_of_parameters_are_registered():
    class Listed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.items = [parameter(), parameter("named")]
            self.group = ParameterTuple([parameter("x"), parameter("y")])

    net = Listed()
    assert names(net) == ["items.0", "named", "x", "y"]
    assert isinstance(net.items, list) and isinstance(net.group, ParameterTuple)
    net.items = None
    assert names(net) == ["x", "y"]


def test_assigning_to_a_parameter():
    net = Leaf()
    held = net.w
    net.w = Tensor([5.0])
    assert net.w is held and float(held) == 5.0
    with pytest.raises(ValueError, match="Can not change the shape"):
        net.w = Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="must be Parameter or ParameterTuple"):
        net.w = 3
    net.w = None
    assert net.w is None and names(net) == []


def test_clashes():
    net = Net()
    net.plain = 1
    with pytest.raises(TypeError, match="should not be Parameter"):
        net.plain = parameter()
    with pytest.raises(TypeError, match="must be Cell, but got Parameter"):
        net.a = parameter()
    with pytest.raises(TypeError, match="must be Parameter, but got Cell"):
        net.bias = nn.ReLU()
    with pytest.raises(TypeError, match="must be cell"):
        net.a = 3
    net.plain = nn.ReLU()
    assert "plain" in net.name_cells()
    del net.plain
    del net.a
    del net.bias
    assert "a" not in net.name_cells() and not hasattr(net, "plain")
    with pytest.raises(AttributeError, match="The 'Net' object has no attribute 'a'."):
        _ = net.a


def test_init_must_be_called_first():
    class Early(nn.Cell):
        def __init__(self):
            self.w = parameter()

    with pytest.raises(AttributeError, match=r"can not assign params before Cell.__init__\(\) is called."):
        Early()


def test_construct_must_be_defined():
    with pytest.raises(AttributeError, match="the method 'construct' is not defined"):
        nn.Cell()(1)


def test_insert_param_and_child():
    net = nn.Cell()
    net.insert_param_to_cell("w", parameter())
    net.insert_child_to_cell("leaf", Leaf())
    assert names(net) == ["w", "own"] and float(net.w) == 1.0
    with pytest.raises(KeyError):
        net.insert_param_to_cell("a.b", parameter())
    with pytest.raises(KeyError):
        net.insert_param_to_cell("", parameter())
    with pytest.raises(KeyError):
        net.insert_param_to_cell("training", parameter())
    with pytest.raises(TypeError):
        net.insert_param_to_cell("v", Tensor(1.0))


def test_trainable_and_frozen():
    net = Net()
    net.bias.requires_grad = False
    assert [p.name for p in net.untrainable_params()] == ["explicit", "bn.moving_mean", "bn.moving_variance"]
    assert len(net.trainable_params()) == 5
    assert isinstance(net.parameters_dict(), OrderedDict)


def test_apply_children_first():
    order = []
    net = Net()
    assert net.apply(lambda cell: order.append(cell.cls_name)) is net
    assert order == ["Leaf", "Leaf", "Leaf", "SequentialCell", "BatchNorm2d", "Net"]


def test_train_and_flags():
    net = Net()
    assert not net.training and net.phase == "train"
    assert net.set_train() is net and net.bn.training and net.phase == "train"
    net.set_train(False)
    assert not net.layers[0].training and net.phase == "predict" and net.a.phase == "train"
    net.add_flags_recursive(speed=3)
    assert net.a.speed == 3 and net.a.get_flags()["speed"] == 3
    with pytest.raises(ValueError, match="must be 'less_bn', but got x"):
        net.set_boost("x")
    with pytest.raises(ValueError, match="keyword 'foo' is not recognized!"):
        net.recompute(foo=1)
    with pytest.raises(TypeError):
        net.bprop_debug = 1
    with pytest.raises(ValueError):
        net.pipeline_stage = -1


def test_to_float_casts_per_operator():
    class Passing(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = parameter()
            self.child = nn.ReLU()

        def construct(self, x, pass_through):
            self.seen = x.dtype
            return x if pass_through else self.child(x * self.w)

    net = Passing().to_float(ms.float16)
    x = Tensor([1.0])
    assert net(x, False).dtype == ms.float16 and net.seen == ms.float32
    assert net(x, True).dtype == ms.float32
    assert net.w.dtype == ms.float32
    gradient = ms.grad(net, 0, net.w)(x, False)
    assert [g.dtype for g in gradient] == [ms.float32, ms.float32]
    norm = nn.BatchNorm2d(2).to_float(ms.float16).set_train()
    assert norm(ops.ones((2, 2, 3, 3), ms.float32)).dtype == ms.float16
    assert norm.moving_mean.dtype == ms.float32
    with pytest.raises(ValueError, match="the argument 'dst_type' must be mstype.float32"):
        net.to_float(ms.int32)


def test_recompute_flag_gives_the_same_gradient():
    x = Tensor([2.0])
    for again in (False, True):
        net = Leaf()
        if again:
            net.recompute()
        dx, dw = ms.grad(lambda x, net=net: net(x) ** 2, 0, net.w)(x)
        assert float(dx) == 4.0 and float(dw) == 8.0


def test_text():
    assert repr(nn.ReLU()) == "ReLU<>"
    assert repr(nn.Dense(2, 3)) == "Dense<input_channels=2, output_channels=3, has_bias=True>"
    assert repr(nn.SequentialCell(nn.ReLU())) == "SequentialCell<\n  (0): ReLU<>\n  >"


def test_deep_copy_and_pickle():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())
    x = Tensor(np.ones((1, 2), np.float32))
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(Leaf()))):
        assert all(isinstance(p, Parameter) for p in other.get_parameters())
    other = copy.deepcopy(net)
    assert names(other) == names(net)
    np.testing.assert_array_equal(other(x).asnumpy(), net(x).asnumpy())
    other[0].weight.set_data(Tensor(np.zeros((2, 2), np.float32)))
    assert other[0].weight is list(other.get_parameters())[0]
    assert net[0].weight.asnumpy().any()


def test_sequential_cell():
    net = nn.SequentialCell(OrderedDict([("first", nn.Dense(2, 3)), ("second", nn.Dense(3, 4))]))
    assert names(net)[0] == "first.weight"
    net = nn.SequentialCell([nn.Dense(2, 3), nn.Dense(3, 4)])
    net.append(nn.ReLU())
    net.insert(0, nn.Dense(2, 2))
    assert len(net) == 4 and names(net)[0] == "0.weight" and names(net)[-1] == "2.bias"
    assert net(ops.ones((1, 2), ms.float32)).shape == (1, 4)
    del net[0]
    assert names(net) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert isinstance(net[:2], nn.SequentialCell) and len(net[-1:]) == 1
    net[0] = nn.Dense(2, 3, has_bias=False)
    assert len(names(net)) == 3
    with pytest.raises(TypeError, match="each cell must be subclass of Cell"):
        nn.SequentialCell(1)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("kind", [nn.CellList, nn.SequentialCell])
def test_a_cell_of_a_list_is_chosen_by_a_tensor(kind, mode):
    class Chosen(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = kind([nn.ReLU(), nn.Tanh()])

        def construct(self, x, k):
            return self.layers[k](x)

    net, x = Chosen(), Tensor(np.array([-1, 2], np.float32))
    ms.set_context(mode=mode)
    try:
        for _ in range(2):
            assert net(x, Tensor(0)).asnumpy().tolist() == [0, 2]
            np.testing.assert_array_equal(net(x, Tensor(-1)).asnumpy(), ops.tanh(x).asnumpy())
        with pytest.raises(IndexError, match="must be a number in range"):
            net(x, Tensor(2))
        with pytest.raises((TypeError, ValueError)):
            net(x, Tensor(0.5))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_cell_list():
    cells = nn.CellList([nn.Dense(2, 2), nn.ReLU()])
    with pytest.raises(TypeError, match="each cell must be subclass of Cell"):
        cells.append(1)
    with pytest.raises(IndexError, match=r"must be a number in range \[-2, 2\)"):
        _ = cells[2]
    with pytest.raises(TypeError):
        _ = cells["0"]
    with pytest.raises(TypeError):
        cells.extend((nn.ReLU(),))
    cells.extend([nn.Dense(2, 1)])
    assert len(cells) == 3 and isinstance(cells[:2], nn.CellList)
    assert names(cells) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    cells.insert(0, nn.Tanh())
    assert names(cells)[0] == "1.weight" and [c.cls_name for c in cells][0] == "Tanh"


def test_cell_dict():
    cells = nn.CellDict({"a": nn.Dense(1, 1), "b": nn.ReLU()})
    assert list(cells.keys()) == ["a", "b"] and names(cells)[0] == "a.weight" and "a" in cells
    with pytest.raises(TypeError):
        cells[1] = nn.ReLU()
    for bad in ("", "a.b", "training"):
        with pytest.raises(KeyError):
            cells[bad] = nn.ReLU()
    assert cells.pop("b").cls_name == "ReLU" and len(cells) == 1


# ---- arguments of calls in Graph mode ------------------------------------------------------------


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class _Sum(nn.Cell):
    def construct(self, x, y, scale=1):
        return (x + y) * scale


def test_argument_counts_of_cells(graph_mode):
    net, one = _Sum(), ms.Tensor(1.0)
    assert float(net(one, y=one)) == 2 and net.compile(one, one) is None
    for call in (net, net.compile, lambda *args: _cell_graph_executor.compile(net, *args)):
        with pytest.raises(
            TypeError, match="construct requires 2 positional argument, but got 1. When using"
        ):
            call(one)
        with pytest.raises(
            TypeError, match="requires 2 positional argument and 1 default argument, total 3, but got 4"
        ):
            call(one, one, 1, 1)
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        net(one, scale=2)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'z'"):
        net(one, one, z=2)
    assert float(_cell_graph_executor(net, one, one)) == 2


def test_argument_counts_of_functions():
    @ms.jit
    def total(x, y, scale=1):
        return (x + y) * scale

    one = ms.Tensor(1.0)
    with pytest.raises(TypeError, match="Function total needs 2 positional argument, but got 1."):
        total(one)
    with pytest.raises(
        TypeError, match="needs 2 positional argument and 1 default argument, total 3, but got 4"
    ):
        total(one, one, 1, 1)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'z'"):
        total(one, one, z=2)
    with pytest.raises(TypeError, match="unsupported operand"):
        total(1, [])


def test_parameters_are_not_made_in_a_graph(graph_mode):
    class Wrong(nn.Cell):
        def construct(self, x):
            return Parameter(x, name="w")

    class Right(nn.Cell):
        def construct(self, x):
            return nn.Dense(2, 3)(x)

    x = Tensor(np.ones((1, 2), np.float32))
    with pytest.raises(ValueError, match="creating class 'mindspore.common.parameter.Parameter' instances"):
        Wrong()(x)
    with pytest.raises(ValueError, match="MultitypeFuncGraph' instances is not supported"):
        ms.jit(lambda: ops.MultitypeFuncGraph("add"))()
    assert Right()(x).shape == (1, 3)


def test_only_compiling(graph_mode):
    net, one = _Sum(), ms.Tensor(1.0)
    ms.set_context(precompile_only=True)
    try:
        assert net(one, one) is None and ms.jit(lambda x: x)(one) is None
        assert ms.vmap(ms.jit(lambda x: x))(ms.Tensor([1.0, 2.0])) is None
        with pytest.raises(TypeError, match="requires 2 positional argument"):
            net(one)
    finally:
        ms.set_context(precompile_only=False)
    assert float(net(one, one)) == 2


def test_a_keyword_of_a_constructor_may_be_called_cls():
    class Weights(nn.Cell):
        def __init__(self, box, cls):
            super().__init__()
            self.of_class = cls

    assert Weights(box=1, cls=2).of_class == 2


def test_the_type_of_computing_is_a_flag():
    net = nn.SequentialCell(nn.Dense(1, 1))
    for dtype, flag in ((ms.float16, "fp16"), (ms.bfloat16, "bf16"), (ms.float32, "fp32")):
        net.to_float(dtype)
        for cell in (net, net[0]):
            assert {name for name, is_set in cell.get_flags().items() if is_set} == {flag}
        assert net(Tensor([[1.0]])).dtype == dtype
    assert nn.Dense(1, 1).get_flags() == {}

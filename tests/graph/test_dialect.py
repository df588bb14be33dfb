# SPDX-License-Identifier: Apache-2.0
"""What scripts written for graph mode say though Python does not know it; values are the reference's."""

import copy

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, jit, nn, ops

COUNT = 1
BEGIN, BEGIN_here = 10, 89
WORDS = ["one"]
TABLE = Tensor(np.ones((2, 3), np.float32))
TO_REVERSE = [1, 2, 3, 4]
STEADY = [1, Tensor([2.0])]


@pytest.fixture
def x():
    return Tensor(np.arange(4, dtype=np.float32))


@pytest.mark.parametrize("kind", [tuple, list])
def test_map_is_used_up(x, kind):
    @jit
    def both(a):
        return map(lambda one, two: one + two, kind((a, a)), kind((1, 2)))

    for _ in range(3):
        result = both(x)
        assert type(result) is kind
        assert [part.asnumpy().tolist() for part in result] == [[1, 2, 3, 4], [2, 3, 4, 5]]


def test_map_of_an_eager_fallback_is_the_same():
    @jit
    def drawn():
        return map(int, (np.random.rand(), 2.5))  # random numbers are never compiled

    for _ in range(3):
        result = drawn()
        assert type(result) is tuple and result == (0, 2)


@pytest.mark.parametrize(
    ("lazy", "whole"),
    [
        (lambda: filter(lambda one: one > 1, (1, 2, 3)), [2, 3]),
        (lambda: zip((1, 2), (3, 4), strict=True), ((1, 3), (2, 4))),
        (lambda: enumerate([5, 6]), ((0, 5), (1, 6))),
        (lambda: (one * one for one in [1, 2]), [1, 4]),
    ],
)
def test_what_python_computes_piece_by_piece(x, lazy, whole):
    @jit
    def alone(a):
        return lazy()

    @jit
    def among_others(a):
        return {"in": [lazy(), a + 1]}

    for _ in range(2):
        assert alone(x) == whole and type(alone(x)) is type(whole)
        first, second = among_others(x)["in"]
        assert first == whole and second.asnumpy().tolist() == [1, 2, 3, 4]


def test_partial_with_names(x):
    def combine(x, y, z=0):
        return x * 10 + y + z

    @jit
    def named(a):
        return ops.partial(combine, x=2)(y=3) + a

    @jit
    def mixed(a):
        return ops.Partial()(combine, a, z=2)(y=3)

    for _ in range(2):
        assert named(x).asnumpy().tolist() == [23, 24, 25, 26]
        assert mixed(x).asnumpy().tolist() == [5, 15, 25, 35]


def test_has_key(x):
    @jit
    def asks(a):
        table = {"a": a, "b": 2}
        return table.has_key("a"), table.has_key("c"), a + 1

    for _ in range(2):
        known, unknown, value = asks(x)
        assert known is True and unknown is False
        assert value.asnumpy().tolist() == [1, 2, 3, 4]


def test_has_key_of_another_class_is_its_own(x):
    class Shelf:
        def has_key(self, key):
            return key == "shelf"

    shelf = Shelf()

    @jit
    def asks(a):
        return {"a": a}.has_key("shelf"), shelf.has_key("shelf")

    assert asks(x) == (False, True)


def test_has_key_in_a_cell(x):
    class Net(nn.Cell):
        def __init__(self, offset):
            super().__init__()
            self.offset = offset

        def construct(self, a):
            settings = {"offset": self.offset}
            return a + self.offset if settings.has_key("offset") else a

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Net(3)

        def construct(self, a):
            return self.inner(a) * 2

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net, outer = Net(3), Outer()
        for _ in range(2):
            assert net(x).asnumpy().tolist() == [3, 4, 5, 6]
            assert outer(x).asnumpy().tolist() == [6, 8, 10, 12]
        net.offset = 4
        assert net(x).asnumpy().tolist() == [4, 5, 6, 7]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_global_that_is_not_declared_is_where_a_local_begins(x):
    global COUNT

    @jit
    def adds(a):
        for i in range(3):
            COUNT += i  # noqa: F823, F841
        return a + COUNT

    COUNT = 1
    for _ in range(2):
        assert adds(x).asnumpy().tolist() == [4, 5, 6, 7]
    assert COUNT == 1
    COUNT = 11  # what stands there is looked at in every call
    assert adds(x).asnumpy().tolist() == [14, 15, 16, 17]


def test_a_global_tensor_keeps_its_value():
    @jit
    def adds():
        for i in (1, 2, 3):
            TABLE += i  # noqa: F823, F841
        return TABLE

    for _ in range(2):
        assert adds().asnumpy().tolist() == [[7, 7, 7], [7, 7, 7]]
    assert TABLE.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]


def test_what_happens_before_happens_once(x):
    seen = []

    @jit
    def notes(a):
        seen.append(1)
        BEGIN += 1  # noqa: F823, F841
        return a * BEGIN

    assert notes(x).asnumpy().tolist() == [0, 11, 22, 33]
    assert seen == [1]


def test_names_that_are_taken(x):
    @jit
    def adds(a):
        BEGIN += 1  # noqa: F823, F841
        asked, has_key_of = 5, 6
        return a * BEGIN + BEGIN_here + asked + has_key_of, {"k": 1}.has_key("k")

    value, known = adds(x)
    assert value.asnumpy().tolist() == [100, 111, 122, 133] and known is True


def test_names_in_functions_inside(x):
    @jit
    def nested(a):
        BEGIN += 1  # noqa: F823, F841

        def reads():
            return BEGIN

        def takes(*BEGIN):
            return len(BEGIN)

        def has_its_own():
            BEGIN = 7
            return [BEGIN for _ in range(1)][0]

        doubled = [BEGIN * 2 for _ in range(1)]
        return a + reads(), takes(1, 2), has_its_own(), doubled, (lambda BEGIN: BEGIN)(3)

    value, *others = nested(x)
    assert value.asnumpy().tolist() == [11, 12, 13, 14]
    assert others == [2, 7, [22], 3]


def test_a_name_that_an_error_or_a_module_gets(x):
    @jit
    def otherwise(a):
        try:
            BEGIN += 1  # noqa: F823, F841
        except UnboundLocalError as BEGIN:
            return a + len(str(BEGIN)) * 0
        return a

    assert otherwise(x).asnumpy().tolist() == [0, 1, 2, 3]  # as in Python


def test_a_global_list_is_not_changed_in_its_place(x):
    @jit
    def grows(a):
        WORDS += ["more"]  # noqa: F823, F841
        return a * len(WORDS)

    for _ in range(3):
        assert grows(x).asnumpy().tolist() == [0, 2, 4, 6]
    assert WORDS == ["one"]


def _helper(a):
    BEGIN += 1  # noqa: F823, F841
    return a * BEGIN


def test_functions_that_a_function_calls(x):
    @jit
    def calls(a):
        return _helper(a) + 1

    assert calls(x).asnumpy().tolist() == [1, 12, 23, 34]


class _Private(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.__k = k

    def add(self, a):
        BEGIN += self.__k  # noqa: F823, F841
        return a * BEGIN

    def construct(self, a):
        super().__getattr__  # noqa: B018
        return self.add(a) if {"k": 1}.has_key("k") else a


@pytest.mark.usefixtures("graph_mode")
def test_cells_copies_and_gradients(x):
    net = _Private(1)
    assert ms.grad(net)(x).asnumpy().tolist() == [11, 11, 11, 11]
    assert net(x).asnumpy().tolist() == [0, 11, 22, 33]
    other = copy.copy(net)
    other._Private__k = 2
    assert other(x).asnumpy().tolist() == [0, 12, 24, 36]
    assert net(x).asnumpy().tolist() == [0, 11, 22, 33]


def test_a_dict_of_another_class_answers_itself(x):
    class Shouting(dict):
        def has_key(self, key):
            return self.__contains__(key.upper())

    loud = Shouting(A=1)

    @jit
    def asks(a):
        return {"a": 1}.has_key("a"), loud.has_key("a"), a

    assert asks(x)[:2] == (True, True)


def test_a_lambda_is_left_alone(x):
    table = {"a": 1}
    with pytest.raises(AttributeError, match="has_key"):
        jit(lambda a: a if table.has_key("a") else -a)(x)


def test_a_local_without_a_value_stays_an_error(x):
    @jit
    def forgets(a):
        if a.ndim > 5:
            nowhere = 1
        return a + nowhere

    with pytest.raises(UnboundLocalError, match="nowhere"):
        forgets(x)


class _Weighted(nn.Cell):
    def __init__(self, value, dtype=ms.float32):
        super().__init__()
        self.weight = Parameter(Tensor(value, dtype), name="w")

    def construct(self, x, number):
        self.weight = number
        return x * self.weight


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("graph_mode")
def test_a_number_given_to_a_parameter(x):
    net = _Weighted(3)
    assert net(x, 2).asnumpy().tolist() == [0, 2, 4, 6]
    net.weight.set_data(Tensor(9.0, ms.float32))
    assert net(x, 2).asnumpy().tolist() == [0, 2, 4, 6]
    assert net.weight.asnumpy() == 2
    assert net(x, 0.5).asnumpy().tolist() == [0, 0.5, 1, 1.5]
    assert isinstance(net.weight, Parameter) and net.weight.asnumpy() == 0.5


@pytest.mark.usefixtures("graph_mode")
def test_a_number_that_does_not_fit_a_parameter(x):
    with pytest.raises(ValueError, match="'w' has the shape"):
        _Weighted([3, 4])(x, 1)
    with pytest.raises(TypeError, match="'w' is Int32"):
        _Weighted(3, ms.int32)(x, 1.5)
    with pytest.raises(ValueError, match="300 does not fit"):
        _Weighted(3, ms.int8)(x, 300)


def test_a_list_from_outside_is_given_out_itself(x):
    @jit
    def reverses():
        TO_REVERSE.reverse()
        return TO_REVERSE

    assert reverses() is TO_REVERSE and TO_REVERSE == [4, 3, 2, 1]
    assert reverses() is TO_REVERSE and TO_REVERSE == [1, 2, 3, 4]

    @jit
    def gives(a):
        return STEADY, {"in": STEADY}, a + 1

    for _ in range(3):
        one, other, value = gives(x)
        assert one is STEADY and other["in"] is STEADY
        assert value.asnumpy().tolist() == [1, 2, 3, 4]


@pytest.mark.usefixtures("graph_mode")
def test_another_list_in_its_place_is_seen(x):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.sizes = [1, 2]

        def construct(self, a):
            return self.sizes, a * 2

    net = Net()
    for _ in range(2):
        assert net(x)[0] is net.sizes
    net.sizes = [1, 2]
    for _ in range(2):
        assert net(x)[0] is net.sizes


def test_a_list_from_outside_that_takes_what_was_computed(x):
    kept = []

    @jit
    def keeps(a):
        kept.append(a + 1)
        return kept

    for count in (1, 2, 3):
        assert keeps(x) is kept
        assert len(kept) == count and kept[-1].asnumpy().tolist() == [1, 2, 3, 4]


class _Wide(nn.Cell):
    kind = "wide"

    def __init__(self, width):
        super().__init__()
        self.width = width

    def construct(self, a):
        return a * self.width


class _Wider(_Wide):
    def construct(self, a):
        return super().construct(a), super().width, super(_Wider, self).width, super().kind  # noqa: UP008


class _Between(_Wide):
    width = 7


class _Both(_Wider, _Between):
    pass


@pytest.mark.usefixtures("graph_mode")
def test_super_knows_what_the_object_has(x):
    net = _Wider(3)
    for width in (3, 3, 4, 3):
        net.width = width
        product, *others = net(x)
        assert product.asnumpy().tolist() == [0, width, 2 * width, 3 * width]
        assert others == [width, width, "wide"]


@pytest.mark.usefixtures("graph_mode")
def test_super_asks_the_classes_above_first(x):
    assert _Both(3)(x)[1:] == (7, 7, "wide")


@pytest.mark.usefixtures("graph_mode")
def test_super_of_a_class_in_a_function(x):
    class Inner(_Wide):
        def construct(self, a):
            return a + super(Inner, self).width, super().missing if self.width > 5 else None  # noqa: UP008

    assert Inner(3)(x)[0].asnumpy().tolist() == [3, 4, 5, 6]
    with pytest.raises(AttributeError, match="'Inner' object has no attribute 'missing'"):
        Inner(6)(x)

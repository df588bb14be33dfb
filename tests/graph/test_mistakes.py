# SPDX-License-Identifier: Apache-2.0
"""Mistakes that Python complains about are told in graph mode's words; class and line stay."""

import collections
import re
import sys

import pytest

import mindspore as ms
from mindspore import Tensor, jit, nn, ops

Point = collections.namedtuple("Point", ["across", "down"])


@pytest.fixture(autouse=True)
def _reports_go_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def no_type(x):
    return isinstance(x, [list, tuple])


def no_type_inside(x):
    return isinstance(x, (int, (x, float)))


def no_number(x):
    return float([x])


def popped_too_far(x):
    return [x, x].pop(2)


def popped_when_empty(x):
    return [].pop() + x


def not_among(x):
    return x * (1, 2).index(5)


def shifted_by_less_than_nothing(x):
    return x * (8 >> (1 - x.ndim - 2))


def shifted_halfway(x):
    return x * (8 << 0.5)


def shifted_in_place(x):
    number = 8
    number >>= "1"
    return x * number


def wrong_field(x):
    return Point(x, x).depth


needs_positions = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python does not tell which call of a line it was"
)


def counted_from_half(x):
    return enumerate((x, x), start=0.5)


def counted_from_a_word(x):
    begin = "one"
    return enumerate(
        (x, x),
        begin,
    )


def counts_nothing(x):
    for place, _ in enumerate(x.ndim):
        x = x + place
    return x


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (no_type, "isinstance() arg 2 must be a type or tuple of types, or a union of types."),
        (no_type_inside, "isinstance() arg 2 must be a type or tuple of types, or a union of types."),
        (no_number, "float() argument must be a string or a number, not 'list'."),
        (popped_too_far, "The pop index out of range."),
        (popped_when_empty, "The pop index out of range: the list is empty."),
        (not_among, "tuple.index(x): x is not in tuple."),
        (shifted_by_less_than_nothing, "The shift count must be a non-negative integer."),
        (shifted_halfway, "For '<<', only integer types are supported, but got 'int' and 'float'."),
        (shifted_in_place, "unsupported operand type(s) for >>=: 'int' and 'str'"),
        (wrong_field, "'NamedTuple' object has no attribute 'depth': a 'Point' has across, down."),
        pytest.param(
            counted_from_half,
            "For 'enumerate', the 'start' should be a const int number, but got 0.5.",
            marks=needs_positions,
        ),
        pytest.param(
            counted_from_a_word,
            "For 'enumerate', the 'start' should be a const int number, but got begin, a str.",
            marks=needs_positions,
        ),
        pytest.param(
            counts_nothing,
            "For 'enumerate', the 'first input' should be tuple or list or tensor, but got <class 'int'>.",
            marks=needs_positions,
        ),
    ],
)
def test_words_and_line(function, words):
    x = Tensor([1.0, 2.0])
    with pytest.raises(Exception) as pythons:  # noqa: PT011  (its class is what is compared)
        function(x)
    with pytest.raises(type(pythons.value)) as raised:
        jit(function)(x)
    first, where = str(raised.value).splitlines()[:2]
    assert first == words
    assert re.fullmatch(rf"In file .*test_mistakes\.py:{_line(pythons.tb)}", where)


def _line(step) -> int:
    while step.tb_next is not None:
        step = step.tb_next
    return step.tb_lineno


def test_an_error_of_the_users_own_keeps_its_words():
    @jit
    def raises(x):
        raise IndexError("pop index out of range")

    with pytest.raises(IndexError, match="^pop index out of range$"):
        raises(Tensor([1.0]))


def test_other_functions_that_cannot_go_through_a_number():
    with pytest.raises(TypeError, match="^'int' object is not iterable"):
        jit(lambda x: tuple(x.ndim))(Tensor([1.0]))


def test_an_error_that_is_caught_inside_is_pythons():
    @jit
    def survives(x):
        try:
            [].pop()
        except IndexError as error:
            return str(error), x

    assert survives(Tensor([1.0]))[0] == "pop from empty list"


def beyond_an_if(x):
    if x > 0:
        x = x + 1
    else:
        x = x - nowhere  # noqa: F821
    return x


def beyond_a_while_in_a_for(x):
    for _ in range(3):
        while x > 0:
            if ops.ReduceAll()(x > 1):
                nowhere  # noqa: B018, F821
            x = x - 1
    return x


@pytest.mark.parametrize("function", [beyond_an_if, beyond_a_while_in_a_for])
def test_a_name_that_is_nowhere_behind_a_decision_that_cannot_be_made(function):
    with pytest.raises(NameError, match="^The name 'nowhere' is not defined") as raised:
        jit(function)(Tensor([1.0, 2.0]))
    assert raised.value.name == "nowhere"
    assert re.search(r"In file .*test_mistakes\.py:\d+\n +(x = x - )?nowhere", str(raised.value))
    assert "truth value" in str(raised.value.__cause__)
    assert "See file" in str(raised.value.__cause__)  # the graph is that of the decision


def test_such_a_name_in_a_cell_that_is_only_compiled():
    class Net(nn.Cell):
        def construct(self, x):
            return beyond_an_if(x)

    with pytest.raises(NameError, match="^The name 'nowhere' is not defined"):
        Net().compile(Tensor([1.0, 2.0]))


def test_a_decision_that_can_be_made_is_made():
    assert jit(beyond_an_if)(Tensor([1.0])).asnumpy().tolist() == [2]


def test_a_function_that_defines_its_names():
    def decides(x):
        if x > 0:
            scale, plus = 2, ms.Tensor(1.0)
            x = [plus + scale * one for one in x]
        return sum(x)

    with pytest.raises(ValueError, match="truth value"):
        jit(decides)(Tensor([1.0, 2.0]))

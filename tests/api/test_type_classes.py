# SPDX-License-Identifier: Apache-2.0
"""Classes of types: `isinstance(ms.float32, mstype.Float)`."""

import copy
import pickle

import pytest
from mindspore._c_expression import typing
from mindspore._c_expression.typing import BFloat, Float

import mindspore as ms
from mindspore import dtype as mstype


@pytest.mark.parametrize(
    "dtype, cls",
    [
        (ms.float32, "Float"),
        (ms.bfloat16, "BFloat"),
        (ms.int8, "Int"),
        (ms.uint64, "UInt"),
        (ms.bool_, "Bool"),
        (ms.complex64, "Complex"),
        (mstype.float_, "Float"),
        (mstype.qint4x2, "Int"),
    ],
)
def test_a_type_is_an_instance_of_its_class_and_of_those_above(dtype, cls):
    kinds = {"Float", "BFloat", "Int", "UInt", "Bool", "Complex"}
    assert {name for name in kinds if isinstance(dtype, getattr(typing, name))} == {cls}
    assert isinstance(dtype, typing.Number) and isinstance(dtype, ms.Type)


def test_other_types_and_values():
    assert isinstance(mstype.tensor_type, mstype.TensorType) and isinstance(mstype.string, mstype.String)
    assert not isinstance(mstype.tensor_type, typing.Number) and not isinstance(3, mstype.Float)
    assert issubclass(mstype.Float, typing.Number) and issubclass(typing.Number, mstype.Type)
    assert mstype.Float is Float and typing.BFloat is BFloat and ms.Type is typing.Type


def test_classes_are_called_with_bits():
    assert Float(32) is ms.float32 and mstype.Float(32) == ms.float32 and hash(Float(64)) == hash(ms.float64)
    assert BFloat(16) is ms.bfloat16 and typing.Complex(128) is ms.complex128 and mstype.Bool() is ms.bool_
    assert Float() is mstype.float_ and mstype.TensorType() is mstype.tensor_type
    with pytest.raises(
        RuntimeError, match="For Float type only support number of 16bits and 32bits and 64bi"
    ):
        Float(7)
    with pytest.raises(TypeError):
        mstype.Type()


def test_groups_contain_their_types_and_survive_copies():
    for group, member, other in (("float_", ms.float16, ms.bfloat16), ("number", ms.bool_, mstype.string)):
        kind = getattr(mstype, group)
        assert mstype.issubclass_(member, kind) and not mstype.issubclass_(other, kind)
        assert pickle.loads(pickle.dumps(kind)) is kind and copy.deepcopy(kind) is kind
    element = mstype.TensorType(ms.int8)
    assert mstype.issubclass_(element, mstype.tensor_type) and element == mstype.TensorType(ms.int8)
    assert pickle.loads(pickle.dumps(element)) is element and element.element_type() is ms.int8
    assert not mstype.issubclass_(3, mstype.number)


def test_sequences_with_types_of_their_elements():
    pair = mstype.Tuple([mstype.List([ms.float32]), mstype.string])
    assert (str(pair), repr(pair)) == ("Tuple[List[Float32],String]", "mindspore.tuple_")
    assert pair == mstype.Tuple((mstype.List([ms.float32]), mstype.string)) and hash(pair) == hash(pair)
    assert pair != mstype.Tuple([mstype.List([ms.int32]), mstype.string]) and pair != mstype.tuple_
    assert mstype.List([ms.float32]) != mstype.Tuple([ms.float32]) and str(mstype.Tuple([])) == "Tuple[]"
    assert isinstance(pair, mstype.Tuple) and isinstance(pair, mstype.Type)
    assert mstype.issubclass_(pair, mstype.tuple_) and not mstype.issubclass_(pair, mstype.list_)
    assert mstype.Tuple() is mstype.tuple_ and mstype.List() is mstype.list_
    assert pickle.loads(pickle.dumps(pair)) is pair and copy.deepcopy(pair) is pair
    for wrong in (3, [3], {ms.float32}, "float32"):
        with pytest.raises(
            TypeError, match="For 'Tuple', 'elements' must be a list or tuple of types, but got"
        ):
            mstype.Tuple(wrong)


def test_size_in_bytes():
    sizes = [mstype.type_size_in_bytes(t) for t in (ms.float32, ms.bool_, ms.complex128, ms.bfloat16)]
    assert sizes == [4, 1, 16, 2]
    with pytest.raises(TypeError, match="should be instance of"):
        mstype.type_size_in_bytes("float32")

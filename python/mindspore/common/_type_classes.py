# SPDX-License-Identifier: Apache-2.0
"""Classes of types, `Float`, `Int`, `Number` ...: what scripts know as `mindspore._c_expression.typing`.

The types that tensors store are made by the native part and have one class there. Here each is sorted into
the class that scripts ask for with `isinstance`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from mindspore import _c_expression as _c
from mindspore._c_expression import DType


class _TypeClass(type):
    """Class of the classes: a type that tensors store counts as an instance of the class that holds it."""

    def __instancecheck__(cls, value: object) -> bool:
        if type(value) is not DType:
            return super().__instancecheck__(value)
        return value in cls.__dict__.get("_stored", ())  # not what a class has from its base


class Type(metaclass=_TypeClass):
    """A type: one that tensors store, a group of those, or the type of other values.

    Of a group there is one object: ``Float()`` is the group that ``Float(32)`` belongs to.
    """

    _stored: frozenset[DType] = frozenset()
    _objects: dict[str, Type] = {}
    _shown_name = _python_name = ""

    def __new__(cls) -> Type:
        if not cls._python_name:
            raise TypeError(f"{cls.__name__} has no objects of its own; its subclasses have.")
        return cls._named(cls._shown_name, cls._python_name)

    @classmethod
    def _named(cls, shown_name: str, python_name: str) -> Type:
        """The one object of a name."""
        made = Type._objects.get(python_name)
        if made is None:
            made = Type._objects[python_name] = object.__new__(cls)
            made._shown_name, made._python_name = shown_name, python_name
        return made

    def __str__(self) -> str:
        return self._shown_name

    def __repr__(self) -> str:
        return f"mindspore.{self._python_name}"

    def __contains__(self, dtype: object) -> bool:
        is_group = self._python_name == type(self)._python_name
        return isinstance(dtype, type(self)) if is_group else dtype is self

    def __reduce__(self) -> tuple:
        return _object_named, (self._python_name,)

    def __deepcopy__(self, memo: dict) -> Type:
        return self


def _object_named(name: str) -> Type:
    return Type._objects[name]


class Number(Type):
    """Type of numbers; a class of numbers with a size is called with its bits."""

    _shown_name, _python_name = "Number", "number"
    _by_bits: dict[int, DType] = {}

    def __new__(cls, nbits: int = 0) -> Any:
        if not nbits:
            return super().__new__(cls)
        if nbits not in cls._by_bits:
            known = " and ".join(f"{bits}bits" for bits in cls._by_bits) or "none"
            raise RuntimeError(
                f"For {cls.__name__} type only support number of {known}, but got {nbits}bits."
            )
        return cls._by_bits[nbits]


def _class_of_numbers(name: str, python_name: str, what: str, **by_bits: DType) -> type[Number]:
    """A class of numbers from what it holds, `b<bits>`."""
    held = {int(bits[1:]): dtype for bits, dtype in by_bits.items()}
    fields = {"_shown_name": name, "_python_name": python_name, "_by_bits": held, "__doc__": what}
    return _TypeClass(name, (Number,), fields | {"_stored": frozenset(held.values()), "__module__": __name__})


Int = _class_of_numbers("Int", "int_", "Whole numbers.", b8=_c.int8, b16=_c.int16, b32=_c.int32, b64=_c.int64)
UInt = _class_of_numbers(
    "UInt", "uint", "Whole numbers from 0 on.", b8=_c.uint8, b16=_c.uint16, b32=_c.uint32, b64=_c.uint64
)
Float = _class_of_numbers(
    "Float", "float_", "Floating point numbers.", b16=_c.float16, b32=_c.float32, b64=_c.float64
)
BFloat = _class_of_numbers("BFloat", "bfloat", "Numbers with the exponent of float32.", b16=_c.bfloat16)
Complex = _class_of_numbers("Complex", "complex_", "Complex numbers.", b64=_c.complex64, b128=_c.complex128)
Int._by_bits[4] = Int._named("Int4", "qint4x2")  # tensors do not store it


class Bool(Number):
    """Truth values."""

    _stored = frozenset({_c.bool_})

    def __new__(cls) -> DType:
        return _c.bool_


Number._stored = frozenset().union(*(kind._stored for kind in Number.__subclasses__()))
Type._stored = Number._stored


def _class_of_values(name: str, shown_name: str, python_name: str, what: str) -> type[Type]:
    """A class with one object: the type of values that are no numbers."""
    fields = {"_shown_name": shown_name, "_python_name": python_name, "__doc__": what, "__module__": __name__}
    return _TypeClass(name, (Type,), fields)


String = _class_of_values("String", "String", "string", "Texts.")
Dict = _class_of_values("Dict", "Dictionary", "dict_", "Dictionaries.")
Slice = _class_of_values("Slice", "Slice", "slice", "Slices.")
Function = _class_of_values("Function", "Func", "function_type", "Functions.")
TypeNone = _class_of_values("TypeNone", "None", "type_none", "None.")
TypeType = _class_of_values("TypeType", "TypeType", "type_type", "Types.")
TypeEllipsis = _class_of_values("TypeEllipsis", "Ellipsis", "ellipsis", "The ellipsis.")


class _SequenceType(Type):
    """The type of a sequence with given types of its elements; without, of any."""

    def __new__(cls, elements: Sequence[Type | DType] | None = None) -> _SequenceType:
        if elements is None:
            return super().__new__(cls)
        if not isinstance(elements, (list, tuple)) or not all(isinstance(one, Type) for one in elements):
            raise TypeError(
                f"For '{cls.__name__}', 'elements' must be a list or tuple of types, but got {elements!r}."
            )
        shown = f"{cls.__name__}[{','.join(map(str, elements))}]"
        return cls._named(shown, shown)

    def __init__(self, elements: Sequence[Type | DType] | None = None) -> None:
        self._elements = None if elements is None else tuple(elements)

    def __repr__(self) -> str:
        return f"mindspore.{type(self)._python_name}"

    def __reduce__(self) -> tuple:
        return type(self), (self._elements,)


class List(_SequenceType):
    """Lists; ``List([float32])`` is the type of lists of one such number."""

    _shown_name, _python_name = "List", "list_"


class Tuple(_SequenceType):
    """Tuples; ``Tuple([float32, int32])`` is the type of tuples of two such numbers."""

    _shown_name, _python_name = "Tuple", "tuple_"


class TensorType(Type):
    """The type of a tensor with given elements: ``TensorType(float32)``; without, of any tensor."""

    _shown_name, _python_name = "Tensor", "tensor_type"

    def __new__(cls, element: DType | None = None) -> TensorType:
        if element is None:
            return super().__new__(cls)
        return cls._named(f"Tensor[{element}]", f"TensorType({element!r})")

    def __init__(self, element: DType | None = None) -> None:
        self._element = element

    def element_type(self) -> DType | None:
        """Type of the elements."""
        return self._element

    def __repr__(self) -> str:
        return str(self) if self._element is not None else super().__repr__()

    def __reduce__(self) -> tuple:
        return TensorType, (self._element,)


def is_subclass(type_: Type | DType, group: Type | DType) -> bool:
    """Whether a type is another one, or belongs to the group that the other one is."""
    return type_ is group or (isinstance(group, Type) and type(group) is not DType and type_ in group)


def type_size_in_bytes(dtype: Type | DType) -> int:
    """Bytes of one element; 1 for a group, whose elements have no size of their own."""
    return _c.empty((), dtype).itemsize if type(dtype) is DType else 1


# Under the name by which scripts import it.
_c.typing = sys.modules[f"{_c.__name__}.typing"] = sys.modules[__name__]

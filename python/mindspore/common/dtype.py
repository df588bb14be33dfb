# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors, their aliases, and the generic kinds that group them."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._c_expression import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from mindspore._spelling import ON_DEVICE, did_you_mean


class Kind:
    """A group of types or a type that tensors do not store; there is one object per kind."""

    __slots__ = ("_members", "_python_name", "_shown_name")

    def __init__(self, shown_name: str, python_name: str, members: tuple = ()):
        self._shown_name = shown_name
        self._python_name = python_name
        self._members = members

    def __str__(self) -> str:
        return self._shown_name

    def __repr__(self) -> str:
        return f"mindspore.{self._python_name}"

    def __contains__(self, dtype) -> bool:
        return dtype is self or dtype in self._members

    def __reduce__(self) -> str:
        return self._python_name

    def __deepcopy__(self, memo) -> Kind:
        return self


byte, short, intc, intp = int8, int16, int32, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
half, single, double = float16, float32, float64

int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16)
signed_type = (*int_type, *float_type)
complex_type = (complex64, complex128)
number_type = (*int_type, *uint_type, *float_type, *complex_type)
bool_type = (bool_,)
all_types = (*bool_type, *number_type)

int_ = Kind("Int", "int_", int_type)
uint = Kind("UInt", "uint", uint_type)
float_ = Kind("Float", "float_", float_type)
complex_ = Kind("Complex", "complex_", complex_type)
number = Kind("Number", "number", number_type)
qint4x2 = Kind("Int4", "qint4x2")
string = Kind("String", "string")
tensor_type = Kind("Tensor", "tensor_type")
list_ = Kind("List", "list_")
tuple_ = Kind("Tuple", "tuple_")
dict_ = Kind("Dictionary", "dict_")
type_none = Kind("None", "type_none")
type_type = Kind("Type", "type_type")
function_type = Kind("Func", "function_type")

tensor = tensor_type
_null = type_none
implicit_conversion_seq = {
    dtype: order
    for order, dtype in enumerate(
        (bool_, int8, uint8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)
    )
}


class TensorType:
    """The type of a tensor with given elements: `TensorType(float32)`."""

    def __init__(self, element: DType | None = None):
        self._element = element

    def element_type(self) -> DType | None:
        """Type of the elements."""
        return self._element

    def __eq__(self, other) -> bool:
        return isinstance(other, TensorType) and self._element is other._element

    def __hash__(self) -> int:
        return hash((TensorType, self._element))

    def __str__(self) -> str:
        return "Tensor" if self._element is None else f"Tensor[{self._element}]"

    __repr__ = __str__


Int, UInt, Float, Number, Bool, String = int_, uint, float_, number, bool_, string
List, Tuple, Type = list_, tuple_, DType

_BY_NAME = {repr(dtype).rpartition(".")[2]: dtype for dtype in all_types}
_NUMPY_NAMES = {dtype: repr(dtype).rpartition(".")[2] for dtype in all_types}
_NUMPY_NAMES[bfloat16] = "float32"  # NumPy has no such type
_PYTHON_TYPES = {
    **dict.fromkeys((*int_type, *uint_type, int_, uint), int),
    **dict.fromkeys((*float_type, float_, number), float),
    **dict.fromkeys((*complex_type, complex_), complex),
    bool_: bool,
    string: str,
    list_: list,
    tuple_: tuple,
    dict_: dict,
    type_none: type(None),
}


def is_type(value: object) -> bool:
    """Whether the value is one of this module's types."""
    return isinstance(value, (DType, Kind, TensorType))


def dtype_to_nptype(type_: DType):
    """NumPy scalar type of a dtype.

    Args:
        type_ (:class:`mindspore.dtype`): One of the types tensors store.

    Returns:
        The NumPy type; float32 for bfloat16, which NumPy lacks.

    Raises:
        KeyError: `type_` is a generic kind.
    """
    import numpy as np

    return getattr(np, _NUMPY_NAMES[type_])


def dtype_to_pytype(type_: DType) -> type:
    """Python type of a dtype: int, float, complex, bool, ..."""
    return _PYTHON_TYPES[type_]


def pytype_to_dtype(obj):
    """Dtype of a Python or NumPy type; a dtype is returned as it is.

    Args:
        obj (type): A Python type, a NumPy scalar type or dtype, or a dtype of this module.

    Returns:
        A dtype or generic kind.

    Raises:
        NotImplementedError: There is no such dtype.
    """
    if is_type(obj):
        return obj
    generic = {int: int64, float: float64, bool: bool_, complex: complex128, str: string, list: list_}
    generic.update({tuple: tuple_, dict: dict_, type(None): type_none})
    if isinstance(obj, type) and obj in generic:
        return generic[obj]
    found = numpy_to_dtype(obj)
    if found is None:
        raise NotImplementedError(f"Unsupported convert python type {obj} to MindSpore type.")
    return found


def numpy_to_dtype(obj: object) -> DType | None:
    """Dtype of a NumPy type, or None."""
    import numpy as np

    try:
        return _BY_NAME.get({"bool": "bool_"}.get(np.dtype(obj).name, np.dtype(obj).name))
    except TypeError:
        return None


def from_any(obj: object) -> DType:
    """Dtype written as a dtype, a name, or a Python or NumPy type.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(obj, DType):
        return obj
    if isinstance(obj, str):
        found = _BY_NAME.get({"bool": "bool_"}.get(obj.lower(), obj.lower()))
        if found is None:
            names = [name for name in _BY_NAME if name != "bfloat16"]
            is_device = obj.partition(":")[0].lower() in ("cuda", "gpu", "cpu", "npu", "ascend")
            hint = f" In MindSpore {ON_DEVICE}." if is_device else did_you_mean(obj, names)
            raise TypeError(f"the string input type must be one of {names}, but got '{obj}'.{hint}")
        return found
    try:
        found = pytype_to_dtype(obj)
    except NotImplementedError:
        found = None
    if not isinstance(found, DType):
        raise TypeError(
            f"the 'dtype' must be a mindspore.dtype, a name or a Python or NumPy type, but got {obj!r}."
        )
    return found


def get_py_obj_dtype(obj: object):
    """Dtype or kind that a Python object has as an operator's argument."""
    import numpy as np

    if isinstance(obj, _c.Tensor):
        return TensorType(obj.dtype)
    if isinstance(obj, (np.ndarray, np.generic)):
        return numpy_to_dtype(obj.dtype)
    if isinstance(obj, type):
        return pytype_to_dtype(obj)
    if is_type(obj):
        return type_type
    if hasattr(obj, "construct") or callable(obj):
        return function_type
    return pytype_to_dtype(type(obj))


def issubclass_(type_, dtype) -> bool:
    """Whether a type belongs to another one: `issubclass_(float32, number)`."""
    if isinstance(dtype, tuple):
        return any(issubclass_(type_, one) for one in dtype)
    if isinstance(type_, TensorType) and dtype in (tensor_type, TensorType):
        return True
    return type_ == dtype or (isinstance(dtype, Kind) and type_ in dtype)


class QuantDtype:
    """Codes of quantised types: bits minus one, unsigned ones from 10 on."""

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)

    def __init__(self, code: int = INT8):
        self._code = code

    def value(self) -> int:
        """The code of this type."""
        return self._code

    def __str__(self) -> str:
        name = "UINT" if self._code >= 100 else "INT"
        return f"{name}{self._code % 100 + 1}"

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
from mindspore.common._type_classes import (  # noqa: F401  (scripts know the classes by this module)
    BFloat,
    Bool,
    Complex,
    Dict,
    Float,
    Function,
    Int,
    List,
    Number,
    Slice,
    String,
    TensorType,
    Tuple,
    Type,
    TypeEllipsis,
    TypeNone,
    TypeType,
    UInt,
    is_subclass,
)
from mindspore.common._type_classes import type_size_in_bytes as _size_in_bytes

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

int_, uint, float_, complex_, number = Int(), UInt(), Float(), Complex(), Number()
qint4x2 = Int(4)
string, list_, tuple_, dict_ = String(), List(), Tuple(), Dict()
type_none, type_type, function_type, tensor_type = TypeNone(), TypeType(), Function(), TensorType()

tensor = tensor_type
FunctionType, NoneType, Ellipsis_ = Function, TypeNone, TypeEllipsis
_null = type_none
implicit_conversion_seq = {
    dtype: order
    for order, dtype in enumerate(
        (bool_, int8, uint8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)
    )
}


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
    return isinstance(value, Type)


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
    return is_type(type_) and is_subclass(type_, dtype)


def type_size_in_bytes(dtype: DType) -> int:
    """Bytes of one element of a type.

    Args:
        dtype (:class:`mindspore.dtype`): The type.

    Raises:
        TypeError: `dtype` is no type.
    """
    if not is_type(dtype):
        raise TypeError(f"The argument `dtype` should be instance of {Type}, but got {dtype!r}.")
    return _size_in_bytes(dtype)


# Names that scripts of other releases use.
_issubclass_, _dtype_to_nptype, _dtype_to_pytype = issubclass_, dtype_to_nptype, dtype_to_pytype
_pytype_to_dtype, _get_py_obj_dtype = pytype_to_dtype, get_py_obj_dtype


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


__dtype__ = [
    "int8",
    "byte",
    "int16",
    "short",
    "int32",
    "intc",
    "int64",
    "intp",
    "uint8",
    "ubyte",
    "uint16",
    "ushort",
    "uint32",
    "uintc",
    "uint64",
    "uintp",
    "float16",
    "half",
    "float32",
    "single",
    "float64",
    "double",
    "bool_",
    "float_",
    "list_",
    "tuple_",
    "int_",
    "uint",
    "number",
    "tensor_type",
    "string",
    "type_none",
    "TensorType",
    "_null",
    "Type",
    "Int",
    "complex64",
    "complex128",
    "bfloat16",
    "qint4x2",
]
__method__ = ["dtype_to_nptype", "dtype_to_pytype", "pytype_to_dtype", "get_py_obj_dtype"]
__all__ = ["QuantDtype", *__dtype__, *__method__]  # noqa: PLE0604

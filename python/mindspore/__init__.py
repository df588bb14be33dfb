# SPDX-License-Identifier: Apache-2.0
"""Mycel: deep learning with MindSpore's interface."""

from mindspore.version import __version__  # noqa: F401, I001  (first: it must be there even if a later import fails)
from mindspore import _c_expression

_c_expression.set_package_folder(__path__[0])

from mindspore import common, dtype, ops  # noqa: E402
from mindspore.common import Tensor, tensor  # noqa: E402
from mindspore.common.dtype import (  # noqa: E402
    Int,
    QuantDtype,
    TensorType,
    bfloat16,
    bool_,
    byte,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    list_,
    number,
    pytype_to_dtype,
    qint4x2,
    short,
    single,
    string,
    tensor_type,
    tuple_,
    type_none,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)

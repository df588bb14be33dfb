# SPDX-License-Identifier: Apache-2.0
"""Primitives over the parts of a CSRTensor."""

from __future__ import annotations

from mindspore.common.sparse_tensor import CSRTensor
from mindspore.ops.function import sparse_func
from mindspore.ops.primitive import Primitive

__all__ = ["COO2CSR", "CSR2COO", "CSRDiv", "CSRGather", "CSRMM", "CSRMV", "CSRMul", "CSRReduceSum"]


def _primitive(name: str, text: str, compute) -> type:
    """Class of a primitive without attributes."""

    def prepare(self):
        Primitive.__init__(self, name)

    def call(self, *inputs):
        return compute(*inputs)

    return type(name, (Primitive,), {"__doc__": text, "__init__": prepare, "__call__": call})


COO2CSR = _primitive("COO2CSR", "Where each row begins, of sorted row numbers.", sparse_func.coo2csr)
CSR2COO = _primitive("CSR2COO", "Row of each value.", sparse_func.csr2coo)
CSRGather = _primitive(
    "CSRGather", "Elements of a dense tensor at the stored places.", sparse_func.csr_gather
)
CSRReduceSum = _primitive(
    "CSRReduceSum",
    "Sums over an axis.",
    lambda indptr, indices, values, shape, axis: sparse_func.csr_reduce_sum(
        CSRTensor(indptr, indices, values, shape), axis
    ),
)
CSRMV = _primitive(
    "CSRMV",
    "Product with a column.",
    lambda indptr, indices, values, shape, dense: sparse_func.csr_mv(
        CSRTensor(indptr, indices, values, shape), dense
    ),
)
CSRMM = _primitive(
    "CSRMM",
    "Product with a matrix.",
    lambda indptr, indices, values, shape, dense: sparse_func.csr_mm(
        CSRTensor(indptr, indices, values, shape), dense
    ),
)
CSRMul = _primitive(
    "CSRMul",
    "Values multiplied with a dense tensor.",
    lambda indptr, indices, values, shape, dense: sparse_func.csr_mul(
        CSRTensor(indptr, indices, values, shape), dense
    ).values,
)
CSRDiv = _primitive(
    "CSRDiv",
    "Values divided by a dense tensor.",
    lambda indptr, indices, values, shape, dense: sparse_func.csr_div(
        CSRTensor(indptr, indices, values, shape), dense
    ).values,
)

# SPDX-License-Identifier: Apache-2.0
"""Rules for products of matrices."""

from __future__ import annotations

from mindspore.train._onnx.operators import Call, Symbol, rule


def swapped(x: Symbol, rank: int) -> Symbol:
    """With the last two axes exchanged."""
    return x.Transpose(perm=(*range(rank - 2), rank - 1, rank - 2))


@rule("matmul", "mat_mul", "batch_matmul")
def _product(call: Call) -> Symbol:
    x, y = call.inputs(call.dtype)
    if call["transpose_a"] and len(call.shape_of(0)) > 1:
        x = swapped(x, len(call.shape_of(0)))
    if call["transpose_b"] and len(call.shape_of(1)) > 1:
        y = swapped(y, len(call.shape_of(1)))
    return x.MatMul(y)


@rule("dense")
def _dense(call: Call) -> Symbol:
    x, weight, bias = (call.input(i, call.dtype) for i in range(3))
    rank = len(call.shape_of(0))
    if rank == 2 and len(call.shape_of(1)) == 2:
        return x.Gemm(weight, bias, transB=1) if bias is not None else x.Gemm(weight, transB=1)
    product = x.MatMul(swapped(weight, 2) if len(call.shape_of(1)) == 2 else weight)
    return product if bias is None else product + bias


@rule("matrix_determinant")
def _determinant(call: Call) -> Symbol:
    return call.input(0).Det()

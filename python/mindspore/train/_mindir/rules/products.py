# SPDX-License-Identifier: Apache-2.0
"""Rules for products of matrices."""

from __future__ import annotations

import numpy as np

from mindspore.train._mindir.operators import Call, Symbol, rule


def _as_matrices(x: Symbol, transposed: bool, is_left: bool) -> tuple[Symbol, bool]:
    """A vector as one row on the left, one column on the right."""
    if len(x.shape) > 1:
        return x, transposed
    return x.reshape((1, *x.shape) if is_left else (*x.shape, 1)), False


@rule("matmul", "mat_mul", "batch_matmul")
def _product(call: Call) -> Symbol:
    x, y = call.inputs(call.dtype)
    x, turns_x = _as_matrices(x, bool(call["transpose_a"]), True)
    y, turns_y = _as_matrices(y, bool(call["transpose_b"]), False)
    rows = x.shape[-1] if turns_x else x.shape[-2]
    columns = y.shape[-2] if turns_y else y.shape[-1]
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    if x.shape[-2 if turns_x else -1] == 0:
        return call.constant(np.zeros(call.shape))  # a sum of nothing
    if len(x.shape) > 2 and len(y.shape) == 2 and not turns_x:  # all rows at once
        x = x.reshape((int(np.prod(x.shape[:-1])), x.shape[-1]))
        rows, batch = x.shape[0], ()
    kind = "BatchMatMul" if batch else "MatMul"
    if batch:
        x, y = x.broadcast((*batch, *x.shape[-2:])), y.broadcast((*batch, *y.shape[-2:]))
    made = x.add(kind, y, shape=(*batch, rows, columns), transpose_a=turns_x, transpose_b=turns_y)
    return made.reshape(call.shape)


@rule("dense")
def _dense(call: Call) -> Symbol:
    x, weight, bias = (call.input(i, call.dtype) for i in range(3))
    width = x.shape[-1]
    rows = int(np.prod(x.shape[:-1]))
    weight = weight.reshape(weight.shape if len(weight.shape) > 1 else (1, width))
    flat = x.reshape((rows, width))
    made = flat.MatMul(weight, shape=(rows, weight.shape[0]), transpose_a=False, transpose_b=True)
    if bias is not None:
        is_vector = bias.shape == (weight.shape[0],)
        made = made.BiasAdd(bias, shape=made.shape, format="NCHW") if is_vector else made + bias
    return made.reshape(call.shape)

# SPDX-License-Identifier: Apache-2.0
"""Functions of sparse tensors, built on operators of the stored values and their places."""

from __future__ import annotations

import math

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common.sparse_tensor import COOTensor, CSRTensor
from mindspore.ops._registry import op

_UNARY = (
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "inv",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "neg",
    "relu",
    "relu6",
    "round",
    "sigmoid",
    "sin",
    "sinh",
    "softsign",
    "sqrt",
    "square",
    "tan",
    "tanh",
)

_UNARY_NAMES = [f"{kind}_{name}" for kind in ("coo", "csr") for name in _UNARY]
__all__ = [
    "coo2csr",
    "coo_add",
    "coo_concat",
    "coo_tensor_get_dense_shape",
    "coo_tensor_get_indices",
    "coo_tensor_get_values",
    "csr2coo",
    "csr_add",
    "csr_div",
    "csr_gather",
    "csr_mm",
    "csr_mul",
    "csr_mv",
    "csr_reduce_sum",
    "csr_softmax",
    "csr_to_coo",
    "csr_to_dense",
    "dense_to_sparse_coo",
    "dense_to_sparse_csr",
    "make_coo_tensor",
    "make_csr_tensor",
    "make_row_tensor",
    *_UNARY_NAMES,
]


def _check(function: str, kind: type, **arguments) -> None:
    for name, value in arguments.items():
        if not isinstance(value, kind):
            raise TypeError(
                f"For '{function}', the '{name}' must be a {kind.__name__}, but got {type(value).__name__}."
            )


def _check_same_shape(function: str, first, second) -> None:
    if first.shape != second.shape:
        raise ValueError(
            f"For '{function}', the shapes must be the same, but got {first.shape} and {second.shape}."
        )


def _zeros(shape: tuple, dtype) -> Tensor:
    return op.fill(dtype, shape, 0)


def _scattered(shape: tuple, indices: Tensor, values: Tensor) -> Tensor:
    """Zeros with `values` added at `indices`."""
    if values.dtype is _c.bool_:
        return op.cast(_scattered(shape, indices, op.cast(values, _c.int32)), _c.bool_)
    return op.tensor_scatter_add(_zeros(shape, values.dtype), _wide(indices), values)


def _wide(indices: Tensor) -> Tensor:
    return op.cast(indices, _c.int64) if indices.dtype is _c.int16 else indices


def _numbers(coo_indices: Tensor, shape: tuple) -> Tensor:
    """The places as numbers, counted along the last axis first."""
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return op.reduce_sum(op.cast(coo_indices, _c.int64) * Tensor(steps, _c.int64), 1)


def _places(numbers: Tensor, shape: tuple, dtype) -> Tensor:
    """The coordinates that `_numbers` made numbers of."""
    columns = []
    for axis, length in enumerate(shape):
        step = math.prod(shape[axis + 1 :])
        columns.append(op.floor_mod(op.floor_div(numbers, step), length))
    return op.cast(op.stack(columns, 1), dtype)


def _coo(indices: Tensor, values: Tensor, shape: tuple) -> COOTensor:
    return COOTensor(indices, values, shape)


# ---- between forms -------------------------------------------------------------------------------


def make_coo_tensor(indices, values, dense_shape) -> COOTensor:
    """A COOTensor of its parts."""
    return COOTensor(indices, values, dense_shape)


def make_csr_tensor(indptr, indices, values, shape) -> CSRTensor:
    """A CSRTensor of its parts."""
    return CSRTensor(indptr, indices, values, shape)


def make_row_tensor(indices, values, dense_shape):
    """A RowTensor of its parts."""
    from mindspore.common.sparse_tensor import RowTensor

    return RowTensor(indices, values, dense_shape)


def coo_tensor_get_indices(tensor) -> Tensor:
    """Coordinates of the stored values."""
    return tensor.indices


def coo_tensor_get_values(tensor) -> Tensor:
    """The stored values."""
    return tensor.values


def coo_tensor_get_dense_shape(tensor) -> tuple:
    """Shape of the whole."""
    return tensor.shape


def csr2coo(indptr, nnz) -> Tensor:
    """Row of each value.

    Args:
        indptr (Tensor): Where each row begins, and the end.
        nnz (int): Number of values.
    """
    order = op.cast(op.arange(0, int(nnz), 1), _c.int64)
    ends = op.cast(indptr, _c.int64)[1:]
    return op.cast(op.searchsorted(ends, order, right=True), indptr.dtype)


def coo2csr(row_indices, height) -> Tensor:
    """Where each row begins, and the end.

    Args:
        row_indices (Tensor): Row of each value, in order.
        height (int): Number of rows.
    """
    rows = op.cast(op.arange(0, int(height) + 1, 1), _c.int64)
    return op.cast(op.searchsorted(op.cast(row_indices, _c.int64), rows), row_indices.dtype)


def coo_to_dense(tensor: COOTensor) -> Tensor:
    """The whole of a COOTensor."""
    return _scattered(tensor.shape, tensor.indices, tensor.values)


def coo_to_csr(tensor: COOTensor) -> CSRTensor:
    """A COOTensor of two axes by compressed row."""
    _check("coo_to_csr", COOTensor, tensor=tensor)
    if tensor.ndim != 2:
        raise ValueError(f"For 'to_csr', a tensor of 2 axes is needed, but got shape {tensor.shape}.")
    _, order = op.sort(_numbers(tensor.indices, tensor.shape))
    indices = op.gather(tensor.indices, order, axis=0)
    values = op.gather(tensor.values, order, axis=0)
    return CSRTensor(coo2csr(indices[:, 0], tensor.shape[0]), indices[:, 1], values, tensor.shape)


def _csr_places(tensor: CSRTensor) -> Tensor:
    """Row and column of each value."""
    rows = csr2coo(tensor.indptr, tensor.indices.shape[0])
    return op.stack([rows, op.cast(tensor.indices, rows.dtype)], 1)


def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """A CSRTensor by coordinate.

    Args:
        tensor (CSRTensor): Of two axes.

    Returns:
        COOTensor.
    """
    _check("csr_to_coo", CSRTensor, tensor=tensor)
    if tensor.ndim != 2:
        raise ValueError(f"For 'csr_to_coo', a tensor of 2 axes is needed, but got shape {tensor.shape}.")
    return COOTensor(_csr_places(tensor), tensor.values, tensor.shape)


def csr_to_dense(csr_tensor: CSRTensor) -> Tensor:
    """The whole of a CSRTensor.

    Args:
        csr_tensor (CSRTensor): What is stored.

    Returns:
        Tensor.
    """
    _check("csr_to_dense", CSRTensor, csr_tensor=csr_tensor)
    return _scattered(csr_tensor.shape, _csr_places(csr_tensor), csr_tensor.values)


def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """The elements that are not zero, by coordinate.

    Args:
        tensor (Tensor): The whole.

    Returns:
        COOTensor.
    """
    _check("dense_to_sparse_coo", Tensor, tensor=tensor)
    if tensor.ndim == 0:
        raise ValueError("For 'dense_to_sparse_coo', the 'tensor' must have at least one axis.")
    places = op.nonzero(tensor)
    return COOTensor(op.cast(places, _c.int32), op.gather_nd(tensor, places), tensor.shape)


def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """The elements that are not zero, by compressed row.

    Args:
        tensor (Tensor): The whole, of two axes.

    Returns:
        CSRTensor.
    """
    _check("dense_to_sparse_csr", Tensor, tensor=tensor)
    if tensor.ndim != 2:
        raise ValueError(f"For 'dense_to_sparse_csr', 2 axes are needed, but got shape {tensor.shape}.")
    return coo_to_csr(dense_to_sparse_coo(tensor))


# ---- arithmetic ----------------------------------------------------------------------------------


def _merged(indices: Tensor, values: Tensor, shape: tuple) -> tuple[Tensor, Tensor]:
    """Each place once and in order, with the sum of its values."""
    numbers, order = op.sort(_numbers(indices, shape))
    distinct, group = op.unique(numbers)
    summed = _scattered((distinct.shape[0],), op.expand_dims(group, 1), op.gather(values, order, axis=0))
    return _places(distinct, shape, indices.dtype), summed


def coalesced(tensor: COOTensor) -> COOTensor:
    """A COOTensor with each place once and in order."""
    return _coo(*_merged(tensor.indices, tensor.values, tensor.shape), tensor.shape)


def coo_add(x1, x2, thresh) -> COOTensor:
    """Sum of two COOTensors.

    Args:
        x1 (COOTensor): One.
        x2 (COOTensor): The other, of the same shape.
        thresh (Tensor): Sums nearer to zero than this are not stored.

    Returns:
        COOTensor.
    """
    _check("coo_add", COOTensor, x1=x1, x2=x2)
    _check("coo_add", Tensor, thresh=thresh)
    _check_same_shape("coo_add", x1, x2)
    total = _sum_of_coo(x1, x2)
    kept = op.nonzero(op.greater_equal(op.abs(total.values), thresh)).reshape((-1,))
    if kept.shape[0] == total.values.shape[0]:
        return total
    indices, values = (op.gather(part, kept, axis=0) for part in (total.indices, total.values))
    return _coo(indices, values, total.shape)


def _sum_of_coo(x1: COOTensor, x2: COOTensor) -> COOTensor:
    indices = op.concat([x1.indices, op.cast(x2.indices, x1.indices.dtype)], axis=0)
    values = op.concat([x1.values, op.cast(x2.values, x1.values.dtype)], axis=0)
    return _coo(*_merged(indices, values, x1.shape), x1.shape)


def coo_concat(sp_input, concat_dim=0) -> COOTensor:
    """COOTensors joined along an axis.

    Args:
        sp_input (Union[tuple[COOTensor], list[COOTensor]]): At least two.
        concat_dim (int): The axis. Default: ``0``.

    Returns:
        COOTensor, in order of places.
    """
    if not isinstance(sp_input, (tuple, list)) or len(sp_input) < 2:
        raise ValueError("For 'coo_concat', the 'sp_input' must hold at least two COOTensors.")
    rank = sp_input[0].ndim
    if not -rank <= concat_dim < rank:
        raise ValueError(f"For 'coo_concat', 'concat_dim' must be in [{-rank}, {rank}), got {concat_dim}.")
    axis = concat_dim % rank
    before, indices = 0, []
    for part in sp_input:
        _check("coo_concat", COOTensor, sp_input=part)
        shift = [before if each == axis else 0 for each in range(rank)]
        indices.append(op.cast(part.indices, _c.int64) + Tensor(shift, _c.int64))
        before += part.shape[axis]
    shape = tuple(before if each == axis else length for each, length in enumerate(sp_input[0].shape))
    joined = op.concat(indices, axis=0)
    values = op.concat([part.values for part in sp_input], axis=0)
    _, order = op.sort(_numbers(joined, shape))
    return _coo(op.gather(joined, order, axis=0), op.gather(values, order, axis=0), shape)


def csr_add(a, b, alpha, beta) -> CSRTensor:
    """alpha * a + beta * b.

    Args:
        a (CSRTensor): One.
        b (CSRTensor): The other, of the same shape.
        alpha (Tensor): Factor of `a`.
        beta (Tensor): Factor of `b`.

    Returns:
        CSRTensor.
    """
    _check("csr_add", CSRTensor, a=a, b=b)
    _check("csr_add", Tensor, alpha=alpha, beta=beta)
    _check_same_shape("csr_add", a, b)
    first = csr_to_coo(a.with_values(a.values * alpha))
    second = csr_to_coo(b.with_values(b.values * beta))
    return coo_to_csr(_sum_of_coo(first, second))


def add_any(tensor, other, sign: int):
    """tensor + sign * other: sparse with a sparse tensor, dense with a Tensor."""
    if isinstance(other, Tensor):
        return tensor.to_dense() + (other if sign > 0 else -other)
    if type(other) is not type(tensor):
        return NotImplemented
    _check_same_shape("add", tensor, other)
    if isinstance(tensor, COOTensor):
        return _sum_of_coo(tensor, other if sign > 0 else -other)
    one = Tensor(1, tensor.dtype)
    return csr_add(tensor, other, one, one * sign)


def scaled(tensor, other, operation: str):
    """Values multiplied with or divided by those of a dense tensor, or by a number."""
    apply = getattr(op, operation)
    if isinstance(other, (int, float, bool)):
        return tensor.with_values(apply(tensor.values, other))
    if not isinstance(other, Tensor):
        return NotImplemented
    if other.ndim == 0 or other.shape == (1,):
        return tensor.with_values(apply(tensor.values, other))
    places = tensor.indices if isinstance(tensor, COOTensor) else _csr_places(tensor)
    met = op.gather_nd(op.broadcast_to(other, tensor.shape), _wide(places))
    return tensor.with_values(apply(tensor.values, met))


def csr_mul(x, y) -> CSRTensor:
    """Stored values multiplied with the elements of a dense tensor at their places."""
    _check("csr_mul", CSRTensor, x=x)
    return scaled(x, y, "mul")


def csr_div(x, y) -> CSRTensor:
    """Stored values divided by the elements of a dense tensor at their places."""
    _check("csr_div", CSRTensor, x=x)
    return scaled(x, y, "div")


def csr_gather(indptr, indices, dense, sparse_shape) -> Tensor:
    """Elements of a dense tensor at the places of a CSRTensor."""
    rows = csr2coo(indptr, indices.shape[0])
    places = op.stack([rows, op.cast(indices, rows.dtype)], 1)
    return op.gather_nd(op.broadcast_to(dense, sparse_shape), _wide(places))


def _rows_summed(csr_tensor: CSRTensor, terms: Tensor, rows: Tensor, count: int) -> Tensor:
    return _scattered((count, *terms.shape[1:]), op.expand_dims(rows, 1), terms)


def csr_mv(csr_tensor, dense) -> Tensor:
    """Product of a CSRTensor and a column.

    Args:
        csr_tensor (CSRTensor): Of two axes.
        dense (Tensor): Shape :math:`(columns, 1)` or :math:`(columns,)`.

    Returns:
        Tensor.
    """
    return csr_mm(csr_tensor, dense)


def csr_mm(a, b, trans_a=False, trans_b=False, adjoint_a=False, adjoint_b=False):
    """Product of a CSRTensor and a matrix.

    Args:
        a (CSRTensor): Left side, of two axes.
        b (Union[Tensor, CSRTensor]): Right side.
        trans_a (bool): Transpose `a` first. Default: ``False``.
        trans_b (bool): Transpose `b` first. Default: ``False``.
        adjoint_a (bool): Transpose and conjugate `a` first. Default: ``False``.
        adjoint_b (bool): Transpose and conjugate `b` first. Default: ``False``.

    Returns:
        Tensor when `b` is one, otherwise CSRTensor.
    """
    _check("csr_mm", CSRTensor, a=a)
    if isinstance(b, CSRTensor):
        product = csr_mm(a, b.to_dense(), trans_a, trans_b, adjoint_a, adjoint_b)
        return dense_to_sparse_csr(product)
    _check("csr_mm", Tensor, b=b)
    if trans_b or adjoint_b:
        b = op.transpose(op.conj(b) if adjoint_b and b.is_complex() else b, (1, 0))
    rows, columns = csr2coo(a.indptr, a.indices.shape[0]), a.indices
    height, width = a.shape[:2]
    values = a.values
    if trans_a or adjoint_a:
        rows, columns, height, width = columns, rows, width, height
        values = op.conj(values) if adjoint_a and values.is_complex() else values
    if b.shape[0] != width:
        raise ValueError(f"For 'csr_mm', {width} rows are needed on the right side, but got shape {b.shape}.")
    met = op.gather(b, columns, axis=0)
    if met.ndim > 1:
        values = values.reshape((-1,) + (1,) * (met.ndim - 1))
    return _rows_summed(a, values * met, rows, height)


def csr_reduce_sum(csr_tensor, axis) -> Tensor:
    """Sums over rows or columns; the axis stays with length 1.

    Args:
        csr_tensor (CSRTensor): What is summed.
        axis (int): 0 or 1.

    Returns:
        Tensor.
    """
    _check("csr_reduce_sum", CSRTensor, csr_tensor=csr_tensor)
    if axis not in (0, 1, -csr_tensor.ndim, 1 - csr_tensor.ndim):
        raise ValueError(f"For 'csr_reduce_sum', the 'axis' must be 0 or 1, but got {axis}.")
    axis %= csr_tensor.ndim
    rows = csr_tensor.indices if axis == 0 else csr2coo(csr_tensor.indptr, csr_tensor.indices.shape[0])
    return op.expand_dims(_rows_summed(csr_tensor, csr_tensor.values, rows, csr_tensor.shape[1 - axis]), axis)


def csr_softmax(logits, dtype) -> CSRTensor:
    """Softmax of the stored values of each row.

    Args:
        logits (CSRTensor): Of two axes.
        dtype (mindspore.dtype): float32 or float64: type of the values.

    Returns:
        CSRTensor.
    """
    _check("csr_softmax", CSRTensor, logits=logits)
    values = op.cast(logits.values, dtype)
    rows = csr2coo(logits.indptr, logits.indices.shape[0])
    lowest = op.fill(dtype, (logits.shape[0],), -math.inf)
    highest = op.tensor_scatter_max(lowest, op.expand_dims(_wide(rows), 1), values)
    raised = op.exp(values - op.gather(highest, rows, axis=0))
    total = _rows_summed(logits, raised, rows, logits.shape[0])
    return logits.with_values(raised / op.gather(total, rows, axis=0))


# ---- functions of the values ---------------------------------------------------------------------


def _on_values(name: str, prefix: str, kind: type):
    def apply(x):
        from mindspore import ops

        _check(apply.__name__, kind, x=x)
        return x.with_values(getattr(ops, name)(x.values))

    apply.__name__ = apply.__qualname__ = f"{prefix}_{name}"
    apply.__doc__ = f"""`{name}` of the stored values.

    Args:
        x ({kind.__name__}): What is stored.

    Returns:
        {kind.__name__}.
    """
    return apply


for _name in _UNARY:
    globals()[f"coo_{_name}"] = _on_values(_name, "coo", COOTensor)
    globals()[f"csr_{_name}"] = _on_values(_name, "csr", CSRTensor)

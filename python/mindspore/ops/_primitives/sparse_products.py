# SPDX-License-Identifier: Apache-2.0
"""Operations between a tensor given by coordinates and dense ones."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common.sparse_tensor import COOTensor
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["SparseTensorDenseAdd", "SparseTensorDenseMatmul", "SparseToDense"]


def _coo(indices, values, shape) -> COOTensor:
    lengths = tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)
    return COOTensor(indices, values, lengths)


class SparseToDense(Primitive):
    """The whole of a tensor that is given by coordinates.

    Inputs:
        - **indices** (Tensor) - Coordinates, one row per value.
        - **values** (Tensor) - The values.
        - **sparse_shape** (tuple[int]) - Shape of the whole.

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self):
        """Initialize SparseToDense."""

    def __call__(self, indices, values, sparse_shape) -> Tensor:
        return _coo(indices, values, sparse_shape).to_dense()


class SparseTensorDenseAdd(Primitive):
    """Sum of a tensor that is given by coordinates and a dense one.

    Inputs:
        - **x1_indices** (Tensor) - Coordinates, one row per value.
        - **x1_values** (Tensor) - The values.
        - **x1_shape** (tuple[int]) - Shape of the whole.
        - **x2** (Tensor) - Of the same shape and type.

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self):
        """Initialize SparseTensorDenseAdd."""

    def __call__(self, x1_indices, x1_values, x1_shape, x2) -> Tensor:
        sparse = _coo(x1_indices, x1_values, x1_shape)
        if sparse.shape != x2.shape:
            raise ValueError(
                f"For 'SparseTensorDenseAdd', the shapes must be the same, got {sparse.shape} and {x2.shape}."
            )
        return sparse + x2


class SparseTensorDenseMatmul(Primitive):
    """Product of a matrix that is given by coordinates and a dense one.

    Args:
        adjoint_st (bool): Transpose the sparse matrix first. Default: ``False``.
        adjoint_dt (bool): Transpose the dense matrix first. Default: ``False``.

    Inputs:
        - **indices** (Tensor) - Coordinates, one row of two per value.
        - **values** (Tensor) - The values.
        - **sparse_shape** (Union[tuple[int], Tensor]) - Shape of the sparse matrix.
        - **dense** (Tensor) - The dense matrix.

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, adjoint_st=False, adjoint_dt=False):
        """Initialize SparseTensorDenseMatmul."""
        for name, value in (("adjoint_st", adjoint_st), ("adjoint_dt", adjoint_dt)):
            if not isinstance(value, bool):
                raise TypeError(f"For '{self.name}', the '{name}' must be a bool, but got {value}.")

    def __call__(self, indices, values, sparse_shape, dense) -> Tensor:
        sparse = _coo(indices, values, sparse_shape)
        if sparse.ndim != 2 or dense.ndim != 2:
            raise ValueError(f"For '{self.name}', both sides must be matrices.")
        if self.adjoint_dt:
            dense = op.transpose(dense, (1, 0))
        rows, columns = sparse.indices[:, 0], sparse.indices[:, 1]
        height, width = sparse.shape
        if self.adjoint_st:
            rows, columns, height, width = columns, rows, width, height
        if dense.shape[0] != width:
            raise ValueError(
                f"For '{self.name}', {width} rows are needed on the right side, but got shape {dense.shape}."
            )
        terms = op.expand_dims(sparse.values, 1) * op.gather(dense, columns, axis=0)
        whole = op.fill(terms.dtype, (height, dense.shape[1]), 0)
        return op.tensor_scatter_add(whole, op.expand_dims(rows, 1), terms)

# SPDX-License-Identifier: Apache-2.0
"""Layers over tensors that are given by coordinates."""

from __future__ import annotations

from mindspore.nn.cell import Cell
from mindspore.ops._primitives import sparse_products

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]


class SparseToDense(Cell):
    """The whole of a COOTensor.

    Inputs:
        - **sparse_tensor** (COOTensor) - What is stored.

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([3]), (1, 2))
        >>> print(nn.SparseToDense()(x))
        [[0 3]]
    """

    def construct(self, sparse_tensor):
        """The elements, zero where nothing is stored."""
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """Product of a matrix that is given by coordinates and a dense one.

    Args:
        adjoint_st (bool): Transpose the sparse matrix first. Default: ``False``.
        adjoint_dt (bool): Transpose the dense matrix first. Default: ``False``.

    Inputs:
        - **indices** (Tensor) - Coordinates, one row of two per value.
        - **values** (Tensor) - The values.
        - **sparse_shape** (tuple[int]) - Shape of the sparse matrix.
        - **dense** (Tensor) - The dense matrix.

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, adjoint_st=False, adjoint_dt=False):
        super().__init__()
        self.adjoint_st, self.adjoint_dt = adjoint_st, adjoint_dt
        self.product = sparse_products.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        """The product."""
        return self.product(indices, values, sparse_shape, dense)

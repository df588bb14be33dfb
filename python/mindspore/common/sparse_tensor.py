# SPDX-License-Identifier: Apache-2.0
"""Tensors of which only some elements are stored: by coordinate, by compressed row, or as whole rows."""

from __future__ import annotations

from typing import Any

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._c_expression import Tensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner", "SparseTensor"]

_INDEX_TYPES = (_c.int16, _c.int32, _c.int64)


def _functions():
    # Opened late: operators build on this package.
    from mindspore.ops.function import sparse_func

    return sparse_func


class StoredForm:
    """What the kinds of sparse tensors share: some tensors, and the shape of the whole."""

    _parts: tuple[str, ...] = ()  # names of the fields that hold tensors

    def _take(self, shape: tuple, **tensors) -> None:
        if _c.is_recording():  # places have no gradient
            tensors.update({name: _c.detach(tensors[name]) for name in self._parts[:-1]})
        self.__dict__.update(tensors)
        self.__dict__["_shape"] = shape

    def _copy_of(self, other, argument: str) -> None:
        kind = type(self).__name__
        if not isinstance(other, type(self)):
            raise TypeError(f"For '{kind}', the '{argument}' must be a {kind}, but got {type(other)}.")
        self.__dict__.update(other.__dict__)

    def tensors(self) -> list[Tensor]:
        """The tensors that are stored."""
        return [self.__dict__[name] for name in self._parts]

    def with_tensors(self, tensors) -> StoredForm:
        """The same form around other tensors, given in the order of `tensors`."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__.update(zip(self._parts, tensors, strict=True))
        return made

    def with_values(self, values: Tensor) -> StoredForm:
        """The same places with other values."""
        return self.with_tensors([*self.tensors()[:-1], values])

    @property
    def indices(self) -> Tensor:
        """Where the stored values stand."""
        return self.__dict__["_indices"]

    @property
    def values(self) -> Tensor:
        """The stored values."""
        return self.__dict__["_values"]

    @property
    def shape(self) -> tuple:
        """Shape of the whole."""
        return self.__dict__["_shape"]

    @property
    def dtype(self):
        """Type of the values."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """Number of stored values."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        """Bytes of one value."""
        return self.values.itemsize

    @property
    def ndim(self) -> int:
        """Number of axes of the whole."""
        return len(self.shape)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name[1:]}={self.__dict__[name]!r}" for name in self._parts)
        return f"{type(self).__name__}(shape={list(self.shape)}, dtype={self.dtype}, {parts})"

    __str__ = __repr__


class _Arithmetic(StoredForm):
    """Operations that look at the values only, and operators between sparse and dense tensors."""

    def to_tuple(self) -> tuple:
        """The stored tensors, then the shape."""
        return (*self.tensors(), self.shape)

    def astype(self, dtype) -> Any:
        """The same with values of another type.

        Args:
            dtype (Union[mindspore.dtype, numpy.dtype, str]): The type.
        """
        return self.with_values(self.values.astype(dtype))

    def abs(self) -> Any:
        """The same with absolute values."""
        return self.with_values(self.values.abs())

    def __neg__(self) -> Any:
        return self.with_values(-self.values)

    def __add__(self, other: Tensor | StoredForm | float) -> Any:
        return _functions().add_any(self, other, 1)

    def __radd__(self, other: Tensor | StoredForm | float) -> Any:
        return _functions().add_any(self, other, 1)

    def __sub__(self, other: Tensor | StoredForm | float) -> Any:
        return _functions().add_any(self, other, -1)

    def __rsub__(self, other):
        return _functions().add_any(-self, other, 1)

    def __mul__(self, other: Tensor | StoredForm | float) -> Any:
        return _functions().scaled(self, other, "mul")

    __rmul__ = __mul__

    def __truediv__(self, other: Tensor | StoredForm | float) -> Any:
        return _functions().scaled(self, other, "div")


def _check_tensors(kind: str, **tensors) -> None:
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"For '{kind}', the '{name}' must be a Tensor, but got {type(tensor)}.")


def _check_shape(kind: str, shape) -> tuple:
    if not isinstance(shape, tuple):
        raise TypeError(f"For '{kind}', the 'shape' must be a tuple, but got {type(shape)}.")
    for length in shape:
        if isinstance(length, bool) or not isinstance(length, int):
            raise TypeError(
                f"For '{kind}', every element of 'shape' must be int, but got {type(length).__name__}."
            )
        if length <= 0:
            raise ValueError(f"For '{kind}', every element of 'shape' must be positive, but got {shape}.")
    return shape


def _check_index_types(kind: str, **tensors) -> None:
    for name, tensor in tensors.items():
        if tensor.dtype not in _INDEX_TYPES:
            raise TypeError(
                f"For '{kind}', the '{name}' must be of type int16, int32 or int64, but got {tensor.dtype}."
            )


def _check_rank(kind: str, name: str, tensor: Tensor, rank: int) -> None:
    if tensor.ndim != rank:
        raise ValueError(f"For '{kind}', the '{name}' must be {rank}-dimensional, but got {tensor.ndim}.")


class COOTensor(_Arithmetic):
    """A tensor given by the coordinates of its stored values.

    Args:
        indices (Tensor): Coordinates, one row per value. Shape :math:`(N, ndim)`.
        values (Tensor): The values. Shape :math:`(N,)`.
        shape (tuple[int]): Shape of the whole.
        coo_tensor (COOTensor): One to copy, instead of the others. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type, or lengths do not fit.
        ValueError: A tensor has the wrong number of axes, or `shape` is not positive.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    _parts = ("_indices", "_values")

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        if coo_tensor is not None:
            self._copy_of(coo_tensor, "coo_tensor")
            return
        kind = type(self).__name__
        _check_tensors(kind, indices=indices, values=values)
        _check_shape(kind, shape)
        _check_index_types(kind, indices=indices)
        if values.ndim == 0:
            values = values.reshape((1,))
        _check_rank(kind, "indices", indices, 2)
        _check_rank(kind, "values", values, 1)
        if indices.shape[0] != values.shape[0]:
            raise TypeError(
                f"For '{kind}', 'indices' and 'values' must have the same length, but got "
                f"{indices.shape[0]} and {values.shape[0]}."
            )
        if indices.shape[1] != len(shape):
            wrong = ValueError if indices.shape[1] > len(shape) else TypeError
            raise wrong(
                f"For '{kind}', 'indices.shape[1]' must be the number of axes {len(shape)}, but got "
                f"{indices.shape[1]}."
            )
        self._take(shape, _indices=indices, _values=values)

    def to_dense(self) -> Tensor:
        """The whole, with zeros where nothing is stored; values at the same place are added."""
        return _functions().coo_to_dense(self)

    def to_csr(self) -> CSRTensor:
        """The same by compressed row; needs two axes."""
        return _functions().coo_to_csr(self)

    def coalesce(self) -> COOTensor:
        """The same in order of places, each of them once; values at the same place are added."""
        return _functions().coalesced(self)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        """Sum with another one.

        Args:
            other (COOTensor): Of the same shape.
            thresh (Tensor): Sums nearer to zero than this are not stored.
        """
        return _functions().coo_add(self, other, thresh)


class CSRTensor(_Arithmetic):
    """A matrix given row by row; its elements may be tensors themselves.

    Args:
        indptr (Tensor): Where each row begins in `values`, and the end. Shape :math:`(rows + 1,)`.
        indices (Tensor): Column of each value. Shape :math:`(N,)`.
        values (Tensor): The values. Shape :math:`(N, *)`.
        shape (tuple[int]): Shape of the whole.
        csr_tensor (CSRTensor): One to copy, instead of the others. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: Shapes do not fit.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [2. 0. 0.]]
    """

    _parts = ("_indptr", "_indices", "_values")

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None):
        if csr_tensor is not None:
            self._copy_of(csr_tensor, "csr_tensor")
            return
        _check_tensors("CSRTensor", indptr=indptr, indices=indices, values=values)
        _check_shape("CSRTensor", shape)
        _check_index_types("CSRTensor", indptr=indptr, indices=indices)
        if values.ndim == 0:
            values = values.reshape((1,))
        _check_rank("CSRTensor", "indptr", indptr, 1)
        _check_rank("CSRTensor", "indices", indices, 1)
        if len(shape) != values.ndim + 1 or values.shape[1:] != shape[2:]:
            raise ValueError(
                f"For 'CSRTensor', 'values' of shape {values.shape} does not fit a 'shape' of {shape}."
            )
        if indptr.shape[0] != shape[0] + 1:
            raise ValueError(
                f"For 'CSRTensor', 'indptr' must have shape[0] + 1 = {shape[0] + 1} elements, but got "
                f"{indptr.shape[0]}."
            )
        if indices.shape[0] != values.shape[0]:
            raise ValueError(
                f"For 'CSRTensor', 'indices' and 'values' must have the same length, but got "
                f"{indices.shape[0]} and {values.shape[0]}."
            )
        self._take(shape, _indptr=indptr, _indices=indices, _values=values)

    @property
    def indptr(self) -> Tensor:
        """Where each row begins, and the end."""
        return self.__dict__["_indptr"]

    def to_dense(self) -> Tensor:
        """The whole, with zeros where nothing is stored."""
        return _functions().csr_to_dense(self)

    def to_coo(self) -> COOTensor:
        """The same by coordinate; needs two axes."""
        return _functions().csr_to_coo(self)

    def mv(self, dense_vector: Tensor) -> Tensor:
        """Product with a column.

        Args:
            dense_vector (Tensor): Shape :math:`(columns, 1)` or :math:`(columns,)`.
        """
        return _functions().csr_mv(self, dense_vector)

    def mm(self, matrix):
        """Product with a matrix: dense with a Tensor, sparse with a CSRTensor.

        Args:
            matrix (Union[Tensor, CSRTensor]): The right side.
        """
        return _functions().csr_mm(self, matrix)

    def sum(self, axis: int) -> Tensor:
        """Sums over rows or columns; the axis stays with length 1.

        Args:
            axis (int): 0 or 1.
        """
        return _functions().csr_reduce_sum(self, axis)

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        """alpha * self + beta * b.

        Args:
            b (CSRTensor): Of the same shape.
            alpha (Tensor): Factor of this one.
            beta (Tensor): Factor of `b`.
        """
        return _functions().csr_add(self, b, alpha, beta)


class RowTensor(StoredForm):
    """A tensor of which only some rows are stored, as gradients of tables are.

    Args:
        indices (Tensor): Numbers of the rows. Shape :math:`(N,)`.
        values (Tensor): The rows. Shape :math:`(N, *)`.
        shape (tuple[int]): Shape of the whole.
        row_tensor (RowTensor): One to copy, instead of the others. Default: ``None``.
        dense_shape (tuple[int]): Older name of `shape`. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type, or shapes do not fit.

    Supported Platforms:
        ``CPU``
    """

    _parts = ("_indices", "_values")

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None, dense_shape=None):
        if row_tensor is not None:
            self._copy_of(row_tensor, "row_tensor")
            return
        shape = dense_shape if shape is None else shape
        _check_tensors("RowTensor", indices=indices, values=values)
        _check_shape("RowTensor", shape)
        _check_index_types("RowTensor", indices=indices)
        fits = (
            indices.ndim == 1
            and values.ndim == len(shape)
            and values.shape[0] == indices.shape[0]
            and values.shape[1:] == shape[1:]
        )
        if not fits:
            raise TypeError(
                f"For 'RowTensor', 'indices' of shape {indices.shape} and 'values' of shape {values.shape} "
                f"do not fit a 'shape' of {shape}."
            )
        self._take(shape, _indices=indices, _values=values)

    @property
    def dense_shape(self) -> tuple:
        """Shape of the whole."""
        return self.shape


RowTensorInner = RowTensor


class SparseTensor(COOTensor):
    """Older name of `COOTensor`.

    Args:
        indices (Tensor): Coordinates, one row per value.
        values (Tensor): The values.
        shape (tuple[int]): Shape of the whole.
        dense_shape (tuple[int]): Older name of `shape`. Default: ``None``.
    """

    def __init__(self, indices, values, shape=None, dense_shape=None):
        logger.warning("'SparseTensor' is deprecated. Please use 'COOTensor'.")
        super().__init__(indices, values, dense_shape if shape is None else shape)

    @property
    def dense_shape(self) -> tuple:
        """Shape of the whole."""
        return self.shape

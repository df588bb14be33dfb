# SPDX-License-Identifier: Apache-2.0
"""Bands of diagonals: taken out of matrices, put into them, and matrices made of them."""

from __future__ import annotations

import numpy as np

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op

__all__ = ["matrix_diag", "matrix_diag_part", "matrix_set_diag"]

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _numbers(value) -> list[int]:
    if isinstance(value, Tensor):
        value = value.asnumpy()
    return [int(number) for number in np.atleast_1d(value).ravel()]


def _band(name: str, k, align: str) -> tuple[int, int]:
    """First and last diagonal."""
    if align not in _ALIGNMENTS:
        raise ValueError(f"For '{name}', the 'align' must be one of {_ALIGNMENTS}, but got {align}.")
    numbers = _numbers(k)
    if len(numbers) not in (1, 2) or numbers[0] > numbers[-1]:
        raise ValueError(f"For '{name}', the 'k' must be one number or a pair in order, but got {numbers}.")
    return numbers[0], numbers[-1]


def _length(diagonal: int, rows: int, columns: int) -> int:
    return min(rows + min(diagonal, 0), columns - max(diagonal, 0))


def _check_band(name: str, low: int, high: int, rows: int, columns: int) -> None:
    if not (-rows < low < max(columns, 1) and -rows < high < max(columns, 1)):
        raise ValueError(
            f"For '{name}', the 'k' must name diagonals of a matrix of shape {(rows, columns)}, but got "
            f"{(low, high)}."
        )


def _places(low: int, high: int, rows: int, columns: int, width: int, align: str):
    """Row and column in the band, row and column in the matrix, of all elements of the diagonals."""
    above, below = align.split("_")
    parts = []
    for diagonal in range(low, high + 1):
        length = _length(diagonal, rows, columns)
        left = (diagonal >= 0 and above == "LEFT") or (diagonal <= 0 and below == "LEFT")
        i = np.arange(length)
        parts.append(
            (
                np.full(length, high - diagonal),
                i + (0 if left else width - length),
                i - min(diagonal, 0),
                i + max(diagonal, 0),
            )
        )
    return [np.concatenate(columns_) for columns_ in zip(*parts, strict=True)]


def _picked(source: Tensor, padding, index: np.ndarray, batch: tuple) -> Tensor:
    """Elements of the flattened items of `source` by `index`; -1 stands for the padding."""
    flat = op.reshape(source, (*batch, -1))
    fill = padding if isinstance(padding, Tensor) else Tensor(padding)
    fill = op.broadcast_to(op.reshape(op.cast(fill, source.dtype), (1,) * (len(batch) + 1)), (*batch, 1))
    joined = op.concat((flat, fill), -1)
    index = np.where(index < 0, joined.shape[-1] - 1, index)
    picked = op.gather(joined, Tensor(index.ravel().astype(np.int64)), -1)
    return op.reshape(picked, (*batch, *index.shape))


def matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT") -> Tensor:
    """Matrices with given diagonals and `padding_value` elsewhere.

    Args:
        x (Tensor): The diagonals, the highest first; short ones are padded as `align` says.
        k (Union[int, Tensor]): A diagonal, or first and last of a band. Default: ``0``.
        num_rows (Union[int, Tensor]): Rows; -1: as few as possible. Default: ``-1``.
        num_cols (Union[int, Tensor]): Columns; -1: as few as possible. Default: ``-1``.
        padding_value (Union[int, float, Tensor]): The other elements. Default: ``0``.
        align (str): Where diagonals above and below lie in their rows. Default: ``"RIGHT_LEFT"``.

    Raises:
        ValueError: Sizes do not fit.
    """
    low, high = _band("matrix_diag", k, align)
    rows, columns = _numbers(num_rows)[0], _numbers(num_cols)[0]
    if len(x.shape) < (1 if low == high else 2):
        raise ValueError(f"For 'matrix_diag', 'x' has too few axes for the band {(low, high)}: {x.shape}.")
    width = x.shape[-1]
    least_rows, least_columns = width - min(high, 0), width + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    enough = rows >= least_rows and columns >= least_columns
    if not enough or (rows != least_rows and columns != least_columns):
        raise ValueError(
            f"For 'matrix_diag', diagonals of length {width} do not fit into shape {(rows, columns)}."
        )
    _check_band("matrix_diag", low, high, rows, columns)
    batch = tuple(x.shape[:-1] if low == high else x.shape[:-2])
    if low != high and x.shape[-2] != high - low + 1:
        raise ValueError(f"For 'matrix_diag', the band {(low, high)} needs other rows than {x.shape}.")
    band_row, band_column, row, column = _places(low, high, rows, columns, width, align)
    index = np.full((rows, columns), -1)
    index[row, column] = band_row * width + band_column
    return _picked(x, padding_value, index, batch)


def matrix_diag_part(x, k, padding_value, align="RIGHT_LEFT") -> Tensor:
    """Diagonals of matrices, the highest first; short ones are padded.

    Args:
        x (Tensor): Matrices.
        k (Union[int, Tensor]): A diagonal, or first and last of a band.
        padding_value (Union[int, float, Tensor]): Beside short diagonals.
        align (str): Where diagonals above and below lie in their rows. Default: ``"RIGHT_LEFT"``.

    Raises:
        ValueError: There is no such diagonal.
    """
    low, high = _band("matrix_diag_part", k, align)
    if len(x.shape) < 2:
        raise ValueError(f"For 'matrix_diag_part', 'x' must have at least 2 axes, but got {x.shape}.")
    *batch, rows, columns = x.shape
    _check_band("matrix_diag_part", low, high, rows, columns)
    width = max(_length(diagonal, rows, columns) for diagonal in range(low, high + 1))
    band_row, band_column, row, column = _places(low, high, rows, columns, width, align)
    index = np.full((high - low + 1, width), -1)
    index[band_row, band_column] = row * columns + column
    return _picked(x, padding_value, index[0] if low == high else index, tuple(batch))


def matrix_set_diag(x, diagonal, k=0, align="RIGHT_LEFT") -> Tensor:
    """Matrices with some diagonals replaced.

    Args:
        x (Tensor): Matrices.
        diagonal (Tensor): The new diagonals, the highest first.
        k (Union[int, Tensor]): A diagonal, or first and last of a band. Default: ``0``.
        align (str): Where diagonals above and below lie in their rows. Default: ``"RIGHT_LEFT"``.

    Raises:
        ValueError: There is no such diagonal, or shapes do not fit.
    """
    low, high = _band("matrix_set_diag", k, align)
    if len(x.shape) < 2:
        raise ValueError(f"For 'matrix_set_diag', 'x' must have at least 2 axes, but got {x.shape}.")
    *batch, rows, columns = x.shape
    _check_band("matrix_set_diag", low, high, rows, columns)
    width = max(_length(d, rows, columns) for d in range(low, high + 1))
    expected = (*batch, width) if low == high else (*batch, high - low + 1, width)
    if tuple(diagonal.shape) != expected:
        raise ValueError(
            f"For 'matrix_set_diag', 'diagonal' must have shape {expected}, but got {diagonal.shape}."
        )
    band_row, band_column, row, column = _places(low, high, rows, columns, width, align)
    index = np.full((rows, columns), -1)
    index[row, column] = band_row * width + band_column
    placed = _picked(diagonal, 0, index, tuple(batch))
    return op.where(Tensor(index >= 0), placed, x)

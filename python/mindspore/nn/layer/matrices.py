# SPDX-License-Identifier: Apache-2.0
"""Layers over single operations on matrices and borders."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn._description import Argument, documented, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


@takes(
    Argument("transpose_x1", "bool", "Whether the first is transposed.", False),
    Argument("transpose_x2", "bool", "Whether the second is transposed.", False),
)
class MatMul(Cell):
    """Product of two matrices, or of stacks of them."""

    def construct(self, x1, x2):
        return op.matmul(x1, x2, self.transpose_x1, self.transpose_x2)


@documented
class Tril(Cell):
    """Zeros above a diagonal."""

    def construct(self, x, k=0):
        return op.tril(x, int(k))


@documented
class Triu(Cell):
    """Zeros below a diagonal."""

    def construct(self, x, k=0):
        return op.triu(x, int(k))


@takes(
    Argument("start", "Union[int, float]", "The first; with `limit` None the limit, and the first is 0."),
    Argument("limit", "Union[int, float]", "Bound that is not reached.", None),
    Argument("delta", "Union[int, float]", "Step.", 1),
)
class Range(Cell):
    """Evenly spaced numbers."""

    def _set_up(self, start, limit, delta) -> None:
        if delta == 0:
            raise ValueError("For 'Range', the 'delta' must not be 0.")
        first, bound = (0, start) if limit is None else (start, limit)
        self.result = ops.arange(first, bound, delta)

    def construct(self):
        return self.result


@takes(
    Argument("paddings", "tuple", "One pair per axis: width before and after it."),
    Argument("mode", "str", '``"CONSTANT"`` (zeros), ``"REFLECT"`` or ``"SYMMETRIC"``.', "CONSTANT"),
)
class Pad(Cell):
    """Adds a border.

    Raises:
        TypeError: `paddings` is not a tuple.
        ValueError: `paddings` has more than 4 pairs, or `mode` is another.
    """

    def _set_up(self, paddings, mode) -> None:
        if not isinstance(paddings, tuple):
            raise TypeError(f"For 'Pad', the 'paddings' must be a tuple, but got {type(paddings)}.")
        if any(not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in paddings):
            raise ValueError(f"For 'Pad', the 'paddings' must consist of pairs, but got {paddings}.")
        if len(paddings) > 4:
            raise ValueError(f"For 'Pad', the 'paddings' must have at most 4 pairs, but got {paddings}.")
        if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            raise ValueError(f"For 'Pad', the 'mode' must be CONSTANT, REFLECT or SYMMETRIC, but got {mode}.")
        self.paddings, self.mode = paddings, mode
        self.pad = ops.Pad(paddings) if mode == "CONSTANT" else ops.MirrorPad(mode)

    def construct(self, x):
        return self.pad(x) if self.mode == "CONSTANT" else self.pad(x, self.paddings)


def _in_float32(function, x):
    """Half precision is computed in float32."""
    if x.dtype in (mstype.float16, mstype.bfloat16):
        return op.cast(function(op.cast(x, mstype.float32)), x.dtype)
    return function(x)


def _require_matrices(owner: str, x) -> None:
    if not isinstance(x, Tensor) or x.dtype not in mstype.float_type:
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"For '{owner}', the 'a' must be a Tensor of a floating type, but got {kind}.")


@documented
class MatInverse(Cell):
    """Inverse of square matrices.

    Inputs:
        - **a** (Tensor) - (..., N, N).

    Outputs:
        Tensor, like `a`.

    Raises:
        TypeError: `a` is not of a floating type.
    """

    def construct(self, a):
        _require_matrices(self.cls_name, a)
        return _in_float32(ops.inverse, a)


@documented
class MatDet(Cell):
    """Determinant of square matrices.

    Inputs:
        - **a** (Tensor) - (..., N, N).

    Outputs:
        Tensor, (...).

    Raises:
        TypeError: `a` is not of a floating type.
    """

    def construct(self, a):
        _require_matrices(self.cls_name, a)
        return _in_float32(ops.det, a)


def _on_diagonal(rows: int, columns: int) -> Tensor:
    return op.equal(ops.arange(rows).reshape(-1, 1), ops.arange(columns).reshape(1, -1))


@documented
class MatrixDiag(Cell):
    """Square matrices with given diagonals and zeros elsewhere.

    Inputs:
        - **input_x** (Tensor) - Diagonals (..., N).

    Outputs:
        Tensor, (..., N, N).
    """

    def construct(self, input_x):
        size = input_x.shape[-1]
        wide = op.expand_dims(input_x, -1)
        return op.where(_on_diagonal(size, size), wide, op.zeros_like(wide))


@documented
class MatrixDiagPart(Cell):
    """Diagonals of matrices.

    Inputs:
        - **input_x** (Tensor) - (..., M, N).

    Outputs:
        Tensor, (..., min(M, N)).

    Raises:
        ValueError: `input_x` has fewer than two axes.
    """

    def construct(self, input_x):
        if input_x.ndim < 2:
            raise ValueError(
                f"For '{self.cls_name}', the 'input_x' must have at least 2 axes, but got {input_x.ndim}."
            )
        return ops.diagonal(input_x, 0, -2, -1)


@documented
class MatrixSetDiag(Cell):
    """Matrices with other diagonals.

    Inputs:
        - **input_x** (Tensor) - (..., M, N).
        - **diagonal** (Tensor) - (..., min(M, N)).

    Outputs:
        Tensor, like `input_x`.

    Raises:
        ValueError: `input_x` has fewer than two axes, or the shapes do not fit.
    """

    def construct(self, input_x, diagonal):
        shape = input_x.shape
        if len(shape) < 2 or diagonal.shape != (*shape[:-2], min(shape[-2:])):
            raise ValueError(
                f"For '{self.cls_name}', the 'diagonal' must have the shape of the diagonals of 'input_x' "
                f"{shape}, but got {diagonal.shape}."
            )
        rows, columns = shape[-2:]
        wide = op.expand_dims(diagonal, -1 if rows <= columns else -2)
        return op.where(_on_diagonal(rows, columns), wide, input_x)

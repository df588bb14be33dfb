# SPDX-License-Identifier: Apache-2.0
"""Layers over single operations on matrices and borders."""

from __future__ import annotations

from mindspore import ops
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


class MatMul(Cell):
    """Product of two matrices, or of stacks of them.

    Args:
        transpose_x1 (bool): Whether the first is transposed. Default: ``False``.
        transpose_x2 (bool): Whether the second is transposed. Default: ``False``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2):
        return op.matmul(x1, x2, self.transpose_x1, self.transpose_x2)


class Tril(Cell):
    """Zeros above a diagonal.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, x, k=0):
        return op.tril(x, int(k))


class Triu(Cell):
    """Zeros below a diagonal.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, x, k=0):
        return op.triu(x, int(k))


class Range(Cell):
    """Evenly spaced numbers.

    Args:
        start (Union[int, float]): The first; with `limit` None the limit, and the first is 0.
        limit (Union[int, float]): Bound that is not reached. Default: ``None``.
        delta (Union[int, float]): Step. Default: ``1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        if delta == 0:
            raise ValueError("For 'Range', the 'delta' must not be 0.")
        first, bound = (0, start) if limit is None else (start, limit)
        self.result = ops.arange(first, bound, delta)

    def construct(self):
        return self.result


class Pad(Cell):
    """Adds a border.

    Args:
        paddings (tuple): One pair per axis: width before and after it.
        mode (str): ``"CONSTANT"`` (zeros), ``"REFLECT"`` or ``"SYMMETRIC"``. Default: ``"CONSTANT"``.

    Raises:
        TypeError: `paddings` is not a tuple.
        ValueError: `paddings` has more than 4 pairs, or `mode` is another.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, paddings, mode="CONSTANT"):
        super().__init__()
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

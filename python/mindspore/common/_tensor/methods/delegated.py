# SPDX-License-Identifier: Apache-2.0
"""Methods that are functions of `mindspore.ops` with the tensor as first argument."""

from __future__ import annotations

import functools
import inspect

from mindspore._c_expression import Tensor
from mindspore.ops import function

_NAMES = (
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "amax",
    "amin",
    "aminmax",
    "cholesky_solve",
    "cov",
    "cross",
    "diag_embed",
    "diagflat",
    "diagonal_scatter",
    "dsplit",
    "fliplr",
    "flipud",
    "fold",
    "histc",
    "hsplit",
    "inverse",
    "is_complex",
    "is_floating_point",
    "logdet",
    "lstsq",
    "lu_solve",
    "matrix_power",
    "median",
    "mm",
    "nanmean",
    "nanmedian",
    "nonzero",
    "norm",
    "orgqr",
    "ormqr",
    "ravel",
    "rot90",
    "select_scatter",
    "slice_scatter",
    "svd",
    "t",
    "tensor_split",
    "unfold",
    "unique_consecutive",
    "unique_with_pad",
    "vsplit",
)


def qr(self, some=True) -> tuple:
    """Factors of matrices: orthonormal columns (a square matrix unless `some`) and an upper triangle."""
    from mindspore.ops.function.decomposition import qr as factors

    return factors(self, "reduced" if some else "complete")


def reverse_sequence(self, seq_lengths, seq_dim=0, batch_dim=0) -> Tensor:
    """The first `seq_lengths[b]` elements of every sequence backwards."""
    from mindspore.ops.function.arrangement import reverse_sequence as reverse

    return reverse(self, seq_lengths, seq_dim, batch_dim)


def _method(wrapped):
    """The function as a method: its first parameter is shown as `self`."""

    @functools.wraps(wrapped)
    def method(self, *args, **kwargs):
        return wrapped(self, *args, **kwargs)

    signature = inspect.signature(wrapped)
    first, *rest = signature.parameters.values()
    method.__signature__ = signature.replace(parameters=[first.replace(name="self"), *rest])
    return method


_table = function.functions()
METHODS = {name: _method(_table[name]) for name in _NAMES}
METHODS["qr"] = qr
METHODS["reverse_sequence"] = reverse_sequence

# SPDX-License-Identifier: Apache-2.0
"""Primitives that are functions of `mindspore.ops` with some arguments given beforehand."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._primitives.composition import REQUIRED, primitive_class
from mindspore.ops._registry import op


def _f():
    from mindspore import ops

    return ops


def _integers(value) -> tuple:
    return tuple(int(v) for v in (value.asnumpy() if isinstance(value, Tensor) else value))


def _count_non_zero(self, x):
    axis = () if self.dims is None else self.dims
    return _f().count_nonzero(x, tuple(axis) if isinstance(axis, list) else axis, False, mstype.int64)


def _segment(reduce: str):
    def call(self, input_x, segment_ids):
        ids = segment_ids.asnumpy()
        if ids.ndim != 1 or len(ids) != input_x.shape[0] or (ids < 0).any() or (ids[1:] < ids[:-1]).any():
            raise ValueError(
                f"For '{self.name}', the 'segment_ids' must be sorted, one per row of 'input_x'."
            )
        count = int(ids[-1]) + 1 if len(ids) else 0
        ops = _f()
        if reduce == "mean":
            total = ops.unsorted_segment_sum(input_x, segment_ids, count)
            sizes = ops.unsorted_segment_sum(op.ones_like(input_x), segment_ids, count)
            return op.div(total, op.maximum(sizes, 1))
        result = getattr(ops, f"unsorted_segment_{reduce}")(input_x, segment_ids, count)
        if reduce in ("max", "min"):  # rows that nothing fell into are 0
            sizes = ops.unsorted_segment_sum(op.ones_like(input_x), segment_ids, count)
            result = op.where(op.greater(sizes, 0), result, op.zeros_like(result))
        return result

    return call


def _list_diff(self, x, y) -> tuple[Tensor, Tensor]:
    import numpy as np

    values = x.asnumpy()
    kept = ~np.isin(values, y.asnumpy())
    places = np.flatnonzero(kept).astype("int64" if self.out_idx == mstype.int64 else "int32")
    return Tensor(values[kept]), Tensor(places)


def _fill_diagonal(self, input_x):
    import numpy as np

    shape = input_x.shape
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ValueError(
            f"For 'FillDiagonal', 'input_x' must be a matrix or have axes of equal length, but got {shape}."
        )
    mask = np.zeros(shape, bool)
    np.fill_diagonal(mask, True, wrap=bool(self.wrap))
    return op.masked_fill(input_x, Tensor(mask), self.fill_value)


def _unravel(self, indices, dims):
    shape = _integers(dims)
    rest, parts = indices, []
    for length in reversed(shape):
        parts.append(op.floor_mod(rest, length))
        rest = op.floor_div(rest, length)
    return op.stack(tuple(reversed(parts)), 0)


def _adaptive_max_pool(self, x) -> tuple[Tensor, Tensor]:
    return _f().adaptive_max_pool2d(x, self.output_size, True)


def _window(function: str, *extra: str):
    def call(self, length):
        arguments = [getattr(self, name) for name in extra]
        return getattr(_f(), function)(length, self.periodic, *arguments, dtype=self.dtype)

    return call


def _triangle(function: str):
    def call(self):
        return getattr(_f(), function)(self.row, self.col, self.offset, dtype=self.dtype)

    return call


def _plain(function: str, *attributes: str):
    """Inputs first, then the attributes by position."""

    def call(self, *inputs):
        return getattr(_f(), function)(*inputs, *(getattr(self, name) for name in attributes))

    return call


def _conjugate_transpose(self, x, perm):
    turned = op.transpose(x, _integers(perm))
    return op.conj(turned) if x.dtype in (mstype.complex64, mstype.complex128) else turned


def _multi_margin(self, x, target, weight=None):
    return _f().multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


def _triplet(self, x, positive, negative, margin):
    return _f().triplet_margin_loss(
        x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
    )


def _quantile(self, input, q):
    function = _f().nanquantile if self.ignore_nan else _f().quantile
    return function(input, q, self.dim, self.keep_dims)


def _lstsq(self, x, a):
    if not self.l2_regularizer:
        return _f().lstsq(x, a)
    # The penalty is further rows: its root on the diagonal, with 0 on the right.
    columns = x.shape[1]
    diagonal = op.mul(op.eye(columns, None, x.dtype), float(self.l2_regularizer) ** 0.5)
    zeros = op.fill(a.dtype, (columns, *a.shape[1:]), 0)
    return _f().lstsq(op.concat((x, diagonal), 0), op.concat((a, zeros), 0))


def _cross(self, x1, x2):
    return _f().cross(x1, x2, None if self.dim == -65530 else self.dim)


def _uniform_sampler(self, true_classes) -> tuple[Tensor, Tensor, Tensor]:
    return _f().uniform_candidate_sampler(
        true_classes,
        self.num_true,
        self.num_sampled,
        self.unique,
        self.range_max,
        self.seed,
        self.remove_accidental_hits,
    )


def _seed_of(self):
    """The seed of a drawing primitive; None when it has none."""
    return (self.seed + self.seed2) or None


def _gamma(self, shape, alpha, beta):
    return _f().gamma(shape, alpha, beta, _seed_of(self))


def _poisson(self, shape, mean):
    return _f().poisson(shape, mean, _seed_of(self))


_SEEDS = {"seed": 0, "seed2": 0}
_SAMPLER = {"num_true": REQUIRED, "num_sampled": REQUIRED, "unique": REQUIRED, "range_max": REQUIRED}
_LOG_SAMPLER = {"num_true": 1, "num_sampled": 5, "unique": True, "range_max": 5}
_PAIR = {"row": REQUIRED, "col": REQUIRED, "offset": 0, "dtype": mstype.int32}
_WINDOW = {"periodic": True, "dtype": mstype.float32}
_UNIQUE = {"return_idx": False, "return_counts": False, "axis": None}
_TRIPLET = {"p": 2, "swap": False, "eps": 1e-6, "reduction": "mean"}

_TABLE = (
    (
        "AdaptiveMaxPool2D",
        "Largest elements of areas, and their places.",
        _adaptive_max_pool,
        {"output_size": REQUIRED},
    ),
    (
        "AdaptiveAvgPool3D",
        "Means of areas.",
        _plain("adaptive_avg_pool3d", "output_size"),
        {"output_size": REQUIRED},
    ),
    (
        "AffineGrid",
        "Points that an affine map sends a grid to.",
        _plain("affine_grid", "align_corners"),
        {"align_corners": False},
    ),
    ("BartlettWindow", "A triangular window.", _window("bartlett_window"), _WINDOW),
    ("BlackmanWindow", "A Blackman window.", _window("blackman_window"), _WINDOW),
    (
        "HammingWindow",
        "A Hamming window.",
        _window("hamming_window", "alpha", "beta"),
        {"periodic": True, "alpha": 0.54, "beta": 0.46, "dtype": mstype.float32},
    ),
    ("Coalesce", "Entries of a sparse tensor, sorted and summed.", _plain("coalesce"), {}),
    ("ConjugateTranspose", "Conjugate with its axes in another order.", _conjugate_transpose, {}),
    ("CountNonZero", "Number of elements that are not 0.", _count_non_zero, {"dims": None}),
    ("Cross", "Cross products of vectors.", _cross, {"dim": -65530}),
    ("Eps", "Smallest step of the type, for every element.", _plain("eps"), {}),
    ("Expand", "Stretched to a shape.", lambda self, x, shape: op.broadcast_to(x, _integers(shape)), {}),
    (
        "FillDiagonal",
        "A copy with another diagonal.",
        _fill_diagonal,
        {"fill_value": REQUIRED, "wrap": False},
    ),
    ("Lstsq", "Nearest solutions.", _lstsq, {"fast": True, "l2_regularizer": 0.0}),
    (
        "Histogram",
        "Number of elements per bin.",
        _plain("histc", "bins", "min", "max"),
        {"bins": 100, "min": 0.0, "max": 0.0},
    ),
    (
        "InplaceIndexAdd",
        "Adds rows to a parameter.",
        _plain("inplace_index_add", "axis"),
        {"axis": REQUIRED},
    ),
    (
        "ListDiff",
        "What is in one list but not in the other, and where.",
        _list_diff,
        {"out_idx": mstype.int32},
    ),
    ("Gamma", "Numbers from a gamma distribution.", _gamma, _SEEDS),
    ("Poisson", "Numbers from a Poisson distribution.", _poisson, _SEEDS),
    (
        "LogUniformCandidateSampler",
        "Draws classes, small numbers more often.",
        _plain("log_uniform_candidate_sampler", *_LOG_SAMPLER, "seed"),
        {**_LOG_SAMPLER, "seed": 0},
    ),
    (
        "MatrixDiagV3",
        "Matrices with given diagonals.",
        _plain("matrix_diag", "align"),
        {"align": "RIGHT_LEFT"},
    ),
    (
        "MatrixDiagPartV3",
        "Diagonals of matrices.",
        _plain("matrix_diag_part", "align"),
        {"align": "RIGHT_LEFT"},
    ),
    (
        "MatrixSetDiagV3",
        "Matrices with other diagonals.",
        _plain("matrix_set_diag", "align"),
        {"align": "RIGHT_LEFT"},
    ),
    ("MatrixExp", "Exponentials of matrices.", _plain("matrix_exp"), {}),
    ("MatrixPower", "Powers of matrices.", _plain("matrix_power", "n"), {"n": REQUIRED}),
    (
        "MultiMarginLoss",
        "Hinge loss over classes.",
        _multi_margin,
        {"p": 1, "margin": 1.0, "reduction": "mean"},
    ),
    ("Pdist", "Distances between all pairs of rows.", _plain("pdist", "p"), {"p": 2.0}),
    ("Polar", "Complex numbers from length and angle.", _plain("polar"), {}),
    (
        "Quantile",
        "Quantiles along an axis.",
        _quantile,
        {"dim": None, "keep_dims": False, "ignore_nan": False},
    ),
    (
        "RandomShuffle",
        "Rows in random order.",
        lambda self, x: _f().shuffle(x, self.seed or self.seed2 or None),
        {"seed": 0, "seed2": 0},
    ),
    ("RmsNorm", "Division by the root of the mean square.", _plain("rms_norm", "epsilon"), {"epsilon": 1e-6}),
    (
        "ScatterAddWithAxis",
        "Adds elements at indices along an axis.",
        lambda self, x, indices, updates: op.tensor_scatter_elements(x, indices, updates, self.axis, "add"),
        {"axis": 0},
    ),
    ("SegmentMax", "Largest rows of segments.", _segment("max"), {}),
    ("SegmentMean", "Means of segments.", _segment("mean"), {}),
    ("SegmentMin", "Smallest rows of segments.", _segment("min"), {}),
    ("SegmentProd", "Products of segments.", _segment("prod"), {}),
    ("SegmentSum", "Sums of segments.", _segment("sum"), {}),
    ("TrilIndices", "Places of a lower triangle.", _triangle("tril_indices"), _PAIR),
    ("TriuIndices", "Places of an upper triangle.", _triangle("triu_indices"), _PAIR),
    ("TripletMarginLoss", "Loss of triples of vectors.", _triplet, _TRIPLET),
    (
        "UniformCandidateSampler",
        "Draws classes.",
        _uniform_sampler,
        {**_SAMPLER, "seed": 0, "remove_accidental_hits": False},
    ),
    (
        "UniqueConsecutive",
        "Elements without repetitions in a row.",
        _plain("unique_consecutive", *_UNIQUE),
        _UNIQUE,
    ),
    ("UniqueWithPad", "Different elements, padded to the old length.", _plain("unique_with_pad"), {}),
    ("UnravelIndex", "Places from numbers.", _unravel, {}),
)

_classes = {name: primitive_class(name, doc, call, attributes) for name, doc, call, attributes in _TABLE}
globals().update(_classes)

__all__ = list(_classes)  # noqa: PLE0604

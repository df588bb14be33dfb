# SPDX-License-Identifier: Apache-2.0
"""Primitives composed of operators and functions."""

from __future__ import annotations

from typing import Any

from mindspore._argument_checks.numbers import INC_BOTH, check_float_range
from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function import arrangement, indexing, linear, losses, neural, pooling, reduction
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = [
    "AccumulateNV2",
    "BatchToSpace",
    "BatchToSpaceND",
    "Bernoulli",
    "Bucketize",
    "Cdist",
    "ChannelShuffle",
    "ConfusionMatrix",
    "DepthToSpace",
    "DiagPart",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "Einsum",
    "EqualCount",
    "EuclideanNorm",
    "FillV2",
    "Fills",
    "Fmax",
    "Fmin",
    "GLU",
    "IndexAdd",
    "InplaceAdd",
    "InplaceSub",
    "InplaceUpdate",
    "InvertPermutation",
    "IsClose",
    "LRN",
    "Logit",
    "LpNorm",
    "MatrixBandPart",
    "MaxPoolWithArgmax",
    "Median",
    "MultilabelMarginLoss",
    "NLLLoss",
    "NanToNum",
    "Padding",
    "Renorm",
    "ReverseSequence",
    "ScatterNdUpdate",
    "SigmoidCrossEntropyWithLogits",
    "SoftMarginLoss",
    "SpaceToBatchND",
    "SpaceToDepth",
    "SplitV",
    "SquareSumAll",
    "Squeeze",
]


class _Plain(Primitive):
    """A primitive without attributes."""

    def __init__(self):
        super().__init__(type(self).__name__)


class SigmoidCrossEntropyWithLogits(_Plain):
    """Cross entropy of sigmoid(logits) against labels, element by element."""

    def __call__(self, logits, label):
        return op.binary_cross_entropy_with_logits(logits, label, None, None, "none")


class FillV2(_Plain):
    """A tensor of a shape with one value."""

    def __call__(self, shape, value):
        lengths = tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)
        return op.broadcast_to(value if isinstance(value, Tensor) else Tensor(value), lengths)


class Fills(_Plain):
    """A tensor like the input with one value."""

    def __call__(self, x, value):
        return op.full_like(x, value)


class Fmax(_Plain):
    """The larger element, ignoring NaN."""

    def __call__(self, x1, x2):
        return op.fmax(x1, x2)


class Fmin(_Plain):
    """The smaller element, ignoring NaN."""

    def __call__(self, x1, x2):
        return op.fmin(x1, x2)


class AccumulateNV2(_Plain):
    """Sum of several tensors."""

    def __call__(self, x):
        return op.addn(list(x))


class SquareSumAll(_Plain):
    """Sums of the squares of two tensors."""

    def __call__(self, x, y) -> tuple:
        return op.reduce_sum(op.square(x)), op.reduce_sum(op.square(y))


class EqualCount(_Plain):
    """Number of equal elements, shape (1,)."""

    def __call__(self, x, y):
        return op.reshape(op.cast(op.reduce_sum(op.cast(op.equal(x, y), mstype.int64)), x.dtype), (1,))


class InvertPermutation(_Plain):
    """Where each number of a permutation stands."""

    def __call__(self, input_x: Any) -> Any:
        numbers = input_x.tolist() if isinstance(input_x, Tensor) else list(input_x)
        if sorted(numbers) != list(range(len(numbers))):
            raise ValueError(f"For 'InvertPermutation', the input must be a permutation, but got {input_x}.")
        result = [0] * len(numbers)
        for place, number in enumerate(numbers):
            result[number] = place
        return Tensor(result, input_x.dtype) if isinstance(input_x, Tensor) else tuple(result)


class DiagPart(_Plain):
    """The diagonal of a square matrix."""

    def __call__(self, input_x):
        half = input_x.ndim // 2
        side = 1
        for length in input_x.shape[:half]:
            side *= length
        flat = op.diagonal(op.reshape(input_x, (side, side)))
        return op.reshape(flat, input_x.shape[:half])


class MatrixBandPart(_Plain):
    """Matrices with zeros outside of a band."""

    def __call__(self, x, lower, upper):
        return indexing.matrix_band_part(x, lower, upper)


class Dropout(Primitive):
    """The input with elements set to zero at random and the rest scaled, and the mask in its type."""

    @prim_attr_register
    def __init__(self, keep_prob=0.5, Seed0=0, Seed1=0):
        pass

    def __call__(self, x):
        result, mask = op.dropout(x, self.keep_prob, self.Seed0, self.Seed1)
        return result, op.cast(mask, x.dtype)


class _ChannelDropout(Primitive):
    _axes = 0

    @prim_attr_register
    def __init__(self, keep_prob=0.5):
        check_value_type("keep_prob", keep_prob, [float], self.name)
        check_float_range(keep_prob, 0.0, 1.0, INC_BOTH, "keep_prob", self.name)

    def _mask(self, x) -> Tensor:
        shape = x.shape[:2] + (1,) * (x.ndim - 2)
        drawn = op.random_uniform(shape, 0.0, 1.0, mstype.float32, None)
        return op.broadcast_to(op.less(drawn, self.keep_prob), x.shape)

    def __call__(self, x) -> tuple:
        if x.ndim != self._axes:
            raise ValueError(
                f"For '{self.name}', the input must have {self._axes} axes, but got the shape {x.shape}."
            )
        mask = self._mask(x)
        scale = 0.0 if self.keep_prob == 0 else 1.0 / self.keep_prob
        return op.mul(op.mul(x, op.cast(mask, x.dtype)), scale), mask


class Dropout2D(_ChannelDropout):
    """Whole channels of (N, C, H, W) set to zero at random, and the mask."""

    _axes = 4


class Dropout3D(_ChannelDropout):
    """Whole channels of (N, C, D, H, W) set to zero at random, and the mask."""

    _axes = 5


class Bernoulli(Primitive):
    """1 with probability `p`, else 0."""

    @prim_attr_register
    def __init__(self, seed=-1, offset=0):
        pass

    def __call__(self, x, p):
        from mindspore.ops.function.random import bernoulli

        return bernoulli(x, p, None if self.seed == -1 else self.seed)


class LpNorm(Primitive):
    """`p`-norm along axes."""

    @prim_attr_register
    def __init__(self, axis, p=2, keep_dims=False, epsilon=1e-12):
        pass

    def __call__(self, input):
        return op.maximum(reduction.vector_norm(input, self.p, self.axis, self.keep_dims), self.epsilon)


class EuclideanNorm(Primitive):
    """2-norm along axes."""

    @prim_attr_register
    def __init__(self, keep_dims=False):
        pass

    def __call__(self, x, axes):
        axes = tuple(axes.tolist()) if isinstance(axes, Tensor) else axes
        return reduction.vector_norm(x, 2, axes, self.keep_dims)


class Renorm(Primitive):
    """Slices along an axis, shrunk so that their norm is at most `maxnorm`."""

    @prim_attr_register
    def __init__(self, p, dim, maxnorm):
        pass

    def __call__(self, x):
        return op.renorm(x, self.p, self.dim, self.maxnorm)


class Median(Primitive):
    """The lower median and where it is."""

    @prim_attr_register
    def __init__(self, global_median=False, axis=0, keep_dims=False, ignore_nan=False):
        pass

    def __call__(self, x) -> tuple:
        if self.global_median:
            return reduction.median(op.reshape(x, (-1,)), 0)
        find = reduction.nanmedian if self.ignore_nan else reduction.median
        return find(x, self.axis, self.keep_dims)


class Bucketize(Primitive):
    """Number of the interval every element belongs to."""

    @prim_attr_register
    def __init__(self, boundaries):
        pass

    def __call__(self, input):
        return reduction.bucketize(input, self.boundaries, right=True)


class Cdist(Primitive):
    """Distances of all rows of one tensor from all rows of another."""

    @prim_attr_register
    def __init__(self, p=2.0):
        pass

    def __call__(self, input_x, input_y):
        return linear.cdist(input_x, input_y, self.p)


class Einsum(Primitive):
    """Sums of products as an equation names them."""

    @prim_attr_register
    def __init__(self, equation):
        pass

    def __call__(self, x):
        return linear.einsum(self.equation, *x)


class GLU(Primitive):
    """First half of an axis times the sigmoid of the second half."""

    @prim_attr_register
    def __init__(self, axis=-1):
        pass

    def __call__(self, x):
        return neural.glu(x, self.axis)


class IsClose(Primitive):
    """Whether the elements are equal up to a tolerance."""

    @prim_attr_register
    def __init__(self, rtol=1e-05, atol=1e-08, equal_nan=True):
        pass

    def __call__(self, input, other):
        return op.isclose(input, other, self.rtol, self.atol, self.equal_nan)


class Logit(Primitive):
    """log(x / (1 - x)), the input limited to [eps, 1 - eps] unless `eps` is negative."""

    @prim_attr_register
    def __init__(self, eps=-1.0):
        pass

    def __call__(self, input):
        return op.logit(input, None if self.eps < 0 else self.eps)


class NanToNum(Primitive):
    """NaN and infinities replaced by numbers."""

    @prim_attr_register
    def __init__(self, nan=None, posinf=None, neginf=None):
        pass

    def __call__(self, x):
        return op.nan_to_num(x, 0.0 if self.nan is None else self.nan, self.posinf, self.neginf)


class ScatterNdUpdate(Primitive):
    """Writes `updates` at the index rows of `input_x`, in place."""

    @prim_attr_register
    def __init__(self, use_locking=True):
        pass

    def __call__(self, input_x, indices, updates):
        return op.scatter_nd_update(input_x, indices, updates)


class LRN(Primitive):
    """Elements divided by a power of the squares of their neighbours in other channels."""

    @prim_attr_register
    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        pass

    def __call__(self, x):
        return neural.normalize_across_channels(
            self.name, x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region
        )


class MaxPoolWithArgmax(Primitive):
    """Largest elements of windows, and their places in the plane."""

    @prim_attr_register
    def __init__(self, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        pass

    def __call__(self, x) -> tuple:
        if self.pad_mode.lower() != "valid":
            raise NotImplementedError("For 'MaxPoolWithArgmax', the 'pad_mode' must be 'valid'.")
        value, index = pooling.max_pool2d(x, self.kernel_size, self.strides, 0, 1, True)
        return value, op.cast(index, mstype.int32)


class ChannelShuffle(Primitive):
    """Channels of all groups interleaved."""

    @prim_attr_register
    def __init__(self, group):
        pass

    def __call__(self, x):
        return arrangement.channel_shuffle(x, self.group)


class DepthToSpace(Primitive):
    """Channels moved into the plane, blocks first."""

    @prim_attr_register
    def __init__(self, block_size):
        pass

    def __call__(self, x):
        n, c, h, w = x.shape
        b = self.block_size
        parts = op.reshape(x, (n, b, b, c // (b * b), h, w))
        return op.reshape(op.transpose(parts, (0, 3, 4, 1, 5, 2)), (n, c // (b * b), h * b, w * b))


class SpaceToDepth(Primitive):
    """The plane moved into channels, blocks first."""

    @prim_attr_register
    def __init__(self, block_size):
        pass

    def __call__(self, x):
        n, c, h, w = x.shape
        b = self.block_size
        parts = op.reshape(x, (n, c, h // b, b, w // b, b))
        return op.reshape(op.transpose(parts, (0, 3, 5, 1, 2, 4)), (n, c * b * b, h // b, w // b))


class SpaceToBatchND(Primitive):
    """Blocks of the plane moved into the batch."""

    @prim_attr_register
    def __init__(self, block_shape, paddings):
        pass

    def __call__(self, input_x):
        return arrangement.space_to_batch_nd(input_x, self.block_shape, self.paddings)


class BatchToSpaceND(Primitive):
    """Blocks of the batch moved into the plane."""

    @prim_attr_register
    def __init__(self, block_shape, crops):
        pass

    def __call__(self, input_x):
        return arrangement.batch_to_space_nd(input_x, self.block_shape, self.crops)


class BatchToSpace(Primitive):
    """Blocks of the batch moved into the plane."""

    @prim_attr_register
    def __init__(self, block_size, crops):
        pass

    def __call__(self, input_x):
        return arrangement.batch_to_space_nd(input_x, self.block_size, self.crops)


class Squeeze(Primitive):
    """Axes of length 1 removed, all of them for an empty tuple."""

    @prim_attr_register
    def __init__(self, axis=()):
        pass

    def __call__(self, input_x):
        return op.squeeze(input_x, self.axis)


class SplitV(Primitive):
    """Parts of given lengths along an axis."""

    @prim_attr_register
    def __init__(self, size_splits, split_dim, num_split):
        pass

    def __call__(self, input_x):
        sizes = list(self.size_splits)
        if -1 in sizes:
            rest = input_x.shape[self.split_dim] - sum(size for size in sizes if size >= 0)
            sizes[sizes.index(-1)] = rest
        return op.split_sizes(input_x, tuple(sizes), self.split_dim)


class ReverseSequence(Primitive):
    """The first elements of every sequence backwards."""

    @prim_attr_register
    def __init__(self, seq_dim, batch_dim=0):
        pass

    def __call__(self, x, seq_lengths):
        return arrangement.reverse_sequence(x, seq_lengths, self.seq_dim, self.batch_dim)


class Padding(Primitive):
    """The last axis, of length 1, padded with zeros."""

    @prim_attr_register
    def __init__(self, pad_dim_size=8):
        pass

    def __call__(self, x):
        return arrangement.padding(x, self.pad_dim_size)


class IndexAdd(Primitive):
    """Adds slices to a parameter or a tensor along an axis, in place."""

    @prim_attr_register
    def __init__(self, axis, use_lock=True, check_index_bound=True):
        pass

    def __call__(self, x, indices, y):
        return indexing.index_add(x, indices, y, self.axis)


class InplaceAdd(Primitive):
    """The input with rows added."""

    @prim_attr_register
    def __init__(self, indices):
        pass

    def __call__(self, x, input_v):
        return indexing.inplace_add(x, input_v, self.indices)


class InplaceSub(Primitive):
    """The input with rows subtracted."""

    @prim_attr_register
    def __init__(self, indices):
        pass

    def __call__(self, x, input_v):
        return indexing.inplace_sub(x, input_v, self.indices)


class InplaceUpdate(Primitive):
    """The input with rows replaced."""

    @prim_attr_register
    def __init__(self, indices):
        pass

    def __call__(self, x, v):
        return indexing.inplace_update(x, v, self.indices)


class NLLLoss(Primitive):
    """Negative log likelihood, and the total weight."""

    @prim_attr_register
    def __init__(self, reduction="mean", ignore_index=-100):
        pass

    def __call__(self, logits, labels, weight) -> tuple:
        loss = op.nll_loss(logits, labels, weight, self.ignore_index, self.reduction, 0.0)
        counted = op.gather(weight, op.maximum(labels, 0), 0)
        known = op.cast(op.not_equal(labels, self.ignore_index), weight.dtype)
        return loss, op.reduce_sum(op.mul(counted, known))


class SoftMarginLoss(Primitive):
    """log(1 + exp(-label * logit))."""

    @prim_attr_register
    def __init__(self, reduction="mean"):
        pass

    def __call__(self, logits, labels):
        return op.soft_margin_loss(logits, labels, self.reduction)


class MultilabelMarginLoss(Primitive):
    """Hinge loss between all target classes and all other classes, and which classes are targets."""

    @prim_attr_register
    def __init__(self, reduction="mean"):
        pass

    def __call__(self, x, target):
        return losses.multilabel_margin_loss(x, target, self.reduction)


class ConfusionMatrix(Primitive):
    """How often each label was predicted as each class."""

    @prim_attr_register
    def __init__(self, num_classes, dtype="int32"):
        pass

    def __call__(self, labels, predictions, weights=None):
        place = op.add(
            op.mul(op.cast(labels, mstype.int64), self.num_classes), op.cast(predictions, mstype.int64)
        )
        worth = op.ones_like(place) if weights is None else weights
        flat = op.unsorted_segment_sum(worth, op.reshape(place, (-1,)), self.num_classes**2)
        return op.cast(op.reshape(flat, (self.num_classes,) * 2), mstype.from_any(self.dtype))

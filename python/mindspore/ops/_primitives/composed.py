# SPDX-License-Identifier: Apache-2.0
"""Primitives composed of operators and functions."""

from __future__ import annotations

from typing import Any

from mindspore._argument_checks.numbers import INC_BOTH, check_float_range
from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor
from mindspore._later import defined_classes
from mindspore.common import dtype as mstype
from mindspore.ops._primitives.composition import REQUIRED, composed
from mindspore.ops._registry import op
from mindspore.ops.function import arrangement, indexing, linear, losses, neural, pooling, reduction
from mindspore.ops.primitive import Primitive, prim_attr_register


@composed()
def SigmoidCrossEntropyWithLogits(self, logits, label):
    """Cross entropy of sigmoid(logits) against labels, element by element."""
    return op.binary_cross_entropy_with_logits(logits, label, None, None, "none")


@composed()
def FillV2(self, shape, value):
    """A tensor of a shape with one value."""
    lengths = tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)
    return op.broadcast_to(value if isinstance(value, Tensor) else Tensor(value), lengths)


@composed()
def Fills(self, x, value):
    """A tensor like the input with one value."""
    return op.full_like(x, value)


@composed()
def Fmax(self, x1, x2):
    """The larger element, ignoring NaN."""
    return op.fmax(x1, x2)


@composed()
def Fmin(self, x1, x2):
    """The smaller element, ignoring NaN."""
    return op.fmin(x1, x2)


@composed()
def AccumulateNV2(self, x):
    """Sum of several tensors."""
    return op.addn(list(x))


@composed()
def SquareSumAll(self, x, y) -> tuple:
    """Sums of the squares of two tensors."""
    return op.reduce_sum(op.square(x)), op.reduce_sum(op.square(y))


@composed()
def EqualCount(self, x, y):
    """Number of equal elements, shape (1,)."""
    return op.reshape(op.cast(op.reduce_sum(op.cast(op.equal(x, y), mstype.int64)), x.dtype), (1,))


@composed()
def InvertPermutation(self, input_x: Any) -> Any:
    """Where each number of a permutation stands."""
    numbers = input_x.tolist() if isinstance(input_x, Tensor) else list(input_x)
    if sorted(numbers) != list(range(len(numbers))):
        raise ValueError(f"For 'InvertPermutation', the input must be a permutation, but got {input_x}.")
    result = [0] * len(numbers)
    for place, number in enumerate(numbers):
        result[number] = place
    return Tensor(result, input_x.dtype) if isinstance(input_x, Tensor) else tuple(result)


@composed()
def DiagPart(self, input_x):
    """The diagonal of a square matrix."""
    half = input_x.ndim // 2
    side = 1
    for length in input_x.shape[:half]:
        side *= length
    flat = op.diagonal(op.reshape(input_x, (side, side)))
    return op.reshape(flat, input_x.shape[:half])


@composed()
def MatrixBandPart(self, x, lower, upper):
    """Matrices with zeros outside of a band."""
    return indexing.matrix_band_part(x, lower, upper)


@composed(keep_prob=0.5, Seed0=0, Seed1=0)
def Dropout(self, x):
    """The input with elements set to zero at random and the rest scaled, and the mask in its type."""
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


@composed(seed=-1, offset=0)
def Bernoulli(self, x, p):
    """1 with probability `p`, else 0."""
    from mindspore.ops.function.random import bernoulli

    return bernoulli(x, p, None if self.seed == -1 else self.seed)


@composed(axis=REQUIRED, p=2, keep_dims=False, epsilon=1e-12)
def LpNorm(self, input):
    """`p`-norm along axes."""
    return op.maximum(reduction.vector_norm(input, self.p, self.axis, self.keep_dims), self.epsilon)


@composed(keep_dims=False)
def EuclideanNorm(self, x, axes):
    """2-norm along axes."""
    axes = tuple(axes.tolist()) if isinstance(axes, Tensor) else axes
    return reduction.vector_norm(x, 2, axes, self.keep_dims)


@composed(p=REQUIRED, dim=REQUIRED, maxnorm=REQUIRED)
def Renorm(self, x):
    """Slices along an axis, shrunk so that their norm is at most `maxnorm`."""
    return op.renorm(x, self.p, self.dim, self.maxnorm)


@composed(global_median=False, axis=0, keep_dims=False, ignore_nan=False)
def Median(self, x) -> tuple:
    """The lower median and where it is."""
    if self.global_median:
        return reduction.median(op.reshape(x, (-1,)), 0)
    find = reduction.nanmedian if self.ignore_nan else reduction.median
    return find(x, self.axis, self.keep_dims)


@composed(boundaries=REQUIRED)
def Bucketize(self, input):
    """Number of the interval every element belongs to."""
    return reduction.bucketize(input, self.boundaries, right=True)


@composed(p=2.0)
def Cdist(self, input_x, input_y):
    """Distances of all rows of one tensor from all rows of another."""
    return linear.cdist(input_x, input_y, self.p)


@composed(equation=REQUIRED)
def Einsum(self, x):
    """Sums of products as an equation names them."""
    return linear.einsum(self.equation, *x)


@composed(axis=-1)
def GLU(self, x):
    """First half of an axis times the sigmoid of the second half."""
    return neural.glu(x, self.axis)


@composed(rtol=1e-05, atol=1e-08, equal_nan=True)
def IsClose(self, input, other):
    """Whether the elements are equal up to a tolerance."""
    return op.isclose(input, other, self.rtol, self.atol, self.equal_nan)


@composed(eps=-1.0)
def Logit(self, input):
    """log(x / (1 - x)), the input limited to [eps, 1 - eps] unless `eps` is negative."""
    return op.logit(input, None if self.eps < 0 else self.eps)


@composed(nan=None, posinf=None, neginf=None)
def NanToNum(self, x):
    """NaN and infinities replaced by numbers."""
    return op.nan_to_num(x, 0.0 if self.nan is None else self.nan, self.posinf, self.neginf)


@composed(use_locking=True)
def ScatterNdUpdate(self, input_x, indices, updates):
    """Writes `updates` at the index rows of `input_x`, in place."""
    return op.scatter_nd_update(input_x, indices, updates)


@composed(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS")
def LRN(self, x):
    """Elements divided by a power of the squares of their neighbours in other channels."""
    return neural.normalize_across_channels(
        self.name, x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region
    )


@composed(kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW")
def MaxPoolWithArgmax(self, x) -> tuple:
    """Largest elements of windows, and their places in the plane."""
    if self.pad_mode.lower() != "valid":
        raise NotImplementedError("For 'MaxPoolWithArgmax', the 'pad_mode' must be 'valid'.")
    value, index = pooling.max_pool2d(x, self.kernel_size, self.strides, 0, 1, True)
    return value, op.cast(index, mstype.int32)


@composed(group=REQUIRED)
def ChannelShuffle(self, x):
    """Channels of all groups interleaved."""
    return arrangement.channel_shuffle(x, self.group)


@composed(block_size=REQUIRED)
def DepthToSpace(self, x):
    """Channels moved into the plane, blocks first."""
    n, c, h, w = x.shape
    b = self.block_size
    parts = op.reshape(x, (n, b, b, c // (b * b), h, w))
    return op.reshape(op.transpose(parts, (0, 3, 4, 1, 5, 2)), (n, c // (b * b), h * b, w * b))


@composed(block_size=REQUIRED)
def SpaceToDepth(self, x):
    """The plane moved into channels, blocks first."""
    n, c, h, w = x.shape
    b = self.block_size
    parts = op.reshape(x, (n, c, h // b, b, w // b, b))
    return op.reshape(op.transpose(parts, (0, 3, 5, 1, 2, 4)), (n, c * b * b, h // b, w // b))


@composed(block_shape=REQUIRED, paddings=REQUIRED)
def SpaceToBatchND(self, input_x):
    """Blocks of the plane moved into the batch."""
    return arrangement.space_to_batch_nd(input_x, self.block_shape, self.paddings)


@composed(block_shape=REQUIRED, crops=REQUIRED)
def BatchToSpaceND(self, input_x):
    """Blocks of the batch moved into the plane."""
    return arrangement.batch_to_space_nd(input_x, self.block_shape, self.crops)


@composed(block_size=REQUIRED, crops=REQUIRED)
def BatchToSpace(self, input_x):
    """Blocks of the batch moved into the plane."""
    return arrangement.batch_to_space_nd(input_x, self.block_size, self.crops)


@composed(axis=())
def Squeeze(self, input_x):
    """Axes of length 1 removed, all of them for an empty tuple."""
    return op.squeeze(input_x, self.axis)


@composed(size_splits=REQUIRED, split_dim=REQUIRED, num_split=REQUIRED)
def SplitV(self, input_x):
    """Parts of given lengths along an axis."""
    sizes = list(self.size_splits)
    if -1 in sizes:
        rest = input_x.shape[self.split_dim] - sum(size for size in sizes if size >= 0)
        sizes[sizes.index(-1)] = rest
    return op.split_sizes(input_x, tuple(sizes), self.split_dim)


@composed(seq_dim=REQUIRED, batch_dim=0)
def ReverseSequence(self, x, seq_lengths):
    """The first elements of every sequence backwards."""
    return arrangement.reverse_sequence(x, seq_lengths, self.seq_dim, self.batch_dim)


@composed(pad_dim_size=8)
def Padding(self, x):
    """The last axis, of length 1, padded with zeros."""
    return arrangement.padding(x, self.pad_dim_size)


@composed(axis=REQUIRED, use_lock=True, check_index_bound=True)
def IndexAdd(self, x, indices, y):
    """Adds slices to a parameter or a tensor along an axis, in place."""
    return indexing.index_add(x, indices, y, self.axis)


@composed(indices=REQUIRED)
def InplaceAdd(self, x, input_v):
    """The input with rows added."""
    return indexing.inplace_add(x, input_v, self.indices)


@composed(indices=REQUIRED)
def InplaceSub(self, x, input_v):
    """The input with rows subtracted."""
    return indexing.inplace_sub(x, input_v, self.indices)


@composed(indices=REQUIRED)
def InplaceUpdate(self, x, v):
    """The input with rows replaced."""
    return indexing.inplace_update(x, v, self.indices)


@composed(reduction="mean", ignore_index=-100)
def NLLLoss(self, logits, labels, weight) -> tuple:
    """Negative log likelihood, and the total weight."""
    loss = op.nll_loss(logits, labels, weight, self.ignore_index, self.reduction, 0.0)
    counted = op.gather(weight, op.maximum(labels, 0), 0)
    known = op.cast(op.not_equal(labels, self.ignore_index), weight.dtype)
    return loss, op.reduce_sum(op.mul(counted, known))


@composed(reduction="mean")
def SoftMarginLoss(self, logits, labels):
    """log(1 + exp(-label * logit))."""
    return op.soft_margin_loss(logits, labels, self.reduction)


@composed(reduction="mean")
def MultilabelMarginLoss(self, x, target):
    """Hinge loss between all target classes and all other classes, and which classes are targets."""
    return losses.multilabel_margin_loss(x, target, self.reduction)


@composed(num_classes=REQUIRED, dtype="int32")
def ConfusionMatrix(self, labels, predictions, weights=None):
    """How often each label was predicted as each class."""
    place = op.add(
        op.mul(op.cast(labels, mstype.int64), self.num_classes), op.cast(predictions, mstype.int64)
    )
    worth = op.ones_like(place) if weights is None else weights
    flat = op.unsorted_segment_sum(worth, op.reshape(place, (-1,)), self.num_classes**2)
    return op.cast(op.reshape(flat, (self.num_classes,) * 2), mstype.from_any(self.dtype))


__all__ = defined_classes(globals())

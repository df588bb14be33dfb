# SPDX-License-Identifier: Apache-2.0
"""Losses composed of operators."""

from __future__ import annotations

import math

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes


def _reduced(name: str, loss, reduction: str) -> Tensor:
    if reduction == "mean":
        return op.reduce_mean(loss)
    if reduction == "sum":
        return op.reduce_sum(loss)
    if reduction != "none":
        raise ValueError(
            f"For '{name}', the 'reduction' must be 'mean', 'sum' or 'none', but got {reduction!r}."
        )
    return loss


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """1 - cosine where the target is 1, and what exceeds the margin where it is -1."""
    if not -1 <= margin <= 1:
        raise ValueError(f"For 'cosine_embedding_loss', the 'margin' must be in [-1, 1], but got {margin}.")
    from mindspore.ops.function.linear import cosine_similarity

    cosine = cosine_similarity(input1, input2, 1 if input1.ndim > 1 else 0, 1e-12)
    zero = op.zeros_like(cosine)
    alike = op.where(op.equal(target, 1), op.sub(1, cosine), zero)
    apart = op.where(op.equal(target, -1), op.maximum(op.sub(cosine, margin), 0), zero)
    return _reduced("cosine_embedding_loss", op.add(alike, apart), reduction)


@takes(inputs=(3, 3), sequence_length=(1, 1))
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True) -> tuple:
    """The most likely label of every step, without blanks (the last class) and repetitions.

    Args:
        inputs (Tensor): Scores (T, N, C).
        sequence_length (Tensor): How many of the T steps count, (N,).
        merge_repeated (bool): Repetitions in a row count once. Default: ``True``.

    Returns:
        Sample and place of every label (L, 2), the labels (L,), the shape (N, longest sequence), and minus
        the sum of the scores that were chosen (N, 1).

    Raises:
        ValueError: Shapes do not fit.
        RuntimeError: A length exceeds T.
    """
    if inputs.ndim != 3 or sequence_length.shape != (inputs.shape[1],):
        raise ValueError(
            "For 'ctc_greedy_decoder', the 'inputs' must have the shape (T, N, C) and 'sequence_length' "
            f"(N,), but "
            f"got {inputs.shape} and {sequence_length.shape}."
        )
    steps, _, classes = inputs.shape
    if bool(op.reduce_any(op.greater(sequence_length, steps))):
        raise RuntimeError(
            f"For 'ctc_greedy_decoder', the 'sequence_length' must not exceed {steps}, but got "
            f"{sequence_length}."
        )
    best = op.cast(op.transpose(op.argmax(inputs, -1), (1, 0)), mstype.int64)
    counted = op.less(op.arange(0, steps, 1, mstype.int64), op.expand_dims(sequence_length, -1))
    kept = op.logical_and(counted, op.not_equal(best, classes - 1))
    if merge_repeated:
        changed = op.not_equal(best[:, 1:], best[:, :-1])
        kept = op.logical_and(kept, op.concat((op.ones_like(kept[:, :1]), changed), 1))
    places = op.nonzero(kept)
    position = op.sub(op.cumsum(op.cast(kept, mstype.int64), 1), 1)
    indices = op.stack((places[:, 0], op.gather_nd(position, places)), 1)
    longest = op.add(op.reduce_max(op.where(kept, position, -1)), 1)
    count = Tensor(inputs.shape[1], mstype.int64)
    top = op.transpose(op.reduce_max(inputs, (-1,)), (1, 0))
    scores = op.reduce_sum(op.where(counted, top, op.zeros_like(top)), (1,), True)
    return indices, op.gather_nd(best, places), op.stack((count, longest), 0), op.neg(scores)


def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False
) -> tuple:
    """Loss of label sequences whose place in a longer sequence is unknown.

    Args:
        log_probs (Tensor): Logarithms of probabilities, (T, N, C) or (T, C).
        targets (Tensor): Labels, (N, S), or those of all samples in a row.
        input_lengths (Union[tuple, Tensor]): How many of the T steps count.
        target_lengths (Union[tuple, Tensor]): How many labels count.
        blank (int): Class of the blank. Default: ``0``.
        reduction (str): ``"mean"`` (every loss divided by its target length first), ``"sum"`` or ``"none"``.
            Default: ``"mean"``.
        zero_infinity (bool): Impossible sequences cost nothing. Default: ``False``.

    Returns:
        The loss and the log-probabilities of all beginnings.
    """
    lengths = [
        value if isinstance(value, Tensor) else Tensor(value) for value in (input_lengths, target_lengths)
    ]
    for name, value in zip(("input_lengths", "target_lengths"), lengths, strict=True):
        if value.dtype in mstype.float_type:
            raise TypeError(f"For 'ctc_loss', the '{name}' must be integers, but got {value.dtype}.")
    return op.ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)


def gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction="mean") -> Tensor:
    """Negative log likelihood of a normal distribution with given mean and variance, at least `eps`."""
    if not isinstance(full, bool):
        raise TypeError(f"For 'gaussian_nll_loss', the 'full' must be bool, but got {type(full).__name__}.")
    if not isinstance(var, Tensor):
        var = Tensor(var, x.dtype)
    safe = op.maximum(var, eps)
    loss = op.mul(op.add(op.log(safe), op.div(op.square(op.sub(x, target)), safe)), 0.5)
    if full:
        loss = op.add(loss, 0.5 * math.log(2 * math.pi))
    return _reduced("gaussian_nll_loss", loss, reduction)


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean") -> Tensor:
    """The input where the target is 1, what is missing to the margin where it is -1, both elsewhere."""
    zero = op.zeros_like(inputs)
    near = op.where(op.equal(targets, -1), zero, inputs)
    far = op.where(op.equal(targets, 1), zero, op.maximum(op.sub(margin, inputs), 0))
    return _reduced("hinge_embedding_loss", op.add(near, far), reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean") -> Tensor:
    """max(0, -target * (input1 - input2) + margin)."""
    loss = op.maximum(op.add(op.mul(op.neg(target), op.sub(input1, input2)), margin), 0)
    return _reduced("margin_ranking_loss", loss, reduction)


@takes(input=(1, 2), target=(0, 1))
def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean") -> Tensor:
    """Hinge loss between the target class and all others."""
    if p not in (1, 2):
        raise ValueError(f"For 'multi_margin_loss', the 'p' must be 1 or 2, but got {p}.")
    rows = op.expand_dims(input, 0) if input.ndim == 1 else input
    labels = op.reshape(op.cast(target, mstype.int64), (-1,))
    classes = rows.shape[-1]
    own = op.expand_dims(op.pick_class(rows, labels, None), 1)
    loss = op.pow(op.maximum(op.add(op.sub(rows, own), margin), 0), p)
    if weight is not None:
        factors = op.class_weights(labels, weight, classes, loss.dtype, None)
        loss = op.mul(loss, op.expand_dims(factors, 1))
    others = op.not_equal(op.arange(0, classes, 1, mstype.int64), op.expand_dims(labels, 1))
    loss = op.div(op.reduce_sum(op.mul(loss, op.cast(others, loss.dtype)), 1), classes)
    return _reduced("multi_margin_loss", loss, reduction)


@takes(input=(1, 2), target=(1, 2))
def multilabel_margin_loss(input, target, reduction="mean") -> Tensor:
    """Hinge loss between all target classes, up to the first -1, and all other classes."""
    rows = op.expand_dims(input, 0) if input.ndim == 1 else input
    labels = op.expand_dims(target, 0) if target.ndim == 1 else target
    labels = op.cast(labels, mstype.int64)
    listed = op.class_weights(labels, None, rows.shape[1], mstype.float32, -1)  # refuses what is no class
    valid = op.cast(op.cumprod(listed, 1), mstype.bool_)
    safe = op.where(valid, labels, op.zeros_like(labels))
    is_target = op.tensor_scatter_elements(op.zeros_like(rows), safe, op.cast(valid, rows.dtype), 1, "add")
    own = op.expand_dims(op.gather_elements(rows, 1, safe), 2)
    gap = op.maximum(op.add(op.sub(1, own), op.expand_dims(rows, 1)), 0)
    counts = op.logical_and(op.expand_dims(valid, 2), op.expand_dims(op.equal(is_target, 0), 1))
    loss = op.div(op.reduce_sum(op.mul(gap, op.cast(counts, gap.dtype)), (1, 2)), rows.shape[1])
    loss = _reduced("multilabel_margin_loss", loss, reduction)
    return op.squeeze(loss, 0) if input.ndim == 1 and reduction == "none" else loss


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean") -> Tensor:
    """Mean over the classes of the cross entropy of every class against all others."""
    positive = op.mul(target, op.log_sigmoid(input))
    negative = op.mul(op.sub(1, target), op.log_sigmoid(op.neg(input)))
    loss = op.neg(op.add(positive, negative))
    if weight is not None:
        loss = op.mul(loss, weight)
    return _reduced("multilabel_soft_margin_loss", op.reduce_mean(loss, -1), reduction)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction="mean"
) -> Tensor:
    """max(0, distance to the positive - distance to the negative + margin)."""
    from mindspore.ops.function.reduction import vector_norm

    def distance(a, b):
        return vector_norm(op.add(op.sub(a, b), eps), p, -1)

    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = op.minimum(far, distance(positive, negative))
    loss = op.maximum(op.add(op.sub(near, far), margin), 0)
    return _reduced("triplet_margin_loss", loss, reduction)


__all__ = _defined_names(globals())

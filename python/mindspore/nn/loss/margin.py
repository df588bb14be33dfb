# SPDX-License-Identifier: Apache-2.0
"""Losses that ask for a distance between what is alike and what is not."""

from __future__ import annotations

from mindspore import ops
from mindspore.nn import _checks as check
from mindspore.nn._arguments import REDUCTION, flag
from mindspore.nn._description import Argument, documented, takes
from mindspore.nn.loss.loss import LossBase, require_tensors
from mindspore.ops._registry import op


@takes(Argument("margin", "Union[float, int]", "Distance asked for.", 1.0, check.number), REDUCTION)
class HingeEmbeddingLoss(LossBase):
    """The input where the label is 1, ``max(0, margin - input)`` where it is -1, their sum elsewhere.

    Inputs:
        - **logits** (Tensor) - Distances.
        - **labels** (Tensor) - 1 or -1, of the same shape.

    Raises:
        TypeError: `margin` is no number.
        ValueError: `reduction` is something else.
    """

    def construct(self, logits, labels):
        require_tensors(self.cls_name, logits=logits, labels=labels)
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


def _cosine(value, name: str, owner: str) -> float:
    if not -1 <= check.of_type(float)(value, name, owner) <= 1:
        raise ValueError(f"For '{owner}', the '{name}' must be in range of [-1.0, 1.0], but got {value}.")
    return value


@takes(Argument("margin", "float", "Likeness allowed, from -1 to 1.", 0.0, _cosine), REDUCTION)
class CosineEmbeddingLoss(LossBase):
    """``1 - cosine`` where the label is 1, ``max(0, cosine - margin)`` where it is -1.

    Inputs:
        - **logits_x1** (Tensor) - Vectors along axis 1.
        - **logits_x2** (Tensor) - Of the same shape.
        - **labels** (Tensor) - 1 or -1, the shape without axis 1.

    Outputs:
        Tensor, one number or one per pair.

    Raises:
        TypeError: `margin` is no float.
        ValueError: `margin` is out of range, or `reduction` something else.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn
        >>> a, b = ms.Tensor([[1.0, 0.0], [1.0, 0.0]]), ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> print(nn.CosineEmbeddingLoss(reduction="none")(a, b, ms.Tensor([1, 1])))
        [0. 1.]
    """

    def construct(self, logits_x1, logits_x2, labels):
        require_tensors(self.cls_name, logits_x1=logits_x1, logits_x2=logits_x2, labels=labels)
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


@takes(Argument("margin", "float", "Lead asked for.", 0.0, check.number), REDUCTION)
class MarginRankingLoss(LossBase):
    """``max(0, -target * (input1 - input2) + margin)``.

    Inputs:
        - **input1** (Tensor) - Scores.
        - **input2** (Tensor) - Scores.
        - **target** (Tensor) - 1 where the first should be higher, -1 where the second should be.
    """

    def construct(self, input1, input2, target):
        require_tensors(self.cls_name, input1=input1, input2=input2, target=target)
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


_whole = check.of_type(int)


def _one_or_two(value, name: str, owner: str) -> int:
    return check.one_of(_whole(value, name, owner), (1, 2), name, owner)


@takes(
    Argument("p", "int", "Power of the hinge, 1 or 2.", 1, _one_or_two),
    Argument("margin", "Union[float, int]", "Lead asked for.", 1.0, check.number),
    REDUCTION,
    Argument("weight", "Tensor", "Factor of every class.", None),
)
class MultiMarginLoss(LossBase):
    """Hinge loss between the score of the right class and all others.

    Inputs:
        - **x** (Tensor) - Scores (N, C).
        - **target** (Tensor) - Class numbers (N,).
        - **weight** (Tensor) - Factor of every class, in place of the argument. Default: ``None``.

    Outputs:
        Tensor, one number or one per sample.

    Raises:
        TypeError: `p` is no int, or `margin` no number.
        ValueError: `p` is neither 1 nor 2, or `reduction` something else.
    """

    def construct(self, x, target, weight=None):
        require_tensors(self.cls_name, x=x, target=target)
        weight = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


@documented
class MultilabelMarginLoss(LossBase):
    """Hinge loss between the right classes, listed up to the first -1, and all others.

    Inputs:
        - **x** (Tensor) - Scores (C,) or (N, C).
        - **target** (Tensor) - Class numbers, filled with -1, of the same shape.

    Outputs:
        Tensor, one number or one per sample.
    """

    def construct(self, x, target):
        require_tensors(self.cls_name, x=x, target=target)
        return ops.multilabel_margin_loss(x, target, self.reduction)


@takes(Argument("weight", "Union[Tensor, int, float]", "Factor of every class.", None), REDUCTION)
class MultiLabelSoftMarginLoss(LossBase):
    """Mean over the classes of the cross entropy of every class against all others.

    Inputs:
        - **x** (Tensor) - Scores (N, C).
        - **target** (Tensor) - 0 or 1, of the same shape.

    Outputs:
        Tensor, one number or one per sample.
    """

    def construct(self, x, target):
        require_tensors(self.cls_name, x=x, target=target)
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


_SWAP = flag("swap", "Measures the negative from the positive where that is nearer.")


@takes(
    Argument("p", "int", "Norm of the distance.", 2, _whole),
    _SWAP,
    Argument("eps", "float", "Added to every difference.", 1e-06, check.number),
    REDUCTION,
    Argument("margin", "Union[Tensor, float]", "Lead asked for.", 1.0),
)
class TripletMarginLoss(LossBase):
    """``max(0, distance to the positive - distance to the negative + margin)``.

    Inputs:
        - **x** (Tensor) - Anchors, vectors along the last axis.
        - **positive** (Tensor) - What is alike.
        - **negative** (Tensor) - What is not.
        - **margin** (Union[Tensor, float]) - Lead asked for, in place of the argument.

    Outputs:
        Tensor, one number or one per triplet.

    Raises:
        TypeError: `p` is no int, `swap` no bool or `eps` no float.
        ValueError: `reduction` is something else, or shapes do not fit.
    """

    def construct(self, x, positive, negative, margin=None):
        require_tensors(self.cls_name, x=x, positive=positive, negative=negative)
        if x.ndim != positive.ndim or x.ndim != negative.ndim:
            raise ValueError(
                f"For '{self.cls_name}', the inputs must have as many axes, but got {x.ndim}, "
                f"{positive.ndim} "
                f"and {negative.ndim}."
            )
        margin = self.margin if margin is None else margin
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


def _euclidean(a, b):
    return op.sqrt(op.reduce_sum(op.square(op.sub(a, b)), (1,)))


def _distance(value, name: str, owner: str):
    if value is not None and not callable(value):
        raise TypeError(f"For '{owner}', the '{name}' must be callable, but got {type(value).__name__}.")
    return _euclidean if value is None else value


def _positive(value, name: str, owner: str) -> float:
    if check.number(value, name, owner) <= 0:
        raise ValueError(f"For '{owner}', the '{name}' must be greater than 0, but got {value}.")
    return value


@takes(
    Argument(
        "distance_function",
        "Callable",
        "Distance of two tensors; None: Euclidean along axis 1.",
        None,
        _distance,
    ),
    _SWAP,
    REDUCTION,
    Argument("margin", "float", "Lead asked for, above 0.", 1.0, _positive),
)
class TripletMarginWithDistanceLoss(LossBase):
    """``max(0, distance to the positive - distance to the negative + margin)`` with any distance.

    Inputs:
        - **x** (Tensor) - Anchors.
        - **positive** (Tensor) - What is alike.
        - **negative** (Tensor) - What is not.

    Outputs:
        Tensor, one number or one per triplet.

    Raises:
        TypeError: `swap` is no bool, or `distance_function` can not be called.
        ValueError: `margin` is not positive, or `reduction` something else.
    """

    def construct(self, x, positive, negative):
        require_tensors(self.cls_name, x=x, positive=positive, negative=negative)
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = op.minimum(far, self.distance_function(positive, negative))
        loss = op.maximum(op.add(op.sub(near, far), self.margin), 0)
        return self.get_loss(loss)

# SPDX-License-Identifier: Apache-2.0
"""Losses that ask for a distance between what is alike and what is not."""

from __future__ import annotations

from mindspore import ops
from mindspore.nn import _checks as check
from mindspore.nn.loss.loss import LossBase, require_tensors
from mindspore.ops._registry import op


class HingeEmbeddingLoss(LossBase):
    """The input where the label is 1, ``max(0, margin - input)`` where it is -1, their sum elsewhere.

    Args:
        margin (Union[float, int]): Distance asked for. Default: ``1.0``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Inputs:
        - **logits** (Tensor) - Distances.
        - **labels** (Tensor) - 1 or -1, of the same shape.

    Outputs:
        Tensor, one number or one per element.

    Raises:
        TypeError: `margin` is no number.
        ValueError: `reduction` is something else.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, margin=1.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = check.number(margin, "margin", self.cls_name)

    def construct(self, logits, labels):
        require_tensors(self.cls_name, logits=logits, labels=labels)
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class CosineEmbeddingLoss(LossBase):
    """``1 - cosine`` where the label is 1, ``max(0, cosine - margin)`` where it is -1.

    Args:
        margin (float): Likeness allowed, from -1 to 1. Default: ``0.0``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Inputs:
        - **logits_x1** (Tensor) - Vectors along axis 1.
        - **logits_x2** (Tensor) - Of the same shape.
        - **labels** (Tensor) - 1 or -1, the shape without axis 1.

    Outputs:
        Tensor, one number or one per pair.

    Raises:
        TypeError: `margin` is no float.
        ValueError: `margin` is out of range, or `reduction` something else.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn
        >>> a, b = ms.Tensor([[1.0, 0.0], [1.0, 0.0]]), ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> print(nn.CosineEmbeddingLoss(reduction="none")(a, b, ms.Tensor([1, 1])))
        [0. 1.]
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        if not isinstance(margin, float):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'margin' should be 'float', but got type "
                f"'{type(margin).__name__}'."
            )
        if not -1 <= margin <= 1:
            raise ValueError(
                f"For '{self.cls_name}', the 'margin' must be in range of [-1.0, 1.0], but got {margin}."
            )
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels):
        require_tensors(self.cls_name, logits_x1=logits_x1, logits_x2=logits_x2, labels=labels)
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """``max(0, -target * (input1 - input2) + margin)``.

    Args:
        margin (float): Lead asked for. Default: ``0.0``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Inputs:
        - **input1** (Tensor) - Scores.
        - **input2** (Tensor) - Scores.
        - **target** (Tensor) - 1 where the first should be higher, -1 where the second should be.

    Outputs:
        Tensor, one number or one per element.

    Raises:
        ValueError: `reduction` is something else.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = check.number(margin, "margin", self.cls_name)

    def construct(self, input1, input2, target):
        require_tensors(self.cls_name, input1=input1, input2=input2, target=target)
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class MultiMarginLoss(LossBase):
    """Hinge loss between the score of the right class and all others.

    Args:
        p (int): Power of the hinge, 1 or 2. Default: ``1``.
        margin (Union[float, int]): Lead asked for. Default: ``1.0``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.
        weight (Tensor): Factor of every class. Default: ``None``.

    Inputs:
        - **x** (Tensor) - Scores (N, C).
        - **target** (Tensor) - Class numbers (N,).
        - **weight** (Tensor) - Factor of every class, in place of the argument. Default: ``None``.

    Outputs:
        Tensor, one number or one per sample.

    Raises:
        TypeError: `p` is no int, or `margin` no number.
        ValueError: `p` is neither 1 nor 2, or `reduction` something else.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, p=1, margin=1.0, reduction="mean", weight=None):
        super().__init__(reduction)
        if isinstance(p, bool) or not isinstance(p, int):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'p' should be 'int', but got type '{type(p).__name__}'."
            )
        self.p = check.one_of(p, (1, 2), "p", self.cls_name)
        self.margin = check.number(margin, "margin", self.cls_name)
        self.weight = weight

    def construct(self, x, target, weight=None):
        require_tensors(self.cls_name, x=x, target=target)
        weight = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


class MultilabelMarginLoss(LossBase):
    """Hinge loss between the right classes, listed up to the first -1, and all others.

    Args:
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Inputs:
        - **x** (Tensor) - Scores (C,) or (N, C).
        - **target** (Tensor) - Class numbers, filled with -1, of the same shape.

    Outputs:
        Tensor, one number or one per sample.

    Raises:
        ValueError: `reduction` is something else.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, x, target):
        require_tensors(self.cls_name, x=x, target=target)
        return ops.multilabel_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """Mean over the classes of the cross entropy of every class against all others.

    Args:
        weight (Union[Tensor, int, float]): Factor of every class. Default: ``None``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Inputs:
        - **x** (Tensor) - Scores (N, C).
        - **target** (Tensor) - 0 or 1, of the same shape.

    Outputs:
        Tensor, one number or one per sample.

    Raises:
        ValueError: `reduction` is something else.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x, target):
        require_tensors(self.cls_name, x=x, target=target)
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class TripletMarginLoss(LossBase):
    """``max(0, distance to the positive - distance to the negative + margin)``.

    Args:
        p (int): Norm of the distance. Default: ``2``.
        swap (bool): Measures the negative from the positive where that is nearer. Default: ``False``.
        eps (float): Added to every difference. Default: ``1e-06``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.
        margin (Union[Tensor, float]): Lead asked for. Default: ``1.0``.

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

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, p=2, swap=False, eps=1e-06, reduction="mean", margin=1.0):
        super().__init__(reduction)
        if isinstance(p, bool) or not isinstance(p, int):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'p' should be 'int', but got type '{type(p).__name__}'."
            )
        self.p, self.swap = p, check.boolean(swap, "swap", self.cls_name)
        self.eps = check.number(eps, "eps", self.cls_name)
        self.margin = margin

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


class TripletMarginWithDistanceLoss(LossBase):
    """``max(0, distance to the positive - distance to the negative + margin)`` with any distance.

    Args:
        distance_function (Callable): Distance of two tensors. Default: ``None``, Euclidean along axis 1.
        swap (bool): Measures the negative from the positive where that is nearer. Default: ``False``.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.
        margin (float): Lead asked for, above 0. Default: ``1.0``.

    Inputs:
        - **x** (Tensor) - Anchors.
        - **positive** (Tensor) - What is alike.
        - **negative** (Tensor) - What is not.

    Outputs:
        Tensor, one number or one per triplet.

    Raises:
        TypeError: `swap` is no bool, or `distance_function` can not be called.
        ValueError: `margin` is not positive, or `reduction` something else.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, distance_function=None, swap=False, reduction="mean", margin=1.0):
        super().__init__(reduction)
        if distance_function is not None and not callable(distance_function):
            raise TypeError(
                f"For '{self.cls_name}', the 'distance_function' must be callable, but got "
                f"{type(distance_function).__name__}."
            )
        self.distance_function = distance_function if distance_function is not None else _euclidean
        self.swap = check.boolean(swap, "swap", self.cls_name)
        self.margin = check.number(margin, "margin", self.cls_name)
        if margin <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'margin' must be greater than 0, but got {margin}.")

    def construct(self, x, positive, negative):
        require_tensors(self.cls_name, x=x, positive=positive, negative=negative)
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = op.minimum(far, self.distance_function(positive, negative))
        loss = op.maximum(op.add(op.sub(near, far), self.margin), 0)
        return self.get_loss(loss)

# SPDX-License-Identifier: Apache-2.0
"""Loss functions as cells."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import REDUCTION, flag
from mindspore.nn._description import Argument, documented, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


def require_tensors(owner: str, **values) -> None:
    """TypeError for the first value that is no Tensor."""
    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"For '{owner}', the '{name}' must be a Tensor, but got {type(value).__name__}.")


@takes(REDUCTION)
class LossBase(Cell):
    """Base of losses: reduces a loss per element to what is asked for.

    Outputs:
        Tensor, one number or one per element.

    Raises:
        ValueError: `reduction` is something else.
    """

    def _set_up(self, reduction) -> None:
        self.reduction = check.reduction_of(reduction, self.cls_name)
        self.reduce = self.reduction != "none"
        self.average = self.reduction == "mean"

    def get_axis(self, x) -> tuple:
        """All axes of a tensor."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """Weights the losses and reduces them.

        Args:
            x (Tensor): A loss per element.
            weights (Union[float, Tensor]): Factors. Default: ``1.0``.

        Returns:
            Tensor, one number or one per element.
        """
        kind = x.dtype
        wide = mstype.float64 if kind == mstype.float64 else mstype.float32
        losses = op.cast(x, wide) * (op.cast(weights, wide) if isinstance(weights, Tensor) else weights)
        if self.reduce and self.average:
            losses = op.reduce_mean(losses, self.get_axis(losses))
        elif self.reduce:
            losses = op.reduce_sum(losses, self.get_axis(losses))
        return op.cast(losses, kind)

    def construct(self, logits, labels):
        raise NotImplementedError(
            f"For '{self.cls_name}', 'construct' has to be defined by the class of the loss."
        )


_Loss = LossBase


@documented
class L1Loss(LossBase):
    """``|logits - labels|``."""

    def construct(self, logits, labels):
        require_tensors(self.cls_name, logits=logits, labels=labels)
        return op.l1_loss(logits, labels, self.reduction)


@documented
class MAELoss(L1Loss):
    """``|logits - labels|``."""


@documented
class MSELoss(LossBase):
    """``(logits - labels) ** 2``; for whole numbers in their type, unlike `ops.mse_loss`."""

    def construct(self, logits, labels):
        require_tensors(self.cls_name, logits=logits, labels=labels)
        if all(value.dtype in (*mstype.int_type, *mstype.uint_type) for value in (logits, labels)):
            return self.get_loss(op.square(op.sub(logits, labels)))
        return op.mse_loss(logits, labels, self.reduction)


class RMSELoss(LossBase):
    """Square root of the mean of ``(logits - label) ** 2``."""

    def __init__(self):
        super().__init__()

    def construct(self, logits, label):
        return op.sqrt(op.mse_loss(logits, label, "mean"))


@takes(Argument("beta", "float", "Where the two meet.", 1.0), REDUCTION.but(default="none"))
class SmoothL1Loss(LossBase):
    """Squared below `beta`, linear above."""

    def construct(self, logits, labels):
        return op.smooth_l1_loss(logits, labels, self.beta, self.reduction)


@takes(REDUCTION, Argument("delta", "Union[int, float]", "Where the two meet.", 1.0))
class HuberLoss(LossBase):
    """Squared below `delta`, linear with slope `delta` above."""

    def construct(self, logits, labels):
        return op.huber_loss(logits, labels, self.reduction, self.delta)


@documented
class SoftMarginLoss(LossBase):
    """``log(1 + exp(-labels * logits))``."""

    def construct(self, logits, labels):
        return op.soft_margin_loss(logits, labels, self.reduction)


class KLDivLoss(LossBase):
    """Kullback-Leibler divergence of log-probabilities from probabilities.

    Args:
        reduction (str): ``"mean"``, ``"batchmean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def construct(self, logits, labels):
        return op.kl_div(logits, labels, self.reduction)


@takes(
    flag("sparse", "Labels are class numbers instead of probabilities."),
    REDUCTION.but(default="none"),
)
class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of the softmax of scores (N, C).

    Raises:
        ValueError: The scores do not have two axes.
        IndexError: A label is no class.
    """

    def construct(self, logits, labels):
        require_tensors(self.cls_name, logits=logits, labels=labels)
        if logits.ndim != 2:
            raise ValueError(f"For '{self.cls_name}', the 'logits' must have 2 axes, but got {logits.ndim}.")
        if self.sparse:
            losses = op.sparse_cross_entropy(logits, labels, ignore_index=None)[0]
        else:
            if labels.shape != logits.shape:
                raise ValueError(
                    f"For '{self.cls_name}', the 'labels' must have the shape {logits.shape} of 'logits', "
                    "but got "
                    f"{labels.shape}."
                )
            losses = -op.reduce_sum(op.log_softmax(logits, -1) * labels, (-1,))
        if self.reduction == "none":
            return losses
        return op.reduce_mean(losses) if self.average else op.reduce_sum(losses)


_OF_CLASSES = [
    Argument("weight", "Tensor", "Factor of every class.", None),
    Argument("ignore_index", "int", "Class number that does not count.", -100),
    REDUCTION,
]
_WEIGHT = Argument("weight", "Tensor", "Factor of every loss.", None)


@takes(*_OF_CLASSES, Argument("label_smoothing", "float", "Share spread over all classes.", 0.0))
class CrossEntropyLoss(LossBase):
    """Cross entropy of scores (N, C, ...) and class numbers or probabilities."""

    def construct(self, logits, labels):
        require_tensors(self.cls_name, logits=logits, labels=labels)
        return op.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


@takes(*_OF_CLASSES)
class NLLLoss(LossBase):
    """Negative log-probability of the labels."""

    def construct(self, logits, labels):
        return op.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


@takes(_WEIGHT, REDUCTION)
class BCELoss(LossBase):
    """Cross entropy of probabilities of two classes."""

    def construct(self, logits, labels):
        return op.binary_cross_entropy(logits, labels, self.weight, self.reduction)


def _no_parameter(value, name: str, owner: str):
    if isinstance(value, Parameter):
        raise TypeError(f"For '{owner}', the '{name}' can not be a Parameter.")
    return value


@takes(
    REDUCTION,
    _WEIGHT.but(check=_no_parameter),
    Argument("pos_weight", "Tensor", "Factor of the positive part.", None, _no_parameter),
)
class BCEWithLogitsLoss(LossBase):
    """Cross entropy of the sigmoid of scores."""

    def construct(self, input, target):
        return op.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )

# SPDX-License-Identifier: Apache-2.0
"""Losses for areas of an image and for rare classes."""

from __future__ import annotations

from collections.abc import Callable

from mindspore import _checkparam as validator
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import REDUCTION
from mindspore.nn._description import Argument, takes
from mindspore.nn.layer.activation import get_activation
from mindspore.nn.loss.loss import LossBase, require_tensors
from mindspore.ops._registry import op


@takes(Argument("smooth", "float", "Added to the denominator, above 0.", 1e-05, check.positive_float))
class DiceLoss(LossBase):
    """``1 - 2 * sum(a * b) / (sum(a ** 2) + sum(b ** 2) + smooth)``.

    Inputs:
        - **logits** (Tensor) - Predictions.
        - **label** (Tensor) - Of the same shape.

    Outputs:
        Tensor, one number.

    Raises:
        TypeError: `smooth` is no float.
        ValueError: `smooth` is not positive, or shapes differ.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn
        >>> area = ms.Tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> round(float(nn.DiceLoss()(area, area)), 3)
        0.0
    """

    def construct(self, logits, label):
        require_tensors(self.cls_name, logits=logits, label=label)
        if logits.shape != label.shape:
            raise ValueError(
                f"For '{self.cls_name}', the 'logits_shape' should be = label_shape: {label.shape}, but got "
                f"{logits.shape}."
            )
        if logits.dtype == mstype.uint8:
            raise TypeError(
                f"For '{self.cls_name}', the dtype of 'logits' can not be uint8, but got {logits.dtype}."
            )
        shared = op.reduce_sum(op.mul(logits, label))
        whole = op.add(op.reduce_sum(op.square(logits)), op.reduce_sum(op.square(label)))
        return op.sub(1, op.div(op.mul(shared, 2), op.add(whole, self.smooth)))


_ACTIVATIONS = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")


def _tensor_of_rank(rank: int) -> Callable:
    def check_rank(value, name: str, owner: str) -> Tensor | None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"For '{owner}', the type of '{name}' must be a Tensor, but got {type(value).__name__}."
            )
        if value is not None and value.ndim != rank:
            raise ValueError(
                f"For '{owner}', the dimension of '{name}' must be {rank}, but got {value.ndim}."
            )
        return value

    return check_rank


def _class_number(value, name: str, owner: str) -> int | None:
    return None if value is None else validator.check_value_type(name, value, [int], owner)


def _activation(value, name: str, owner: str):
    if isinstance(value, str):
        return get_activation(check.one_of(value, _ACTIVATIONS, name, owner))
    return value


@takes(
    Argument("weights", "Union[Tensor, None]", "Factor of every class, (C, 1).", None, _tensor_of_rank(2)),
    Argument("ignore_indiex", "Union[int, None]", "Class that does not count.", None, _class_number),
    Argument("activation", "Union[str, Cell]", "Applied to the scores first.", "softmax", _activation),
)
class MultiClassDiceLoss(LossBase):
    """Mean over the classes of the Dice loss of every class against all others.

    Inputs:
        - **logits** (Tensor) - Scores (N, C, ...).
        - **label** (Tensor) - One-hot, of the same shape.

    Outputs:
        Tensor, one number.

    Raises:
        TypeError: An argument has another type.
        ValueError: Shapes do not fit, or `activation` is unknown.
    """

    def _set_up(self, weights, ignore_indiex, activation) -> None:
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.weights, self.ignore_indiex, self.activation = weights, ignore_indiex, activation

    def construct(self, logits, label):
        require_tensors(self.cls_name, logits=logits, label=label)
        if logits.shape != label.shape:
            raise ValueError(
                f"For '{self.cls_name}', the 'logits_shape' should be = label_shape: {label.shape}, but got "
                f"{logits.shape}."
            )
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            raise ValueError(
                f"For '{self.cls_name}', the weight_shape[0] must be equal to label_shape[1], but got "
                f"weight_shape[0]: {self.weights.shape[0]} and label_shape[1]: {classes}."
            )
        if self.activation is not None:
            logits = self.activation(logits)
        total = 0
        for number in range(classes):
            if number == self.ignore_indiex:
                continue
            loss = self.binarydiceloss(logits[:, number], label[:, number])
            total = total + (loss if self.weights is None else loss * self.weights[number])
        return total / classes


@takes(
    Argument("weight", "Union[Tensor, None]", "Factor of every class.", None, _tensor_of_rank(1)),
    Argument(
        "gamma",
        "float",
        "How much well predicted samples are passed over, from 0 to 20.",
        2.0,
        check.of_type(float),
    ),
    REDUCTION,
)
class FocalLoss(LossBase):
    """Cross entropy, times ``(1 - p) ** gamma`` of the probability of the right class.

    Inputs:
        - **logits** (Tensor) - Scores (N, C), (N, C, H) or (N, C, H, W).
        - **labels** (Tensor) - Class numbers (N, 1, ...) or one-hot (N, C, ...).

    Outputs:
        Tensor, one number, or one per sample (and class): the mean over positions.

    Raises:
        TypeError: `gamma` is no float, or `weight` no Tensor.
        ValueError: `reduction` is something else, or shapes do not fit.
    """

    def _check(self, logits, labels) -> None:
        require_tensors(self.cls_name, logits=logits, labels=labels)
        for name, value in (("logits", logits), ("labels", labels)):
            if not 2 <= value.ndim <= 4:
                raise ValueError(
                    f"For '{self.cls_name}', the dimensions of '{name}' must be in [2, 4], but got "
                    f"dimension of '{name}' {value.ndim}."
                )
        if labels.ndim != logits.ndim or labels.shape[1] not in (1, logits.shape[1]):
            raise ValueError(
                f"For '{self.cls_name}', the shape of 'labels' must be that of 'logits' or have 1 on axis "
                f"1, but got {labels.shape} and {logits.shape}."
            )
        if labels.shape[0] != logits.shape[0] or labels.shape[2:] != logits.shape[2:]:
            raise ValueError(
                f"For '{self.cls_name}', 'labels' and 'logits' must agree on all axes but axis 1, but got "
                f"{labels.shape} and {logits.shape}."
            )

    def construct(self, logits, labels):
        self._check(logits, labels)
        rows, classes = logits.shape[:2]
        by_number = labels.shape[1] == 1
        log_p = op.reshape(op.log_softmax(logits, 1), (rows, classes, -1))
        labels = op.reshape(labels, (rows, labels.shape[1], -1))
        if by_number:
            numbers = op.cast(op.squeeze(labels, (1,)), mstype.int64)
            log_p = op.expand_dims(op.pick_class(log_p, numbers, None), 1)
        factor = op.neg(op.pow(op.sub(1, op.exp(log_p)), self.gamma))
        if self.weight is not None:
            weight = self.weight.astype(log_p.dtype)
            if by_number:
                weight = op.expand_dims(op.class_weights(numbers, weight, classes, log_p.dtype, None), 1)
            else:
                weight = op.reshape(weight, (1, -1, 1))
            log_p = op.mul(log_p, weight)
        if by_number:
            loss = op.squeeze(op.reduce_mean(op.mul(factor, log_p), (-1,)), (1,))
        else:
            loss = op.reduce_mean(op.mul(op.mul(factor, labels), log_p), (-1,))
        return self.get_loss(loss)

# SPDX-License-Identifier: Apache-2.0
"""Negative log-likelihoods of distributions and sequences."""

from __future__ import annotations

from mindspore import ops
from mindspore.nn import _checks as check
from mindspore.nn._arguments import REDUCTION, flag
from mindspore.nn._description import Argument, takes
from mindspore.nn.loss.loss import LossBase, require_tensors
from mindspore.ops._registry import op


@takes(
    flag("full", "Adds the constant part.").but(by_name=True),
    Argument("eps", "float", "Smallest variance.", 1e-06, check.positive_float, by_name=True),
    REDUCTION.but(by_name=True),
)
class GaussianNLLLoss(LossBase):
    """Negative log-likelihood of a normal distribution of given mean and variance.

    Inputs:
        - **logits** (Tensor) - Means.
        - **labels** (Tensor) - Observations.
        - **var** (Tensor) - Variances, not negative.

    Raises:
        TypeError: `eps` is no float or `full` no bool.
        ValueError: `eps` is not positive, or `reduction` something else.
    """

    def construct(self, logits, labels, var):
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


@takes(
    flag("log_input", "The input is the logarithm of the rate.", True),
    flag("full", "Adds Stirling's approximation of the logarithm of the factorial."),
    Argument("eps", "float", "Keeps the logarithm finite when `log_input` is false.", 1e-08),
    REDUCTION,
)
class PoissonNLLLoss(LossBase):
    """Negative log-likelihood of a Poisson distribution.

    Inputs:
        - **input** (Tensor) - Rates, or their logarithms.
        - **target** (Tensor) - Counts.
    """

    _LOG_TAU = 1.8378770664093453

    def construct(self, input, target):
        require_tensors(self.cls_name, input=input, target=target)
        target = op.cast(target, input.dtype)
        if self.log_input:
            loss = op.sub(op.exp(input), op.mul(input, target))
        else:
            loss = op.sub(input, op.mul(target, op.log(op.add(input, self.eps))))
        if self.full:
            many = op.greater(target, 1)
            safe = op.where(many, target, op.ones_like(target))
            log = op.log(safe)
            stirling = op.add(op.sub(op.mul(safe, log), safe), op.mul(op.add(log, self._LOG_TAU), 0.5))
            loss = op.add(loss, op.where(many, stirling, op.zeros_like(stirling)))
        return self.get_loss(loss)


class CTCLoss(LossBase):
    """Loss of label sequences whose place in a longer sequence is unknown.

    Args:
        blank (int): Class of the blank. Default: ``0``.
        reduction (str): ``"mean"`` (every loss divided by its target length first), ``"sum"`` or ``"none"``.
            Default: ``"mean"``.
        zero_infinity (bool): Impossible sequences cost nothing. Default: ``False``.

    Inputs:
        - **log_probs** (Tensor) - Logarithms of probabilities, (T, N, C) or (T, C).
        - **targets** (Tensor) - Labels, (N, S), or those of all samples in a row.
        - **input_lengths** (Union[tuple, Tensor]) - How many of the T steps count.
        - **target_lengths** (Union[tuple, Tensor]) - How many labels count.

    Outputs:
        Tensor, one number or one per sample.

    Raises:
        TypeError: Lengths are no integers.
        ValueError: `reduction` is something else, or shapes do not fit.
        IndexError: A label is no class.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> log_probs = ops.log_softmax(ops.ones((4, 1, 3), ms.float32), -1)
        >>> lengths = ms.Tensor([4]), ms.Tensor([2])
        >>> loss = nn.CTCLoss(reduction="none")(log_probs, ms.Tensor([[1, 2]]), *lengths)
        >>> loss.shape
        (1,)
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.reduction, self.blank, self.zero_infinity = reduction, blank, zero_infinity

    def construct(self, log_probs, targets, input_lengths, target_lengths):
        require_tensors(self.cls_name, log_probs=log_probs, targets=targets)
        return ops.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )[0]

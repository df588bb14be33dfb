# SPDX-License-Identifier: Apache-2.0
"""Gradients of several batches, added up before a step."""

from __future__ import annotations

from mindspore.boost._words import BOOST
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops import composite
from mindspore.ops._registry import op

gradient_accumulation_op = composite.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = composite.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def cumulative_grad_process(accumulation_step, cumulative_grad, grad):
    """Adds a share of a gradient to a sum.

    Args:
        accumulation_step (int): Number of gradients that the sum will hold.
        cumulative_grad (Parameter): The sum.
        grad (Tensor): The gradient.

    Returns:
        Parameter, the sum.
    """
    return op.assign_add(cumulative_grad, op.cast(grad, cumulative_grad.dtype) / accumulation_step)


@gradient_clear_op.register("Tensor")
def clear_grad(cumulative_grad):
    """Sets a sum to zero.

    Args:
        cumulative_grad (Parameter): The sum.

    Returns:
        Parameter, the sum.
    """
    return op.assign(cumulative_grad, op.zeros_like(cumulative_grad))


@BOOST
class GradientAccumulation(Cell):
    """Lets the optimizer take a step with the mean gradient of several batches.

    Args:
        max_accumulation_step (int): Number of batches.

    Inputs:
        - **loss** (Tensor) - Loss of the batch.
        - **grads** (tuple[Tensor]) - Its gradients.

    Outputs:
        Tensor, the loss.
    """

    def __init__(self, max_accumulation_step, optimizer):
        super().__init__(auto_prefix=False)
        if isinstance(max_accumulation_step, bool) or not isinstance(max_accumulation_step, int):
            raise TypeError(
                "For 'GradientAccumulation', the 'max_accumulation_step' must be int, but got "
                f"{type(max_accumulation_step).__name__}."
            )
        if max_accumulation_step <= 0:
            raise ValueError(
                "For 'GradientAccumulation', the 'max_accumulation_step' must be > 0, but got "
                f"{max_accumulation_step}."
            )
        self._max_accumulation_step, self.optimizer = max_accumulation_step, optimizer
        self.weights = optimizer.parameters
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        for total in self._grad_accumulation:
            total.requires_grad = False
        self._accumulation_step = Parameter(
            Tensor(0, mstype.int32), name="accumulation_step", requires_grad=False
        )

    def construct(self, loss, grads):
        for total, gradient in zip(self._grad_accumulation, grads, strict=True):
            cumulative_grad_process(self._max_accumulation_step, total, gradient)
        op.assign_add(self._accumulation_step, 1)
        if op.greater_equal(self._accumulation_step, self._max_accumulation_step):
            self.optimizer(tuple(self._grad_accumulation))
            for total in self._grad_accumulation:
                clear_grad(total)
            op.assign(self._accumulation_step, Tensor(0, mstype.int32))
        return loss


__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

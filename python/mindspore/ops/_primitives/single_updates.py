# SPDX-License-Identifier: Apache-2.0
"""Steps of optimizers on one parameter, written out."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["AdamNoUpdateParam", "AdamW", "FusedWeightScaleApplyMomentum"]


class AdamNoUpdateParam(Primitive):
    """What a step of Adam adds to a parameter; the moments are written, the parameter is not.

    Args:
        use_locking (bool): Not used. Default: ``False``.
        use_nesterov (bool): Whether the step looks ahead. Default: ``False``.

    Inputs:
        - **m**, **v** (Tensor) - The moments; written.
        - **beta1_power**, **beta2_power** (Tensor) - The powers of this step.
        - **lr**, **beta1**, **beta2**, **epsilon** (Tensor) - The settings of Adam.
        - **gradient** (Tensor) - The gradient.

    Outputs:
        Tensor, to be added to the parameter.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, use_locking=False, use_nesterov=False):
        for name, value in (("use_locking", use_locking), ("use_nesterov", use_nesterov)):
            if not isinstance(value, bool):
                raise TypeError(
                    f"For 'AdamNoUpdateParam', '{name}' must be bool, but got {type(value).__name__}."
                )

    def __call__(self, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient):
        op.assign(m, op.add(m, op.mul(op.sub(gradient, m), op.sub(1.0, beta1))))
        op.assign(v, op.add(v, op.mul(op.sub(op.square(gradient), v), op.sub(1.0, beta2))))
        rate = op.div(op.mul(lr, op.sqrt(op.sub(1.0, beta2_power))), op.sub(1.0, beta1_power))
        ahead = m
        if self.use_nesterov:
            ahead = op.add(op.mul(m, beta1), op.mul(gradient, op.sub(1.0, beta1)))
        return op.neg(op.div(op.mul(rate, ahead), op.add(op.sqrt(v), epsilon)))


@composed()
def FusedWeightScaleApplyMomentum(
    self, weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum
):
    """A step of momentum on a gradient that is scaled and decays the weights.

    Inputs:
        - **weight_decay** (Tensor) - Share of the parameter that is added to its gradient.
        - **loss_scale** (Tensor) - Factor of the gradient after that.
        - **variable** (Parameter) - The parameter; written.
        - **accumulation** (Parameter) - The momentum; written.
        - **learning_rate** (Union[Number, Tensor]) - The rate.
        - **gradient** (Tensor) - The gradient.
        - **momentum** (Union[Number, Tensor]) - Share of the momentum that is kept.

    Outputs:
        Tensor, the parameter.

    Supported Platforms:
        ``CPU``
    """
    decayed = op.mul(op.add(op.mul(variable, weight_decay), op.cast(gradient, variable.dtype)), loss_scale)
    op.assign(accumulation, op.cast(op.add(op.mul(accumulation, momentum), decayed), accumulation.dtype))
    op.assign(variable, op.cast(op.sub(variable, op.mul(accumulation, learning_rate)), variable.dtype))
    return variable


@composed()
def AdamW(
    self, var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad=False, maximize=False
) -> tuple:
    """A step of Adam that lets the parameter decay apart from its gradient.

    Inputs:
        - **var** (Parameter) - The parameter; written.
        - **m**, **v** (Parameter) - The moments; written.
        - **max_v** (Parameter) - The largest second moment; written with `amsgrad`.
        - **gradient** (Tensor) - The gradient.
        - **step** (Tensor) - Number of the step, from 1 on.
        - **lr**, **beta1**, **beta2**, **decay**, **eps** (float) - The settings.
        - **amsgrad** (bool) - Whether the largest second moment counts. Default: ``False``.
        - **maximize** (bool) - Whether the step goes up. Default: ``False``.

    Outputs:
        Tuple of the parameter and the two moments.

    Supported Platforms:
        ``CPU``
    """
    slope = op.cast(op.neg(gradient) if maximize else gradient, m.dtype)
    op.assign(m, op.add(op.mul(m, beta1), op.mul(slope, 1.0 - beta1)))
    op.assign(v, op.add(op.mul(v, beta2), op.mul(op.square(slope), 1.0 - beta2)))
    time = op.cast(step, mstype.float32)
    first = op.div(m, op.sub(1.0, op.pow(beta1, time)))
    second = op.div(v, op.sub(1.0, op.pow(beta2, time)))
    if amsgrad:
        op.assign(max_v, op.maximum(max_v, second))
        second = max_v
    change = op.mul(op.div(first, op.add(op.sqrt(second), eps)), lr)
    kept = op.mul(var, 1.0 - lr * decay)
    op.assign(var, op.cast(op.sub(kept, change), var.dtype))
    return var, m, v

# SPDX-License-Identifier: Apache-2.0
"""Training steps that accumulate gradients or let layers rest."""

from __future__ import annotations

from mindspore.boost._words import BOOST
from mindspore.boost.grad_accumulation import GradientAccumulation
from mindspore.boost.grad_freeze import FreezeOpt
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell


@BOOST
class _Boosted:
    """The choices of both training steps."""

    def _set_boost(self, network, optimizer) -> None:
        self.use_grad_accumulation = getattr(network, "_use_grad_accumulation", False)
        self.max_accumulation_step = getattr(network, "_max_accumulation_step", 1)
        self.freeze = isinstance(optimizer, FreezeOpt)
        self.enable_adasum = self.enable_dim_reduce = False
        if self.use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(self.max_accumulation_step, optimizer)

    def check_adasum_enable(self) -> bool:
        """Whether steps of several processes are summed: not in one process."""
        return False

    def check_dim_reduce_enable(self) -> bool:
        """Whether training stays in few directions: not in one process."""
        return False

    def gradient_freeze_process(self, *inputs):
        """A step in which layers may rest.

        Args:
            inputs (tuple[Tensor]): What the network takes.

        Returns:
            Tensor, the loss.
        """
        return TrainOneStepCell.construct(self, *inputs)

    def gradient_accumulation_process(self, loss, grads, sens, *inputs):
        """Adds the gradients of a batch, and lets the optimizer take a step when there are enough.

        Args:
            sens (Tensor): Factor of the gradients.
            inputs (tuple[Tensor]): What the network took.

        Returns:
            Tensor, the loss.
        """
        return self.grad_accumulation(loss, grads)

    def adasum_process(self, loss, grads):
        """A step; one process has nothing to sum with.

        Returns:
            Tensor, the loss.
        """
        self.optimizer(grads)
        return loss


@BOOST
class BoostTrainOneStepCell(_Boosted, TrainOneStepCell):
    """One training step that accumulates gradients or lets layers rest, if the network asks for it.

    Args:
        network (Cell): Computes the loss.
        optimizer (Cell): Updates the parameters.

    Inputs:
        - **\\*inputs** - What the network takes.

    Outputs:
        Tensor, the loss.
    """

    def __init__(self, network, optimizer, sens=None):
        TrainOneStepCell.__init__(self, network, optimizer, sens)
        self._set_boost(network, optimizer)

    def construct(self, *inputs):
        if not self.use_grad_accumulation:
            return self.gradient_freeze_process(*inputs)
        loss, gradients = self._loss_and_gradients(inputs, self.sens)
        return self.gradient_accumulation_process(loss, self.grad_reducer(gradients), self.sens, *inputs)


@BOOST
class BoostTrainOneStepWithLossScaleCell(_Boosted, TrainOneStepWithLossScaleCell):
    """The same with a scaled loss.

    Args:
        network (Cell): Computes the loss.
        optimizer (Cell): Updates the parameters.
        scale_sense (Union[Tensor, Cell]): The scale, or the cell that changes it.

    Inputs:
        - **\\*inputs** - What the network takes.

    Outputs:
        Tuple of the loss, whether there was an overflow, and the scale.
    """

    def __init__(self, network, optimizer, scale_sense):
        TrainOneStepWithLossScaleCell.__init__(self, network, optimizer, scale_sense)
        self._set_boost(network, optimizer)


__all__ = ["BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"]

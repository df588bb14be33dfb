# SPDX-License-Identifier: Apache-2.0
"""Training steps with a scaled loss, for types with a small range."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore.ops._registry import op


class DynamicLossScaleUpdateCell(Cell):
    """Halves the scale on overflow, doubles it after a while without.

    Args:
        loss_scale_value (float): Initial scale.
        scale_factor (int): Factor of the changes.
        scale_window (int): Steps without overflow before the scale grows.
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window):
        super().__init__()
        self.scale_window, self.scale_factor = scale_window, scale_factor
        self.loss_scale_value = loss_scale_value
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(
            Tensor(0, mstype.int32), name="last_overflow_iterator", requires_grad=False
        )

    def get_loss_scale(self):
        """The initial scale."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        now, last = int(self.cur_iter), int(self.last_overflow_iter)
        scale = float(loss_scale.asnumpy().reshape(-1)[0])
        if bool(overflow):
            scale, last = max(scale / self.scale_factor, 1.0), now
        elif now - last >= self.scale_window:
            scale, last = scale * self.scale_factor, now
        op.assign(loss_scale, op.full_like(loss_scale, scale))
        op.assign(self.last_overflow_iter, Tensor(last, mstype.int32))
        op.assign(self.cur_iter, Tensor(now + 1, mstype.int32))
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Leaves the scale as it is.

    Args:
        loss_scale_value (float): The scale.
    """

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale_value

    def construct(self, _, overflow):
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss; skipped when a gradient is not finite.

    Args:
        network (Cell): Computes the loss.
        optimizer (Cell): Updates the parameters.
        scale_sense (Union[Tensor, Cell]): The scale, or the cell that changes it.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, sens=None)
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), mstype.float32)
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(
                "For 'TrainOneStepWithLossScaleCell', the scale_sense must be Cell or Tensor, but got "
                f"{type(scale_sense)}."
            )
        if scale_sense.shape not in ((), (1,)):
            raise ValueError(
                "For 'TrainOneStepWithLossScaleCell', the shape of 'scale_sense' must be (1,) or (), but got "
                f"{scale_sense.shape}."
            )
        self.scale_sense = Parameter(scale_sense, name="scale_sense", requires_grad=False)

    def construct(self, *inputs):
        scale = float(self.scale_sense.asnumpy().reshape(-1)[0])
        loss, gradients = self._loss_and_gradients(inputs, scale)
        gradients = tuple(gradient * (1.0 / scale) for gradient in gradients)
        gradients = self.grad_reducer(gradients)
        overflow = self.get_overflow_status((), gradients)
        overflow = self.process_loss_scale(overflow)
        if not bool(overflow):
            self.optimizer(gradients)
        return loss, overflow, self.scale_sense.value()

    def set_sense_scale(self, sens) -> None:
        """Changes the scale.

        Args:
            sens (Tensor): The new scale, of the same shape and type.
        """
        if not isinstance(sens, Tensor):
            raise TypeError(f"For 'set_sense_scale', 'sens' must be a Tensor, but got {type(sens)}.")
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input):
        """Begins watching for overflow; returns the status to hand on and the input."""
        return (), compute_input

    def get_overflow_status(self, status, compute_output):
        """Whether something in `compute_output` is not finite.

        Returns:
            Tensor of one bool.
        """
        from mindspore.common._structure import tensors_in

        finite = all(bool(op.reduce_all(op.isfinite(tensor))) for tensor in tensors_in(compute_output))
        return Tensor(not finite)

    def process_loss_scale(self, overflow):
        """Changes the scale after a step; returns whether the step is to be skipped."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow

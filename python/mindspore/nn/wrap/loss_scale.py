# SPDX-License-Identifier: Apache-2.0
"""Training steps with a scaled loss, for types with a small range."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common._structure import tensors_in
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore.ops import composite
from mindspore.ops._primitives.effects import FloatStatus
from mindspore.ops._registry import op

_grad_scale = composite.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def _unscaled(scale, gradient):
    return gradient * op.cast(op.reciprocal(scale), gradient.dtype)


@_grad_scale.register("Tensor", "RowTensor")
def _unscaled_rows(scale, gradient):
    return gradient.with_tensors([gradient.indices, _unscaled(scale, gradient.values)])


@_grad_scale.register("Tensor", "Tensor", "Tensor")
def _unscaled_sum(scale, gradient, gathered):
    """What was gathered over several batches, unscaled; the sum begins anew."""
    unscaled = gathered * op.reciprocal(scale)
    op.assign(gathered, op.zeros_like(gathered))
    return unscaled


grad_scale = _grad_scale
shard_grad_scale = composite.MultitypeFuncGraph("shard_grad_scale")


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def _unscaled_part(scale, gradient, gathered):
    """The gradient itself, unscaled; the sum begins anew."""
    op.assign(gathered, op.zeros_like(gathered))
    return gradient * op.reciprocal(scale)


_grad_overflow = composite.MultitypeFuncGraph("_grad_overflow")
_float_status = FloatStatus()


@_grad_overflow.register("Tensor")
def _overflow(gradient):
    """1 where an element is not finite, else 0; one float32 number."""
    return _float_status(gradient)


@_grad_overflow.register("RowTensor")
def _overflow_of_rows(gradient):
    return _float_status(gradient.values)


def all_are_finite(tensors: list) -> Tensor:
    """Whether every element of every tensor is finite.

    Args:
        tensors (list[Tensor]): The tensors.

    Returns:
        Tensor of one bool.
    """
    return op.are_all_finite(tensors) if tensors else Tensor(True)


class DynamicLossScaleUpdateCell(Cell):
    """Divides the scale on overflow, multiplies it after a while without.

    Args:
        loss_scale_value (float): Initial scale.
        scale_factor (int): Factor of the changes.
        scale_window (int): Steps without overflow before the scale grows.

    Inputs:
        - **loss_scale** (Tensor) - The scale, which is changed in place.
        - **overflow** (bool) - Whether the step overflowed.

    Outputs:
        bool, `overflow`.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window):
        super().__init__()
        self.scale_window, self.scale_factor = scale_window, scale_factor
        self.loss_scale_value = loss_scale_value
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(
            Tensor(0, mstype.int32), name="last_overflow_iterator_step", requires_grad=False
        )

    def get_loss_scale(self):
        """The initial scale."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow) -> bool | Tensor:
        flag = overflow if isinstance(overflow, Tensor) else Tensor(bool(overflow))
        flag = op.cast(op.reshape(flag, ()), mstype.bool_)
        due = op.greater_equal(self.cur_iter - self.last_overflow_iter, self.scale_window)
        lowered = op.maximum(loss_scale / float(self.scale_factor), 1.0)
        grown = op.where(due, loss_scale * float(self.scale_factor), loss_scale)
        scale = op.where(flag, lowered, grown)
        last = op.where(op.logical_or(flag, due), self.cur_iter, self.last_overflow_iter)
        op.assign(loss_scale, op.cast(scale, loss_scale.dtype))
        op.assign(self.last_overflow_iter, last)
        op.assign_add(self.cur_iter, 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Leaves the scale as it is.

    Args:
        loss_scale_value (float): The scale.

    Inputs:
        - **loss_scale** (Tensor) - The scale.
        - **overflow** (bool) - Whether the step overflowed.

    Outputs:
        bool, `overflow`.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale_value

    def construct(self, _, overflow) -> bool | Tensor:
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss; skipped when a gradient is not finite.

    Args:
        network (Cell): Computes the loss.
        optimizer (Cell): Updates the parameters.
        scale_sense (Union[Tensor, Cell]): The scale, of shape () or (1,), or the cell that changes it.

    Inputs:
        - **\\*inputs** - What the network takes.

    Outputs:
        Tuple of the loss (not scaled), whether there was an overflow, and the scale.

    Raises:
        TypeError: `scale_sense` is neither a Cell nor a Tensor.
        ValueError: The shape of `scale_sense` is neither () nor (1,).

    Supported Platforms:
        ``CPU``
    """

    gpu_target = ascend_910a_target = ascend_910b_target = False

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, sens=None)
        self.hyper_map = composite.HyperMap()
        self.base, self.base0 = Tensor(1, mstype.float32), Tensor(0, mstype.int32)
        self.is_distributed = False
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), mstype.float32)
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(
                "For 'TrainOneStepWithLossScaleCell', the scale_sense must be Cell or Tensor, but got "
                f"{type(scale_sense)}."
            )
        self._check_scale(scale_sense)
        self.scale_sense = Parameter(scale_sense, name="scale_sense", requires_grad=False)

    @staticmethod
    def _check_scale(scale) -> None:
        if scale.shape not in ((), (1,)):
            raise ValueError(
                "For 'TrainOneStepWithLossScaleCell', the shape of 'scale_sense' must be (1,) or (), but got "
                f"{scale.shape}."
            )

    def construct(self, *inputs) -> tuple:
        scale = op.reshape(self.scale_sense, ()) * 1.0  # as it was when the step began
        loss, gradients = self._loss_and_gradients(inputs, scale)
        gradients = tuple(op.scale_all(op.reciprocal(scale), gradients))
        gradients = self.grad_reducer(gradients)
        overflow = self.get_overflow_status((), gradients)
        overflow = self.process_loss_scale(overflow)
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, self.scale_sense.value()

    def set_sense_scale(self, sens) -> None:
        """Changes the scale.

        Args:
            sens (Tensor): The new scale, of the same shape and type.
        """
        if not isinstance(sens, Tensor):
            raise TypeError(f"For 'set_sense_scale', the 'sens' must be a Tensor, but got {type(sens)}.")
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input) -> tuple:
        """Begins watching for overflow.

        Args:
            pre_cond (Tensor): What has to be computed before.
            compute_input (object): What will be watched.

        Returns:
            Tuple of the status to hand to `get_overflow_status`, and `compute_input`.
        """
        return (), compute_input

    def get_overflow_status(self, status, compute_output):
        """Whether something in `compute_output` is not finite.

        Args:
            status (object): What `start_overflow_check` returned.
            compute_output (object): Tensors, in any structure.

        Returns:
            Tensor of one bool.
        """
        return op.logical_not(all_are_finite(tensors_in(compute_output)))

    def process_loss_scale(self, overflow) -> Tensor:
        """Changes the scale after a step.

        Args:
            overflow (Tensor): Whether the step overflowed.

        Returns:
            Tensor of one bool, whether the step is to be skipped.
        """
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow

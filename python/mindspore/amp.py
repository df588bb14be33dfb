# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: networks in a smaller type, losses scaled to fit it."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.wrap.loss_scale import all_are_finite
from mindspore.ops._registry import op
from mindspore.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from mindspore.train.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)


def all_finite(inputs) -> Tensor:
    """Whether every element of every tensor is finite.

    Args:
        inputs (Union[tuple[Tensor], list[Tensor]]): The tensors; tuples may be nested and hold None.

    Returns:
        Tensor of one bool.

    Raises:
        TypeError: `inputs` is neither a tuple nor a list.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import Tensor, amp
        >>> print(amp.all_finite((Tensor([1.0, 2.0]), Tensor([float("inf")]))))
        False
    """
    if not isinstance(inputs, (tuple, list)):
        raise TypeError(f"For 'all_finite', the inputs must be a tuple or list, but got {type(inputs)}.")
    return all_are_finite(tensors_in(inputs))


class LossScaler:
    """Base of loss scalers; a subclass defines all three methods."""

    def scale(self, inputs):
        """Multiplies by the scale."""
        raise NotImplementedError

    def unscale(self, inputs):
        """Divides by the scale."""
        raise NotImplementedError

    def adjust(self, grads_finite):
        """Changes the scale after a step."""
        raise NotImplementedError


def _positive_whole(value, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"For 'DynamicLossScaler', the '{name}' must be int, but got {type(value).__name__}.")
    if value <= 0:
        raise ValueError(f"For 'DynamicLossScaler', the '{name}' must be > 0, but got {value}.")
    return value


class StaticLossScaler(LossScaler):
    """A scale that stays.

    Args:
        scale_value (Union[float, int]): The scale, at least 1.

    Raises:
        ValueError: `scale_value` is less than 1.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import Tensor, amp
        >>> scaler = amp.StaticLossScaler(scale_value=2**10)
        >>> print(scaler.scale(Tensor([1.0])))
        [1024.]
    """

    def __init__(self, scale_value):
        owner = type(self).__name__
        if isinstance(scale_value, bool) or not isinstance(scale_value, (int, float)):
            raise TypeError(
                f"For '{owner}', the 'scale_value' must be a number, but got {type(scale_value).__name__}."
            )
        if scale_value < 1:
            raise ValueError(f"For '{owner}', the argument 'scale_value' must be > 1, but got {scale_value}")
        self.scale_value = Parameter(
            Tensor(scale_value, mstype.float32), name="scale_value", requires_grad=False
        )

    def scale(self, inputs):
        """Multiplies every tensor by the scale.

        Args:
            inputs (Union[Tensor, tuple(Tensor)]): A tensor, or tensors in nested tuples.

        Returns:
            The same structure.
        """
        return map_tensors(lambda tensor: tensor * op.cast(self.scale_value, tensor.dtype), inputs)

    def unscale(self, inputs):
        """Divides every tensor by the scale.

        Args:
            inputs (Union[Tensor, tuple(Tensor)]): A tensor, or tensors in nested tuples.

        Returns:
            The same structure.
        """
        inverse = op.reciprocal(self.scale_value)
        return map_tensors(lambda tensor: tensor * op.cast(inverse, tensor.dtype), inputs)

    def adjust(self, grads_finite) -> bool:
        """Nothing changes.

        Args:
            grads_finite (Tensor): Whether the gradients were finite.

        Returns:
            False.
        """
        return False


class DynamicLossScaler(StaticLossScaler):
    """A scale that falls on overflow and grows after a while without.

    Args:
        scale_value (Union[float, int]): Initial scale, at least 1.
        scale_factor (int): Factor of the changes.
        scale_window (int): Steps without overflow before the scale grows.

    Raises:
        TypeError: `scale_factor` or `scale_window` is not an int.
        ValueError: `scale_value` is less than 1, or one of the others is not positive.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        self.scale_factor = _positive_whole(scale_factor, "scale_factor")
        self.scale_window = _positive_whole(scale_window, "scale_window")
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter", requires_grad=False)

    def adjust(self, grads_finite) -> bool:
        """Changes the scale by whether the gradients were finite.

        Args:
            grads_finite (Union[Tensor, bool]): Whether they were.

        Returns:
            True.
        """
        finite = grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        scale, count = self.scale_value, self.counter + 1
        due = op.logical_and(finite, op.equal(count, self.scale_window))
        grown = scale * float(self.scale_factor)
        grown = op.where(op.isfinite(grown), grown, scale)
        lowered = op.maximum(scale / float(self.scale_factor), 1.0)
        kept = op.where(due, grown, scale)
        ended = op.logical_or(due, op.logical_not(finite))
        op.assign(self.scale_value, op.reshape(op.where(finite, kept, lowered), ()))
        op.assign(self.counter, op.reshape(op.where(ended, op.zeros_like(count), count), ()))
        return True


__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]


def __dir__() -> list[str]:
    return sorted(__all__)

# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: networks in a smaller type, losses scaled to fit it."""

from __future__ import annotations

from mindspore import log as logger
from mindspore import nn
from mindspore.common import dtype as mstype
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

_WHITE = (nn.Conv1d, nn.Conv2d, nn.Conv2dTranspose, nn.Dense)
_BLACK = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm)
_LEVELS = ("O0", "O1", "O2", "O3")


def get_white_list() -> list:
    """Cells that run in the smaller type at level O1."""
    return list(_WHITE)


def get_black_list() -> list:
    """Cells that stay in float32 at level O2."""
    return list(_BLACK)


def _to_float32(tensor: Tensor) -> Tensor:
    return op.cast(tensor, mstype.float32) if tensor.dtype in mstype.float_type else tensor


class _OutputToFloat32(nn.Cell):
    """A network whose results are float32."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self._backbone = network
        self._jit_config_dict = network._jit_config_dict

    def construct(self, *inputs, **kwargs):
        return map_tensors(_to_float32, self._backbone(*inputs, **kwargs))


def _lower_white(network, white: tuple, dtype) -> None:
    for _, cell in network.cells_and_names():
        if isinstance(cell, white) and cell._compute_type is None:
            cell.to_float(dtype)
            cell.__dict__["_output_type"] = mstype.float32


def _lower_all_but(network, black: tuple, dtype) -> None:
    cells = [cell for _, cell in network.cells_and_names() if cell._compute_type is None]
    for cell in cells:
        kept = isinstance(cell, black)
        cell.__dict__["_compute_type"] = mstype.float32 if kept else dtype
        cell.__dict__["_output_type"] = dtype if kept else None
        cell.__dict__["_ready"] = False


def _check_network(network, dtype, owner: str) -> None:
    if not isinstance(network, nn.Cell):
        raise TypeError(f"For '{owner}', the network must be a Cell, but got {type(network)}.")
    if dtype not in (mstype.float16, mstype.bfloat16):
        raise ValueError(f"The dtype {dtype} is not supported, it must be float16 or bfloat16.")
    if network.__dict__.get("_mixed_precision"):
        logger.warning("Mixed precision was already applied to this network.")
    network.__dict__["_mixed_precision"] = True


def auto_mixed_precision(network, amp_level="O0", dtype=mstype.float16):
    """Lets a network, or parts of it, compute in a smaller type.

    Args:
        network (Cell): The network.
        amp_level (str): ``"O0"`` nothing, ``"O1"`` the white list, ``"O2"`` all but the black list,
            ``"O3"`` everything. Default: ``"O0"``.
        dtype (:class:`mindspore.dtype`): float16 or bfloat16. Default: ``mindspore.float16``.

    Returns:
        Cell whose results are float32.

    Raises:
        ValueError: The level or the type is not known.
    """
    if amp_level not in _LEVELS:
        raise ValueError(f"The amp level {amp_level} is not supported")
    if amp_level == "O0":
        return network
    _check_network(network, dtype, "auto_mixed_precision")
    if amp_level == "O1":
        _lower_white(network, _WHITE, dtype)
        return network
    _lower_all_but(network, _BLACK if amp_level == "O2" else (), dtype)
    return _OutputToFloat32(network)


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=mstype.float16):
    """Mixed precision with a list of one's own.

    Args:
        network (Cell): The network.
        white_list (list): Classes that run in the smaller type. Default: ``None``.
        black_list (list): Cells that stay in float32. Default: ``None``.
        dtype (:class:`mindspore.dtype`): float16 or bfloat16. Default: ``mindspore.float16``.

    Returns:
        Cell whose results are float32.
    """
    if (white_list is None) == (black_list is None):
        raise ValueError("For 'custom_mixed_precision', one of 'white_list' and 'black_list' must be given.")
    _check_network(network, dtype, "custom_mixed_precision")
    if white_list is not None:
        _lower_white(network, tuple(white_list), dtype)
        return network
    _lower_all_but(network, tuple(black_list), dtype)
    return _OutputToFloat32(network)


def all_finite(inputs) -> Tensor:
    """Whether every element of every tensor is finite.

    Args:
        inputs (Union[tuple[Tensor], list[Tensor]]): The tensors.

    Returns:
        Tensor of one bool.
    """
    if not isinstance(inputs, (tuple, list)):
        raise TypeError(f"For 'all_finite', the inputs must be a tuple or list, but got {type(inputs)}.")
    return Tensor(all(bool(op.reduce_all(op.isfinite(tensor))) for tensor in tensors_in(inputs)))


class LossScaler:
    """Base of loss scalers."""

    def scale(self, inputs):
        """Multiplies by the scale."""
        raise NotImplementedError

    def unscale(self, inputs):
        """Divides by the scale."""
        raise NotImplementedError

    def adjust(self, grads_finite):
        """Changes the scale after a step."""
        raise NotImplementedError


class StaticLossScaler(LossScaler):
    """A scale that stays.

    Args:
        scale_value (Union[float, int]): The scale, at least 1.
    """

    def __init__(self, scale_value):
        if isinstance(scale_value, bool) or not isinstance(scale_value, (int, float)):
            raise TypeError(f"The 'scale_value' must be float or int, but got {type(scale_value)}.")
        if scale_value < 1:
            raise ValueError(f"The argument 'scale_value' must be > 1, but got {scale_value}")
        self.scale_value = Parameter(
            Tensor(scale_value, mstype.float32), name="scale_value", requires_grad=False
        )

    def scale(self, inputs):
        """Multiplies every tensor by the scale."""
        return map_tensors(lambda tensor: tensor * op.cast(self.scale_value, tensor.dtype), inputs)

    def unscale(self, inputs):
        """Divides every tensor by the scale."""
        inverse = op.reciprocal(self.scale_value)
        return map_tensors(lambda tensor: tensor * op.cast(inverse, tensor.dtype), inputs)

    def adjust(self, grads_finite) -> bool:
        """Nothing changes."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """A scale that falls on overflow and grows after a while without.

    Args:
        scale_value (Union[float, int]): Initial scale, at least 1.
        scale_factor (int): Factor of the changes.
        scale_window (int): Steps without overflow before the scale grows.
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        for name, value in (("scale_factor", scale_factor), ("scale_window", scale_window)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"The '{name}' must be int, but got {type(value)}.")
            if value <= 0:
                raise ValueError(f"The '{name}' must be > 0, but got {value}.")
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter", requires_grad=False)

    def adjust(self, grads_finite) -> bool:
        """Changes the scale by whether the gradients were finite."""
        scale, count = float(self.scale_value), 0
        if bool(grads_finite):
            count = int(self.counter) + 1
            if count == self.scale_window:
                count = 0
                grown = scale * self.scale_factor
                scale = grown if grown <= 3.4028234663852886e38 else scale
        else:
            scale = max(1.0, scale / self.scale_factor)
        op.assign(self.scale_value, Tensor(scale, mstype.float32))
        op.assign(self.counter, Tensor(count, mstype.int32))
        return True


class LossScaleManager:
    """Base of loss scale managers."""

    def get_loss_scale(self):
        """The scale."""
        raise NotImplementedError

    def update_loss_scale(self, overflow):
        """Changes the scale after a step."""
        raise NotImplementedError

    def get_update_cell(self):
        """Cell that changes the scale on the device, or None."""
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Args:
        loss_scale (float): The scale, at least 1. Default: ``128.0``.
        drop_overflow_update (bool): Steps with overflow are skipped. Default: ``True``.
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        if loss_scale < 1:
            raise ValueError(f"The argument 'loss_scale' must be >= 1, but got {loss_scale}")
        self._loss_scale, self._drop_overflow_update = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether steps with overflow are skipped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow) -> None:
        """Nothing changes."""

    def get_update_cell(self):
        """Cell that keeps the scale, or None when overflow is not looked for."""
        return nn.FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that falls on overflow and grows after a while without.

    Args:
        init_loss_scale (float): Initial scale. Default: ``2**24``.
        scale_factor (int): Factor of the changes. Default: ``2``.
        scale_window (int): Steps without overflow before the scale grows. Default: ``2000``.
    """

    _MOST_OVERFLOWS = 1000

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000):
        if init_loss_scale < 1:
            raise ValueError(f"The argument 'init_loss_scale' must be > 1, but got {init_loss_scale}")
        for name, value in (("scale_factor", scale_factor), ("scale_window", scale_window)):
            if value <= 0:
                raise ValueError(f"The argument '{name}' must be > 0, but got {value}")
        self.loss_scale, self.scale_factor, self.scale_window = init_loss_scale, scale_factor, scale_window
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter, self.bad_step = 1, 0, 0

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Steps with overflow are skipped."""
        return True

    def update_loss_scale(self, overflow) -> None:
        """Changes the scale by whether there was an overflow."""
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
            if self.bad_step > self._MOST_OVERFLOWS:
                raise RuntimeError("Dynamic loss scale Continuous overflow", self.bad_step, "times")
        else:
            self.bad_step = 0
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
        self.cur_iter += 1

    def get_update_cell(self):
        """Cell that changes the scale on the device."""
        return nn.DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]

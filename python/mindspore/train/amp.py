# SPDX-License-Identifier: Apache-2.0
"""Networks that compute in a smaller type, and training steps around them."""

from __future__ import annotations

import copy
import functools
import sys

from mindspore import context, nn, ops
from mindspore import log as logger
from mindspore._settings.argument_keys import MIXED_PRECISION
from mindspore.common import dtype as mstype
from mindspore.common._structure import map_tensors
from mindspore.common.tensor import Tensor
from mindspore.nn.wrap._fitting import warn_of_scales
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell
from mindspore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive
from mindspore.train.loss_scale_manager import DynamicLossScaleManager, LossScaleManager

_WHITE_CELLS = (
    "Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose Dense LSTMCell RNNCell GRUCell"
)
_WHITE_PRIMITIVES = (
    "Conv2D Conv3D Conv2DTranspose Conv3DTranspose Conv2DBackpropInput MatMul BatchMatMul PReLU ReLU Ger"
)
_BLACK_CELLS = "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm"
_LEVELS = ("O0", "O1", "O2", "O3")
_BOOST_LEVELS = ("O0", "O1", "O2")
_config_level = {
    "O0": {"keep_batchnorm_fp32": False, "cast_model_type": mstype.float32, "loss_scale_manager": None},
    "O1": {"keep_batchnorm_fp32": False, "cast_model_type": mstype.float32, "loss_scale_manager": None},
    "O2": {
        "keep_batchnorm_fp32": True,
        "cast_model_type": mstype.float16,
        "loss_scale_manager": DynamicLossScaleManager(),
    },
    "O3": {"keep_batchnorm_fp32": False, "cast_model_type": mstype.float16, "loss_scale_manager": None},
}
"""What a level stands for where `build_train_network` is not told otherwise."""


def _classes(package, names: str) -> list:
    return [getattr(package, name) for name in names.split() if hasattr(package, name)]


def __getattr__(name: str) -> list:
    """The lists themselves, which scripts add to; made late, because their layers are imported late."""
    if name == "AMP_WHITE_LIST":
        value = _classes(nn, _WHITE_CELLS) + _classes(ops, _WHITE_PRIMITIVES)
    elif name == "AMP_BLACK_LIST":
        value = _classes(nn, _BLACK_CELLS)
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return globals().setdefault(name, value)


def _listed(name: str) -> list:
    return list(getattr(sys.modules[__name__], name))


def get_white_list() -> list:
    """Cells and primitives that run in the smaller type at level O1; a copy.

    Returns:
        list of classes.
    """
    return _listed("AMP_WHITE_LIST")


def get_black_list() -> list:
    """Cells that stay in float32 at level O2; a copy.

    Returns:
        list of classes.
    """
    return _listed("AMP_BLACK_LIST")


# ---- smaller types inside a network ------------------------------------------------------------


def _in_type(dtype, structure):
    def cast(tensor):
        return op.cast(tensor, dtype) if tensor.dtype in mstype.float_type else tensor

    return map_tensors(cast, structure)


class _OutputTo32(nn.Cell):
    """A network whose results are float32."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self._backbone = network
        self._jit_config_dict = network._jit_config_dict
        self.__dict__["_amp_level"] = network._amp_level

    def construct(self, *inputs, **kwargs):
        return _in_type(mstype.float32, self._backbone(*inputs, **kwargs))


@functools.cache
def _lowered_class(primitive: type, dtype) -> type:
    """The primitive's class with inputs in `dtype` and results in float32."""

    def call(self, *args):
        return _in_type(mstype.float32, primitive.__call__(self, *_in_type(dtype, args)))

    return type(primitive.__name__, (primitive,), {"__call__": call, "__doc__": primitive.__doc__})


def _lower_primitives(cell, white: tuple, dtype) -> None:
    for name, value in list(cell.__dict__.items()):
        if isinstance(value, white):
            lowered = copy.copy(value)
            lowered.__class__ = _lowered_class(type(value), dtype)
            cell.__dict__[name] = lowered


def _lower_white(network, white: list, dtype) -> None:
    cells = tuple(entry for entry in white if issubclass(entry, nn.Cell))
    primitives = tuple(entry for entry in white if issubclass(entry, Primitive))
    for _, cell in list(network.cells_and_names()):
        if cell._compute_type is not None:
            continue
        if isinstance(cell, cells):
            cell.to_float(dtype)
            cell.__dict__["_output_type"] = mstype.float32
        elif primitives:
            _lower_primitives(cell, primitives, dtype)


def _lower_all_but(network, black: tuple, dtype) -> None:
    cells = [cell for _, cell in network.cells_and_names() if cell._compute_type is None]
    for cell in cells:
        kept = isinstance(cell, black)
        cell.__dict__["_compute_type"] = mstype.float32 if kept else dtype
        cell.__dict__["_output_type"] = dtype if kept else None
        cell.__dict__["_cell_ready"] = False


def _do_keep_batchnorm_fp32(network) -> None:
    """Lets the cells of the black list inside a network in float16 compute in float32."""
    _keep(network, tuple(get_black_list()), mstype.float16)


def _keep(network, black: tuple, dtype) -> None:
    for _, cell in network.cells_and_names():
        if cell is not network and isinstance(cell, black):
            cell.to_float(mstype.float32)
            cell.__dict__["_output_type"] = dtype


def _auto_black_list(network, black_list, dtype):
    """Lets all of a network but cells of some classes compute in a smaller type, and returns it."""
    network.to_float(dtype)
    _keep(network, tuple(black_list), dtype)
    return network


def _auto_mixed_precision_rewrite(network, dtype, *, white_list=None, black_list=None):
    """Lets cells and primitives of a white list, or all that a black list does not hold, compute in `dtype`.

    Raises:
        ValueError: No list is given, or both are.
    """
    if (white_list is None) == (black_list is None):
        raise ValueError(
            "For _auto_mixed_precision_rewrite, one of white_list and black_list must be provided."
        )
    if white_list is not None:
        _lower_white(network, white_list, dtype)
        return network
    _lower_all_but(network, tuple(black_list), dtype)
    return _OutputTo32(network)


def amp_cast(value, dtype):
    """A tensor of a floating type in another type; anything else as it is."""
    return _in_type(dtype, value) if isinstance(value, Tensor) else value


class _OutputTo16(nn.Cell):
    """A network whose result is in a smaller type."""

    def __init__(self, backbone, dtype=mstype.float16):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self.dtype = dtype

    def construct(self, *inputs, **kwargs):
        return _in_type(self.dtype, self._backbone(*inputs, **kwargs))


def _check_network(network, dtype, owner: str) -> None:
    if not isinstance(network, nn.Cell):
        raise TypeError(f"For '{owner}', the argument 'network' must be a Cell, but got {type(network)}.")
    if dtype not in (mstype.float16, mstype.bfloat16):
        raise ValueError(f"For '{owner}', the dtype must be float16 or bfloat16, but got {dtype}.")
    if network.__dict__.get("_mixed_precision"):
        logger.warning(
            f"'{owner}' was applied to this network before: applying it again may change its results."
        )
    network.__dict__["_mixed_precision"] = True


def auto_mixed_precision(network, amp_level="O0", dtype=mstype.float16) -> nn.Cell:
    """Lets a network, or parts of it, compute in a smaller type.

    Args:
        network (Cell): The network.
        amp_level (str): ``"O0"`` nothing, ``"O1"`` the white list, ``"O2"`` all but the black list,
            ``"O3"`` everything. Default: ``"O0"``.
        dtype (:class:`mindspore.dtype`): float16 or bfloat16. Default: ``mindspore.float16``.

    Returns:
        Cell whose results are float32.

    Raises:
        TypeError: `network` is not a Cell.
        ValueError: The level or the type is not known.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import amp, nn
        >>> net = amp.auto_mixed_precision(nn.Dense(3, 4), "O3")
    """
    if amp_level not in _LEVELS:
        raise ValueError(f"The amp level {amp_level} is not supported: it must be one of {list(_LEVELS)}.")
    if amp_level == "O0":
        return network
    _check_network(network, dtype, "auto_mixed_precision")
    network.__dict__["_amp_level"] = amp_level
    if amp_level == "O1":
        _lower_white(network, get_white_list(), dtype)
        return network
    _lower_all_but(network, tuple(get_black_list()) if amp_level == "O2" else (), dtype)
    return _OutputTo32(network)


def _check_list(given, name: str, allowed: tuple) -> None:
    if not isinstance(given, list):
        raise TypeError(
            f"For 'custom_mixed_precision', the '{name}' must be a list, but got {type(given).__name__}."
        )
    for entry in given:
        if not (isinstance(entry, type) and issubclass(entry, allowed)):
            raise TypeError(
                f"For 'custom_mixed_precision', the '{name}' must hold subclasses of "
                f"{' or '.join(kind.__name__ for kind in allowed)}, but got {entry}."
            )


def custom_mixed_precision(network, *, white_list=None, black_list=None, dtype=mstype.float16) -> nn.Cell:
    """Mixed precision with a list of one's own; exactly one of the lists is given.

    Args:
        network (Cell): The network.
        white_list (list[Primitive, Cell]): Classes that run in the smaller type. Default: ``None``.
        black_list (list[Cell]): Cells that stay in float32. Default: ``None``.
        dtype (:class:`mindspore.dtype`): float16 or bfloat16. Default: ``mindspore.float16``.

    Returns:
        Cell whose results are float32.

    Raises:
        TypeError: `network` is not a Cell, or a list holds something else than classes of the right kind.
        ValueError: No list is given, or both are, or the type is not known.

    Supported Platforms:
        ``CPU``
    """
    if not isinstance(network, nn.Cell):
        raise TypeError(
            f"For 'custom_mixed_precision', the 'network' must be a Cell, but got {type(network)}."
        )
    if (white_list is None) == (black_list is None):
        raise ValueError(
            "For 'custom_mixed_precision', one of 'white_list' and 'black_list' must be given, not "
            f"{'both' if white_list is not None else 'none'} of them."
        )
    if white_list is not None:
        _check_list(white_list, "white_list", (Primitive, nn.Cell))
        _check_network(network, dtype, "custom_mixed_precision")
        _lower_white(network, white_list, dtype)
        return network
    _check_list(black_list, "black_list", (nn.Cell,))
    _check_network(network, dtype, "custom_mixed_precision")
    _lower_all_but(network, tuple(black_list), dtype)
    return _OutputTo32(network)


# ---- training steps ----------------------------------------------------------------------------


class _LossInFloat32(WithLossCell):
    """A network and its loss, which is computed in float32."""

    def construct(self, data, label):
        outputs = _in_type(mstype.float32, self._backbone(data))
        return self._loss_fn(outputs, _in_type(mstype.float32, label))


def _add_loss_network(network, loss_fn, cast_model_type) -> nn.Cell:
    """A network and its loss as one cell; of a network in float16 the loss is computed in float32."""
    if not isinstance(loss_fn, nn.Cell):
        raise TypeError(f"The type of 'loss_fn' should be 'Cell', but got type '{type(loss_fn).__name__}'.")
    return _with_loss(network, loss_fn, cast_model_type)


def _with_loss(network, loss_fn, cast_model_type) -> nn.Cell:
    return (WithLossCell if cast_model_type is mstype.float32 else _LossInFloat32)(network, loss_fn)


def _check_keywords(given: dict) -> None:
    for name, value in given.items():
        if name == "cast_model_type":
            if value not in (mstype.float16, mstype.float32):
                raise TypeError(
                    "For 'build_train_network', the 'cast_model_type' must be float16 or float32, but got "
                    f"{value}."
                )
        elif name == "keep_batchnorm_fp32":
            if not isinstance(value, bool):
                raise TypeError(
                    "For 'build_train_network', the 'keep_batchnorm_fp32' must be bool, but got "
                    f"{type(value).__name__}."
                )
        elif name == "loss_scale_manager":
            if value is not None and not isinstance(value, LossScaleManager):
                raise TypeError(
                    "For 'build_train_network', the 'loss_scale_manager' must be a LossScaleManager, but "
                    f"got {type(value).__name__}."
                )
        else:
            raise ValueError(f"Unsupported arg '{name}'")


def _check_parts(network, optimizer, level, boost_level) -> None:
    if not isinstance(network, nn.Cell):
        raise TypeError(
            f"For 'build_train_network', the 'network' must be a Cell, but got {type(network).__name__}."
        )
    is_optimizer = isinstance(optimizer, nn.Optimizer) or (
        isinstance(optimizer, nn.Cell) and hasattr(optimizer, "parameters")
    )
    if not is_optimizer:
        raise TypeError(
            "For 'build_train_network', the 'optimizer' must be an Optimizer, but got "
            f"{type(optimizer).__name__}."
        )
    if level not in (*_LEVELS, "auto"):
        raise ValueError(f"The 'level' should be in : {[*_LEVELS, 'auto']}, but got {level}.")
    if boost_level not in _BOOST_LEVELS:
        raise ValueError(f"The 'boost_level' should be in : {[*_BOOST_LEVELS]}, but got {boost_level}.")


def _level_of_device() -> str:
    """What ``auto`` stands for."""
    target = context.get_context("device_target")
    level = {"GPU": "O2", "Ascend": "O3"}.get(target)
    if level is None:
        logger.warning(f"Level 'auto' means 'O0' where 'device_target' is {target}: nothing is lowered.")
        return "O0"
    return level


def _lowered(network, level: str, kept: bool, dtype):
    if dtype is mstype.float16:
        return auto_mixed_precision(network, "O2" if kept else "O3")
    return auto_mixed_precision(network, "O1" if level == "O1" else "O0")


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """The cell of one training step: mixed precision, the loss, scaled gradients, the update.

    Args:
        network (Cell): The network.
        optimizer (Optimizer): Updates the parameters.
        loss_fn (Cell): The loss; None: the network computes it. Default: ``None``.
        level (str): Mixed precision, see :func:`mindspore.amp.auto_mixed_precision`; ``"auto"`` leaves it to
            the device. Default: ``"O0"``.
        boost_level (str): ``"O0"``, ``"O1"`` or ``"O2"``; the last two have no effect, and a warning says so.
            Default: ``"O0"``.
        kwargs (dict): `cast_model_type`, `keep_batchnorm_fp32` and `loss_scale_manager` instead of what the
            level says.

    Returns:
        Cell in training mode.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: A level or a keyword is not known.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import amp, nn
        >>> net = nn.Dense(3, 4)
        >>> optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        >>> step = amp.build_train_network(net, optimizer, nn.MSELoss(), level="O2")
    """
    _check_parts(network, optimizer, level, boost_level)
    _check_keywords(kwargs)
    MIXED_PRECISION.tell("boost_level", boost_level)
    level = _level_of_device() if level == "auto" else level
    kept = kwargs.get("keep_batchnorm_fp32", _config_level[level]["keep_batchnorm_fp32"])
    dtype = kwargs.get("cast_model_type", _config_level[level]["cast_model_type"])
    network = _lowered(network, level, kept, dtype)
    if loss_fn is not None:
        network = _with_loss(network, loss_fn, dtype)
    if "loss_scale_manager" in kwargs:
        manager = kwargs["loss_scale_manager"]
    else:
        manager = copy.copy(_config_level[level]["loss_scale_manager"])
    update_cell = None if manager is None else manager.get_update_cell()
    scale = 1.0 if manager is None or update_cell is not None else manager.get_loss_scale()
    warn_of_scales(optimizer, scale, "build_train_network")
    if update_cell is not None:
        return TrainOneStepWithLossScaleCell(network, optimizer, update_cell).set_train()
    return TrainOneStepCell(network, optimizer, scale).set_train()


__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]

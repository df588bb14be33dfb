# SPDX-License-Identifier: Apache-2.0
"""Normalisation layers."""

from __future__ import annotations

from mindspore import log as logger
from mindspore._later import defined_names as _defined_names
from mindspore._world import require_one_process
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.nn import _checks as check
from mindspore.nn._arguments import DTYPE, INITIAL, positive_int
from mindspore.nn._description import Argument, documented, shows, takes
from mindspore.nn._on_demand import OnDemand
from mindspore.nn.cell import Cell
from mindspore.nn.layer._convolution import DATA_FORMAT
from mindspore.ops._registry import op


def _shape_shown(channels: int, rank) -> str:
    axes = {3: ", L", 4: ", H, W", 5: ", D, H, W", (2, 3): ""}.get(rank, ", *")
    return f"(N, {channels}{axes})"


def _share(value, name: str, owner: str) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"For '{owner}', the '{name}' must be a number in range [0, 1], but got {value}.")
    return value


def _features(value, name: str, owner: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"For '{owner}', the '{name}' must be int, but got {type(value).__name__}.")
    if value < 1:
        raise ValueError(f"For '{owner}', the '{name}' must be at least 1, but got {value}.")
    return value


_EPS = Argument("eps", "float", "Added to the variance.", 1e-5)
_AFFINE = Argument("affine", "bool", "Whether scale and shift are learned.", True)
_SCALE_AND_SHIFT = [
    Argument("gamma_init", INITIAL, "Initial scale.", "ones"),
    Argument("beta_init", INITIAL, "Initial shift.", "zeros"),
]
_MOMENTUM_TEXT = "Share of the old value when the moving mean and variance are updated."
_BATCH_ARGUMENTS = [
    Argument("num_features", "int", "Number of channels.", check=_features),
    _EPS,
    Argument("momentum", "float", _MOMENTUM_TEXT, 0.9, _share),
    _AFFINE,
    *_SCALE_AND_SHIFT,
    Argument("moving_mean_init", INITIAL, "Initial mean.", "zeros"),
    Argument("moving_var_init", INITIAL, "Initial variance.", "ones"),
    Argument("use_batch_statistics", "bool", "Use the batch's statistics; None: while training.", None),
]
_FORMAT = DATA_FORMAT.but(check=check.choice("NCHW", "NHWC", shown="format"))


def _add_parameters(layer: Cell, mean_init, var_init, gamma_init, beta_init, affine: bool, dtype) -> None:
    """Moving statistics, scale and shift of every channel."""
    for attribute, name, init, is_learned in (
        ("moving_mean", "mean", mean_init, False),
        ("moving_variance", "variance", var_init, False),
        ("gamma", "gamma", gamma_init, affine),
        ("beta", "beta", beta_init, affine),
    ):
        value = initializer(init, (layer.num_features,), dtype)
        setattr(layer, attribute, Parameter(value, name=name, requires_grad=is_learned))


@takes(*_BATCH_ARGUMENTS, _FORMAT, DTYPE)
class _BatchNorm(Cell):
    """Normalises every channel over the batch."""

    _cast_at_entry = True  # the statistics stay as precise as they are
    _rank: int | tuple[int, ...] = 4
    moving_mean: Parameter
    moving_variance: Parameter
    gamma: Parameter
    beta: Parameter

    def _set_up(self, affine, gamma_init, beta_init, moving_mean_init, moving_var_init, dtype) -> None:
        _add_parameters(self, moving_mean_init, moving_var_init, gamma_init, beta_init, affine, dtype)

    def _check_rank(self, x) -> None:
        ranks = self._rank if isinstance(self._rank, tuple) else (self._rank,)
        if x.ndim not in ranks:
            raise ValueError(
                f"For '{self.cls_name}', the in_shape must have {self._rank} dims, but got {x.ndim}."
            )

    def _expects(self) -> str:
        return _shape_shown(self.num_features, self._rank)

    def construct(self, x):
        self._check_rank(x)
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        last = self.data_format == "NHWC" and x.ndim == 4
        if last:
            x = op.transpose(x, (0, 3, 1, 2))
        if training and x.size == x.shape[1]:
            logger.warning("For '%s', one value per channel has no variance to learn from.", self.cls_name)
        y = op.batch_norm(
            x,
            self.moving_mean,
            self.moving_variance,
            self.gamma,
            self.beta,
            training,
            1 - self.momentum,
            self.eps,
        )
        return op.transpose(y, (0, 2, 3, 1)) if last else y

    extend_repr = shows("num_features eps momentum gamma beta moving_mean moving_variance")


@documented
class BatchNorm1d(_BatchNorm):
    """Normalises every channel over the batch, of (N, C)."""

    _rank = (2, 3)

    def _check_rank(self, x) -> None:
        if x.ndim not in (2, 3):
            raise ValueError(f"For 'BatchNorm1d', the in_shape must have 2 dims, but got {x.ndim}.")


@documented
class BatchNorm2d(_BatchNorm):
    """Normalises every channel over the batch and the plane, of (N, C, H, W)."""

    _rank = 4


@takes(*_BATCH_ARGUMENTS, DTYPE)
class BatchNorm3d(Cell):
    """Normalises every channel over the batch and the volume, of (N, C, D, H, W)."""

    def _set_up(self, **options) -> None:
        # A part of its own, because the names of parameters in checkpoints begin with it.
        self.bn2d = BatchNorm2d(**options)

    def _expects(self) -> str:
        return _shape_shown(self.bn2d.num_features, 5)

    def construct(self, x):
        if x.ndim != 5:
            raise ValueError(f"For 'BatchNorm3d', the in_shape must have 5 dims, but got {x.ndim}.")
        n, c, d, h, w = x.shape
        return op.reshape(self.bn2d(op.reshape(x, (n, c, d * h, w))), (n, c, d, h, w))


def _one_process(value, name: str, owner: str) -> list | None:
    ranks = [rank for group in value or () for rank in group]
    require_one_process("SyncBatchNorm", process_groups=max(ranks, default=0) + 1)
    return value


@takes(
    *_BATCH_ARGUMENTS,
    Argument("process_groups", "list", "Groups of ranks that share statistics.", None, _one_process),
    DTYPE,
)
class SyncBatchNorm(_BatchNorm):
    """Batch normalisation with statistics of all processes; with one process, batch normalisation.

    Raises:
        NotImplementedError: Several processes are meant.
    """

    _rank = (2, 4)


@takes(
    Argument("normalized_shape", "Union[tuple[int], list[int]]", "Lengths of the parameters' axes."),
    Argument("begin_norm_axis", "int", "First axis that is normalised.", -1),
    Argument("begin_params_axis", "int", "First axis of the parameters.", -1),
    *_SCALE_AND_SHIFT,
    _EPS.but(name="epsilon", default=1e-7),
    DTYPE,
)
class LayerNorm(Cell):
    """Normalises the trailing axes of every sample.

    Raises:
        TypeError: `normalized_shape` is not a tuple or list.
    """

    _cast_at_entry = True

    def _set_up(self, normalized_shape, gamma_init, beta_init, dtype) -> None:
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(
                f"For 'LayerNorm', the type of 'normalized_shape' should be tuple[int] or list[int], but got "
                f"{normalized_shape} and the type is {type(normalized_shape)}."
            )
        if not normalized_shape:
            raise ValueError("Expected normalized_shape to be at least 1-dimensional, but got an empty one.")
        self.normalized_shape = tuple(normalized_shape)
        self.gamma = Parameter(initializer(gamma_init, self.normalized_shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, self.normalized_shape, dtype), name="beta")

    @OnDemand
    def layer_norm(self):
        """The normalisation as a primitive, for layers that arrange their input before it."""
        from mindspore import ops

        return ops.LayerNorm(self.begin_norm_axis, self.begin_params_axis, self.epsilon)

    def _expects(self) -> str:
        return f"(*, {', '.join(str(length) for length in self.normalized_shape)})"

    def construct(self, input_x):
        return op.layer_norm(
            input_x, self.gamma, self.beta, self.begin_norm_axis, self.begin_params_axis, self.epsilon
        )[0]

    extend_repr = shows("normalized_shape begin_norm_axis begin_params_axis gamma beta")


@takes(
    positive_int("num_groups", "Number of groups."),
    positive_int("num_channels", "Number of channels."),
    _EPS,
    _AFFINE.but(check=check.boolean),
    *_SCALE_AND_SHIFT,
    DTYPE,
)
class GroupNorm(Cell):
    """Normalises groups of channels of every sample."""

    _cast_at_entry = True

    def _set_up(self, gamma_init, beta_init, dtype) -> None:
        num_groups, num_channels = self.num_groups, self.num_channels
        if num_channels % num_groups:
            raise ValueError(
                "For 'GroupNorm', the 'num_channels' must be divided by 'num_groups', but got "
                "'num_channels': "
                f"{num_channels}, 'num_groups': {num_groups}."
            )
        gamma, beta = (initializer(init, (num_channels,), dtype) for init in (gamma_init, beta_init))
        self.gamma = Parameter(gamma, name="gamma", requires_grad=self.affine)
        self.beta = Parameter(beta, name="beta", requires_grad=self.affine)

    def _expects(self) -> str:
        return f"(N, {self.num_channels}, *)"

    def construct(self, x):
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ValueError(
                f"For 'GroupNorm', the input must have {self.num_channels} channels, but got shape {x.shape}."
            )
        return op.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    extend_repr = shows("num_groups num_channels")


@takes(
    positive_int("num_features", "Number of channels."),
    _EPS,
    Argument("momentum", "float", _MOMENTUM_TEXT, 0.1, _share),
    _AFFINE,
    *_SCALE_AND_SHIFT,
    DTYPE,
)
class _InstanceNorm(Cell):
    """Normalises every channel of every sample."""

    _rank = 4
    _cast_at_entry = True
    moving_mean: Parameter
    moving_variance: Parameter
    gamma: Parameter
    beta: Parameter

    def _set_up(self, affine, gamma_init, beta_init, dtype) -> None:
        _add_parameters(self, "zeros", "ones", gamma_init, beta_init, affine, dtype)

    def _expects(self) -> str:
        return _shape_shown(self.num_features, self._rank)

    def construct(self, x):
        if x.ndim != self._rank or x.shape[1] != self.num_features:
            raise ValueError(
                f"For '{self.cls_name}', the input must have {self._rank} axes and {self.num_features} "
                "channels, "
                f"but got shape {x.shape}."
            )
        return op.group_norm(x, self.num_features, self.gamma, self.beta, self.eps)


@documented
class InstanceNorm1d(_InstanceNorm):
    """Normalises every channel of every sample of (N, C, L)."""

    _rank = 3


@documented
class InstanceNorm2d(_InstanceNorm):
    """Normalises every channel of every sample of (N, C, H, W)."""

    _rank = 4


@documented
class InstanceNorm3d(_InstanceNorm):
    """Normalises every channel of every sample of (N, C, D, H, W)."""

    _rank = 5


__all__ = _defined_names(globals())

# SPDX-License-Identifier: Apache-2.0
"""Normalisation layers."""

from __future__ import annotations

from mindspore import log as logger
from mindspore._world import require_one_process
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.nn import _checks as check
from mindspore.nn._on_demand import OnDemand
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


def _shape_shown(channels: int, rank) -> str:
    axes = {3: ", L", 4: ", H, W", 5: ", D, H, W", (2, 3): ""}.get(rank, ", *")
    return f"(N, {channels}{axes})"


class _BatchNorm(Cell):
    """Normalises every channel over the batch."""

    _cast_at_entry = True  # the statistics stay as precise as they are
    _rank: int | tuple[int, ...] = 4

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        data_format="NCHW",
        dtype=mstype.float32,
    ):
        super().__init__()
        owner = self.cls_name
        if isinstance(num_features, bool) or not isinstance(num_features, int):
            raise TypeError(
                f"For '{owner}', the 'num_features' must be int, but got {type(num_features).__name__}."
            )
        if num_features < 1:
            raise ValueError(f"For '{owner}', the 'num_features' must be at least 1, but got {num_features}.")
        if not 0 <= momentum <= 1:
            raise ValueError(
                f"For '{owner}', the 'momentum' must be a number in range [0, 1], but got {momentum}."
            )
        self.data_format = check.one_of(data_format, ("NCHW", "NHWC"), "format", owner)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.use_batch_statistics = use_batch_statistics
        shape = (num_features,)
        self.moving_mean = Parameter(
            initializer(moving_mean_init, shape, dtype), name="mean", requires_grad=False
        )
        self.moving_variance = Parameter(
            initializer(moving_var_init, shape, dtype), name="variance", requires_grad=False
        )
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), name="beta", requires_grad=affine)

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

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


_BATCH_NORM_DOC = """Normalises every channel over the batch{axes}.

    Args:
        num_features (int): Number of channels.
        eps (float): Added to the variance. Default: ``1e-5``.
        momentum (float): Share of the old value when the moving mean and variance are updated.
            Default: ``0.9``.
        affine (bool): Whether scale and shift are learned. Default: ``True``.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): Initial scale. Default: ``"ones"``.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): Initial shift. Default: ``"zeros"``.
        moving_mean_init (Union[Tensor, str, Initializer, numbers.Number]): Initial mean.
            Default: ``"zeros"``.
        moving_var_init (Union[Tensor, str, Initializer, numbers.Number]): Initial variance.
            Default: ``"ones"``.
        use_batch_statistics (bool): Use the batch's statistics; None: while training. Default: ``None``.
        data_format (str): ``"NCHW"`` or ``"NHWC"``. Default: ``"NCHW"``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Supported Platforms:
        ``CPU``
    """


class BatchNorm1d(_BatchNorm):
    __doc__ = _BATCH_NORM_DOC.format(axes=", of (N, C)")
    _rank = (2, 3)

    def _check_rank(self, x) -> None:
        if x.ndim not in (2, 3):
            raise ValueError(f"For 'BatchNorm1d', the in_shape must have 2 dims, but got {x.ndim}.")


class BatchNorm2d(_BatchNorm):
    __doc__ = _BATCH_NORM_DOC.format(axes=" and the plane, of (N, C, H, W)")
    _rank = 4


class BatchNorm3d(Cell):
    __doc__ = _BATCH_NORM_DOC.format(axes=" and the volume, of (N, C, D, H, W)")

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        dtype=mstype.float32,
    ):
        super().__init__()
        # A part of its own, because the names of parameters in checkpoints begin with it.
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )

    def _expects(self) -> str:
        return _shape_shown(self.bn2d.num_features, 5)

    def construct(self, x):
        if x.ndim != 5:
            raise ValueError(f"For 'BatchNorm3d', the in_shape must have 5 dims, but got {x.ndim}.")
        n, c, d, h, w = x.shape
        return op.reshape(self.bn2d(op.reshape(x, (n, c, d * h, w))), (n, c, d, h, w))


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation with statistics of all processes; with one process, batch normalisation.

    Args:
        num_features (int): Number of channels.
        eps (float): Added to the variance. Default: ``1e-5``.
        momentum (float): Share of the old value in the moving values. Default: ``0.9``.
        affine (bool): Whether scale and shift are learned. Default: ``True``.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): Initial scale. Default: ``"ones"``.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): Initial shift. Default: ``"zeros"``.
        moving_mean_init (Union[Tensor, str, Initializer, numbers.Number]): Initial mean.
            Default: ``"zeros"``.
        moving_var_init (Union[Tensor, str, Initializer, numbers.Number]): Initial variance.
            Default: ``"ones"``.
        use_batch_statistics (bool): Use the batch's statistics; None: while training. Default: ``None``.
        process_groups (list): Groups of ranks that share statistics. Default: ``None``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Raises:
        NotImplementedError: Several processes are meant.
    """

    _rank = (2, 4)

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        process_groups=None,
        dtype=mstype.float32,
    ):
        ranks = [rank for group in process_groups or () for rank in group]
        require_one_process("SyncBatchNorm", process_groups=max(ranks, default=0) + 1)
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )
        self.process_groups = process_groups


class LayerNorm(Cell):
    """Normalises the trailing axes of every sample.

    Args:
        normalized_shape (Union[tuple[int], list[int]]): Lengths of the parameters' axes.
        begin_norm_axis (int): First axis that is normalised. Default: ``-1``.
        begin_params_axis (int): First axis of the parameters. Default: ``-1``.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): Initial scale. Default: ``"ones"``.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): Initial shift. Default: ``"zeros"``.
        epsilon (float): Added to the variance. Default: ``1e-7``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Raises:
        TypeError: `normalized_shape` is not a tuple or list.

    Supported Platforms:
        ``CPU``
    """

    _cast_at_entry = True

    def __init__(
        self,
        normalized_shape,
        begin_norm_axis=-1,
        begin_params_axis=-1,
        gamma_init="ones",
        beta_init="zeros",
        epsilon=1e-7,
        dtype=mstype.float32,
    ):
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(
                f"For 'LayerNorm', the type of 'normalized_shape' should be tuple[int] or list[int], but got "
                f"{normalized_shape} and the type is {type(normalized_shape)}."
            )
        if not normalized_shape:
            raise ValueError("Expected normalized_shape to be at least 1-dimensional, but got an empty one.")
        self.normalized_shape = tuple(normalized_shape)
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = epsilon
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

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma={self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Normalises groups of channels of every sample.

    Args:
        num_groups (int): Number of groups.
        num_channels (int): Number of channels.
        eps (float): Added to the variance. Default: ``1e-5``.
        affine (bool): Whether scale and shift are learned. Default: ``True``.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): Initial scale. Default: ``"ones"``.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): Initial shift. Default: ``"zeros"``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Supported Platforms:
        ``CPU``
    """

    _cast_at_entry = True

    def __init__(
        self,
        num_groups,
        num_channels,
        eps=1e-5,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=mstype.float32,
    ):
        super().__init__()
        self.num_groups = check.positive_int(num_groups, "num_groups", "GroupNorm")
        self.num_channels = check.positive_int(num_channels, "num_channels", "GroupNorm")
        if num_channels % num_groups:
            raise ValueError(
                "For 'GroupNorm', the 'num_channels' must be divided by 'num_groups', but got "
                "'num_channels': "
                f"{num_channels}, 'num_groups': {num_groups}."
            )
        self.eps = eps
        self.affine = check.boolean(affine, "affine", "GroupNorm")
        self.gamma = Parameter(
            initializer(gamma_init, (num_channels,), dtype), name="gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, (num_channels,), dtype), name="beta", requires_grad=affine
        )

    def _expects(self) -> str:
        return f"(N, {self.num_channels}, *)"

    def construct(self, x):
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ValueError(
                f"For 'GroupNorm', the input must have {self.num_channels} channels, but got shape {x.shape}."
            )
        return op.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class _InstanceNorm(Cell):
    """Normalises every channel of every sample."""

    _rank = 4
    _cast_at_entry = True

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=mstype.float32,
    ):
        super().__init__()
        self.num_features = check.positive_int(num_features, "num_features", self.cls_name)
        if not 0 <= momentum <= 1:
            raise ValueError(
                f"For '{self.cls_name}', the 'momentum' must be a number in range [0, 1], but got {momentum}."
            )
        self.eps, self.momentum = eps, momentum
        shape = (num_features,)
        self.moving_mean = Parameter(initializer("zeros", shape, dtype), name="mean", requires_grad=False)
        self.moving_variance = Parameter(
            initializer("ones", shape, dtype), name="variance", requires_grad=False
        )
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), name="gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), name="beta", requires_grad=affine)

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


class InstanceNorm1d(_InstanceNorm):
    """Normalises every channel of every sample of (N, C, L)."""

    _rank = 3


class InstanceNorm2d(_InstanceNorm):
    """Normalises every channel of every sample of (N, C, H, W)."""

    _rank = 4


class InstanceNorm3d(_InstanceNorm):
    """Normalises every channel of every sample of (N, C, D, H, W)."""

    _rank = 5


__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "SyncBatchNorm",
]

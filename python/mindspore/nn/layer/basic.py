# SPDX-License-Identifier: Apache-2.0
"""Dense layers, dropout and changes of shape."""

from __future__ import annotations

import math
from typing import Any

from mindspore import log as logger
from mindspore.common import dtype as mstype
from mindspore.common.initializer import HeUniform, Uniform, initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import BIAS_INIT, DTYPE, HAS_BIAS, WEIGHT_INIT, positive_int
from mindspore.nn._description import Argument, documented, shows, takes
from mindspore.nn._on_demand import OnDemand
from mindspore.nn.cell import Cell
from mindspore.nn.layer.activation import get_activation
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis
from mindspore.ops.function.linear import bidense
from mindspore.ops.primitive import Primitive


def activation_of(activation: str | Cell | Primitive | None, owner: str) -> Cell | Primitive | None:
    """A Cell or Primitive from a name, or None."""
    found = get_activation(activation, owner) if isinstance(activation, str) else activation
    if found is not None and not isinstance(found, (Cell, Primitive)):
        raise TypeError(
            f"For '{owner}', the 'activation' must be str or Cell or Primitive, but got "
            f"{type(found).__name__}."
        )
    return found


@documented
class Identity(Cell):
    """Returns its input."""

    def construct(self, x: Any) -> Any:
        return x


_EVENLY = "; None: evenly distributed with bound ``1 / sqrt({})``."
DENSE_ARGUMENTS = [
    positive_int("in_channels", "Features of the input."),
    positive_int("out_channels", "Features of the output."),
    WEIGHT_INIT.but(text=f"Initial weight{_EVENLY.format('in_channels')}"),
    BIAS_INIT.but(text="Initial bias; None: as the weight."),
    HAS_BIAS,
]


@takes(
    *DENSE_ARGUMENTS,
    Argument("activation", "Union[str, Cell, Primitive, None]", "Applied to the result.", None),
    DTYPE,
)
class Dense(Cell):
    """Applies ``activation(x * W^T + b)`` to the last axis.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `weight_init` or `bias_init` is a Tensor of another shape.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> nn.Dense(3, 4)(ops.ones((2, 3), ms.float32)).shape
        (2, 4)
    """

    def _set_up(self, weight_init, bias_init, activation, dtype) -> None:
        in_channels, out_channels = self.in_channels, self.out_channels
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels], dtype), name="weight")
        self.bias = None
        if self.has_bias:
            bias_init = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, [out_channels], dtype), name="bias")
        self.activation = activation_of(activation, self.cls_name)
        self.activation_flag = self.activation is not None

    @OnDemand
    def matmul(self):
        """The product as a primitive, for layers that change weights before they use them."""
        from mindspore import ops

        return ops.MatMul(transpose_b=True)

    @OnDemand
    def bias_add(self):
        """Addition of the bias as a primitive."""
        from mindspore import ops

        return ops.BiasAdd()

    def _expects(self) -> str:
        return f"(*, {self.in_channels})"

    def construct(self, x):
        x = op.dense(x, self.weight, self.bias)
        return self.activation(x) if self.activation_flag else x

    def extend_repr(self) -> str:
        text = (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"has_bias={self.has_bias}"
        )
        return f"{text}, activation={self.activation}" if self.activation_flag else text


class Linear(Dense):
    """`Dense` under the names that its arguments have elsewhere: ``x * W^T + b`` over the last axis.

    Args:
        in_features (int): Features of the input.
        out_features (int): Features of the output.
        bias (bool): Whether there is a bias. Default: ``True``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight; by default evenly
            distributed with bound ``1 / sqrt(in_features)``. Default: ``None``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias; by default as the weight.
            Default: ``None``.
        dtype (:class:`mindspore.dtype`): Type of the parameters; by default float32. Default: ``None``.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> nn.Linear(3, 4)(ops.ones((2, 3), ms.float32)).shape
        (2, 4)
    """

    def __init__(self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None):
        super().__init__(
            in_features,
            out_features,
            weight_init,
            bias_init,
            bias,
            dtype=mstype.float32 if dtype is None else dtype,
        )
        self.in_features, self.out_features = in_features, out_features

    extend_repr = shows("input_features=in_features output_features=out_features has_bias")


def _axis_number(value, name: str, owner: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"For '{owner}', the '{name}' must be int, but got {type(value).__name__}.")
    return value


@takes(
    Argument("start_dim", "int", "First axis to join.", 1, _axis_number),
    Argument("end_dim", "int", "Last axis to join.", -1, _axis_number),
)
class Flatten(Cell):
    """Joins the axes from `start_dim` to `end_dim`."""

    def check_axis_valid(self, axis, ndim):
        """ValueError unless there is such an axis."""
        self._axis(axis, ndim)

    def construct(self, x):
        rank = x.ndim
        if rank == 0:
            return op.reshape(x, (1,))
        start = self._axis(self.start_dim, rank) if rank > 1 else 0
        end = self._axis(self.end_dim, rank)
        if start > end:
            raise ValueError(
                f"For 'Flatten', 'start_dim' must not be after 'end_dim', but got {start} and {end}."
            )
        shape = x.shape
        return op.reshape(x, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))

    @staticmethod
    def _axis(axis: int, rank: int) -> int:
        if not -rank <= axis < rank:
            raise ValueError(f"For 'Flatten', an axis must be in range [{-rank}, {rank}), but got {axis}.")
        return axis % rank


@takes(
    Argument("axis", "int", "The axis."),
    Argument("unflattened_size", "Union[tuple, list]", "Lengths of the new axes."),
)
class Unflatten(Cell):
    """Splits one axis into several."""

    def _set_up(self, unflattened_size) -> None:
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"For 'Unflatten', 'unflattened_size' must be tuple or list, got {type(unflattened_size)}."
            )
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x):
        shape = input_x.shape
        axis = checked_axis("Unflatten", self.axis, len(shape))
        return op.reshape(input_x, (*shape[:axis], *self.unflattened_size, *shape[axis + 1 :]))


@takes(
    positive_int("in1_channels", "Features of the first input."),
    positive_int("in2_channels", "Features of the second input."),
    positive_int("out_channels", "Features of the output."),
    WEIGHT_INIT.but(text=f"Initial weight{_EVENLY.format('in1_channels')}"),
    BIAS_INIT.but(text="Initial bias; None: as the weight."),
    HAS_BIAS,
    DTYPE,
)
class BiDense(Cell):
    """Applies ``x1 * W * x2 + b`` to the last axes of two tensors.

    Inputs:
        - **input1** (Tensor) - (..., in1_channels).
        - **input2** (Tensor) - (..., in2_channels).

    Outputs:
        Tensor, (..., out_channels).

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `weight_init` or `bias_init` is a Tensor of another shape.
    """

    def _set_up(self, weight_init, bias_init, dtype) -> None:
        usual = Uniform(1 / math.sqrt(self.in1_channels))
        shape = (self.out_channels, self.in1_channels, self.in2_channels)
        self.weight = Parameter(
            initializer(usual if weight_init is None else weight_init, shape, dtype), name="weight"
        )
        self.bias = None
        if self.has_bias:
            bias_init = usual if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (self.out_channels,), dtype), name="bias")

    def _expects(self) -> str:
        return f"(*, {self.in1_channels}) and (*, {self.in2_channels})"

    def construct(self, input1, input2):
        return bidense(input1, input2, self.weight, self.bias)

    extend_repr = shows("in1_channels in2_channels output_channels=out_channels has_bias")


@takes(
    Argument("keep_prob", "float", "Deprecated: probability to keep an element, in (0, 1].", 0.5),
    Argument("p", "Union[float, int, None]", "Probability to drop an element, in [0, 1).", None),
    DTYPE.but(text="Accepted for compatibility."),
)
class Dropout(Cell):
    """While training, sets elements to zero at random and divides the others by the share that is kept.

    Raises:
        TypeError: `keep_prob` or `p` has the wrong type.
        ValueError: `keep_prob` or `p` is out of range.
    """

    def _set_up(self, keep_prob, p, dtype) -> None:
        if p is None:
            if not isinstance(keep_prob, float):
                raise TypeError(
                    f"For 'Dropout', the 'keep_prob' must be float, but got '{type(keep_prob).__name__}'."
                )
            if not 0 < keep_prob <= 1:
                raise ValueError(
                    f"For 'Dropout', the 'keep_prob' must be in range (0, 1], but got {keep_prob}."
                )
            logger.warning(
                "The parameter 'keep_prob' of Dropout will be deprecated, use 'p' = 1 - keep_prob."
            )
            self.keep_prob = keep_prob
        else:
            check.number(p, "p", "Dropout")
            if not 0 <= p < 1:
                raise ValueError(f"For 'Dropout', the 'p' must be a number in range [0, 1), but got {p}.")
            self.keep_prob = 1.0 - p
        self.p = p

    def construct(self, x):
        if not self.training or self.keep_prob == 1:
            return x
        return op.dropout(x, self.keep_prob)[0]

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


def _share(value, name: str, owner: str) -> float:
    check.number(value, name, owner)
    if not 0 <= value <= 1:
        raise ValueError(f"For '{owner}', the '{name}' must be a number in range [0, 1], but got {value}.")
    return value


@takes(Argument("p", "float", "Probability to drop a channel.", 0.5, _share))
class _ChannelDropout(Cell):
    """While training, sets whole channels to zero."""

    _ranks: tuple[int, ...] = ()

    def _set_up(self, p) -> None:
        self.prob = self.p = p

    def construct(self, x):
        if not self.training or self.p == 0:
            return x
        if x.ndim not in self._ranks:
            raise ValueError(
                f"For '{self.cls_name}', the input must have {self._ranks} axes, but got {x.ndim}."
            )
        if self.p == 1:
            return op.zeros_like(x)
        spatial = max(self._ranks) - 2
        mask_shape = x.shape[: x.ndim - spatial] + (1,) * spatial
        mask = op.dropout(op.ones(mask_shape, x.dtype), 1.0 - self.p)[0]
        return x * mask

    extend_repr = shows("p")


@documented
class Dropout1d(_ChannelDropout):
    """Drops whole channels of (N, C, L) or (C, L)."""

    _ranks = (2, 3)


@documented
class Dropout2d(_ChannelDropout):
    """Drops whole channels of (N, C, H, W) or (C, H, W)."""

    _ranks = (3, 4)


@documented
class Dropout3d(_ChannelDropout):
    """Drops whole channels of (N, C, D, H, W) or (C, D, H, W)."""

    _ranks = (4, 5)


@takes(Argument("axis", "Union[None, int, tuple]", "Axes of the norm; None: all.", None))
class ClipByNorm(Cell):
    """Scales a tensor down to a largest norm."""

    def _set_up(self, axis) -> None:
        self.axis = () if axis is None else axis

    def construct(self, x, clip_norm):
        total = op.reduce_sum(op.square(x), self.axis, True)
        norm = op.sqrt(op.where(total > 0, total, op.ones_like(total)))
        norm = op.where(total > 0, norm, total)
        limit = clip_norm if isinstance(clip_norm, Tensor) else Tensor(clip_norm, x.dtype)
        return op.cast(x * limit / op.maximum(norm, limit), x.dtype)


@takes(
    Argument("axis", "int", "Where the new axis goes.", -1),
    Argument("depth", "int", "Its length.", 1),
    Argument("on_value", "float", "Value of the element.", 1.0),
    Argument("off_value", "float", "Value of the others.", 0.0),
    DTYPE.but(text="Type of the result."),
)
class OneHot(Cell):
    """Vectors with one element on."""

    def _set_up(self, on_value, off_value, dtype) -> None:
        self.on_value, self.off_value = Tensor(on_value, dtype), Tensor(off_value, dtype)

    def construct(self, indices):
        return op.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)


__all__ = [
    "ClipByNorm",
    "Dense",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Flatten",
    "Identity",
    "OneHot",
    "Unflatten",
]

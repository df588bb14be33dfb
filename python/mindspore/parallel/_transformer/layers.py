# SPDX-License-Identifier: Apache-2.0
"""Small layers of transformers, and checks of their inputs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from mindspore._spelling import explains_missing_names
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.nn.cell import Cell
from mindspore.ops import operations as P
from mindspore.ops._registry import op

__all__: list[str] = []


def _args_type_validator_check(*type_args: Any, **type_kwargs: Any) -> Callable:
    """Decorator: each given function checks the argument of its name, which it gets with that name."""

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)
        checks = signature.bind_partial(*type_args, **type_kwargs).arguments
        checks = checks.get("kwargs", checks)

        @functools.wraps(function)
        def _checked(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            for name, value in given.get("kwargs", given).items():
                if name in checks:
                    checks[name](value, name)
            return function(*args, **kwargs)

        return _checked

    return decorate


def _require_type(name: str, kind: Any, valid: Any, owner: str) -> None:
    """TypeError unless a type is one of those that are valid."""
    known = tuple(valid) if isinstance(valid, (list, tuple)) else (valid,)
    if kind not in known:
        names = ", ".join(getattr(one, "__name__", str(one)) for one in known)
        shown = getattr(kind, "__name__", str(kind))
        raise TypeError(
            f"For '{owner}', the type of '{name}' should be one of '[{names}]', but got '{shown}'."
        )


def _valid_type_checks(types: list, class_name: str) -> Callable:
    """For `_args_type_validator_check`: the type of the argument is one of `types`."""
    return lambda value, name: _require_type(name, type(value), types, class_name)


def _valid_value_checks(types: list, class_name: str) -> Callable:
    """For `_args_type_validator_check`: the argument is one of `types`."""
    return lambda value, name: _require_type(name, value, types, class_name)


def _check_input_dtype(input_dtype: Any, param_name: str, allow_dtypes: list, cls_name: str) -> None:
    """TypeError unless the type of an input is one of those that are allowed."""
    _require_type(param_name, input_dtype, allow_dtypes, cls_name)


def _check_past_none_input_none(
    use_past: bool, param_name: str, func_name: str, default_value: Any, is_tensor: bool, is_default: bool
) -> bool:
    """TypeError unless an input of earlier steps is given exactly where they are used."""
    if use_past and not is_tensor:
        raise TypeError(f"{func_name} {param_name} must be tensor, if use_past is True")
    if not use_past and (is_tensor or not is_default):
        found = ", but found a tensor" if is_tensor else "."
        raise TypeError(f"{func_name} {param_name} must be {default_value}, if use_past is False{found}")
    return True


class _LayerInputCheck:
    """Checks of shapes; each is a ValueError or True."""

    @staticmethod
    def check_shape_length(input_shape: Any, param_name: str, func_name: str, target_len: int | list) -> bool:
        """Whether the number of lengths is the one, or one of those, that are wanted."""
        wanted = target_len if isinstance(target_len, list) else [target_len]
        if len(input_shape) not in wanted:
            raise ValueError(
                f"{func_name} {param_name} shape length must be one of {wanted} dimension, but got shape "
                f"{input_shape}"
            )
        return True

    @staticmethod
    def check_shape_equal(input_shape: Any, param_name: str, func_name: str, target_shape: list) -> bool:
        """Whether a shape is the one, or one of those, that are wanted."""
        wanted = target_shape if isinstance(target_shape[0], list) else [target_shape]
        shape = list(input_shape)
        _LayerInputCheck.check_shape_length(shape, param_name, func_name, [len(one) for one in wanted])
        if shape not in [list(one) for one in wanted]:
            raise ValueError(f"{func_name} {param_name} shape must be one of {wanted}, but got {shape}")
        return True

    @staticmethod
    def check_shape_value_on_axis(
        input_shape: Any, dim: int, param_name: str, cls_name: str, target_value: int
    ) -> bool:
        """Whether one length is the wanted one."""
        if input_shape[dim] != target_value:
            raise ValueError(
                f"{cls_name} {param_name} at {dim} shape must be {target_value}, but got {input_shape[dim]}"
            )
        return True

    @staticmethod
    def check_shape_equal_without_batch(
        input_shape: Any, param_name: str, func_name: str, target_shape: Any
    ) -> bool:
        """Whether a shape is (batch, length, features), or (batch * length, features)."""
        length, hidden = target_shape
        shape = list(input_shape)
        _LayerInputCheck.check_shape_length(shape, param_name, func_name, [2, 3])
        if shape[-1] != hidden:
            raise ValueError(
                f"For {func_name}, the last dimension of {param_name} must be {hidden}, got {shape}."
            )
        if shape[0] == 0 or (len(shape) == 2 and shape[0] % length):
            raise ValueError(
                f"For {func_name}, the first dimension of {param_name} must be positive, and divisible by "
                f"{length} where there are two, but got {shape}."
            )
        return True


class _Dropout(Cell):
    """Dropout with the probability to be kept.

    Args:
        keep_prob (float): The probability, in (0, 1]. Default: ``0.5``.
        dtype (:class:`mindspore.dtype`): Not used. Default: ``mindspore.float32``.
    """

    def __init__(self, keep_prob=0.5, dtype=mstype.float32):
        super().__init__()
        if not isinstance(keep_prob, float):
            raise TypeError(
                f"For '_Dropout', the 'keep_prob' must be float, but got {type(keep_prob).__name__}."
            )
        if not 0 < keep_prob <= 1:
            raise ValueError(f"dropout probability should be a number in range (0, 1], but got {keep_prob}")
        self.keep_prob = keep_prob
        self.dropout = P.Dropout(keep_prob)

    def construct(self, x):
        return self.dropout(x)[0] if self.training and self.keep_prob < 1 else x

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}"

    def shard(self, strategy) -> None:
        self.dropout.shard(strategy)


class _LayerNorm(Cell):
    """Normalization of the last axis.

    Args:
        normalized_shape (tuple): Its length.
        eps (float): Keeps the divisor from zero. Default: ``1e-5``.
        param_init_type (:class:`mindspore.dtype`): float32 or float16. Default: ``mindspore.float32``.
        is_self_defined (bool): Not used: both ways give the same. Default: ``False``.
    """

    def __init__(self, normalized_shape, eps=1e-5, param_init_type=mstype.float32, is_self_defined=False):
        super().__init__()
        if param_init_type not in (mstype.float32, mstype.float16):
            raise TypeError(
                f"The type of parameter 'param_init_type' should in [float32, float16], but got "
                f"{param_init_type}."
            )
        self.is_self_defined, self.eps = is_self_defined, eps
        self.layer_norm = P.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=eps)
        self.gamma = Parameter(
            initializer("ones", normalized_shape, param_init_type), name="gamma", parallel_optimizer=False
        )
        self.beta = Parameter(
            initializer("zeros", normalized_shape, param_init_type), name="beta", parallel_optimizer=False
        )

    def construct(self, x):
        return self.layer_norm(x, self.gamma, self.beta)[0]

    def shard(self, strategy) -> _LayerNorm:
        self.layer_norm.shard((strategy[0], (1,), (1,)))
        return self


class _Linear(Cell):
    """A dense layer that computes in a type of its own.

    Args:
        in_channels (int): Features of the input.
        out_channels (int): Features of the output.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``"zeros"``.
        has_bias (bool): Whether there is a bias. Default: ``True``.
        activation (Union[str, Cell, Primitive, None]): Applied to the result. Default: ``None``.
        transpose_b (bool): Whether the weight is (out_channels, in_channels). Default: ``True``.
        expert_num (int): ``1``: there are no experts.
        outer_batch (int): Not used. Default: ``1``.
        expert_group_size (int): Not used. Default: ``None``.
        param_init_type (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.
        compute_dtype (:class:`mindspore.dtype`): Type of the product. Default: ``mindspore.float16``.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        activation=None,
        transpose_b=True,
        expert_num=1,
        outer_batch=1,
        expert_group_size=None,
        param_init_type=mstype.float32,
        compute_dtype=mstype.float16,
    ):
        super().__init__()
        from mindspore.nn.layer.basic import activation_of

        if expert_num != 1:
            raise NotImplementedError(f"For '_Linear', 'expert_num' must be 1, but got {expert_num}.")
        activation = activation() if isinstance(activation, type) else activation
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        shape = (out_channels, in_channels) if transpose_b else (in_channels, out_channels)
        self.weight = Parameter(initializer(weight_init, shape, param_init_type), name="weight")
        self.bias = None
        if has_bias:
            self.bias = Parameter(
                initializer(bias_init, [out_channels], param_init_type), name="bias", parallel_optimizer=False
            )
        self.matmul, self.bias_add = P.MatMul(transpose_b=transpose_b), P.Add()
        self.activation = activation_of(activation, self.cls_name)
        self.activation_flag = self.activation is not None
        self.dtype = compute_dtype

    def construct(self, x):
        given, kind = x.shape, x.dtype
        rows = op.cast(op.reshape(x, (-1, self.in_channels)), self.dtype)
        y = self.matmul(rows, op.cast(self.weight, self.dtype))
        if self.has_bias:
            y = self.bias_add(y, op.cast(self.bias, self.dtype))
        if self.activation_flag:
            y = self.activation(y)
        return op.cast(op.reshape(y, (*given[:-1], self.out_channels)), kind)

    def shard(self, strategy_matmul, strategy_bias=None, strategy_activation=None) -> _Linear:
        self.matmul.shard(strategy_matmul)
        if self.has_bias and strategy_bias is not None:
            self.bias_add.shard(strategy_bias)
        return self


__getattr__ = explains_missing_names(globals())

# SPDX-License-Identifier: Apache-2.0
"""What bijectors share, and the bijectors."""

from __future__ import annotations

from mindspore._kept import Kept
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.nn.probability import _parameters as given
from mindspore.ops._registry import op

_FUNCTIONS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """Base of invertible transformations.

    A bijector of one's own defines `_forward`, `_inverse`, `_forward_log_jacobian` and
    `_inverse_log_jacobian` of a value; one of the last two is enough where the other direction is defined.

    Args:
        is_constant_jacobian (bool): Whether its derivative is constant. Default: ``False``.
        is_injective (bool): Whether it has an inverse. Default: ``True``.
        name (str): Its name. Default: ``None``.
        dtype (mindspore.dtype): Type of values; None for any floating one. Default: ``None``.
        param (dict): With the key "param_dict": parameters by name. Default: ``None``.

    Raises:
        TypeError: An argument has another type, or parameters have different ones.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, is_constant_jacobian=False, is_injective=True, name=None, dtype=None, param=None):
        super().__init__()
        owner = type(self).__name__
        self._name = given.check_name(owner if name is None else name, owner)
        self._is_constant_jacobian, self._is_injective, self._dtype = (
            is_constant_jacobian,
            is_injective,
            dtype,
        )
        values = (param or {}).get("param_dict", {})
        self.parameter_type = self._kind(values)
        self._parameters: dict = {}
        shapes = [given.shape_of(value) for value in values.values()]
        self._batch_shape = given.broadcast(owner, list(values), shapes) if shapes else None
        self._is_scalar_batch = bool(shapes) and not any(shapes)

    def _kind(self, values: dict):
        """The floating type of the parameters."""
        for name, value in values.items():
            tensor = given.as_tensor(value, mstype.float32, name, self._name)
            plain = given.kind_of(value) is None
            whole = isinstance(value, (int, list, tuple)) and Tensor(value).dtype not in mstype.float_type
            if (plain and whole) or (not plain and given.kind_of(value) not in mstype.float_type):
                raise TypeError(f"For '{self._name}', the '{name}' must be floating, but got {tensor.dtype}.")
            if self._dtype is not None and not plain and given.kind_of(value) != self._dtype:
                raise TypeError(
                    f"For '{self._name}', the '{name}' must be {self._dtype}, but got {given.kind_of(value)}."
                )
        return given.common_kind(values, mstype.float32 if self._dtype is None else self._dtype)

    def _add_parameter(self, value, name: str):
        """The tensor of a parameter."""
        tensor = given.as_tensor(value, self.parameter_type, name, self._name)
        self._parameters[name] = tensor
        return tensor

    name = Kept("str", "Its name.")
    dtype = Kept("", "Type of values.")
    parameters = Kept("dict", "Parameters by name.")
    is_constant_jacobian = Kept("bool", "Whether its derivative is constant.")
    is_injective = Kept("bool", "Whether it has an inverse.")
    is_scalar_batch = Kept("bool", "Whether all parameters are single numbers.")
    batch_shape = Kept("", "Common shape of the parameters; None without parameters.")

    def cast_param_by_value(self, value, para):
        """A parameter in the type of a value.

        Args:
            value (Tensor): The value.
            para (Tensor): The parameter.

        Returns:
            Tensor.
        """
        return op.cast(para, value.dtype)

    def shape_mapping(self, shape):
        """The shape of the result for a shape of the input: the same.

        Args:
            shape (tuple): Shape of the input.

        Returns:
            tuple.
        """
        return shape

    def _check_value_dtype(self, value):
        """`value`; TypeError when it is no Tensor of a fitting type."""
        if not isinstance(value, Tensor):
            raise TypeError(
                f"For '{self._name}', the value must be a Tensor, but got {type(value).__name__}."
            )
        wanted = mstype.float_type if self._dtype is None else (self._dtype,)
        if value.dtype not in wanted:
            raise TypeError(
                f"For '{self._name}', the value must be of {list(wanted)}, but got {value.dtype}."
            )
        return value

    def _defined(self, name: str):
        function = getattr(type(self), "_" + name, None)
        if function is None:
            return None
        return getattr(self, "_" + name)

    def _run(self, name: str, value, args, kwargs):
        function = self._defined(name)
        if function is None:
            raise NotImplementedError(f"For '{self._name}', the '{name}' is not implemented.")
        return function(value, *args, **kwargs)

    def forward(self, value, *args, **kwargs):
        """The transformed value."""
        return self._run("forward", value, args, kwargs)

    def inverse(self, value, *args, **kwargs):
        """What is transformed to a value."""
        return self._run("inverse", value, args, kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """Logarithm of the derivative at a value."""
        if (
            self._defined("forward_log_jacobian") is None
            and self._defined("inverse_log_jacobian") is not None
        ):
            return op.neg(self.inverse_log_jacobian(self.forward(value, *args, **kwargs), *args, **kwargs))
        return self._run("forward_log_jacobian", value, args, kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """Logarithm of the derivative of the inverse at a value."""
        if (
            self._defined("inverse_log_jacobian") is None
            and self._defined("forward_log_jacobian") is not None
        ):
            return op.neg(self.forward_log_jacobian(self.inverse(value, *args, **kwargs), *args, **kwargs))
        return self._run("inverse_log_jacobian", value, args, kwargs)

    def construct(self, name, *args, **kwargs):
        """Calls a function by its name, or transforms a distribution.

        Args:
            name (Union[str, Distribution]): The function, or the distribution to transform.
            args: Arguments of the function.
            kwargs: Named arguments of the function.
        """
        if isinstance(name, Cell):
            from mindspore.nn.probability.distribution import Distribution, TransformedDistribution

            if isinstance(name, Distribution):
                return TransformedDistribution(self, name, name.seed)
        if name not in _FUNCTIONS:
            raise NotImplementedError(f"For '{self._name}', there is no function '{name}'.")
        return getattr(self, name)(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        """A distribution can not be traced: it is transformed at once."""
        if args and isinstance(args[0], Cell):
            return self.construct(*args, **kwargs)
        return super().__call__(*args, **kwargs)

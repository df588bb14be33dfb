# SPDX-License-Identifier: Apache-2.0
"""The bijectors."""

from __future__ import annotations

from functools import wraps

from mindspore._kept import Kept
from mindspore._wording import Wording
from mindspore.nn.probability.bijector.bijector import Bijector
from mindspore.ops._registry import op

# What the documentation of bijectors says alike.
_BIJECTOR = Wording("""
    Args:
        name (str): Its name.

    Supported Platforms:
        ``CPU``
    """)


def _of_value(formula):
    """Makes a method of a formula over a value and the parameters, in the value's type."""

    @wraps(formula)
    def method(self, value):
        value = self._check_value_dtype(value)
        return formula(value, *[self.cast_param_by_value(value, p) for p in self.parameters.values()])

    return method


def _log1p_exp(x):
    return op.maximum(x, 0) + op.log1p(op.exp(-op.abs(x)))


@_BIJECTOR
class Exp(Bijector):
    """``exp(x)``."""

    def __init__(self, name="Exp"):
        super().__init__(name=name)

    _forward = _of_value(op.exp)
    _inverse = _of_value(op.log)
    _forward_log_jacobian = _of_value(lambda x: x)
    _inverse_log_jacobian = _of_value(lambda y: op.neg(op.log(y)))


@_BIJECTOR
class PowerTransform(Bijector):
    """``(1 + x * power) ** (1 / power)``, and ``exp(x)`` for power 0.

    Args:
        power (Union[float, list, numpy.ndarray, Tensor]): Not negative.

    Raises:
        TypeError: `power` is not floating.
        ValueError: `power` is negative.
    """

    def __init__(self, power=0.0, name="PowerTransform"):
        super().__init__(name=name, param={"param_dict": {"power": power}})
        self._power = self._add_parameter(power, "power")
        if (self._power.asnumpy() < 0).any():
            raise ValueError(f"For '{self.name}', the 'power' must not be negative, but got {power}.")

    power = Kept("Tensor", "The power.")

    @_of_value
    def _forward(x, power):
        safe = op.where(op.equal(power, 0), op.ones_like(power), power)
        return op.where(op.equal(power, 0), op.exp(x), op.exp(op.log1p(x * power) / safe))

    @_of_value
    def _inverse(y, power):
        safe = op.where(op.equal(power, 0), op.ones_like(power), power)
        return op.where(op.equal(power, 0), op.log(y), op.expm1(op.log(y) * power) / safe)

    @_of_value
    def _forward_log_jacobian(x, power):
        safe = op.where(op.equal(power, 0), op.ones_like(power), power)
        return op.where(op.equal(power, 0), x, (1 / safe - 1) * op.log1p(x * power))

    _inverse_log_jacobian = _of_value(lambda y, power: (power - 1) * op.log(y))


@_BIJECTOR
class ScalarAffine(Bijector):
    """``scale * x + shift``.

    Args:
        scale (Union[float, list, numpy.ndarray, Tensor]): Factor.
        shift (Union[float, list, numpy.ndarray, Tensor]): Summand.

    Raises:
        TypeError: A parameter is not floating.
    """

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        super().__init__(
            is_constant_jacobian=True, name=name, param={"param_dict": {"scale": scale, "shift": shift}}
        )
        self._scale = self._add_parameter(scale, "scale")
        self._shift = self._add_parameter(shift, "shift")

    scale = Kept("Tensor", "The factor.")
    shift = Kept("Tensor", "The summand.")

    _forward = _of_value(lambda x, scale, shift: scale * x + shift)
    _inverse = _of_value(lambda y, scale, shift: (y - shift) / scale)
    _forward_log_jacobian = _of_value(lambda x, scale, shift: op.log(op.abs(scale)))
    _inverse_log_jacobian = _of_value(lambda y, scale, shift: -op.log(op.abs(scale)))


@_BIJECTOR
class Softplus(Bijector):
    """``log(1 + exp(sharpness * x)) / sharpness``.

    Args:
        sharpness (Union[float, list, numpy.ndarray, Tensor]): How sharply it bends.

    Raises:
        TypeError: `sharpness` is not floating.
    """

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name=name, param={"param_dict": {"sharpness": sharpness}})
        self._sharpness = self._add_parameter(sharpness, "sharpness")

    sharpness = Kept("Tensor", "How sharply it bends.")

    @_of_value
    def _inverse(y, sharpness):
        scaled = sharpness * y
        return (scaled + op.log(-op.expm1(-scaled))) / sharpness

    _forward = _of_value(lambda x, sharpness: _log1p_exp(sharpness * x) / sharpness)
    _forward_log_jacobian = _of_value(lambda x, sharpness: -_log1p_exp(-sharpness * x))
    _inverse_log_jacobian = _of_value(lambda y, sharpness: -op.log(-op.expm1(-sharpness * y)))


@_BIJECTOR
class GumbelCDF(Bijector):
    """``exp(-exp(-(x - loc) / scale))``.

    Args:
        loc (Union[float, list, numpy.ndarray, Tensor]): Its centre.
        scale (Union[float, list, numpy.ndarray, Tensor]): Its scale, above 0.

    Raises:
        TypeError: A parameter is not floating.
        ValueError: `scale` is not positive.
    """

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        super().__init__(name=name, param={"param_dict": {"loc": loc, "scale": scale}})
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        if not (self._scale.asnumpy() > 0).all():
            raise ValueError(f"For '{self.name}', the 'scale' must be greater than 0, but got {scale}.")

    loc = Kept("Tensor", "Its centre.")
    scale = Kept("Tensor", "Its scale.")

    @_of_value
    def _forward_log_jacobian(x, loc, scale):
        z = (x - loc) / scale
        return -z - op.exp(-z) - op.log(scale)

    _forward = _of_value(lambda x, loc, scale: op.exp(-op.exp((loc - x) / scale)))
    _inverse = _of_value(lambda y, loc, scale: loc - scale * op.log(-op.log(y)))
    _inverse_log_jacobian = _of_value(lambda y, loc, scale: op.log(scale) - op.log(-op.log(y)) - op.log(y))


@_BIJECTOR
class Invert(Bijector):
    """The inverse of a bijector.

    Args:
        bijector (Bijector): What is inverted.
        name (str): Its name. Default: ``""``, "Invert" and the bijector's.

    Raises:
        TypeError: `bijector` is no Bijector.
    """

    def __init__(self, bijector, name=""):
        if not isinstance(bijector, Bijector):
            raise TypeError(
                f"For 'Invert', the 'bijector' must be a Bijector, but got {type(bijector).__name__}."
            )
        super().__init__(
            is_constant_jacobian=bijector.is_constant_jacobian,
            is_injective=bijector.is_injective,
            name=name if name != "" else "Invert" + bijector.name,
            dtype=bijector.dtype,
        )
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    bijector = Kept("", "What is inverted.")

    def forward(self, x):
        """The transformed value."""
        return self._bijector.inverse(x)

    def inverse(self, y):
        """What is transformed to a value."""
        return self._bijector.forward(y)

    def forward_log_jacobian(self, x):
        """Logarithm of the derivative at a value."""
        return self._bijector.inverse_log_jacobian(x)

    def inverse_log_jacobian(self, y):
        """Logarithm of the derivative of the inverse at a value."""
        return self._bijector.forward_log_jacobian(y)

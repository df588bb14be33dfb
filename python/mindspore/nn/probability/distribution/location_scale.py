# SPDX-License-Identifier: Apache-2.0
"""Distributions that are moved and stretched versions of one."""

from __future__ import annotations

import math

import numpy as np

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.nn.probability.distribution._formulas import drawn, of_another, of_parameters, of_value
from mindspore.nn.probability.distribution.distribution import ANY, DISTRIBUTION, POSITIVE, Distribution
from mindspore.ops._registry import op

_EULER = float(np.euler_gamma)


def open_uniform(shape, seed, dtype):
    """Numbers in (0, 1), so that their logarithms are finite."""
    tiny = float(np.finfo(np.float32).tiny)
    numbers = ops.uniform(shape, ops.scalar_to_tensor(tiny), ops.scalar_to_tensor(1.0), seed, mstype.float32)
    return op.cast(numbers, dtype)


def _softplus(x):
    return op.maximum(x, 0) + op.log1p(op.exp(-op.abs(x)))


@DISTRIBUTION
class Uniform(Distribution):
    """Uniform distribution.

    Args:
        low (Union[int, float, list, numpy.ndarray, Tensor]): Lower end. Default: ``None``, given with
            every call.
        high (Union[int, float, list, numpy.ndarray, Tensor]): Upper end, above `low`.
    """

    _RULES = {"low": ANY, "high": ANY}

    def __init__(self, low=None, high=None, seed=None, dtype=mstype.float32, name="Uniform"):
        super().__init__(seed, dtype, name, {"param_dict": {"low": low, "high": high}})
        if low is not None and high is not None and not (self.low.asnumpy() < self.high.asnumpy()).all():
            raise ValueError(f"For 'Uniform', the 'low' must be less than 'high', but got {low} and {high}.")

    @of_value
    def _prob(value, low, high):
        inside = op.logical_and(op.greater_equal(value, low), op.less_equal(value, high))
        return op.where(inside, 1 / (high - low), op.zeros_like(value))

    @of_value
    def _cdf(value, low, high):
        return op.minimum(op.maximum((value - low) / (high - low), 0), 1)

    _mean = of_parameters(lambda low, high: 0.5 * (low + high))
    _var = of_parameters(lambda low, high: op.square(high - low) / 12)
    _entropy = of_parameters(lambda low, high: op.log(high - low))

    @of_another
    def _kl_loss(low_b, high_b, low, high):
        inside = op.logical_and(op.less_equal(low_b, low), op.less_equal(high, high_b))
        return op.where(inside, op.log(high_b - low_b) - op.log(high - low), math.inf)

    @drawn
    def _sample(seed, shape, low, high):
        return op.cast(ops.rand(*shape, seed=seed or None), low.dtype) * (high - low) + low


@DISTRIBUTION
class Cauchy(Distribution):
    """Cauchy distribution.

    Args:
        scale (Union[int, float, list, numpy.ndarray, Tensor]): Its half width, positive.

    Raises:
        TypeError: An argument has another type.
        ValueError: `scale` is not positive, or shapes do not fit; there is no mean and no variance.
    """

    _RULES = {"loc": ANY, "scale": POSITIVE}

    def __init__(self, loc=None, scale=None, seed=None, dtype=mstype.float32, name="Cauchy"):
        super().__init__(seed, dtype, name, {"param_dict": {"loc": loc, "scale": scale}})

    def _undefined(self, *args, **kwargs):
        raise ValueError("For 'Cauchy', the mean, the standard deviation and the variance are undefined.")

    _mean = _sd = _var = _undefined
    _mode = of_parameters(lambda loc, scale: loc)
    _entropy = of_parameters(lambda loc, scale: op.log(4 * math.pi * scale))
    _log_prob = of_value(
        lambda value, loc, scale: -op.log1p(op.square((value - loc) / scale))
        - op.log(scale)
        - math.log(math.pi)
    )
    _cdf = of_value(lambda value, loc, scale: 0.5 + op.atan((value - loc) / scale) / math.pi)

    @of_another
    def _kl_loss(loc_b, scale_b, loc, scale):
        return op.log(op.square(scale + scale_b) + op.square(loc - loc_b)) - op.log(4 * scale * scale_b)

    @drawn
    def _sample(seed, shape, loc, scale):
        return loc + scale * op.tan(math.pi * (open_uniform(shape, seed, loc.dtype) - 0.5))


@DISTRIBUTION
class Laplace(Distribution):
    """Laplace distribution."""

    _RULES = {"mean": ANY, "sd": POSITIVE}

    def __init__(self, mean=None, sd=None, seed=None, dtype=mstype.float32, name="Laplace"):
        super().__init__(seed, dtype, name, {"param_dict": {"mean": mean, "sd": sd}})

    _log_prob = of_value(lambda value, mean, sd: -op.abs(value - mean) / sd - op.log(2 * sd))

    @of_value
    def _cdf(value, mean, sd):
        z = (value - mean) / sd
        return 0.5 - 0.5 * op.sign(z) * op.expm1(-op.abs(z))

    _mean = of_parameters(lambda mean, sd: mean)
    _mode = of_parameters(lambda mean, sd: mean)
    _var = of_parameters(lambda mean, sd: 2 * op.square(sd))
    _entropy = of_parameters(lambda mean, sd: 1 + op.log(2 * sd))

    @of_another
    def _kl_loss(mean_b, sd_b, mean, sd):
        gap = op.abs(mean - mean_b)
        return op.log(sd_b) - op.log(sd) - 1 + (sd * op.exp(-gap / sd) + gap) / sd_b

    @drawn
    def _sample(seed, shape, mean, sd):
        return op.cast(ops.standard_laplace(shape, seed), mean.dtype) * sd + mean


@DISTRIBUTION
class Logistic(Distribution):
    """Logistic distribution."""

    _RULES = {"loc": ANY, "scale": POSITIVE}

    def __init__(self, loc=None, scale=None, seed=None, dtype=mstype.float32, name="Logistic"):
        super().__init__(seed, dtype, name, {"param_dict": {"loc": loc, "scale": scale}})

    @of_value
    def _log_prob(value, loc, scale):
        z = (value - loc) / scale
        return -z - 2 * _softplus(-z) - op.log(scale)

    _cdf = of_value(lambda value, loc, scale: op.sigmoid((value - loc) / scale))
    _log_cdf = of_value(lambda value, loc, scale: -_softplus((loc - value) / scale))
    _survival_function = of_value(lambda value, loc, scale: op.sigmoid((loc - value) / scale))
    _log_survival = of_value(lambda value, loc, scale: -_softplus((value - loc) / scale))
    _mean = of_parameters(lambda loc, scale: loc)
    _mode = of_parameters(lambda loc, scale: loc)
    _sd = of_parameters(lambda loc, scale: scale * (math.pi / math.sqrt(3)))
    _entropy = of_parameters(lambda loc, scale: op.log(scale) + 2)

    @drawn
    def _sample(seed, shape, loc, scale):
        number = open_uniform(shape, seed, loc.dtype)
        return loc + scale * (op.log(number) - op.log1p(-number))


@DISTRIBUTION
class Gumbel(Distribution):
    """Gumbel distribution.

    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): Its mode.
    """

    _RULES = {"loc": ANY, "scale": POSITIVE}

    def __init__(self, loc, scale, seed=0, dtype=mstype.float32, name="Gumbel"):
        super().__init__(seed, dtype, name, {"param_dict": {"loc": loc, "scale": scale}})

    @of_value
    def _log_prob(value, loc, scale):
        z = (value - loc) / scale
        return -(z + op.exp(-z)) - op.log(scale)

    _log_cdf = of_value(lambda value, loc, scale: -op.exp((loc - value) / scale))
    _survival_function = of_value(lambda value, loc, scale: -op.expm1(-op.exp((loc - value) / scale)))
    _mean = of_parameters(lambda loc, scale: loc + scale * _EULER)
    _mode = of_parameters(lambda loc, scale: loc)
    _sd = of_parameters(lambda loc, scale: scale * (math.pi / math.sqrt(6)))
    _entropy = of_parameters(lambda loc, scale: op.log(scale) + 1 + _EULER)

    @of_another
    def _kl_loss(loc_b, scale_b, loc, scale):
        ratio = scale / scale_b
        lead = (loc - loc_b) / scale_b
        return -op.log(ratio) + _EULER * (ratio - 1) + op.expm1(op.lgamma(ratio + 1) - lead) + lead

    @drawn
    def _sample(seed, shape, loc, scale):
        return loc - scale * op.log(-op.log(open_uniform(shape, seed, loc.dtype)))

# SPDX-License-Identifier: Apache-2.0
"""The normal distribution and its kin."""

from __future__ import annotations

import math

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.nn.probability.distribution._formulas import drawn, of_another, of_parameters, of_value
from mindspore.nn.probability.distribution.distribution import ANY, DISTRIBUTION, POSITIVE, Distribution
from mindspore.ops._registry import op

_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
_ROOT_TWO = math.sqrt(2)


def _log_density(value, mean, sd):
    return -0.5 * op.square((value - mean) / sd) - op.log(sd) - _HALF_LOG_TAU


def _below(value, mean, sd):
    return 0.5 * op.erfc((mean - value) / (sd * _ROOT_TWO))


def _divergence(mean_b, sd_b, mean, sd):
    lead = op.log(sd) - op.log(sd_b)
    return 0.5 * op.square((mean - mean_b) / sd_b) + 0.5 * op.expm1(2 * lead) - lead


@DISTRIBUTION
class Normal(Distribution):
    """Normal distribution.

    Args:
        mean (Union[int, float, list, numpy.ndarray, Tensor]): Its mean. Default: ``None``, given with
            every call.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): Its standard deviation, positive.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore.nn.probability.distribution import Normal
        >>> normal = Normal(0.0, 1.0)
        >>> print(normal.cdf(ms.Tensor([0.0])))
        [0.5]
        >>> normal.sample((2, 3)).shape
        (2, 3)
    """

    _RULES = {"mean": ANY, "sd": POSITIVE}

    def __init__(self, mean=None, sd=None, seed=None, dtype=mstype.float32, name="Normal"):
        super().__init__(seed, dtype, name, {"param_dict": {"mean": mean, "sd": sd}})

    _log_prob = of_value(_log_density)
    _cdf = of_value(_below)
    _survival_function = of_value(lambda value, mean, sd: _below(-value, -mean, sd))
    _mean = of_parameters(lambda mean, sd: mean)
    _mode = of_parameters(lambda mean, sd: mean)
    _sd = of_parameters(lambda mean, sd: sd)
    _entropy = of_parameters(lambda mean, sd: op.log(sd) + _HALF_LOG_TAU + 0.5)
    _kl_loss = of_another(_divergence)

    @drawn
    def _sample(seed, shape, mean, sd):
        return op.cast(ops.standard_normal(shape, seed), mean.dtype) * sd + mean


@DISTRIBUTION
class LogNormal(Distribution):
    """Distribution of a number whose logarithm is normally distributed.

    Args:
        loc (Union[int, float, list, numpy.ndarray, Tensor]): Mean of the logarithm.
        scale (Union[int, float, list, numpy.ndarray, Tensor]): Standard deviation of the logarithm,
            positive.
    """

    _RULES = {"loc": ANY, "scale": POSITIVE}

    def __init__(self, loc=None, scale=None, seed=0, dtype=mstype.float32, name="LogNormal"):
        super().__init__(seed, dtype, name, {"param_dict": {"loc": loc, "scale": scale}})

    _log_prob = of_value(lambda value, loc, scale: _log_density(op.log(value), loc, scale) - op.log(value))
    _cdf = of_value(lambda value, loc, scale: _below(op.log(value), loc, scale))
    _mean = of_parameters(lambda loc, scale: op.exp(loc + 0.5 * op.square(scale)))
    _mode = of_parameters(lambda loc, scale: op.exp(loc - op.square(scale)))
    _var = of_parameters(lambda loc, scale: op.expm1(op.square(scale)) * op.exp(2 * loc + op.square(scale)))
    _entropy = of_parameters(lambda loc, scale: loc + op.log(scale) + _HALF_LOG_TAU + 0.5)
    _kl_loss = of_another(_divergence)

    @drawn
    def _sample(seed, shape, loc, scale):
        return op.exp(op.cast(ops.standard_normal(shape, seed), loc.dtype) * scale + loc)


@DISTRIBUTION
class HalfNormal(Distribution):
    """The upper half of a normal distribution.

    Args:
        mean (Union[int, float, list, numpy.ndarray, Tensor]): Where it begins.
        sd (Union[int, float, list, numpy.ndarray, Tensor]): Standard deviation of the whole normal
            distribution, positive.
    """

    _RULES = {"mean": ANY, "sd": POSITIVE}

    def __init__(self, mean=None, sd=None, seed=None, dtype=mstype.float32, name="HalfNormal"):
        super().__init__(seed, dtype, name, {"param_dict": {"mean": mean, "sd": sd}})

    @of_value
    def _log_prob(value, mean, sd):
        inside = op.greater_equal(value, mean)
        return op.where(inside, _log_density(value, mean, sd) + math.log(2), -math.inf)

    @of_value
    def _cdf(value, mean, sd):
        return op.erf(op.maximum(value - mean, 0) / (sd * _ROOT_TWO))

    _mean = of_parameters(lambda mean, sd: mean + sd * math.sqrt(2 / math.pi))
    _mode = of_parameters(lambda mean, sd: mean)
    _var = of_parameters(lambda mean, sd: op.square(sd) * (1 - 2 / math.pi))
    _entropy = of_parameters(lambda mean, sd: op.log(sd) + _HALF_LOG_TAU + 0.5 - math.log(2))

    @drawn
    def _sample(seed, shape, mean, sd):
        return op.abs(op.cast(ops.standard_normal(shape, seed), mean.dtype)) * sd + mean


@DISTRIBUTION
class StudentT(Distribution):
    """Student's distribution.

    Args:
        df (Union[int, float, list, numpy.ndarray, Tensor]): Degrees of freedom, positive.
        mean (Union[int, float, list, numpy.ndarray, Tensor]): Its centre.
    """

    _RULES = {"df": POSITIVE, "mean": ANY, "sd": POSITIVE}

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=mstype.float32, name="StudentT"):
        super().__init__(seed, dtype, name, {"param_dict": {"df": df, "mean": mean, "sd": sd}})

    @of_value
    def _log_prob(value, df, mean, sd):
        half = 0.5 * (df + 1)
        norm = op.lgamma(half) - op.lgamma(0.5 * df) - 0.5 * op.log(df * math.pi) - op.log(sd)
        return norm - half * op.log1p(op.square((value - mean) / sd) / df)

    @of_value
    def _cdf(value, df, mean, sd):
        z = (value - mean) / sd
        tail = 0.5 * op.betainc(0.5 * df, op.ones_like(df) * 0.5, df / (df + op.square(z)))
        return op.where(op.greater(z, 0), 1 - tail, tail)

    _mode = of_parameters(lambda df, mean, sd: mean)
    _mean = of_parameters(lambda df, mean, sd: op.where(op.greater(df, 1), mean, math.nan))

    @of_parameters
    def _var(df, mean, sd):
        finite = op.square(sd) * df / op.maximum(df - 2, 1e-30)
        infinite = op.where(op.greater(df, 1), math.inf, op.zeros_like(df) + math.nan)
        return op.where(op.greater(df, 2), finite, infinite)

    @drawn
    def _sample(seed, shape, df, mean, sd):
        normal = op.cast(ops.standard_normal(shape, seed), mean.dtype)
        half = op.broadcast_to(0.5 * df, shape)
        chi = 2 * op.cast(ops.random_gamma((), half, seed), mean.dtype)
        return mean + sd * normal * op.sqrt(df / chi)

# SPDX-License-Identifier: Apache-2.0
"""Distributions of positive numbers and of shares."""

from __future__ import annotations

import math

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.nn.layer.math import log_beta
from mindspore.nn.probability.distribution._formulas import drawn, of_another, of_parameters, of_value
from mindspore.nn.probability.distribution.distribution import DISTRIBUTION, POSITIVE, Distribution
from mindspore.nn.probability.distribution.location_scale import open_uniform
from mindspore.ops._registry import op


@DISTRIBUTION
class Exponential(Distribution):
    """Exponential distribution."""

    _RULES = {"rate": POSITIVE}

    def __init__(self, rate=None, seed=None, dtype=mstype.float32, name="Exponential"):
        super().__init__(seed, dtype, name, {"param_dict": {"rate": rate}})

    @of_value
    def _log_prob(value, rate):
        return op.where(op.less(value, 0), -math.inf, op.log(rate) - rate * value)

    _cdf = of_value(lambda value, rate: -op.expm1(-rate * op.maximum(value, 0)))
    _log_survival = of_value(lambda value, rate: -rate * op.maximum(value, 0))
    _survival_function = of_value(lambda value, rate: op.exp(-rate * op.maximum(value, 0)))
    _mean = of_parameters(op.reciprocal)
    _mode = of_parameters(op.zeros_like)
    _sd = of_parameters(op.reciprocal)
    _entropy = of_parameters(lambda rate: 1 - op.log(rate))
    _kl_loss = of_another(lambda rate_b, rate: op.log(rate) - op.log(rate_b) + rate_b / rate - 1)

    @drawn
    def _sample(seed, shape, rate):
        return -op.log(open_uniform(shape, seed, rate.dtype)) / rate


def _require_axes(owner: str, **values) -> None:
    for name, value in values.items():
        if isinstance(value, (int, float)):
            raise TypeError(f"For '{owner}', the '{name}' must have an axis, but got the number {value}.")


def _unless(condition, value):
    return op.where(condition, value, math.nan)


@DISTRIBUTION
class Gamma(Distribution):
    """Gamma distribution.

    Args:
        concentration (Union[list, numpy.ndarray, Tensor]): Its shape, positive, with an axis.
            Default: ``None``, given with every call.
        rate (Union[list, numpy.ndarray, Tensor]): Its rate, positive, with an axis.
    """

    _RULES = {"concentration": POSITIVE, "rate": POSITIVE}

    def __init__(self, concentration=None, rate=None, seed=None, dtype=mstype.float32, name="Gamma"):
        _require_axes("Gamma", concentration=concentration, rate=rate)
        super().__init__(seed, dtype, name, {"param_dict": {"concentration": concentration, "rate": rate}})

    @of_value
    def _log_prob(value, concentration, rate):
        part = op.xlogy(concentration, rate) + op.xlogy(concentration - 1, value)
        return part - rate * value - op.lgamma(concentration)

    _cdf = of_value(lambda value, concentration, rate: op.igamma(concentration, rate * value))
    _survival_function = of_value(lambda value, concentration, rate: op.igammac(concentration, rate * value))
    _mean = of_parameters(lambda concentration, rate: concentration / rate)
    _var = of_parameters(lambda concentration, rate: concentration / op.square(rate))
    _sd = of_parameters(lambda concentration, rate: op.sqrt(concentration) / rate)
    _mode = of_parameters(
        lambda concentration, rate: _unless(op.greater(concentration, 1), (concentration - 1) / rate)
    )

    @of_parameters
    def _entropy(concentration, rate):
        own = op.lgamma(concentration) + (1 - concentration) * op.digamma(concentration)
        return concentration - op.log(rate) + own

    @of_another
    def _kl_loss(concentration_b, rate_b, concentration, rate):
        shapes = (concentration - concentration_b) * op.digamma(concentration)
        norms = op.lgamma(concentration_b) - op.lgamma(concentration)
        rates = concentration_b * (op.log(rate) - op.log(rate_b)) + concentration * (rate_b / rate - 1)
        return shapes + norms + rates

    @drawn
    def _sample(seed, shape, concentration, rate):
        full = op.broadcast_to(concentration, shape)
        return op.cast(ops.random_gamma((), full, seed), rate.dtype) / rate


@DISTRIBUTION
class Beta(Distribution):
    """Beta distribution.

    Args:
        concentration1 (Union[list, numpy.ndarray, Tensor]): Pull towards 1, positive, with an axis.
            Default: ``None``, given with every call.
        concentration0 (Union[list, numpy.ndarray, Tensor]): Pull towards 0, positive, with an axis.
    """

    _RULES = {"concentration1": POSITIVE, "concentration0": POSITIVE}

    def __init__(
        self, concentration1=None, concentration0=None, seed=None, dtype=mstype.float32, name="Beta"
    ):
        values = {"concentration1": concentration1, "concentration0": concentration0}
        _require_axes("Beta", **values)
        super().__init__(seed, dtype, name, {"param_dict": values})

    @of_value
    def _log_prob(value, high, low):
        return op.xlogy(high - 1, value) + (low - 1) * op.log1p(-value) - log_beta(high, low)

    _cdf = of_value(lambda value, high, low: op.betainc(high, low, value))
    _mean = of_parameters(lambda high, low: high / (high + low))
    _var = of_parameters(lambda high, low: high * low / (op.square(high + low) * (high + low + 1)))

    @of_parameters
    def _mode(high, low):
        defined = op.logical_and(op.greater(high, 1), op.greater(low, 1))
        return _unless(defined, (high - 1) / (high + low - 2))

    @of_parameters
    def _entropy(high, low):
        total = high + low
        parts = (high - 1) * op.digamma(high) + (low - 1) * op.digamma(low)
        return log_beta(high, low) - parts + (total - 2) * op.digamma(total)

    @of_another
    def _kl_loss(high_b, low_b, high, low):
        total, total_b = high + low, high_b + low_b
        parts = (high_b - high) * op.digamma(high) + (low_b - low) * op.digamma(low)
        norms = log_beta(high_b, low_b) - log_beta(high, low)
        return norms - parts + (total_b - total) * op.digamma(total)

    @drawn
    def _sample(seed, shape, high, low):
        first, second = (
            op.cast(ops.random_gamma((), op.broadcast_to(v, shape), seed), high.dtype) for v in (high, low)
        )
        return first / (first + second)

# SPDX-License-Identifier: Apache-2.0
"""Distributions of whole numbers."""

from __future__ import annotations

import math

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.nn.probability.distribution._formulas import drawn, of_another, of_parameters, of_value
from mindspore.nn.probability.distribution.distribution import (
    DISTRIBUTION,
    POSITIVE,
    PROBABILITY,
    Distribution,
)
from mindspore.nn.probability.distribution.location_scale import open_uniform
from mindspore.ops._registry import op

_WHOLE = (*mstype.int_type, *mstype.uint_type, *mstype.float_type)


@DISTRIBUTION
class Bernoulli(Distribution):
    """Distribution of 0 and 1.

    Args:
        probs (Union[float, list, numpy.ndarray, Tensor]): Probability of 1, in (0, 1). Default:
            ``None``, given with every call.
        dtype (mindspore.dtype): Type of samples.
    """

    _KINDS = _WHOLE
    _RULES = {"probs": PROBABILITY}

    def __init__(self, probs=None, seed=None, dtype=mstype.int32, name="Bernoulli"):
        super().__init__(seed, dtype, name, {"param_dict": {"probs": probs}})

    _log_prob = of_value(lambda value, probs: value * op.log(probs) + (1 - value) * op.log1p(-probs))

    @of_value
    def _cdf(value, probs):
        below = op.where(op.less(value, 1), 1 - probs, op.ones_like(value))
        return op.where(op.less(value, 0), op.zeros_like(below), below)

    _mean = of_parameters(lambda probs: probs)
    _mode = of_parameters(lambda probs: op.cast(op.greater(probs, 0.5), mstype.int32))
    _var = of_parameters(lambda probs: probs * (1 - probs))
    _entropy = of_parameters(lambda probs: -probs * op.log(probs) - (1 - probs) * op.log1p(-probs))

    @of_another
    def _kl_loss(probs_b, probs):
        ones = probs * (op.log(probs) - op.log(probs_b))
        return ones + (1 - probs) * (op.log1p(-probs) - op.log1p(-probs_b))

    @drawn
    def _sample(seed, shape, probs):
        return op.less(op.cast(ops.rand(*shape, seed=seed or None), probs.dtype), probs)


@DISTRIBUTION
class Geometric(Distribution):
    """Distribution of the number of failures before the first success.

    Args:
        probs (Union[float, list, numpy.ndarray, Tensor]): Probability of success, in (0, 1).
            Default: ``None``, given with every call.
        dtype (mindspore.dtype): Type of samples.
    """

    _KINDS = _WHOLE
    _RULES = {"probs": PROBABILITY}

    def __init__(self, probs=None, seed=None, dtype=mstype.int32, name="Geometric"):
        super().__init__(seed, dtype, name, {"param_dict": {"probs": probs}})

    @of_value
    def _prob(value, probs):
        count = op.floor(value)
        return op.where(op.less(count, 0), 0.0, probs * op.exp(op.maximum(count, 0) * op.log1p(-probs)))

    @of_value
    def _cdf(value, probs):
        count = op.floor(value) + 1
        return op.where(op.less_equal(count, 0), 0.0, -op.expm1(op.maximum(count, 0) * op.log1p(-probs)))

    _mean = of_parameters(lambda probs: (1 - probs) / probs)
    _mode = of_parameters(op.zeros_like)
    _var = of_parameters(lambda probs: (1 - probs) / op.square(probs))
    _entropy = of_parameters(lambda probs: -(probs * op.log(probs) + (1 - probs) * op.log1p(-probs)) / probs)

    @of_another
    def _kl_loss(probs_b, probs):
        failures = (1 - probs) / probs * (op.log1p(-probs) - op.log1p(-probs_b))
        return op.log(probs) - op.log(probs_b) + failures

    @drawn
    def _sample(seed, shape, probs):
        return op.floor(op.log(open_uniform(shape, seed, probs.dtype)) / op.log1p(-probs))


@DISTRIBUTION
class Poisson(Distribution):
    """Poisson distribution.

    Args:
        dtype (mindspore.dtype): Type of samples.
    """

    _KINDS = _WHOLE
    _RULES = {"rate": POSITIVE}

    def __init__(self, rate=None, seed=None, dtype=mstype.float32, name="Poisson"):
        super().__init__(seed, dtype, name, {"param_dict": {"rate": rate}})

    @of_value
    def _log_prob(value, rate):
        count = op.maximum(op.floor(value), 0)
        found = op.xlogy(count, rate) - op.lgamma(count + 1) - rate
        return op.where(op.less(value, 0), -math.inf, found)

    @of_value
    def _cdf(value, rate):
        found = op.igammac(op.maximum(op.floor(value), 0) + 1, rate)
        return op.where(op.less(value, 0), 0.0, found)

    _mean = of_parameters(lambda rate: rate)
    _mode = of_parameters(op.floor)
    _var = of_parameters(lambda rate: rate)

    @of_another
    def _kl_loss(rate_b, rate):
        return rate * (op.log(rate) - op.log(rate_b)) - rate + rate_b

    @drawn
    def _sample(seed, shape, rate):
        return ops.random_poisson((), op.broadcast_to(rate, shape), seed)


def _sums_to_one(probs) -> bool:
    return abs(probs.sum(-1) - 1) < 1e-5


@DISTRIBUTION
class Categorical(Distribution):
    """Distribution of class numbers.

    Args:
        probs (Union[list, numpy.ndarray, Tensor]): Probabilities of the classes along the last axis, in
            (0, 1) and with a sum of 1. Default: ``None``, given with every call.
        dtype (mindspore.dtype): Type of samples.
    """

    _KINDS = _WHOLE
    _RULES = {"probs": PROBABILITY}

    def __init__(self, probs=None, seed=None, dtype=mstype.int32, name="Categorical"):
        super().__init__(seed, dtype, name, {"param_dict": {"probs": probs}})
        if probs is not None:
            if self.probs.ndim < 1:
                raise ValueError("For 'Categorical', the 'probs' must have an axis, but got a single number.")
            if not _sums_to_one(self.probs.asnumpy()).all():
                raise ValueError(f"For 'Categorical', the 'probs' must add up to 1, but got {self.probs}.")

    def _event_batch(self, parameters) -> tuple:
        return parameters[0].shape[:-1]

    @of_value
    def _log_prob(value, probs):
        classes = probs.shape[-1]
        number = op.cast(op.floor(value), mstype.int64)
        known = op.logical_and(op.greater_equal(number, 0), op.less(number, classes))
        hit = op.equal(op.expand_dims(number, -1), ops.arange(classes))
        found = op.reduce_sum(op.where(hit, op.log(probs), op.zeros_like(probs)), (-1,))
        return op.where(known, found, -math.inf)

    @of_value
    def _cdf(value, probs):
        numbers = op.cast(ops.arange(probs.shape[-1]), probs.dtype)
        below = op.less_equal(numbers, op.expand_dims(op.floor(value), -1))
        return op.reduce_sum(op.where(below, probs, op.zeros_like(probs)), (-1,))

    @of_parameters
    def _mean(probs):
        numbers = op.cast(ops.arange(probs.shape[-1]), probs.dtype)
        return op.reduce_sum(probs * numbers, (-1,), True)

    @of_parameters
    def _var(probs):
        numbers = op.cast(ops.arange(probs.shape[-1]), probs.dtype)
        mean = op.reduce_sum(probs * numbers, (-1,), True)
        return op.reduce_sum(probs * op.square(numbers - mean), (-1,), True)

    _mode = of_parameters(lambda probs: ops.argmax(probs, -1).astype(mstype.int32))
    # Axes of one element are no part of these, as in MindSpore; mean and variance keep that of the classes.
    _entropy = of_parameters(lambda probs: ops.squeeze(-op.reduce_sum(probs * op.log(probs), (-1,))))
    _kl_loss = of_another(
        lambda probs_b, probs: ops.squeeze(op.reduce_sum(probs * (op.log(probs) - op.log(probs_b)), (-1,)))
    )

    @drawn
    def _sample(seed, shape, probs):
        # The number of partial sums that a uniform number has passed.
        number = op.reshape(ops.rand(*shape, seed=seed or None), (*shape, 1))  # rand() draws one row
        number = op.cast(number, probs.dtype)
        passed = op.greater_equal(number, op.cumsum(probs, -1)[..., :-1])
        return op.reduce_sum(op.cast(passed, mstype.int32), (-1,))

# SPDX-License-Identifier: Apache-2.0
"""Distributions."""

from mindspore._later import imported_names as _imported_names
from mindspore.nn.probability.distribution.discrete import Bernoulli, Categorical, Geometric, Poisson
from mindspore.nn.probability.distribution.distribution import Distribution
from mindspore.nn.probability.distribution.location_scale import Cauchy, Gumbel, Laplace, Logistic, Uniform
from mindspore.nn.probability.distribution.normal import HalfNormal, LogNormal, Normal, StudentT
from mindspore.nn.probability.distribution.positive import Beta, Exponential, Gamma
from mindspore.nn.probability.distribution.transformed_distribution import TransformedDistribution

__all__ = _imported_names(globals())

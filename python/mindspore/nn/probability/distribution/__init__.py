# SPDX-License-Identifier: Apache-2.0
"""Distributions."""

from mindspore.nn.probability.distribution.discrete import Bernoulli, Categorical, Geometric, Poisson
from mindspore.nn.probability.distribution.distribution import Distribution
from mindspore.nn.probability.distribution.location_scale import Cauchy, Gumbel, Laplace, Logistic, Uniform
from mindspore.nn.probability.distribution.normal import HalfNormal, LogNormal, Normal, StudentT
from mindspore.nn.probability.distribution.positive import Beta, Exponential, Gamma
from mindspore.nn.probability.distribution.transformed_distribution import TransformedDistribution

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]

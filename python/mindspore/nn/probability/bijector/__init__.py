# SPDX-License-Identifier: Apache-2.0
"""Invertible transformations."""

from mindspore.nn.probability.bijector.bijector import Bijector
from mindspore.nn.probability.bijector.functions import (
    Exp,
    GumbelCDF,
    Invert,
    PowerTransform,
    ScalarAffine,
    Softplus,
)

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]

# SPDX-License-Identifier: Apache-2.0
"""Inference."""

from mindspore.nn.probability.infer.svi import ELBO, SVI

__all__ = ["ELBO", "SVI"]

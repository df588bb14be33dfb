# SPDX-License-Identifier: Apache-2.0
"""Probability: distributions, transformations of them, and networks whose weights are distributed."""

from mindspore.nn.probability import bijector, bnn_layers, distribution

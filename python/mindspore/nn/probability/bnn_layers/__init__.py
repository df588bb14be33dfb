# SPDX-License-Identifier: Apache-2.0
"""Layers whose weights are distributed, for Bayesian networks."""

from mindspore.nn.probability.bnn_layers.bnn_cell_wrapper import WithBNNLossCell
from mindspore.nn.probability.bnn_layers.layer_distribution import (
    NormalPosterior,
    NormalPrior,
    normal_post_fn,
)
from mindspore.nn.probability.bnn_layers.variational import ConvReparam, DenseLocalReparam, DenseReparam

__all__ = [
    "ConvReparam",
    "DenseLocalReparam",
    "DenseReparam",
    "NormalPosterior",
    "NormalPrior",
    "WithBNNLossCell",
    "normal_post_fn",
]

# SPDX-License-Identifier: Apache-2.0
"""Layers whose weights are distributed, for Bayesian networks."""

from mindspore._later import imported_names as _imported_names
from mindspore.nn.probability.bnn_layers.bnn_cell_wrapper import WithBNNLossCell
from mindspore.nn.probability.bnn_layers.layer_distribution import (
    NormalPosterior,
    NormalPrior,
    normal_post_fn,
)
from mindspore.nn.probability.bnn_layers.variational import ConvReparam, DenseLocalReparam, DenseReparam

__all__ = _imported_names(globals())

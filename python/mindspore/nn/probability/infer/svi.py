# SPDX-License-Identifier: Apache-2.0
"""Variational inference."""

from __future__ import annotations

from mindspore import log as logger
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.loss.loss import MSELoss
from mindspore.nn.probability.distribution import Normal
from mindspore.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore.ops._registry import op


class ELBO(Cell):
    """Negative evidence lower bound of a variational autoencoder.

    Args:
        latent_prior (str): Prior of what is drawn; ``"Normal"``. Default: ``"Normal"``.
        output_prior (str): Distribution of the data; ``"Normal"``. Default: ``"Normal"``.

    Inputs:
        - **data** (tuple) - What the autoencoder gives.
        - **label** (Tensor) - The data.

    Outputs:
        Tensor, one number.

    Raises:
        ValueError: A prior is something else.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, latent_prior="Normal", output_prior="Normal"):
        super().__init__()
        check.one_of(latent_prior, ("Normal",), "latent_prior", "ELBO")
        check.one_of(output_prior, ("Normal",), "output_prior", "ELBO")
        self.posterior = Normal()
        self.recon_loss = MSELoss(reduction="sum")

    def construct(self, data, label):
        reconstructed, x, mean, deviation = data
        zeros = op.zeros_like(mean)
        divergence = self.posterior("kl_loss", "Normal", zeros, zeros + 1, mean, deviation)
        return self.recon_loss(reconstructed, x) + op.reduce_sum(divergence)


class SVI:
    """Stochastic variational inference: trains a network with its loss on a dataset.

    Args:
        net_with_loss (Cell): The network with its loss.
        optimizer (Cell): Updates the parameters.

    Raises:
        TypeError: An argument is no Cell.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, net_with_loss, optimizer):
        for name, cell in (("net_with_loss", net_with_loss), ("optimizer", optimizer)):
            if not isinstance(cell, Cell):
                raise TypeError(f"For 'SVI', the '{name}' must be a Cell, but got {type(cell).__name__}.")
        self.net_with_loss, self.optimizer = net_with_loss, optimizer
        self.loss = 0.0

    def run(self, train_dataset, epochs=10):
        """Trains.

        Args:
            train_dataset (Dataset): Data and labels.
            epochs (int): How often all data is seen. Default: ``10``.

        Returns:
            Cell, the trained network without its loss.
        """
        check.positive_int(epochs, "epochs", "SVI")
        step = TrainOneStepCell(self.net_with_loss, self.optimizer)
        step.set_train()
        for epoch in range(1, epochs + 1):
            losses = [float(step(*data)) for data in train_dataset.create_tuple_iterator(num_epochs=1)]
            if not losses:
                raise ValueError("For 'SVI', the 'train_dataset' must not be empty.")
            self.loss = sum(losses) / len(losses)
            logger.info("epoch %d: loss %f", epoch, self.loss)
        return self.net_with_loss.backbone_network

    def get_train_loss(self):
        """Mean loss of the last epoch."""
        return self.loss

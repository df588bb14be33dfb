# SPDX-License-Identifier: Apache-2.0
"""Data that a variational autoencoder can not reconstruct."""

from __future__ import annotations

import numpy as np

from mindspore.common.tensor import Tensor
from mindspore.nn.optim import Adam
from mindspore.nn.probability.dpn import VAE
from mindspore.nn.probability.infer import ELBO, SVI
from mindspore.nn.wrap.cell_wrapper import WithLossCell


class VAEAnomalyDetection:
    """Finds data that is unlike the training data.

    Args:
        encoder (Cell): From data to `hidden_size` features.
        decoder (Cell): From `hidden_size` features to data.
        hidden_size (int): Features of encoder and decoder. Default: ``400``.
        latent_size (int): Numbers that are drawn. Default: ``20``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, encoder, decoder, hidden_size=400, latent_size=20):
        self.vae = VAE(encoder, decoder, hidden_size, latent_size)

    def train(self, train_dataset, epochs=5):
        """Trains the autoencoder.

        Args:
            train_dataset (Dataset): Ordinary data, with labels.
            epochs (int): How often all data is seen. Default: ``5``.

        Returns:
            Cell, the trained autoencoder.
        """
        network = WithLossCell(self.vae, ELBO())
        optimizer = Adam(params=self.vae.trainable_params(), learning_rate=0.001)
        self.vae = SVI(network, optimizer).run(train_dataset, epochs)
        return self.vae

    def predict_outlier_score(self, sample_x):
        """How badly data is reconstructed.

        Args:
            sample_x (Tensor): Data.

        Returns:
            float, the sum of squared differences.
        """
        if not isinstance(sample_x, Tensor):
            raise TypeError(
                f"For 'VAEAnomalyDetection', the 'sample_x' must be a Tensor, but got "
                f"{type(sample_x).__name__}."
            )
        reconstructed = self.vae.reconstruct_sample(sample_x)
        return float(np.square(sample_x.asnumpy() - reconstructed.asnumpy()).sum())

    def predict_outlier(self, sample_x, threshold=100.0):
        """Whether data is unlike the training data.

        Args:
            sample_x (Tensor): Data.
            threshold (float): Score from which it is. Default: ``100.0``.

        Returns:
            bool.
        """
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or threshold <= 0:
            raise ValueError(
                f"For 'VAEAnomalyDetection', the 'threshold' must be a positive number, but got {threshold}."
            )
        return self.predict_outlier_score(sample_x) >= threshold

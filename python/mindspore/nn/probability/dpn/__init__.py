# SPDX-License-Identifier: Apache-2.0
"""Deep probabilistic networks."""

from mindspore.nn.probability.dpn.vae import VAE, ConditionalVAE

__all__ = ["VAE", "ConditionalVAE"]

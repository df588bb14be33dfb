# SPDX-License-Identifier: Apache-2.0
"""Variational autoencoders."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.layer.basic import Dense
from mindspore.nn.probability.distribution import Normal
from mindspore.ops._registry import op


class _Autoencoder(Cell):
    """An encoder to means and deviations, a draw, and a decoder."""

    def __init__(self, encoder, decoder, hidden_size, latent_size, extra: int):
        super().__init__()
        owner = self.cls_name
        for name, cell in (("encoder", encoder), ("decoder", decoder)):
            if not isinstance(cell, Cell):
                raise TypeError(f"For '{owner}', the '{name}' must be a Cell, but got {type(cell).__name__}.")
        self.encoder, self.decoder = encoder, decoder
        self.hidden_size = check.positive_int(hidden_size, "hidden_size", owner)
        self.latent_size = check.positive_int(latent_size, "latent_size", owner)
        self.normal = Normal()
        self.dense1 = Dense(hidden_size, latent_size)
        self.dense2 = Dense(hidden_size, latent_size)
        self.dense3 = Dense(latent_size + extra, hidden_size)

    def _spread(self, hidden) -> tuple:
        return self.dense1(hidden), op.exp(0.5 * self.dense2(hidden))

    def _drawn(self, mean, deviation):
        return self.normal("sample", (), mean, deviation)

    def _chosen(self, shape, count: int):
        """Checks the shape of generated samples; noise in their number."""
        if not isinstance(shape, (tuple, list)):
            raise TypeError(
                f"For '{self.cls_name}', the 'shape' must be a tuple, but got {type(shape).__name__}."
            )
        check.positive_int(count, "generate_nums", self.cls_name)
        return ops.standard_normal((count, self.latent_size))


class VAE(_Autoencoder):
    """Variational autoencoder.

    Args:
        encoder (Cell): From data to `hidden_size` features.
        decoder (Cell): From `hidden_size` features to data.
        hidden_size (int): Features of encoder and decoder.
        latent_size (int): Numbers that are drawn.

    Inputs:
        - **x** (Tensor) - Data.

    Outputs:
        tuple, reconstructed data, data, means and standard deviations of what is drawn.

    Raises:
        TypeError: An argument has another type.
        ValueError: A size is not positive.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, encoder, decoder, hidden_size, latent_size):
        super().__init__(encoder, decoder, hidden_size, latent_size, 0)

    def construct(self, x):
        mean, deviation = self._spread(self.encoder(x))
        return self.decoder(self.dense3(self._drawn(mean, deviation))), x, mean, deviation

    def generate_sample(self, generate_nums, shape):
        """New data.

        Args:
            generate_nums (int): How many.
            shape (tuple): Their shape.

        Returns:
            Tensor.
        """
        noise = self._chosen(shape, generate_nums)
        return op.reshape(self.decoder(self.dense3(noise)), tuple(shape))

    def reconstruct_sample(self, x):
        """Data from what is drawn for data.

        Args:
            x (Tensor): Data.

        Returns:
            Tensor.
        """
        return self.construct(x)[0]


class ConditionalVAE(_Autoencoder):
    """Variational autoencoder that knows the class of its data.

    Args:
        encoder (Cell): From data and class numbers, ``encoder(x, y)``, to `hidden_size` features.
        decoder (Cell): From `hidden_size` features to data.
        hidden_size (int): Features of encoder and decoder.
        latent_size (int): Numbers that are drawn.
        num_classes (int): Number of classes.

    Inputs:
        - **x** (Tensor) - Data.
        - **y** (Tensor) - Class numbers.

    Outputs:
        tuple, reconstructed data, data, means and standard deviations of what is drawn.

    Raises:
        TypeError: An argument has another type.
        ValueError: A size is not positive.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, encoder, decoder, hidden_size, latent_size, num_classes):
        check.positive_int(num_classes, "num_classes", "ConditionalVAE")
        super().__init__(encoder, decoder, hidden_size, latent_size, num_classes)
        self.num_classes = num_classes

    def _with_class(self, features, y):
        hot = ops.one_hot(
            op.reshape(y, (-1,)),
            self.num_classes,
            Tensor(1.0, mstype.float32),
            Tensor(0.0, mstype.float32),
        )
        return op.concat((features, op.cast(hot, features.dtype)), 1)

    def construct(self, x, y):
        mean, deviation = self._spread(self.encoder(x, y))
        hidden = self.dense3(self._with_class(self._drawn(mean, deviation), y))
        return self.decoder(hidden), x, mean, deviation

    def generate_sample(self, sample_y, generate_nums, shape):
        """New data of given classes.

        Args:
            sample_y (Tensor): Class numbers.
            generate_nums (int): How many.
            shape (tuple): Their shape.

        Returns:
            Tensor.
        """
        noise = self._chosen(shape, generate_nums)
        if not isinstance(sample_y, Tensor):
            raise TypeError(
                f"For 'ConditionalVAE', the 'sample_y' must be a Tensor, but got {type(sample_y).__name__}."
            )
        return op.reshape(self.decoder(self.dense3(self._with_class(noise, sample_y))), tuple(shape))

    def reconstruct_sample(self, x, y):
        """Data from what is drawn for data.

        Args:
            x (Tensor): Data.
            y (Tensor): Class numbers.

        Returns:
            Tensor.
        """
        return self.construct(x, y)[0]

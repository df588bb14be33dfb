# SPDX-License-Identifier: Apache-2.0
"""The loss of a network some of whose weights are distributed."""

from __future__ import annotations

from mindspore.nn.cell import Cell
from mindspore.nn.probability.bnn_layers.variational import ConvReparam, DenseLocalReparam, DenseReparam

_LAYERS = (ConvReparam, DenseLocalReparam, DenseReparam)


class WithBNNLossCell(Cell):
    """A network with its loss and the divergence of its weights' distributions.

    Args:
        backbone (Cell): The network.
        loss_fn (Cell): The loss of its outputs.
        dnn_factor (Union[int, float]): Factor of the loss. Default: ``1``.
        bnn_factor (Union[int, float]): Factor of the divergence. Default: ``1``.

    Inputs:
        - **x** (Tensor) - Data.
        - **label** (Tensor) - Labels.

    Outputs:
        Tensor, one number.

    Raises:
        TypeError: A factor is no number.
        ValueError: A factor is negative.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, backbone, loss_fn, dnn_factor=1, bnn_factor=1):
        super().__init__()
        for name, value in (("dnn_factor", dnn_factor), ("bnn_factor", bnn_factor)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(
                    f"For 'WithBNNLossCell', the '{name}' must be int or float, but got "
                    f"{type(value).__name__}."
                )
            if value < 0:
                raise ValueError(
                    f"For 'WithBNNLossCell', the '{name}' must not be negative, but got {value}."
                )
        self._backbone, self._loss_fn = backbone, loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor
        self._distributed = tuple(cell for _, cell in backbone.cells_and_names() if isinstance(cell, _LAYERS))

    def construct(self, x, label):
        loss = self.dnn_factor * self._loss_fn(self._backbone(x), label)
        for layer in self._distributed:
            loss = loss + self.bnn_factor * layer.compute_kl_loss()
        return loss

    @property
    def backbone_network(self):
        """The network."""
        return self._backbone


__all__ = ["WithBNNLossCell"]

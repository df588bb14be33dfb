# SPDX-License-Identifier: Apache-2.0
"""Puts layers that keep second moments in the place of plain ones."""

from __future__ import annotations

from mindspore import nn
from mindspore.nn.cell import Cell
from mindspore.nn.optim.thor import Thor


def _dense(layer):
    new = nn.DenseThor(layer.in_channels, layer.out_channels, has_bias=layer.has_bias)
    new.activation, new.activation_flag = layer.activation, layer.activation_flag
    return new


def _convolution(layer):
    return nn.Conv2dThor(
        layer.in_channels,
        layer.out_channels,
        layer.kernel_size,
        layer.stride,
        layer.pad_mode,
        layer.padding,
        layer.dilation,
        layer.group,
        layer.has_bias,
    )


def _embedding(layer):
    return nn.EmbeddingThor(layer.vocab_size, layer.embedding_size, layer.use_one_hot)


_LAYERS = {nn.Dense: _dense, nn.Conv2d: _convolution, nn.Embedding: _embedding}
_SHARED = ("weight", "bias", "embedding_table")


class ConvertNetUtils:
    """Converts networks for :func:`mindspore.nn.thor`.

    Supported Platforms:
        ``CPU``
    """

    def convert_to_thor_net(self, net) -> None:
        """Replaces every Dense, Conv2d and Embedding by a layer that keeps second moments; parameters stay.

        Args:
            net (Cell): The network, changed in place.
        """
        if not isinstance(net, Cell):
            raise TypeError(f"For 'convert_to_thor_net', the 'net' must be a Cell, but got {type(net)}.")
        for name, layer in list(net._cells.items()):
            make = _LAYERS.get(type(layer))
            if make is None:
                if layer is not None:
                    self.convert_to_thor_net(layer)
                continue
            new = make(layer)
            for shared in _SHARED:
                if getattr(layer, shared, None) is not None:
                    setattr(new, shared, getattr(layer, shared))
            prefix = next(iter(layer.get_parameters())).name.rsplit(".", 1)[0]
            for own in (new.matrix_a, new.matrix_g):
                own.name = f"{prefix}.{own.name.rsplit('.', 1)[-1]}"
            net._cells[name] = new
            if name in net.__dict__:
                net.__dict__[name] = new


class ConvertModelUtils:
    """Converts models for :func:`mindspore.nn.thor`.

    Supported Platforms:
        ``CPU``
    """

    @staticmethod
    def convert_to_thor_model(
        model,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        amp_level="O0",
        loss_scale_manager=None,
        keep_batchnorm_fp32=False,
    ):
        """A model that trains with THOR.

        Args:
            model (Model): The model, given back when the optimizer is another one.
            network (Cell): The network.
            loss_fn (Cell): The loss. Default: ``None``.
            optimizer (Cell): The optimizer; one made by :func:`mindspore.nn.thor` makes a new model.
                Default: ``None``.
            metrics (Union[dict, set]): What is measured in evaluation. Default: ``None``.
            amp_level (str): Mixed precision. Default: ``"O0"``.
            loss_scale_manager (LossScaleManager): The loss scale. Default: ``None``.
            keep_batchnorm_fp32 (bool): Normalisation stays in float32. Default: ``False``.

        Returns:
            Model.
        """
        if not isinstance(optimizer, Thor):
            return model
        if isinstance(network, nn.TrainOneStepCell):
            return type(model)(network)
        return type(model)(
            network,
            loss_fn,
            optimizer,
            metrics,
            amp_level=amp_level,
            loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )
